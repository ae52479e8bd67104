"""What every game is made of: games, plays, matches, logs and their notation. No Django here, and no single game."""
