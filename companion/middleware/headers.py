"""Cross-Origin-Resource-Policy, which neither Django nor django-csp sets."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase


class ResourcePolicyMiddleware:
    """Forbid other sites to embed anything from this one, even an image."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        return response
