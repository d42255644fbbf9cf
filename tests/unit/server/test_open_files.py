"""Files whose descriptors come and go: what is closed first, and what cannot be."""

import errno
import os
import threading

import pytest

from minikafka.common.faults import MissingPathFault, OutOfFilesError, StorageFault
from minikafka.log.disk import read_file, write_file
from minikafka.server import open_files, os_disk
from minikafka.server.open_files import OpenFiles
from minikafka.server.os_disk import OsDisk


@pytest.fixture
def files(monkeypatch):
    """A bound of three open files."""
    files = OpenFiles(3)
    monkeypatch.setattr(os_disk, "OPEN_FILES", files)
    return files


@pytest.fixture
def disk(tmp_path, files):
    return OsDisk(str(tmp_path))


@pytest.fixture
def system(monkeypatch):
    """A system with a number of descriptors; `left` are not in use."""

    class System:
        left = 1 << 20
        open, close = os.open, os.close

    def opened(path, flags, mode=0o777, **options):
        if not System.left:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        System.left -= 1
        return System.open(path, flags, mode, **options)

    def closed(fd):
        System.close(fd)
        System.left += 1

    monkeypatch.setattr(os, "open", opened)
    monkeypatch.setattr(os, "close", closed)
    return System


def made(disk, count):
    made = [disk.open(f"{number}", create=True) for number in range(count)]
    for number, file in enumerate(made):
        file.append(b"%d" % number)
    return made


def test_many_files_are_written_and_read_with_few_descriptors(disk, files):
    all_of_them = made(disk, 20)
    for file in all_of_them:
        file.append(b"!")
    assert [file.read_at(0, 10) for file in all_of_them] == [b"%d!" % n for n in range(20)]
    assert files.closed_count > 17
    for file in all_of_them:
        file.close()
        file.close()
    with pytest.raises(ValueError, match="closed"):
        all_of_them[0].read_at(0, 1)
    assert read_file(disk, "7") == b"7!"


def test_the_file_that_was_not_used_for_longest_is_closed_first(disk, files):
    three = made(disk, 3)
    for file in three:
        file.sync()
        file.take_used()
    three[0].read_at(0, 1)
    disk.open("3", create=True)
    assert [file._descriptor[0] >= 0 for file in three] == [True, False, True]


def test_a_file_follows_its_name(disk):
    disk.make_dir("t-0")
    one, other = disk.open("t-0/a", create=True), disk.open("t-0/b", create=True)
    one.append(b"one")
    other.append(b"other")
    disk.rename("t-0/b", "t-0/b.deleted")
    disk.rename("t-0", "t-0.uuid-delete")
    made(disk, 5)
    assert (one.read_at(0, 9), other.read_at(0, 9)) == (b"one", b"other")
    one.close()
    other.close()
    disk.remove("t-0.uuid-delete")


def test_a_file_that_is_gone_is_a_fault_when_it_is_opened_again(disk):
    file = disk.open("a", create=True)
    made(disk, 5)
    disk.remove("a")
    with pytest.raises(MissingPathFault, match="open .*a again"):
        file.read_at(0, 1)


def test_what_was_written_is_synced_before_it_is_closed(disk, monkeypatch):
    file = disk.open("a", create=True)
    file.append(b"a")
    synced = []
    monkeypatch.setattr(os, "fdatasync", synced.append)
    descriptor = file._descriptor[0]
    assert file.close_if_unused()
    assert synced == [descriptor]
    assert not file.close_if_unused()
    assert file.read_at(0, 1) == b"a"
    assert file.close_if_unused()
    assert synced == [descriptor]


def test_a_sync_that_fails_there_is_a_fault_of_its_directory(disk, monkeypatch):
    made(disk, 3)

    def fail(fd):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fdatasync", fail)
    with pytest.raises(StorageFault, match="sync failed") as found:
        disk.open("more", create=True)
    assert not isinstance(found.value, OutOfFilesError)


def test_a_read_of_an_open_file_takes_no_lock(disk):
    file = disk.open("a", create=True)
    file.append(b"mine")
    with file._using:
        assert file.read_at(1, 9) == b"ine"


