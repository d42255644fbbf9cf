"""Files of the operating system, and what its errors become."""

import errno
import os
import shutil
import subprocess
import sys

import pytest

from minikafka.common.faults import MissingPathFault, StorageFault
from minikafka.log.disk import read_file, write_file
from minikafka.server import os_disk
from minikafka.server.os_disk import OsDisk


@pytest.fixture
def disk(tmp_path):
    return OsDisk(str(tmp_path))


def test_what_is_appended_is_read(disk):
    file = disk.open("a", create=True)
    file.append(b"one")
    file.append(memoryview(b"xtwo")[1:])
    assert (file.size, file.read_at(1, 100)) == (6, b"netwo")
    buffer = bytearray(3)
    assert file.read_into(3, buffer) == 3
    assert buffer == b"two"
    file.close()
    file.close()
    assert read_file(disk, "a") == b"onetwo"


def test_truncated_file_goes_on_at_its_new_end(disk):
    file = disk.open("a", create=True)
    file.append(b"onetwo")
    file.truncate(3)
    file.append(b"!")
    assert read_file(disk, "a") == b"one!"


def test_partial_writes_are_completed(disk, monkeypatch):
    write = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda fd, data, at: write(fd, bytes(data)[:2], at))
    file = disk.open("a", create=True)
    file.append(b"onetwo!")
    assert read_file(disk, "a") == b"onetwo!"


def test_failed_write_leaves_the_file_as_it_was(disk, monkeypatch):
    write = os.pwrite
    file = disk.open("a", create=True)
    file.append(b"one")

    def full(fd, data, at):
        if at > 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(fd, bytes(data)[:2], at)

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(StorageFault, match="No space left") as caught:
        file.append(b"two!")
    assert caught.value.log_dir == disk.root
    assert file.size == 3
    assert read_file(disk, "a") == b"one"


def test_errors_name_the_directory_and_what_was_tried(disk):
    with pytest.raises(StorageFault, match="cannot open missing: No such file") as caught:
        disk.open("missing")
    assert caught.value.log_dir == disk.root
    with pytest.raises(StorageFault, match="cannot rename"):
        disk.rename("missing", "b")


