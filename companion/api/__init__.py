"""The interface for programs: read-only, behind a key of a phone."""
