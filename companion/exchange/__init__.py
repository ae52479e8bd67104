"""Files in which tables leave and come back: ours, the notation, those of other programs. And the pages for it."""
