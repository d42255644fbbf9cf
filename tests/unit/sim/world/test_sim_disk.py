"""Data that a crash keeps and data that a power loss removes."""

from random import Random

import pytest

from minikafka.common.faults import StorageFault
from minikafka.log.disk import read_file, write_file
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.server.os_disk import OsDisk
from minikafka.sim.world.disk_errors import WRITES, OneError
from minikafka.sim.world.disk_names import parent
from minikafka.sim.world.sim_disk import SimDisk


@pytest.fixture
def disk():
    made = SimDisk("d")
    made.make_dir("t")
    made.sync_dir("")
    return made


def durable_file(disk, content, path="t/a"):
    file = disk.open(path, create=True)
    file.append(content)
    file.sync()
    disk.sync_dir(parent(path))
    return file


def outcomes(make):
    """The contents of t/a after a power loss, for many random choices."""
    left = []
    for seed in range(60):
        disk = SimDisk("d")
        disk.make_dir("t")
        disk.sync_dir("")
        make(disk)
        disk.lose_power(Random(seed))
        left.append(read_file(disk, "t/a"))
    return left


def test_a_removal_is_durable_once_all_names_are_synced():
    disk = SimDisk()
    disk.make_dir("a")
    write_file(disk, "a/f", b"x", sync=True)
    disk.sync_names()
    disk.remove("a")
    disk.sync_names()
    disk.make_dir("a")
    disk.sync_names()
    disk.lose_power(Random(1))
    assert disk.list("a") == []


def test_crash_keeps_written_data(disk):
    disk.lock()
    disk.open("t/a", create=True).append(b"abc")
    disk.crash()
    assert read_file(disk, "t/a") == b"abc"
    disk.lock()


def test_power_loss_keeps_synced_data_and_some_of_the_rest():
    def make(disk):
        durable_file(disk, b"abc").append(b"defgh")

    left = outcomes(make)
    assert all(content.startswith(b"abc") for content in left)
    assert b"abc" in left
    assert b"abcdefgh" in left
    assert any(content[3:].endswith(b"\0") for content in left), "a torn page"


def test_name_is_lost_unless_its_folder_was_synced():
    def make(disk):
        file = disk.open("t/a", create=True)
        file.append(b"abc")
        file.sync()

    assert set(outcomes(make)) == {None, b"abc"}


def test_truncation_may_come_undone():
    assert set(outcomes(lambda disk: durable_file(disk, b"abc").truncate(1))) == {b"a", b"abc"}


def test_replaced_file_is_the_old_or_the_new_one():
    def make(disk):
        durable_file(disk, b"old")
        write_file(disk, "t/a", b"new", sync=True)

    assert set(outcomes(make)) == {b"new"}

    def unsynced(disk):
        durable_file(disk, b"old")
        file = disk.open("t/b", create=True)
        file.append(b"new")
        file.sync()
        disk.rename("t/b", "t/a")

    assert set(outcomes(unsynced)) == {b"old", b"new"}


def test_removal_may_come_undone():
    def make(disk):
        durable_file(disk, b"abc")
        disk.remove("t/a")

    assert set(outcomes(make)) == {None, b"abc"}


def test_same_seed_gives_the_same_loss():
    def make(disk):
        durable_file(disk, b"abc").append(b"defgh" * 20)

    assert outcomes(make) == outcomes(make)


def test_full_disk_takes_nothing_of_a_write(disk):
    file = durable_file(disk, b"abc")
    disk.fill(room=4)
    with pytest.raises(StorageFault, match="No space left"):
        file.append(b"12345")
    assert file.size == 3
    file.append(b"1234")
    file.truncate(0)
    file.append(b"1234567")


def test_broken_disk_fails_everything(disk):
    file = durable_file(disk, b"abc")
    disk.broken = "Input/output error"
    for action in (
        lambda: file.append(b"x"),
        lambda: file.read_at(0, 1),
        file.sync,
        lambda: disk.list(""),
        lambda: disk.open("t/b", create=True),
        lambda: disk.sync_dir("t"),
    ):
        with pytest.raises(StorageFault, match="Input/output"):
            action()


