"""Backups: one SQLite file each, whichever database is in use, made, checked, kept for a while, and put back."""
