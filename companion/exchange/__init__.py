"""Import, export and sharing of tables."""
