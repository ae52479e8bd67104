"""What all requests have in common."""
