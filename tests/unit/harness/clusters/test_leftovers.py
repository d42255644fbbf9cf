"""S3: what killed runs left is removed; what others own stays."""

import fcntl
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from minikafka.harness.clusters import leftovers
from minikafka.harness.clusters.disk_faults import VOLUME
from minikafka.harness.clusters.namespaces import TAG
from minikafka.harness.clusters.owner import mark

GONE = "zzzzz00000"


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Folders that stand for the machine's; every command, and what was unmounted."""
    for name, attribute in (("netns", "_NAMESPACES"), ("net", "_LINKS")):
        (tmp_path / name).mkdir()
        monkeypatch.setattr(leftovers, attribute, tmp_path / name)
    (tmp_path / "mounts").write_text("")
    monkeypatch.setattr(leftovers, "_MOUNTS", tmp_path / "mounts")
    monkeypatch.setattr(leftovers, "_LOCK", tmp_path / "lock")
    done = []

    def run(command, **_):
        done.append(" ".join(command))
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(leftovers.subprocess, "run", run)
    monkeypatch.setattr(
        leftovers, "unmount", lambda folder, copy: done.append(f"unmount {folder} by {copy}")
    )
    return tmp_path, done


def test_links_and_namespaces_of_an_ended_run_are_removed(machine):
    root, done = machine
    for owner in (GONE, mark()):
        (root / "netns" / f"{TAG}{owner}-1").touch()
        (root / "netns" / f"{TAG}{owner}-hub").touch()
        (root / "net" / f"{TAG}{owner}o").touch()
    for name in ("lo", "mkv", "mkv123o", GONE):
        (root / "net" / name).touch()
    removed = leftovers.remove()
    assert removed == [f"{TAG}{GONE}o", f"{TAG}{GONE}-1", f"{TAG}{GONE}-hub"]
    assert done == [
        f"ip link del {TAG}{GONE}o",
        f"ip netns del {TAG}{GONE}-1",
        f"ip netns del {TAG}{GONE}-hub",
    ]


def test_volumes_of_an_ended_run_are_removed(machine):
    root, done = machine
    (root / "mounts").write_text(
        f"{VOLUME}{GONE} /a\\040b/data tmpfs rw 0 0\n"
        f"{VOLUME}{mark()} /mine/data tmpfs rw 0 0\n"
        "proc /proc proc rw 0 0\n"
    )
    assert leftovers.remove() == [f"{VOLUME}{GONE} at /a b/data"]
    assert done == ["unmount /a b/data by /a b/data-volume"]


def test_a_machine_without_mounts_and_namespaces(machine):
    root, done = machine
    (root / "mounts").unlink()
    (root / "netns").rmdir()
    assert leftovers.remove() == []
    assert done == []


def test_a_machine_without_the_command(machine, monkeypatch):
    root, _ = machine

    def missing(*_, **__):
        raise FileNotFoundError

    (root / "netns" / f"{TAG}{GONE}-1").touch()
    monkeypatch.setattr(leftovers.subprocess, "run", missing)
    assert leftovers.remove() == []


def test_two_runs_do_not_remove_at_the_same_time(machine, monkeypatch):
    root, done = machine
    (root / "net" / f"{TAG}{GONE}o").touch()
    with (root / "lock").open("w") as other, ThreadPoolExecutor(1) as pool:
        fcntl.flock(other, fcntl.LOCK_EX)
        asked = threading.Event()
        usual = fcntl.flock

        def flock(file, kind):
            asked.set()
            usual(file, kind)

        monkeypatch.setattr(leftovers.fcntl, "flock", flock)
        removing = pool.submit(leftovers.remove)
        assert asked.wait(30)
        assert done == []
        usual(other, fcntl.LOCK_UN)
        assert removing.result(30) == [f"{TAG}{GONE}o"]


def test_leftovers_are_removed_without_a_lock_file(machine, monkeypatch):
    root, _ = machine
    (root / "net" / f"{TAG}{GONE}o").touch()
    monkeypatch.setattr(leftovers, "_LOCK", root / "missing" / "lock")
    assert leftovers.remove() == [f"{TAG}{GONE}o"]
