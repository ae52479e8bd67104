import os
from collections import namedtuple
from pathlib import Path

import pytest

from companion.ops.health import files
from companion.ops.health.findings import Severity

MOUNTED = """\
21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
22 21 0:20 / /srv rw - nfs4 nas:/export rw,vers=4.2
23 22 8:2 / /srv/local\\040disk rw shared:2 master:1 - xfs /dev/sdb1 rw
24 21 0:31 / /home/ann/remote rw - fuse.sshfs ann@nas: rw
25 21 0:32 / /var/lib rw - fuse.fuse-overlayfs overlay rw
26 21 0:33 / /twice rw - ext4 /dev/sdc1 rw
27 26 0:34 / /twice rw - cifs //nas/share rw
this line is none
"""
Usage = namedtuple("Usage", "total used free")


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
def test_the_deepest_mount_decides_the_file_system(path, kind):
    assert files.get_file_system_type(Path(path), MOUNTED) == kind


@pytest.mark.parametrize(
    "kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "vboxsf", "virtiofs", "fuse.sshfs", "fuse.rclone"]
)
def test_a_network_disk_is_refused_with_advice(kind):
    finding = files.check_disk(Path("/data"), f"21 1 8:1 / / rw - {kind} somewhere rw")
    assert finding.severity == Severity.ERROR
    assert f"network file system ({kind})" in finding.text and "Set COMPANION_DATA" in finding.text


@pytest.mark.parametrize(
    "mounted", ["", "21 1 8:1 / / rw - ext4 /dev/sda1 rw", "21 1 8:1 / / rw - fuse.fuse-overlayfs o rw"]
)
def test_local_and_unknown_file_systems_pass(mounted):
    assert files.check_disk(Path("/data"), mounted).severity == Severity.OK


@pytest.mark.parametrize(("free", "severity"), [(199e6, "error"), (201e6, "warn"), (2e9, "ok")])
def test_low_disk_space_is_reported(monkeypatch, free, severity):
    monkeypatch.setattr(files.shutil, "disk_usage", lambda _path: Usage(9e9, 9e9 - free, int(free)))
    assert files.check_free_space(Path("/data")).severity == severity


@pytest.mark.parametrize(("seconds", "severity"), [(4e-6, "warn"), (2e-3, "ok"), (0.3, "warn")])
def test_an_implausibly_fast_disk_is_reported(seconds, severity):
    assert files.check_sync(seconds).severity == severity


def test_sync_time_is_measured_with_real_syncs(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    assert files.measure_sync_seconds(tmp_path) > 0
    assert len(synced) == files.WRITES_TIMED and not list(tmp_path.iterdir())


def test_files_of_another_user_are_reported(tmp_path):
    uid = tmp_path.stat().st_uid
    assert [finding.severity for finding in files.check_owners((tmp_path,), uid)] == [Severity.OK]
    (finding,) = files.check_owners((tmp_path, tmp_path / "none"), uid + 1)
    assert finding.severity == Severity.ERROR and f"chown {uid + 1} {tmp_path}" in finding.text


def test_root_gets_only_a_warning_about_owners(tmp_path, monkeypatch):
    stat = os.stat_result((0o700, 0, 0, 0, 1234, 0, 0, 0, 0, 0))
    monkeypatch.setattr(Path, "stat", lambda _path, **_kwargs: stat)
    (finding,) = files.check_owners((tmp_path,), 0)
    assert finding.severity == Severity.WARNING and "belongs to user 1234" in finding.text


def test_a_world_readable_key_is_reported(tmp_path):
    key = tmp_path / "secret_key"
    assert files.check_key_file(key, False).severity == Severity.OK
    key.write_text("k" * 60)
    key.chmod(0o640)
    assert f"chmod 600 {key}" in files.check_key_file(key, False).text
    assert files.check_key_file(key, True).severity == Severity.OK
    key.chmod(0o600)
    assert files.check_key_file(key, False).severity == Severity.OK
