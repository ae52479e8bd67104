"""Parsing of what the pages of a table post."""
