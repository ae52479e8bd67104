"""Writes to tables: one transaction each, permission checked inside it."""
