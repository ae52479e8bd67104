import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from companion import env


def test_an_unset_variable_has_the_default(monkeypatch):
    monkeypatch.delenv("X", raising=False)
    assert env.get_text("X", "a") == "a"
    assert env.get_bool("X", True) is True
    assert env.get_int("X", 7, 1, 9) == 7
    assert env.get_list("X") == []
    assert env.get_public_url("X").hostname is None


def test_an_empty_variable_counts_as_unset(monkeypatch):
    monkeypatch.setenv("X", " ")
    assert env.get_int("X", 7, 1, 9) == 7
    assert env.get_bool("X", True) is True


@pytest.mark.parametrize(("value", "is_on"), [("1", True), ("Yes", True), ("on", True), ("0", False), ("false", False)])
def test_booleans_are_parsed(monkeypatch, value, is_on):
    monkeypatch.setenv("X", value)
    assert env.get_bool("X", not is_on) is is_on


@pytest.mark.parametrize("value", ["0", "10", "-1", "1.0", "٣", "1e0", "nine", "9" * 5000])
def test_an_integer_out_of_range_is_refused_by_name(monkeypatch, value):
    monkeypatch.setenv("SIZE", value)
    with pytest.raises(ImproperlyConfigured, match="SIZE"):
        env.get_int("SIZE", 7, 1, 9)


def test_an_invalid_boolean_is_refused_by_name(monkeypatch):
    monkeypatch.setenv("DEBUG", "maybe")
    with pytest.raises(ImproperlyConfigured, match="DEBUG"):
        env.get_bool("DEBUG", False)


@pytest.mark.parametrize("value", ["cards.example.org", "ftp://example.org", "https://", "https://example.org/cards"])
def test_an_invalid_public_url_is_refused_by_name(monkeypatch, value):
    monkeypatch.setenv("PUBLIC_URL", value)
    with pytest.raises(ImproperlyConfigured, match="PUBLIC_URL"):
        env.get_public_url("PUBLIC_URL")


def test_lists_are_separated_by_commas_or_spaces(monkeypatch):
    monkeypatch.setenv("X", "a.example, b.example c.example")
    assert env.get_list("X") == ["a.example", "b.example", "c.example"]


def test_an_unknown_choice_is_refused_by_name(monkeypatch):
    monkeypatch.setenv("LOG_LEVEL", "loud")
    with pytest.raises(ImproperlyConfigured, match="LOG_LEVEL"):
        env.get_choice("LOG_LEVEL", "INFO", ("INFO", "ERROR"))


def test_the_time_zone_comes_from_the_variable_or_the_machine(monkeypatch, tmp_path):
    localtime = tmp_path / "localtime"
    localtime.symlink_to("/usr/share/zoneinfo/Europe/Athens")
    monkeypatch.setenv("TZ", ":Asia/Tokyo")
    assert env.get_time_zone("TZ", localtime) == "Asia/Tokyo"
    monkeypatch.delenv("TZ")
    assert env.get_time_zone("TZ", localtime) == "Europe/Athens"
    assert env.get_time_zone("TZ", tmp_path / "absent") == "UTC"


def test_an_unknown_time_zone_is_refused_by_name(monkeypatch):
    monkeypatch.setenv("TZ", "Athens")
    with pytest.raises(ImproperlyConfigured, match="TZ"):
        env.get_time_zone("TZ")


def test_a_data_folder_that_cannot_be_created_is_refused_by_name(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "file" / "data"))
    with pytest.raises(ImproperlyConfigured, match="COMPANION_DATA"):
        env.get_folder("COMPANION_DATA", tmp_path)


@pytest.fixture
def key_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("SECRET_KEY", raising=False)
    return tmp_path / "secret_key"


def test_the_secret_key_is_created_once_and_private(key_file):
    key = env.get_secret_key("SECRET_KEY", key_file)
    assert len(key) >= 50
    assert key_file.stat().st_mode & 0o777 == 0o600
    assert env.get_secret_key("SECRET_KEY", key_file) == key


