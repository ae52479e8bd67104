"""Health checks: at startup, for probes, and in `manage.py doctor`."""
