"""Reads what the settings take from outside: variables, the key file, the machine's time zone; decides nothing."""

import os
import secrets
import zoneinfo
from contextlib import suppress
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from django.core.exceptions import ImproperlyConfigured

TRUE = frozenset({"1", "true", "yes", "on"})
FALSE = frozenset({"0", "false", "no", "off"})
MIN_KEY_LENGTH = 50
"""Characters of a secret key, at least; the length that Django's own check asks for."""
ENV_FILE = "environment"
"""The file in the data folder that holds variables for every command, so that none of them has to be told again."""
VALUES_READ: dict[str, str] = {}
"""All variables that have been asked for, with what they held then."""


def get_text(name: str, default: str = "") -> str:
    """The variable without the spaces around it; the default where it is unset or empty."""
    VALUES_READ[name] = os.environ.get(name, "").strip()
    return VALUES_READ[name] or default


def load_env_file(path: Path) -> None:
    """Set the variables that the file holds, one `NAME=value` a line, unless the environment itself has them."""
    if not path.exists():
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        name, sign, value = line.partition("=")
        if not line.strip() or line.startswith("#"):
            continue
        if not (sign and name.isidentifier()):
            raise ImproperlyConfigured(f"{path}, line {number}, must be like PORT=8000.")
        if not get_text(name):
            os.environ[name] = value.strip()


def save_env_file(path: Path, *, but: str) -> None:
    """Write those of the variables asked for that are set into the file, except the one that says where it lies."""
    known = {name: value for name, value in sorted(VALUES_READ.items()) if value and name != but}
    before = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    others = [line for line in before if line.partition("=")[0] not in known]
    path.touch(mode=0o600)
    path.write_text(
        "".join(f"{line}\n" for line in others + [f"{name}={known[name]}" for name in known]), encoding="utf-8"
    )


def get_bool(name: str, default: bool) -> bool:
    value = get_text(name).lower()
    if not value:
        return default
    if value not in TRUE | FALSE:
        raise ImproperlyConfigured(f"{name} must be 1 or 0, not {value!r}.")
    return value in TRUE


def get_int(name: str, default: int, lowest: int, highest: int) -> int:
    value = get_text(name, str(default))
    # isdecimal alone would let other scripts' digits through.
    if not (value.isascii() and value.isdecimal() and len(value) < 10 and lowest <= int(value) <= highest):
        raise ImproperlyConfigured(f"{name} must be a whole number from {lowest} to {highest}, not {value!r}.")
    return int(value)


def get_choice(name: str, default: str, choices: tuple[str, ...]) -> str:
    value = get_text(name, default).upper()
    if value not in choices:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(choices)}, not {value!r}.")
    return value


def get_list(name: str) -> list[str]:
    """A list separated by commas or spaces."""
    return get_text(name).replace(",", " ").split()


def get_public_url(name: str) -> SplitResult:
    """The address under which others reach this server; all parts empty where it is unset."""
    value = get_text(name)
    url = urlsplit(value)
    if value and (url.scheme not in ("http", "https") or not url.hostname or url.path not in ("", "/")):
        raise ImproperlyConfigured(f"{name} must be like https://cards.example.org, without a path, not {value!r}.")
    return url


def get_folder(name: str, default: Path) -> Path:
    """A folder that can be written to, made where it is absent."""
    path = Path(get_text(name, str(default))).expanduser().resolve()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(f"{name}: the folder {path} cannot be made: {error.strerror}.") from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise ImproperlyConfigured(f"{name}: the folder {path} cannot be written to.")
    return path


def get_time_zone(name: str, localtime: Path = Path("/etc/localtime")) -> str:
    """The zone named by the variable, else the machine's, else UTC."""
    value = get_text(name).removeprefix(":")
    if value:
        if value not in zoneinfo.available_timezones():
            raise ImproperlyConfigured(f"{name} must be a time zone like Europe/Athens, not {value!r}.")
        return value
    machines = str(localtime.resolve()).partition("zoneinfo/")[2]
    return machines if machines in zoneinfo.available_timezones() else "UTC"


def get_secret_key(name: str, path: Path) -> str:
    """The key in the variable, else the one in the file, which is made once and is for its owner's eyes only."""
    if key := get_text(name):
        return key
    if not path.exists():
        _make_key(path)
    return _stored_key(name, path)


def _make_key(path: Path) -> None:
    """Written whole beside its place and then linked there: of processes that start together one makes the key."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(MIN_KEY_LENGTH))
            file.flush()
            os.fsync(descriptor)
        with suppress(FileExistsError):
            os.link(draft, path)
    except OSError as error:
        raise ImproperlyConfigured(f"{path} cannot be made: {error.strerror}.") from error
    finally:
        draft.unlink(missing_ok=True)


def _stored_key(name: str, path: Path) -> str:
    try:
        key = path.read_text(encoding="ascii").strip()
        mode = path.stat().st_mode
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{name} is not set, and {path} cannot be read: {error}.") from error
    if os.name == "posix" and mode & 0o077:
        raise ImproperlyConfigured(f"{path} can be read by others. Make it yours alone: chmod 600 {path}")
    if len(key) < MIN_KEY_LENGTH:
        raise ImproperlyConfigured(f"{path} holds no whole key. Delete it, and the next start makes another.")
    return key