def test_failed_sync_and_read_are_faults(disk, monkeypatch):
    def fail(*_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    file = disk.open("a", create=True)
    for name, action in (
        ("fdatasync", file.sync),
        ("pread", lambda: file.read_at(0, 1)),
        ("ftruncate", lambda: file.truncate(0)),
        ("preadv", lambda: file.read_into(0, bytearray(1))),
    ):
        monkeypatch.setattr(os, name, fail)
        with pytest.raises(StorageFault, match="Input/output error"):
            action()


def fails_once(monkeypatch, name, number):
    """Let a system call fail the first time, and work from then on."""
    call = getattr(os, name)
    left = [OSError(number, os.strerror(number))]

    def once(*args):
        if left:
            raise left.pop()
        return call(*args)

    monkeypatch.setattr(os, name, once)


@pytest.mark.parametrize(
    ("name", "number", "action"),
    [
        ("pread", errno.EIO, lambda file: file.read_at(0, 1)),
        ("preadv", errno.EIO, lambda file: file.read_into(0, bytearray(1))),
        ("pwrite", errno.EIO, lambda file: file.append(b"x")),
        ("pwrite", errno.ENOSPC, lambda file: file.append(b"x")),
        ("ftruncate", errno.EIO, lambda file: file.truncate(0)),
        ("fdatasync", errno.EIO, lambda file: file.sync()),
    ],
)
def test_an_error_that_comes_once_is_a_fault(disk, monkeypatch, name, number, action):
    file = disk.open("a", create=True)
    file.append(b"one")
    fails_once(monkeypatch, name, number)
    with pytest.raises(StorageFault, match=os.strerror(number)):
        action(file)
    assert file.is_unsynced or name in ("pread", "preadv")


@pytest.mark.parametrize("can_be_cut", [True, False])
def test_a_write_that_is_cut_short_leaves_no_bytes_behind(disk, monkeypatch, can_be_cut):
    write = os.pwrite
    file = disk.open("a", create=True)
    file.append(b"one")

    def short(fd, data, at):
        if at > 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(fd, bytes(data)[:2], at)

    monkeypatch.setattr(os, "pwrite", short)
    if not can_be_cut:
        fails_once(monkeypatch, "ftruncate", errno.EIO)
    with pytest.raises(StorageFault, match="No space left"):
        file.append(b"twotwo")
    monkeypatch.undo()
    assert file.size == 3
    if can_be_cut:
        assert read_file(disk, "a") == b"one"
    # What could not be cut off is written over.
    file.append(b"!")
    assert file.read_at(0, 4) == b"one!"


def test_a_folder_that_is_gone_cannot_be_synced(disk):
    disk.make_dir("t")
    disk.remove("t")
    with pytest.raises(MissingPathFault, match="cannot sync t: No such file"):
        disk.sync_dir("t")


def test_a_rename_that_fails_leaves_both_names(disk, monkeypatch):
    write_file(disk, "a", b"old")
    fails_once(monkeypatch, "replace", errno.EIO)
    with pytest.raises(StorageFault, match=r"cannot rename a\.tmp to a: Input/output error"):
        write_file(disk, "a", b"new", sync=True)
    assert (read_file(disk, "a"), read_file(disk, "a.tmp")) == (b"old", b"new")
    write_file(disk, "a", b"new", sync=True)
    assert read_file(disk, "a") == b"new"


def test_sync_of_a_closed_file_does_nothing(disk):
    file = disk.open("a", create=True)
    file.sync()
    file.close()
    file.sync()


def test_folders_are_made_listed_renamed_and_removed(disk):
    disk.make_dir("d")
    disk.make_dir("d")
    write_file(disk, "d/b", b"1", sync=True)
    write_file(disk, "d/a", b"2")
    assert disk.list("d") == ["a", "b"]
    disk.sync_dir("d")
    disk.rename("d", "e")
    assert (disk.exists("d"), disk.exists("e/a")) == (False, True)
    disk.remove("e")
    disk.remove("e")
    assert disk.list("e") == []


@pytest.mark.parametrize("number", [errno.EBUSY, errno.EACCES])
def test_an_empty_folder_that_may_not_be_removed_is_no_fault_of_the_disk(disk, monkeypatch, number):
    """It took the directory offline at each start."""
    disk.make_dir("d")
    fails_once(monkeypatch, "rmdir", number)
    assert not disk.remove_empty("d")
    fails_once(monkeypatch, "rmdir", errno.EIO)
    with pytest.raises(StorageFault, match="cannot remove d: Input/output error"):
        disk.remove_empty("d")
    assert disk.remove_empty("d")


def test_lock_is_refused_to_another_process_and_names_the_directory(disk):
    disk.lock()
    code = "import sys\nfrom minikafka.server.os_disk import OsDisk\nOsDisk(sys.argv[1]).lock()\n"
    command = [sys.executable, "-c", code, disk.root]
    second = subprocess.run(command, capture_output=True, text=True, check=False)
    assert second.returncode == 1
    assert f"log directory {disk.root}: another process holds its lock" in second.stderr
    disk.unlock()
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_space_is_that_of_the_file_system(disk, tmp_path):
    space = disk.space()
    assert 0 <= space.usable <= space.total
    assert space.total == shutil.disk_usage(tmp_path).total


def test_space_of_a_directory_that_is_gone_is_a_fault(disk, tmp_path):
    tmp_path.rmdir()
    with pytest.raises(StorageFault, match="cannot read the free space"):
        disk.space()


def test_everything_is_synced_only_through_the_lock(disk, monkeypatch):
    """Its descriptor gets the write errors of the file system since the start."""
    assert not disk.sync_all()
    disk.lock()
    synced = []
    monkeypatch.setattr(os_disk, "_syncfs", lambda fd: synced.append(fd) or 0)
    assert disk.sync_all()
    assert synced == [disk._lock_fd]
    monkeypatch.setattr(os_disk, "_syncfs", lambda _: -1)
    with pytest.raises(StorageFault, match="sync the file system"):
        disk.sync_all()
    monkeypatch.setattr(os_disk, "_syncfs", None)
    assert not disk.sync_all()
    disk.unlock()
