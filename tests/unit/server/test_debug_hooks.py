"""What a node does for those who break it, and that it does nothing of it unasked."""

import errno
import os
import subprocess
import sys

import pytest

from minikafka.common.clock import Now
from minikafka.common.faults import StorageFault
from minikafka.log.disk import write_file
from minikafka.server.debug_hooks import (
    HOOKS_VARIABLE,
    VARIABLE,
    DebugDisk,
    DebugHooks,
    UnknownHookError,
)


@pytest.fixture
def hooks(tmp_path):
    return DebugHooks(tmp_path / "debug")


@pytest.fixture
def disk(tmp_path, hooks):
    return DebugDisk(str(tmp_path / "data"), hooks)


def journal(tmp_path):
    text = (tmp_path / "debug" / "sync-journal").read_text()
    return text.replace(f"{tmp_path}/data/", "").splitlines()


def test_without_the_variable_there_are_no_hooks(tmp_path):
    assert DebugHooks.from_environment({}) is None
    assert DebugHooks.from_environment({VARIABLE: str(tmp_path / "new")}) is not None
    assert (tmp_path / "new" / "sync-journal").exists()


def test_only_the_hooks_that_are_wanted_are_there(tmp_path):
    def hooks(wanted):
        found = DebugHooks.from_environment(
            {VARIABLE: str(tmp_path / "debug"), HOOKS_VARIABLE: wanted}
        )
        return found, found.disk(str(tmp_path / "data"), is_synced=True)

    _, disk = hooks("faults,clock")
    assert disk is None
    _, disk = hooks("disk")
    (tmp_path / "debug" / "disk-full").touch()
    file = disk.open("a", create=True)
    file.sync()
    with pytest.raises(StorageFault, match="No space left on device"):
        file.append(b"x")
    assert not (tmp_path / "debug" / "sync-journal").exists()
    only_journal, disk = hooks("journal")
    disk.open("b", create=True).append(b"x")
    assert journal(tmp_path) == ["create\tb\t"]
    (tmp_path / "debug" / "wall-offset-ms").write_text("5")
    assert only_journal.clock(lambda: Now(0, 0))() == Now(0, 0)
    with pytest.raises(UnknownHookError, match="no hook 'disc'; there are journal, disk"):
        hooks("disc")


def test_a_disk_that_is_not_synced_has_a_journal_of_its_fsyncs(tmp_path, hooks, monkeypatch):
    synced = []
    for name in ("fsync", "fdatasync"):
        monkeypatch.setattr(os, name, synced.append)
    disk = DebugDisk(str(tmp_path / "data"), hooks, is_synced=False)
    file = disk.open("a", create=True)
    file.append(b"123")
    file.sync()
    file.append(b"45")
    assert file.close_if_unused()
    disk.sync_dir("")
    file.sync()
    assert not disk.sync_all()
    assert journal(tmp_path)[:2] == ["create\ta\t", "sync\ta\t3"]
    assert journal(tmp_path)[-1] == "sync\ta\t5"
    assert (len(journal(tmp_path)), synced) == (4, [])


def test_a_node_imports_what_changes_answers_only_for_a_command():
    program = "import sys, minikafka.server.faulty_node; print('minikafka.faults' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.strip() == b"False"


def test_the_journal_has_the_size_that_was_synced(disk, tmp_path):
    file = disk.open("a", create=True)
    file.append(b"12345")
    file.sync()
    file.append(b"6")
    file.truncate(2)
    file.close()
    disk.rename("a", "b")
    disk.remove("b")
    assert journal(tmp_path) == [
        "create\ta\t", "sync\ta\t5", "truncate\ta\t2", "rename\ta\tb", "remove\tb\t",
    ]  # fmt: skip


def test_the_journal_has_an_empty_folder_that_was_removed(disk, tmp_path):
    disk.make_dir("d")
    assert disk.remove_empty("d")
    assert not disk.remove_empty("d")
    assert journal(tmp_path) == ["remove\td\t"]


def test_a_file_with_content_is_not_taken_for_a_new_one(disk, hooks, tmp_path):
    write_file(disk, "a", b"there", sync=True)
    before = journal(tmp_path)
    disk.open("a").close()
    assert journal(tmp_path) == before
    # A later process goes on with the same journal.
    DebugHooks(tmp_path / "debug").note("sync", "x", 1)
    assert journal(tmp_path) == [*before, "sync\tx\t1"]


def test_a_full_disk_takes_nothing_until_there_is_space(disk, tmp_path):
    file = disk.open("a", create=True)
    (tmp_path / "debug" / "disk-full").touch()
    with pytest.raises(StorageFault, match="No space left on device"):
        file.append(b"x")
    assert file.size == 0
    (tmp_path / "debug" / "disk-full").unlink()
    file.append(b"x")
    assert file.size == 1
    file.close()


def test_a_slow_sync_waits_before_it_syncs(disk, tmp_path, monkeypatch):
    slept = []
    monkeypatch.setattr("minikafka.server.debug_hooks.time.sleep", slept.append)
    file = disk.open("a", create=True)
    file.sync()
    (tmp_path / "debug" / "slow-sync-ms").write_text("250")
    file.sync()
    file.close()
    assert slept == [0.25]


def test_without_a_file_no_descriptor_is_needed(hooks, monkeypatch):
    def fail(*_, **__):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr("pathlib.Path.open", fail)
    monkeypatch.setattr("pathlib.Path.read_text", fail)
    hooks.delay_sync()
    hooks.check_space("root")
    assert hooks.clock(lambda: Now(1_000, 5))() == Now(1_000, 5)


def test_the_wall_clock_jumps_and_the_monotonic_one_does_not(hooks, tmp_path):
    times = iter([Now(1_000, 5), Now(1_001, 6), Now(1_200, 7)])
    clock = hooks.clock(lambda: next(times))
    (tmp_path / "debug" / "wall-offset-ms").write_text("-60000")
    assert clock() == Now(1_000, 5 - 60_000)
    (tmp_path / "debug" / "wall-offset-ms").unlink()
    assert clock() == Now(1_001, 6 - 60_000)
    assert clock() == Now(1_200, 7)
