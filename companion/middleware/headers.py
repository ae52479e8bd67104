"""Cross-Origin-Resource-Policy, which neither Django nor django-csp sets."""

from django.http import HttpRequest, HttpResponseBase
from django.utils.deprecation import MiddlewareMixin


class ResourcePolicyMiddleware(MiddlewareMixin):
    """Forbid other sites to embed anything from this one, even an image."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        return response
