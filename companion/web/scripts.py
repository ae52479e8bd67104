"""Bundles of JavaScript modules: joined, minified, with short names."""

import posixpath
import re
from collections.abc import Iterator
from itertools import chain, product
from pathlib import Path
from string import ascii_letters

from django.contrib.staticfiles import finders
from rjsmin import jsmin

_IMPORT = re.compile(r'^import (?:\{[^}]*\} from )?"(\.{1,2}/[a-z/.-]+\.js)";$\n?', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=\w)", re.MULTILINE)
_DECLARATION = re.compile(r"^(?:export )?(?:async )?(?:const|let|function) (\w+)", re.MULTILINE)
_DECLARED_NAME = re.compile(r"\b(?:const|let|function) (\w{3,})\b")
_BROWSER_NAMES = frozenset(
    {"caches", "close", "closed", "crypto", "document", "event", "fetch", "find", "focus", "history", "length"}
    | {"location", "name", "navigator", "open", "origin", "parent", "performance", "print", "screen", "scroll"}
    | {"self", "status", "stop", "top", "window"}
)
"""Globals of browsers that keep their names, even where a script declares one of the same name."""
_LITERAL = re.compile(
    r"(?<=[(,=:])/(?:\\.|\[(?:\\.|[^\]])*\]|[^/\n])+/"  # a regular expression, which may hold a single quote
    r"""|"(?:\\.|[^"\n])*"|'(?:\\.|[^'\n])*'|`[^`]*`"""
)
_PLACEHOLDER = re.compile(r"\$\{[^{}]*\}")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")


def build_bundle(name: str, script: str) -> str:
    """Return a script as it is shipped."""
    minified: str = jsmin(join_modules(name, script))
    return shorten_names(minified)


def join_modules(name: str, script: str) -> str:
    """Return a script with all modules that it imports, each once and after those that it imports itself.

    Modules that export something share one scope; others have their own.

    Raises:
        FileNotFoundError: if an imported module does not exist
        ValueError: if two modules would declare the same name in the shared scope
    """
    declared: dict[str, str] = {}
    parts = []
    for module, source in _walk_modules(name, script, set()):
        code = _IMPORT.sub("", source)
        if not _EXPORT.search(code):
            parts.append(code if module == name else "{" + code + "}")
            continue
        for identifier in _DECLARATION.findall(code):
            if declared.setdefault(identifier, module) != module:
                raise ValueError(f"{identifier} is declared in {declared[identifier]} and {module}")
        parts.append(_EXPORT.sub("", code))
    return "".join(parts)


def shorten_names(script: str) -> str:
    """Return a minified script in which long names are short.

    A name is replaced wherever it stands, so that scopes do not matter: only names that the script declares, and that
    are nowhere a word in a string, the name of a property or a global of browsers.
    """
    strings = _PLACEHOLDER.sub("", " ".join(_LITERAL.findall(script)))
    reserved = _BROWSER_NAMES.union(_WORD.findall(strings))
    names = [
        name
        for name in dict.fromkeys(_DECLARED_NAME.findall(script))
        if name not in reserved and not re.search(rf"(?<![.])[.]{name}\b|(?:(?<![$]){{|,){name}[,}}:]", script)
    ]
    names.sort(key=script.count, reverse=True)
    words = {"do", "if", "in", *_WORD.findall(script)}
    candidates = chain(ascii_letters, map("".join, product(ascii_letters, repeat=2)))
    short_names = dict(zip(names, (name for name in candidates if name not in words), strict=False))
    return _WORD.sub(lambda word: short_names.get(word[0], word[0]), script)


def _walk_modules(name: str, script: str, visited: set[str]) -> Iterator[tuple[str, str]]:
    visited.add(name)
    for imported in _IMPORT.findall(script):
        module = posixpath.normpath(posixpath.join(posixpath.dirname(name), imported))
        if module not in visited:
            yield from _walk_modules(module, read_source(module), visited)
    yield name, script


def read_source(name: str) -> str:
    """Return the text of a static file. Raises FileNotFoundError."""
    path = finders.find(name)
    if path is None:
        raise FileNotFoundError(f"no such static file: {name}")
    return Path(path).read_text(encoding="utf-8")
