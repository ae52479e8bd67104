"""Circles, players, devices and what they may do. Tables are elsewhere."""
