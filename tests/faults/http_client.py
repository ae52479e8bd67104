"""HTTP client with cookies and CSRF tokens that follows no redirects."""

from __future__ import annotations

import ssl
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from pathlib import Path
from urllib.parse import urlencode, urlsplit


class HttpClient:
    def __init__(self, url: str, certificate: Path | None = None) -> None:
        self.url = url
        self.host = urlsplit(url).netloc
        self.ssl_context = ssl.create_default_context(cafile=certificate) if certificate else None
        self.cookies: dict[str, tuple[str, set[str]]] = {}
        """Value and attributes of each cookie."""

    def request(
        self, path: str, method: str = "GET", referer: str = "/", headers: dict[str, str] | None = None, **fields: str
    ) -> tuple[HTTPResponse, str]:
        """Return the response and its body."""
        connection = (
            HTTPSConnection(self.host, context=self.ssl_context, timeout=30)
            if self.ssl_context
            else HTTPConnection(self.host)
        )
        all_headers = {"Cookie": "; ".join(f"{name}={value}" for name, (value, _attributes) in self.cookies.items())}
        all_headers |= {"Referer": f"{self.url}{referer}", "Content-Type": "application/x-www-form-urlencoded"}
        connection.request(method, path, urlencode(fields) if method == "POST" else None, all_headers | (headers or {}))
        response = connection.getresponse()
        html = response.read().decode("utf-8", "replace")
        for cookie in response.headers.get_all("Set-Cookie", []):
            pair, *attributes = cookie.split("; ")
            self.cookies[pair.partition("=")[0]] = pair.partition("=")[2], set(attributes)
        connection.close()
        return response, html

    def post(self, path: str, **fields: str) -> tuple[HTTPResponse, str]:
        html = self.request("/settings/")[1]
        token = html.partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]
        return self.request(path, "POST", csrfmiddlewaretoken=token, **fields)

    def open_table(self) -> str:
        """Open a table for Ann and Bo; return its URL."""
        fields = {"way": "pad", "seat": "n:Ann", "new": "Bo", "action": "open"}
        return str(self.post("/tables/new/take-that/", **fields)[0].headers["Location"])
