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
        self.trust = ssl.create_default_context(cafile=certificate) if certificate else None
        self.cookies: dict[str, tuple[str, set[str]]] = {}
        """Value and attributes by name."""

    def ask(
        self, path: str, method: str = "GET", came: str = "/", headers: dict[str, str] | None = None, **sent: str
    ) -> tuple[HTTPResponse, str]:
        """Return the response and its body."""
        link = HTTPSConnection(self.host, context=self.trust, timeout=30) if self.trust else HTTPConnection(self.host)
        all_headers = {"Cookie": "; ".join(f"{name}={value}" for name, (value, _attributes) in self.cookies.items())}
        all_headers |= {"Referer": f"{self.url}{came}", "Content-Type": "application/x-www-form-urlencoded"}
        link.request(method, path, urlencode(sent) if method == "POST" else None, all_headers | (headers or {}))
        answer = link.getresponse()
        html = answer.read().decode("utf-8", "replace")
        for line in answer.headers.get_all("Set-Cookie", []):
            pair, *attributes = line.split("; ")
            self.cookies[pair.partition("=")[0]] = pair.partition("=")[2], set(attributes)
        link.close()
        return answer, html

    def post(self, path: str, **sent: str) -> tuple[HTTPResponse, str]:
        html = self.ask("/settings/")[1]
        token = html.partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]
        return self.ask(path, "POST", csrfmiddlewaretoken=token, **sent)

    def open(self) -> str:
        """Open a table for Ann and Bo; return its URL."""
        table = {"way": "pad", "seat": "n:Ann", "new": "Bo", "action": "open"}
        return str(self.post("/tables/new/take-that/", **table)[0].headers["Location"])
