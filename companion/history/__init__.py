"""History of a circle: past tables, players and statistics."""
