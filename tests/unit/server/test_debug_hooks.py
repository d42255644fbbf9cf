"""What a node does for those who break it, and that it does nothing of it unasked."""

import pytest

from minikafka.common.clock import Now
from minikafka.common.faults import StorageFault
from minikafka.log.disk import write_file
from minikafka.server.debug_hooks import VARIABLE, DebugDisk, DebugHooks


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


def test_the_wall_clock_jumps_and_the_monotonic_one_does_not(hooks, tmp_path):
    times = iter([Now(1_000, 5), Now(1_001, 6), Now(1_200, 7)])
    clock = hooks.clock(lambda: next(times))
    (tmp_path / "debug" / "wall-offset-ms").write_text("-60000")
    assert clock() == Now(1_000, 5 - 60_000)
    (tmp_path / "debug" / "wall-offset-ms").unlink()
    assert clock() == Now(1_001, 6 - 60_000)
    assert clock() == Now(1_200, 7)
