"""Core of every game: records, plays, matches, logs and their notation, without Django."""
