"""The rules of each game, on the screen and on paper, read from the games' folders."""
