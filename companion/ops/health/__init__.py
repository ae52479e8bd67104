"""What must hold for the companion to run well: asked at the start, by probes, and by `manage.py doctor`."""
