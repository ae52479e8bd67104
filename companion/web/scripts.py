"""Bundles of JavaScript modules: joined, minified, with short names."""

import posixpath
import re
import string
from collections.abc import Iterator, Mapping
from itertools import chain, product
from pathlib import Path

from django.contrib.staticfiles import finders
from rjsmin import jsmin

_IMPORT = re.compile(r'^import (?:\{[^}]*\} from )?"(\.{1,2}/[a-z/.-]+\.js)";$\n?', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=\w)", re.MULTILINE)
_DECLARATION = re.compile(r"^(?:export )?(?:async )?(?:const|let|function) (\w+)", re.MULTILINE)
_DECLARED_NAME = re.compile(r"\b(?:const|let|function) (\w{3,})\b")
_PARAMETERS = re.compile(r"\bfunction \w+\(([\w,]+)\)|\(([\w,]+)\)=>")
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
_TOKEN = re.compile(f"{_LITERAL.pattern}|{_WORD.pattern}")


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
    """Return a minified script in which long names are short, and constants are variables.

    A name is replaced wherever it stands outside of strings, so that scopes do not matter: only names that the script
    declares, and that are nowhere the name of a property or a global of browsers.
    """
    parameters = _WORD.findall(" ".join(chain(*_PARAMETERS.findall(script))))
    declared = dict.fromkeys([*_DECLARED_NAME.findall(script), *(name for name in parameters if len(name) > 2)])
    code = _LITERAL.sub(lambda literal: " ".join(_PLACEHOLDER.findall(literal[0])), script)
    names = [
        name
        for name in declared
        if name not in _BROWSER_NAMES and not re.search(rf"(?<![.])[.]{name}\b|(?:(?<![$]){{|,){name}[,}}:]", code)
    ]
    names.sort(key=code.count, reverse=True)
    letters, words = string.ascii_letters, {"do", "if", "in", *_WORD.findall(code)}
    candidates = map("".join, chain(product(letters), product(letters, letters)))
    short_names = (name for name in candidates if name not in words)
    return _replace_words(script, {"const": "let", **dict(zip(names, short_names, strict=False))})


def _replace_words(script: str, replacements: Mapping[str, str]) -> str:
    def replace(token: re.Match[str]) -> str:
        if token[0].startswith("`"):
            return _PLACEHOLDER.sub(lambda part: _replace_words(part[0], replacements), token[0])
        return replacements.get(token[0], token[0])

    return _TOKEN.sub(replace, script)


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
