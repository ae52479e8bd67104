"""Database options, error classification, retries and locks."""
