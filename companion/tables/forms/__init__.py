"""Parsing of posted forms."""
