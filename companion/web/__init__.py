"""Logging, hosts, static files, translation and QR codes."""
