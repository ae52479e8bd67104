"""Sittings and their logs: setting a table, pad, referee and calculator. What is over is shown by the history."""
