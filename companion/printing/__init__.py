"""PDF rendering and fonts."""
