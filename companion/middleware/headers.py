"""The response header that neither Django nor django-csp sets; the others are in the settings."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase


class ResourcePolicyMiddleware:
    """No other site may embed what this one serves, not even an image."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        return response
