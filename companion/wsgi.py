"""WSGI application for `manage.py serve` or any other server."""

import os
from typing import Any

import django
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "companion.settings")


class Request(WSGIRequest):
    """A request that tolerates a malformed content type, which Django would raise for before any middleware runs."""

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        try:
            super()._set_content_type_params(meta)  # type: ignore[misc]  # missing in the stubs
        except (LookupError, ValueError):
            self.content_type, self.content_params = "", {}


class Application(WSGIHandler):
    request_class = Request

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:
        """Drop the body of HEAD responses; clients would read it as the next response on the connection."""
        body = super().__call__(environ, start_response)
        if environ["REQUEST_METHOD"] != "HEAD":
            return body
        body.close()
        return []


django.setup(set_prefix=False)
application = Application()
