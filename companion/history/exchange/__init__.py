"""Files in which tables leave and come back: ours, the notation, those of other programs. Pages are elsewhere."""
