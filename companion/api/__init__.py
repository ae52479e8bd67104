"""Read-only JSON API."""
