"""The WSGI application, for `manage.py serve` or any other server."""

from __future__ import annotations

import os
from typing import Any

import django
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "companion.settings")


class Request(WSGIRequest):
    """A request whose content type may be nonsense: Django would fail over it before anything could answer."""

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        try:
            super()._set_content_type_params(meta)  # type: ignore[misc]  # the stubs do not know it
        except (LookupError, ValueError):
            self.content_type, self.content_params = "", {}


class Application(WSGIHandler):
    request_class = Request


django.setup(set_prefix=False)
application = Application()