def test_a_read_whose_descriptor_is_closed_under_it_is_repeated(disk, monkeypatch):
    """Its number may be another file's by the time the system reads, and its own again later."""
    file = disk.open("a", create=True)
    file.append(b"mine")
    disk.open("b", create=True).append(b"other")
    read, number = os.pread, file._descriptor[0]

    def closed_before(fd, length, position):
        monkeypatch.setattr(os, "pread", read)
        assert file.close_if_unused()
        other = disk.open("b")
        assert other._descriptor[0] == fd == number
        data = read(fd, length, position)
        assert other.close_if_unused()
        file._opened()
        assert file._descriptor[0] == number
        return data

    monkeypatch.setattr(os, "pread", closed_before)
    assert file.read_at(0, 9) == b"mine"


def test_a_sync_in_flight_keeps_its_file(disk, monkeypatch):
    file = disk.open("a", create=True)
    file.append(b"a")
    sync, begun, go_on = os.fdatasync, threading.Event(), threading.Event()

    def slow(fd):
        begun.set()
        assert go_on.wait(10)
        sync(fd)

    monkeypatch.setattr(os, "fdatasync", slow)
    thread = threading.Thread(target=file.sync)
    thread.start()
    assert begun.wait(10)
    monkeypatch.setattr(os, "fdatasync", sync)
    made(disk, 6)
    assert not file.close_if_unused()
    # The loop goes on writing meanwhile.
    file.append(b"b")
    go_on.set()
    thread.join()
    assert file.close_if_unused()


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE])
def test_where_the_system_has_no_descriptor_a_file_is_closed(disk, files, monkeypatch, number):
    files.most = 100
    made(disk, 5)
    real, refused = os.open, []

    def open_(path, flags, mode=0o777):
        if len(refused) < 3:
            refused.append(path)
            raise OSError(number, os.strerror(number))
        return real(path, flags, mode)

    monkeypatch.setattr(os, "open", open_)
    disk.open("more", create=True)
    assert files.closed_count == 3


def test_an_operation_that_reserved_finds_descriptors_when_all_are_gone(disk, files, system):
    disk.reserve_files()
    system.left = 0
    disk.make_dir("t-0")
    file = disk.open("t-0/a", create=True)
    file.append(b"a")
    write_file(disk, "t-0/b", b"b", sync=True)
    assert disk.list("t-0") == ["a", "b"]
    file.close()
    disk.remove("t-0")


def test_one_that_cannot_reserve_is_refused_before_it_begins(disk, files, system):
    system.left = 3
    with pytest.raises(OutOfFilesError, match="Too many open files"):
        disk.reserve_files()
    # The three that it found are for the metadata log.
    with pytest.raises(OutOfFilesError):
        disk.open("other", create=True)
    disk.make_dir("__cluster_metadata-0")
    disk.open("__cluster_metadata-0/quorum-state", create=True)
    system.left = 20
    disk.reserve_files()


def test_the_metadata_log_has_descriptors_when_others_have_none(disk, files, system):
    """They were for the first to come: a node stopped where its metadata log came last."""
    disk.reserve_files()
    disk.make_dir("__cluster_metadata-0")
    system.left = 0
    # Files in use, which cannot be closed.
    files._close_one = lambda: False
    with pytest.raises(OutOfFilesError):
        made(disk, open_files._SPARES)
    opened = [
        disk.open(f"__cluster_metadata-0/{number}.log", create=True)
        for number in range(open_files._FOR_METADATA - 1)
    ]
    disk.sync_dir("__cluster_metadata-0")
    opened[0].append(b"x")
    # They are spares again as soon as there are others.
    system.left = open_files._SPARES + 1
    disk.open("__cluster_metadata-0/more.log", create=True)
    assert len(files._spares) == open_files._SPARES


def test_nothing_is_left_where_nothing_can_be_closed(disk, files, system, caplog):
    system.left = 0
    with pytest.raises(OutOfFilesError, match="cannot open a: Too many open files"):
        disk.open("a", create=True)
    with pytest.raises(OutOfFilesError, match="cannot open .lock"):
        disk.lock()
    with pytest.raises(OutOfFilesError, match="cannot sync the directory"):
        disk.sync_dir("")
    assert "for lack of file descriptors (ulimit -n)" in caplog.messages[-1]
