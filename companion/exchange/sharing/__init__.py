"""Sharing of results as an image, as text and by short link."""
