"""The words of the units with which systemd keeps the companion running here, and backs it up; no files are written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

STOP_TIMEOUT = 30
"""Seconds that requests in progress and copies of the process have to end; then systemd ends them."""
HOME_FOLDERS = (Path("/home"), Path("/root"), Path("/run/user"))
PRIVILEGED_PORTS = 1024
"""Ports below this one are given only to who may bind them."""


@dataclass(frozen=True)
class Installation:
    """Where the companion lies on this machine, and who runs it."""

    user: str
    root: Path
    data: Path
    python: Path
    prefix: Path
    """The folder of the Python that the environment was made from."""
    port: int = 8000


def render_units(place: Installation) -> dict[str, str]:
    """File name -> content, of all that is put into systemd's folder."""
    fence, command = _fence(place), f"{_word(place.python)} manage.py"
    return {
        "companion.service": SERVER_UNIT.format(fence=fence, command=command, drain=STOP_TIMEOUT),
        "companion-nightly.service": NIGHTLY_UNIT.format(fence=fence, command=command),
        "companion-nightly.timer": TIMER_UNIT,
    }


def _fence(place: Installation) -> str:
    is_privileged = place.port < PRIVILEGED_PORTS
    return SANDBOX.format(
        user=place.user,
        root=_line(place.root),
        shown=" ".join(_word(path) for path in (place.root, place.prefix) if _is_at_home(path)),
        written=" ".join(map(_word, (place.data, place.root / "companion" / "locale"))),
        data=_word(f"COMPANION_DATA={place.data}"),
        kept=_word(place.data),
        capability="CAP_NET_BIND_SERVICE" if is_privileged else "",
        own_users="no" if is_privileged else "yes",
    )


def _is_at_home(path: Path) -> bool:
    return any(path.is_relative_to(home) for home in HOME_FOLDERS)


def _line(value: object) -> str:
    """What a line of a unit holds to its end; `%` begins what systemd fills in."""
    return str(value).replace("%", "%%")


def _word(value: object) -> str:
    """One word of a line of several, whatever is in it."""
    escaped = _line(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


SERVER_UNIT = """\
# Made by `manage.py service`. Changes of your own belong into `systemctl edit companion`: there they last.
[Unit]
Description=Companion, score pad and rules for card games
Wants=network-online.target
After=network-online.target postgresql.service
# It is tried for ever: a database or a network may come late.
StartLimitIntervalSec=0

[Service]
ExecStart={command} serve
Restart=on-failure
RestartSec=5
# The first process tells its copies; what still runs after this time is ended.
KillMode=mixed
TimeoutStopSec={drain}
{fence}
[Install]
WantedBy=multi-user.target
"""

NIGHTLY_UNIT = """\
# Made by `manage.py service`: the backup of the night, and then what was thrown away long enough ago.
[Unit]
Description=Backup of the companion
After=postgresql.service

[Service]
Type=oneshot
ExecStart={command} backup
ExecStart={command} purge
Nice=10
IOSchedulingClass=idle
{fence}"""

TIMER_UNIT = """\
# Made by `manage.py service`: a machine that was off at night catches up when it is switched on.
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

# It sees its own folders, writes into its data, and does nothing but serve.
UMask=0077
ProtectSystem=strict
ProtectHome=tmpfs
BindReadOnlyPaths={shown}
BindPaths={kept}
ReadWritePaths={written}
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers={own_users}
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
# Should it ever take more, then it is started anew, and the machine lives.
MemoryMax=75%
TasksMax=512
"""
