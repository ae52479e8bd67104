"""What runs the server."""
