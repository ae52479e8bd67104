"""Static files storage: compressed and hashed, with bundled scripts and stylesheets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage
from whitenoise.storage import CompressedManifestStaticFilesStorage

from companion.web.scripts import build_bundle
from companion.web.stylesheets import build_stylesheet


class BundledStaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc] # whitenoise has no types
    """Bundle scripts and stylesheets, which saves requests, and a third of the bytes of scripts."""

    def post_process(self, paths: dict[str, tuple[Storage, str]], *args: Any, **options: Any) -> Iterator[Any]:
        """Hash and save the bundles, so that a file is renamed when one that it imports changes."""
        bundles = {name: (_BundleSource(storage, name), path) for name, (storage, path) in paths.items()}
        yield from super().post_process(bundles, *args, **options)


@dataclass(frozen=True)
class _BundleSource:
    """The source folder of a static file, which opens it as a bundle."""

    storage: Storage
    name: str

    def open(self, path: str) -> File[bytes]:
        is_script = self.name.endswith(".js") and not self.name.endswith(".min.js")
        if not is_script and not self.name.endswith(".css"):
            return self.storage.open(path)
        with self.storage.open(path) as file:
            source = file.read().decode()
        return ContentFile((build_bundle(self.name, source) if is_script else build_stylesheet(source)).encode())