def test_folder_is_renamed_with_all_that_is_in_it(disk):
    durable_file(disk, b"abc")
    disk.rename("t", "u")
    assert (disk.list("u"), disk.list("t"), disk.exists("t")) == (["a"], [], False)
    disk.sync_dir("")
    disk.lose_power(Random(1))
    assert read_file(disk, "u/a") == b"abc"


@pytest.mark.parametrize("is_synced", [False, True])
def test_the_rename_of_a_folder_may_come_undone(is_synced):
    """Unless the folder above it was synced: a sync of the folder itself is not enough."""

    def after(seed):
        disk = SimDisk()
        disk.make_dir("t")
        disk.sync_dir("")
        disk.rename("t", "u")
        durable_file(disk, b"abc", "u/a")
        if is_synced:
            disk.sync_dir("")
        disk.lose_power(Random(seed))
        return {at: disk.list(at) for at in disk.list("")}

    found = [after(seed) for seed in range(40)]
    wanted = [{"u": ["a"]}] if is_synced else [{"u": ["a"]}, {"t": ["a"]}]
    assert all(each in wanted for each in found)
    assert all(each in found for each in wanted)


def test_a_new_folder_does_not_get_what_a_renamed_one_holds(disk):
    durable_file(disk, b"abc")
    disk.sync_dir("")
    disk.rename("t", "u")
    disk.make_dir("t")
    durable_file(disk, b"def", "t/b")
    disk.sync_dir("t")
    disk.lose_power(Random(2))
    wanted = ({"t": ["a"]}, {"u": ["a"]}, {"u": ["a"], "t": ["b"]})
    assert {at: disk.list(at) for at in disk.list("")} in wanted


@pytest.mark.parametrize("seed", range(10))
def test_what_is_written_back_has_one_name(seed):
    disk = SimDisk()
    disk.make_dir("t")
    disk.open("t/a.log", create=True)
    disk.rename("t/a.log", "t/b.log")
    disk.rename("t", "u")
    disk.sync_files(".log")
    disk.lose_power(Random(seed))
    assert {at: disk.list(at) for at in disk.list("")} == {"u": ["b.log"]}


def test_a_copy_is_durable(disk):
    durable_file(disk, b"abc").append(b"def")
    disk.rename("t", "u")
    backup = disk.copy()
    backup.lose_power(Random(1))
    assert (backup.list(""), read_file(backup, "u/a")) == (["u"], b"abcdef")


def test_file_needs_its_folder(disk):
    with pytest.raises(StorageFault, match="no such file"):
        disk.open("missing/a", create=True)
    with pytest.raises(StorageFault, match="no such file"):
        disk.open("t/missing")


def test_lock_is_held_until_it_is_released(disk):
    disk.lock()
    with pytest.raises(StorageFault):
        disk.lock()
    disk.unlock()
    disk.lock()


def test_space_shrinks_with_written_data():
    disk = SimDisk(capacity=100)
    disk.open("a", create=True).append(b"x" * 30)
    assert disk.space() == (100, 70)
    unlimited = SimDisk().space()
    assert unlimited.total == unlimited.usable


def log_with_unsynced(count=4):
    """A log file with one durable batch and `count` that are not."""
    disk = SimDisk("d")
    disk.make_dir("t")
    disk.sync_dir("")
    file = disk.open("t/0.log", create=True)
    batches = [
        bytes(build_batch([NewRecord(1, None, b"v")], BatchOptions(base_offset=number)))
        for number in range(count + 1)
    ]
    file.append(batches[0])
    file.sync()
    disk.sync_dir("t")
    for batch in batches[1:]:
        file.append(batch)
    return disk, batches


