import os
from collections import namedtuple
from pathlib import Path

import pytest
from django.db import connection

from companion.ops.health import files
from companion.ops.health.findings import Severity

MOUNTED = """\
/dev/sda1 / ext4 rw,relatime 0 0
nas:/export /srv nfs4 rw,vers=4.2 0 0
/dev/sdb1 /srv/local\\040disk xfs rw 0 0
ann@nas: /home/ann/remote fuse.sshfs rw 0 0
overlay /var/lib fuse.fuse-overlayfs rw 0 0
/dev/sdc1 /twice ext4 rw 0 0
//nas/share /twice cifs rw 0 0
"""
Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def mount(tmp_path, monkeypatch):
    """A function that sets the table of mounts."""
    monkeypatch.setattr(files, "MOUNTS", tmp_path / "mounts")
    return files.MOUNTS.write_text


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "ext4"),
        ("/srv", "nfs4"),
        ("/srv/companion/data", "nfs4"),
        ("/srvice", "ext4"),
        ("/srv/local disk/data", "xfs"),
        ("/home/ann", "ext4"),
        ("/home/ann/remote/data", "fuse.sshfs"),
        ("/twice/data", "cifs"),
    ],
)
def test_the_deepest_mount_decides_the_file_system(mount, path, kind):
    mount(MOUNTED)
    assert files.get_file_system_type(Path(path)) == kind


@pytest.mark.parametrize(
    "kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "vboxsf", "virtiofs", "fuse.sshfs", "fuse.rclone"]
)
def test_a_network_disk_is_refused_with_advice(mount, kind):
    mount(f"somewhere / {kind} rw 0 0")
    finding = files.check_disk(Path("/data"))
    assert finding.severity == Severity.ERROR
    assert f"network file system ({kind})" in finding.text and "Set COMPANION_DATA" in finding.text


@pytest.mark.parametrize("mounted", ["", "/dev/sda1 / ext4 rw 0 0", "overlay / fuse.fuse-overlayfs rw 0 0"])
def test_local_and_unknown_file_systems_pass(mount, mounted):
    mount(mounted)
    assert files.check_disk(Path("/data")).severity == Severity.OK


def test_a_system_without_a_table_of_mounts_passes(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOUNTS", tmp_path / "none")
    assert files.check_disk(tmp_path).severity == Severity.OK


@pytest.mark.parametrize(("free", "severity"), [(199e6, "error"), (201e6, "warn"), (2e9, "ok")])
def test_low_disk_space_is_reported(monkeypatch, free, severity):
    monkeypatch.setattr(files.shutil, "disk_usage", lambda _path: Usage(9e9, 9e9 - free, int(free)))
    assert {finding.severity for finding in files.check_free_space()} == {severity}


@pytest.mark.parametrize(("seconds", "severity"), [(4e-6, "warn"), (2e-3, "ok"), (0.3, "warn")])
@pytest.mark.skipif(connection.vendor != "sqlite", reason="needs SQLite")
def test_an_implausibly_fast_disk_is_reported(monkeypatch, seconds, severity):
    monkeypatch.setattr(files, "measure_sync_seconds", lambda _folder: seconds)
    assert [finding.severity for finding in files.check_sync()] == [severity]


def test_sync_time_is_measured_with_real_syncs(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    assert files.measure_sync_seconds(tmp_path) > 0
    assert len(synced) == files.WRITES_TIMED and not list(tmp_path.iterdir())


def test_files_of_another_user_are_reported(tmp_path, settings, monkeypatch):
    settings.DATA = tmp_path
    monkeypatch.setattr(files, "get_database_path", lambda: tmp_path / "none")
    uid = tmp_path.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    assert [finding.severity for finding in files.check_owners()] == [Severity.OK]
    monkeypatch.setattr(os, "geteuid", lambda: uid + 1)
    (finding,) = files.check_owners()
    assert finding.severity == Severity.ERROR and f"chown {uid + 1} {tmp_path}" in finding.text


def test_root_gets_only_a_warning_about_owners(monkeypatch):
    stat = os.stat_result((0o700, 0, 0, 0, 1234, 0, 0, 0, 0, 0))
    monkeypatch.setattr(Path, "stat", lambda _path, **_kwargs: stat)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    findings = list(files.check_owners())
    assert {finding.severity for finding in findings} == {Severity.WARNING}
    assert "belongs to user 1234" in findings[0].text