def test_concurrent_starts_share_one_key(key_file, monkeypatch):
    """Another process links its key between the check and the link."""
    link = os.link

    def link_second(draft, path):
        path.write_text("k" * env.MIN_KEY_LENGTH, encoding="ascii")
        path.chmod(0o600)
        link(draft, path)

    monkeypatch.setattr(os, "link", link_second)
    assert env.get_secret_key("SECRET_KEY", key_file) == "k" * env.MIN_KEY_LENGTH
    assert [path.name for path in key_file.parent.iterdir()] == [key_file.name]


def test_eight_processes_that_start_together_share_one_key(tmp_path):
    script = "import sys, pathlib; from companion.env import get_secret_key; sys.stdin.read(); "
    script += "print(get_secret_key('NO_SUCH_VARIABLE', pathlib.Path(sys.argv[1])))"
    all_keys = []
    for path in (tmp_path / "one", tmp_path / "another"):
        command = [sys.executable, "-c", script, str(path)]
        processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(8)]
        for process in processes:
            process.stdin.close()  # releases them all at about the same time
        keys = set()
        for process in processes:
            with process:
                keys.add(process.stdout.read().decode().strip())
        assert len(keys) == 1 and path.stat().st_mode & 0o777 == 0o600
        all_keys += keys
    assert all_keys[0] != all_keys[1] and all(len(key) >= 50 for key in all_keys)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["another", "one"]


def test_a_secret_key_in_the_environment_takes_precedence(key_file, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "from outside")
    assert env.get_secret_key("SECRET_KEY", key_file) == "from outside"
    assert not key_file.exists()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_a_secret_key_readable_by_others_is_refused(key_file, mode):
    env.get_secret_key("SECRET_KEY", key_file)
    key_file.chmod(mode)
    with pytest.raises(ImproperlyConfigured, match="chmod 600"):
        env.get_secret_key("SECRET_KEY", key_file)


def test_a_truncated_secret_key_is_refused(key_file):
    key_file.touch(0o600)
    with pytest.raises(ImproperlyConfigured, match="does not hold a complete key"):
        env.get_secret_key("SECRET_KEY", key_file)


def test_an_unreadable_secret_key_is_refused(key_file):
    # A folder, as root can read any file.
    os.mkdir(key_file, 0o700)
    with pytest.raises(ImproperlyConfigured, match="cannot be read"):
        env.get_secret_key("SECRET_KEY", key_file)


@pytest.fixture
def env_file(tmp_path, monkeypatch) -> Path:
    """An env file; the variables it sets are unset after the test."""
    for name in ("CARDS_A", "CARDS_B", "CARDS_C"):
        monkeypatch.setenv(name, "")  # so that it is restored
    monkeypatch.setattr(env, "VALUES_READ", {})
    return tmp_path / "environment"


def test_the_environment_overrides_the_env_file(env_file, monkeypatch):
    env_file.write_text("# ours\n\nCARDS_A=postgres://u:pass=#1@h/n\nCARDS_B=kept\n")
    monkeypatch.setenv("CARDS_B", "now")
    env.load_env_file(env_file)
    assert env.get_text("CARDS_A") == "postgres://u:pass=#1@h/n"
    assert env.get_text("CARDS_B") == "now"


@pytest.mark.parametrize("line", ["PORT", "=8000", "export PORT=8000", "PORT = 8000"])
def test_an_invalid_line_in_the_env_file_is_named(env_file, line):
    env_file.write_text(f"CARDS_A=1\n{line}\n")
    with pytest.raises(ImproperlyConfigured, match="line 2"):
        env.load_env_file(env_file)


def test_saving_the_env_file_keeps_other_lines_and_is_private(env_file, monkeypatch):
    env_file.write_text("# ours\nCARDS_A=old\nCARDS_C=/x\n")
    env_file.chmod(0o600)
    monkeypatch.setenv("CARDS_A", "new")
    monkeypatch.setenv("CARDS_B", "/elsewhere")
    env.load_env_file(env_file)
    assert (env.get_text("CARDS_A"), env.get_text("CARDS_B")) == ("new", "/elsewhere")
    env.save_env_file(env_file, exclude="CARDS_B")
    assert env_file.read_text() == "# ours\nCARDS_C=/x\nCARDS_A=new\n"
    env_file.unlink()
    env.save_env_file(env_file, exclude="CARDS_B")
    assert env_file.stat().st_mode & 0o077 == 0
