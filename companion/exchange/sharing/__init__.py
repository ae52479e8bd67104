"""A result to show off: as a picture, as a text, and behind a short link."""
