"""Server, backups, health checks and deployment."""
