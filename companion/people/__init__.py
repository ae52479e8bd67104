"""Circles, players and devices."""
