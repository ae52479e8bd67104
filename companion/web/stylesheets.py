"""Bundles of stylesheets: imports inlined, with colours for browsers without `light-dark()`."""

import re

from companion.web.scripts import read_source

_IMPORT = re.compile(r'^@import "([a-z-]+\.css)";$', re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/\n*", re.DOTALL)
_TWO_COLOURED_RULE = re.compile(r"^([^\s{}@][^{}@]*)\{([^{}]*light-dark\([^{}]*)\}", re.MULTILINE)
_TWO_COLOURS = re.compile(r"light-dark\(((?:[^(),]|\([^()]*\))+),(?:[^()]|\([^()]*\))+\)")


def build_stylesheet(styles: str) -> str:
    """Return a stylesheet as it is shipped. Raises FileNotFoundError if one that it imports does not exist."""
    bundle = _IMPORT.sub(lambda match: read_source(f"css/{match[1]}"), styles)
    return _TWO_COLOURED_RULE.sub(_add_light_colours, _COMMENT.sub("", bundle))


def _add_light_colours(rule: re.Match[str]) -> str:
    """Return a rule followed by its light colours, for browsers that do not know `light-dark()`."""
    declarations = (line for line in rule[2].split(";") if "light-dark(" in line)
    light = ";".join(_TWO_COLOURS.sub(r"\1", declaration).strip() for declaration in declarations)
    return f"{rule[0]}\n@supports not (color: light-dark(red, red)) {{ {rule[1]}{{ {light} }} }}"
