"""Languages of the interface, in which every game has its texts."""

from collections.abc import Mapping

LANGUAGES: Mapping[str, str] = {"en": "English", "el": "Ελληνικά"}
"""Their own names by code. The first is that of the texts in the code."""
