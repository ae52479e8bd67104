"""Home page, settings page and the installable app (PWA)."""
