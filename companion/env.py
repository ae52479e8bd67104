"""Environment variables, the file that holds them, and the secret key."""

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
"""Minimum characters of a secret key, as in Django's own check."""
ENV_FILE = "environment"
"""Name of the file in the data folder that sets variables for every command."""
VALUES_READ: dict[str, str] = {}
"""Every variable read so far, with its value at that time."""


def get_text(name: str, default: str = "") -> str:
    """Return the stripped variable; the default if it is unset or empty."""
    VALUES_READ[name] = os.environ.get(name, "").strip()
    return VALUES_READ[name] or default


def load_env_file(path: Path) -> None:
    """Set variables from a file with one `NAME=value` a line; the environment takes precedence."""
    if not path.exists():
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        name, equals, value = line.partition("=")
        if not line.strip() or line.startswith("#"):
            continue
        if not (equals and name.isidentifier()):
            raise ImproperlyConfigured(f"{path}, line {number}, must be like PORT=8000.")
        if not get_text(name):
            os.environ[name] = value.strip()


def save_env_file(path: Path, *, exclude: str) -> None:
    """Write the variables read so far into the file, except the one that locates it. Other lines stay."""
    values = {name: value for name, value in sorted(VALUES_READ.items()) if value and name != exclude}
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    other_lines = [line for line in lines if line.partition("=")[0] not in values]
    path.touch(mode=0o600)
    path.write_text(
        "".join(f"{line}\n" for line in other_lines + [f"{name}={value}" for name, value in values.items()]),
        encoding="utf-8",
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
    # isdecimal alone accepts digits of other scripts.
    if not (value.isascii() and value.isdecimal() and len(value) < 10 and lowest <= int(value) <= highest):
        raise ImproperlyConfigured(f"{name} must be a whole number from {lowest} to {highest}, not {value!r}.")
    return int(value)


def get_choice(name: str, default: str, choices: tuple[str, ...]) -> str:
    value = get_text(name, default).upper()
    if value not in choices:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(choices)}, not {value!r}.")
    return value


def get_list(name: str) -> list[str]:
    """Return the items of a list separated by commas or spaces."""
    return get_text(name).replace(",", " ").split()


def get_public_url(name: str) -> SplitResult:
    """Return the public address of this server; all parts are empty if it is unset."""
    value = get_text(name)
    url = urlsplit(value)
    if value and (url.scheme not in ("http", "https") or not url.hostname or url.path not in ("", "/")):
        raise ImproperlyConfigured(f"{name} must be like https://cards.example.org, without a path, not {value!r}.")
    return url


def get_folder(name: str, default: Path) -> Path:
    """Return a writable folder, created if it is missing."""
    path = Path(get_text(name, str(default))).expanduser().resolve()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(f"{name}: cannot create the folder {path}: {error.strerror}.") from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise ImproperlyConfigured(f"{name}: the folder {path} is not writable.")
    return path


def get_time_zone(name: str, localtime: Path = Path("/etc/localtime")) -> str:
    """Return the zone named by the variable, else the machine's, else UTC."""
    value = get_text(name).removeprefix(":")
    if value:
        if value not in zoneinfo.available_timezones():
            raise ImproperlyConfigured(f"{name} must be a time zone like Europe/Athens, not {value!r}.")
        return value
    machine_zone = str(localtime.resolve()).partition("zoneinfo/")[2]
    return machine_zone if machine_zone in zoneinfo.available_timezones() else "UTC"


def get_secret_key(name: str, path: Path) -> str:
    """Return the key in the variable, else that in the file, which is created at first use, readable by its owner."""
    if key := get_text(name):
        return key
    if not path.exists():
        _create_key(path)
    return _read_key(name, path)


def _create_key(path: Path) -> None:
    """Write the key to a draft and link it into place: of processes that start together, only one creates the key."""
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
        raise ImproperlyConfigured(f"Cannot create {path}: {error.strerror}.") from error
    finally:
        draft.unlink(missing_ok=True)


def _read_key(name: str, path: Path) -> str:
    try:
        key = path.read_text(encoding="ascii").strip()
        mode = path.stat().st_mode
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{name} is not set, and {path} cannot be read: {error}.") from error
    if os.name == "posix" and mode & 0o077:
        raise ImproperlyConfigured(f"{path} can be read by others. Make it private: chmod 600 {path}")
    if len(key) < MIN_KEY_LENGTH:
        raise ImproperlyConfigured(f"{path} does not hold a complete key. Delete it; the next start creates a new one.")
    return key
