"""Players of a circle: their pages, and how two become one, or one is erased."""