def test_flipped_bits_are_in_unsynced_data_and_covered_by_a_checksum():
    """C4: base offset and leader epoch of a batch stay as they are."""
    flipped = 0
    for seed in range(300):
        disk, batches = log_with_unsynced()
        disk.lose_power(Random(seed), flips=True)
        content = read_file(disk, "t/0.log")
        whole = b"".join(batches)[: len(content)]
        assert content.startswith(batches[0])
        places = [at for at in range(len(content)) if content[at] != whole[at]]
        in_whole_batches = len(content) // len(batches[0]) * len(batches[0])
        if len(places) == 1 and content[places[0]] and places[0] < in_whole_batches:
            flipped += 1
            within = places[0] % len(batches[0])
            assert not (within < 8 or 12 <= within < 16)
    assert flipped > 30


def test_a_copy_is_another_disk_on_which_everything_is_durable(disk):
    disk.open("t/a", create=True).append(b"abc")
    copy = disk.copy()
    disk.open("t/a").append(b"d")
    copy.lose_power(Random(1))
    assert read_file(copy, "t/a") == b"abc"
    assert read_file(disk, "t/a") == b"abcd"


def test_a_repaired_disk_writes_and_reads_again(disk):
    file = durable_file(disk, b"abc")
    disk.fill()
    with pytest.raises(StorageFault, match="No space"):
        file.append(b"d")
    disk.broken = "Input/output error"
    with pytest.raises(StorageFault, match="Input/output"):
        file.read_at(0, 3)
    disk.repair()
    file.append(b"d")
    assert file.read_at(0, 4) == b"abcd"


class Least(Random):
    def randint(self, a, b):
        return a


def test_files_that_were_synced_by_their_suffix_outlive_a_power_loss():
    disk = SimDisk("d")
    disk.make_dir("t")
    for name in ("t/a.log", "t/a.index"):
        disk.open(name, create=True).append(b"abc")
    disk.sync_files(".log")
    disk.lose_power(Least())
    assert disk.list("t") == ["a.log"]
    assert read_file(disk, "t/a.log") == b"abc"


def refusals(disk):
    """Operations that an operating system refuses, and its errors."""
    disk.open("t/a", create=True)
    closed = disk.open("t/a")
    closed.close()
    closed.sync()
    long_name = "x" * 256
    return {
        "(?i)no such file": [
            lambda: disk.sync_dir("gone"),
            lambda: disk.rename("t/gone", "t/b"),
            lambda: disk.rename("gone", "u"),
            lambda: disk.rename("t/a", "gone/a"),
            lambda: disk.open("t/gone"),
            lambda: disk.open("gone/a", create=True),
        ],
        "Is a directory": [lambda: disk.open("t"), lambda: disk.rename("t/a", "u")],
        "Not a directory": [lambda: disk.rename("u", "t/a")],
        "not empty": [lambda: disk.rename("u", "t")],
        "File exists": [lambda: disk.make_dir("t/a")],
        "name too long": [
            lambda: disk.open(long_name, create=True),
            lambda: disk.make_dir(long_name),
            lambda: disk.rename("t/a", long_name),
        ],
        "Bad file descriptor": [
            lambda: closed.append(b"x"),
            lambda: closed.truncate(0),
        ],
        "closed before it was read": [lambda: closed.read_at(0, 1)],
    }


@pytest.mark.parametrize("make", [SimDisk, OsDisk])
def test_operations_that_an_operating_system_refuses_are_refused(make, tmp_path):
    """A simulated disk that accepts more hides what stops a node on a real one."""
    disk = make(str(tmp_path))
    disk.make_dir("t")
    disk.make_dir("u")
    disk.remove("gone")
    assert disk.list("gone") == []
    for words, actions in refusals(disk).items():
        for action in actions:
            with pytest.raises((StorageFault, ValueError), match=words):
                action()
    assert (disk.list("t"), disk.list("u")) == (["a"], [])


