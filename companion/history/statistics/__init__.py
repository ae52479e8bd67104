"""Statistics of players, games and circles."""
