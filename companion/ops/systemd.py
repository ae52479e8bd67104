"""systemd units for the server and the nightly backup."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

STOP_TIMEOUT = 30
"""Seconds for requests and workers to finish before systemd kills them."""
HOME_FOLDERS = (Path("/home"), Path("/root"), Path("/run/user"))
PRIVILEGED_PORTS = 1024
"""Binding a port below this one takes a capability."""


@dataclass(frozen=True)
class Installation:
    """Paths, user and port of an installation."""

    user: str
    root: Path
    data: Path
    python: Path
    prefix: Path
    """Prefix of the base Python of the virtual environment."""
    port: int = 8000


def render_units(installation: Installation) -> dict[str, str]:
    """Return the units by file name."""
    sandbox, command = _render_sandbox(installation), f"{_quote(installation.python)} manage.py"
    return {
        "companion.service": SERVER_UNIT.format(sandbox=sandbox, command=command, drain=STOP_TIMEOUT),
        "companion-nightly.service": NIGHTLY_UNIT.format(sandbox=sandbox, command=command),
        "companion-nightly.timer": TIMER_UNIT,
    }


def _render_sandbox(installation: Installation) -> str:
    is_privileged = installation.port < PRIVILEGED_PORTS
    return SANDBOX.format(
        user=installation.user,
        root=_escape(installation.root),
        visible=" ".join(_quote(path) for path in (installation.root, installation.prefix) if _is_in_home(path)),
        writable=" ".join(map(_quote, (installation.data, installation.root / "companion" / "locale"))),
        data=_quote(f"COMPANION_DATA={installation.data}"),
        data_folder=_quote(installation.data),
        capability="CAP_NET_BIND_SERVICE" if is_privileged else "",
        private_users="no" if is_privileged else "yes",
    )


def _is_in_home(path: Path) -> bool:
    return any(path.is_relative_to(home) for home in HOME_FOLDERS)


def _escape(value: object) -> str:
    """Escape a value that takes the rest of a line; `%` starts a systemd specifier."""
    return str(value).replace("%", "%%")


def _quote(value: object) -> str:
    """Quote a value that is one of several on a line."""
    escaped = _escape(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


SERVER_UNIT = """\
# Made by `manage.py service`. To change it, use `systemctl edit companion`.
[Unit]
Description=Companion, score pad and rules for card games
Wants=network-online.target
After=network-online.target postgresql.service
# Retry for ever: the database or the network may come up late.
StartLimitIntervalSec=0

[Service]
ExecStart={command} serve
Restart=on-failure
RestartSec=5
# The supervisor stops its workers; whatever still runs after the timeout is killed.
KillMode=mixed
TimeoutStopSec={drain}
{sandbox}
[Install]
WantedBy=multi-user.target
"""

NIGHTLY_UNIT = """\
# Made by `manage.py service`: nightly backup, then the purge of the bin.
[Unit]
Description=Backup of the companion
After=postgresql.service

[Service]
Type=oneshot
ExecStart={command} backup
ExecStart={command} purge
Nice=10
IOSchedulingClass=idle
{sandbox}"""

TIMER_UNIT = """\
# Made by `manage.py service`: a machine that was off at night catches up at the next start.
[Unit]
Description=Backup of the companion, each night

[Timer]
OnCalendar=*-*-* 04:00
RandomizedDelaySec=15min
Persistent=true

[Install]
WantedBy=timers.target
"""

SANDBOX = """\
User={user}
WorkingDirectory={root}
Environment={data} PYTHONUNBUFFERED=1

# Sandbox: it sees its own folders, writes to its data, and does nothing but serve.
UMask=0077
ProtectSystem=strict
ProtectHome=tmpfs
BindReadOnlyPaths={visible}
BindPaths={data_folder}
ReadWritePaths={writable}
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers={private_users}
NoNewPrivileges=yes
CapabilityBoundingSet={capability}
AmbientCapabilities={capability}
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
SystemCallArchitectures=native
LockPersonality=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RemoveIPC=yes
ProtectProc=invisible
ProtectClock=yes
ProtectHostname=yes
ProtectControlGroups=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
# Beyond this it is killed and restarted, before the machine runs out of memory.
MemoryMax=75%
TasksMax=512
"""
