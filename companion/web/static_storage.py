"""Static files storage: compressed and hashed, with bundled and minified scripts."""

from __future__ import annotations

import re
from pathlib import Path

from django.contrib.staticfiles import finders
from django.core.files.base import ContentFile, File
from rjsmin import jsmin
from whitenoise.storage import CompressedManifestStaticFilesStorage

_IMPORT = re.compile(r'^import (?:(\{.*\}) from )?"\./([a-z-]+\.js)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


class BundledStaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc] # whitenoise has no types
    """Minify scripts, which saves a quarter, and inline what they import, which saves requests and another tenth."""

    def file_hash(self, name: str | None, content: File[bytes] | None = None) -> str | None:
        """Return the hash of the bundled content, so that a script is renamed when one that it imports changes."""
        bundle = _bundle(name, content) if name and content else content
        file_hash: str | None = super().file_hash(name, bundle)
        return file_hash

    def _save(self, name: str, content: File[bytes]) -> str:
        saved_name: str = super()._save(name, _bundle(name, content))
        return saved_name


def _bundle(name: str, content: File[bytes]) -> File[bytes]:
    if not name.endswith(".js") or name.endswith(".min.js"):
        return content
    script = b"".join(content.chunks()).decode()
    return ContentFile(jsmin(_IMPORT.sub(_inline_import, script)).encode())


def _inline_import(match: re.Match[str]) -> str:
    """Return an imported script: in its own scope, or in that of the one script that uses its names."""
    names, file = match.groups()
    script = _EXPORT.sub("", _IMPORT.sub(_inline_import, _read_script(file)))
    return script if names else "{" + script + "}"


def _read_script(name: str) -> str:
    path = finders.find(f"js/{name}")
    if path is None:
        raise FileNotFoundError(f"no such script: {name}")
    return Path(path).read_text(encoding="utf-8")