@pytest.mark.parametrize("make", [SimDisk, OsDisk])
def test_only_an_empty_folder_is_removed_as_empty(make, tmp_path):
    disk = make(str(tmp_path))
    for folder in ("empty", "full", "outer/inner"):
        disk.make_dir(folder)
    write_file(disk, "full/a", b"abc")
    names = ("empty", "empty", "full", "full/a", "outer")
    assert [disk.remove_empty(name) for name in names] == [True, False, False, False, False]
    assert not disk.exists("empty")
    assert disk.exists("full/a")
    assert disk.exists("outer/inner")


def test_a_folder_may_take_the_place_of_an_empty_one(disk):
    durable_file(disk, b"abc")
    disk.make_dir("u")
    disk.rename("t", "u")
    assert read_file(disk, "u/a") == b"abc"


def test_a_file_that_is_replaced_gives_its_room_back():
    disk = SimDisk(capacity=100)
    for _ in range(10):
        write_file(disk, "a", b"x" * 40)
    assert disk.space() == (100, 60)


@pytest.mark.parametrize("sync_all", [False, True])
def test_data_of_a_failed_sync_is_lost_though_the_next_sync_succeeds(sync_all):
    disk = SimDisk()
    file = disk.open("a", create=True)
    disk.sync_dir("")
    file.append(b"one")
    file.sync()
    file.append(b"twotwo")
    disk.error = OneError("Input/output error", 0, ("sync", "sync all"), share=0.5)
    disk.step_begins()
    with pytest.raises(StorageFault, match="Input/output error"):
        disk.sync_all() if sync_all else file.sync()
    file.sync()
    assert (disk.has_unwritten, disk.refusals) == (True, 1)
    assert read_file(disk, "a") == b"onetwotwo"
    disk.crash()
    assert read_file(disk, "a") == b"onetwo\0\0\0"


@pytest.mark.parametrize(("tail_stays", "found"), [(True, b"onetw"), (False, b"one")])
def test_a_write_that_fails_may_leave_some_bytes(tail_stays, found):
    disk = SimDisk()
    file = disk.open("a", create=True)
    file.append(b"one")
    disk.error = OneError("No space left on device", 0, WRITES, 0.4, tail_stays)
    disk.step_begins()
    with pytest.raises(StorageFault, match="append failed: No space left"):
        file.append(b"twotwo")
    assert read_file(disk, "a") == found


def test_an_error_comes_once_after_so_many_operations_and_only_within_a_step():
    disk = SimDisk()
    failed = []
    disk.error = OneError("Input/output error", 1, on_error=failed.append)
    assert disk.list("") == disk.list("") == []
    disk.step_begins()
    with pytest.raises(StorageFault, match="create failed: Input/output error"):
        disk.open("a", create=True)
    disk.open("a", create=True)
    assert failed == ["create"]


def test_a_flipped_bit_is_not_flipped_back_in_bytes_that_were_written_since():
    disk = SimDisk()
    write_file(disk, "a.log", b"abc", sync=True)
    undo = disk.flip("a.log", 1, 0)
    assert bytes(disk.content("a.log")) == b"acc"
    file = disk.open("a.log")
    file.truncate(1)
    file.append(b"bc")
    undo()
    assert bytes(disk.content("a.log")) == b"abc"


def test_a_truncation_that_a_power_loss_undid_hides_no_later_one():
    """The bytes that came back have the damage; those that are written after that have not."""
    came_back = 0
    for seed in range(10):
        disk = SimDisk()
        write_file(disk, "a.log", b"abc", sync=True)
        disk.sync_names()
        file = disk.open("a.log")
        file.truncate(2)
        undo = disk.flip("a.log", 0, 0)
        disk.lose_power(Random(seed))
        came_back += bytes(disk.content("a.log")) == b"`bc"
        file = disk.open("a.log")
        file.truncate(0)
        file.append(b"abc")
        undo()
        assert bytes(disk.content("a.log")) == b"abc"
    assert came_back
