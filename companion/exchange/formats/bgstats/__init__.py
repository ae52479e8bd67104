"""Files of BG Stats, written and read. Their fields are its own."""
