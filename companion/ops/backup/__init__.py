"""Backups: one SQLite file each, whichever database is in use."""
