"""BG Stats: export and import."""
