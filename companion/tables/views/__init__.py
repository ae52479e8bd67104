"""Views of tables."""
