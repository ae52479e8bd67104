"""What has been played: the tables of a circle, found again. The tables themselves are elsewhere."""
