"""Files of a log before its load: unfinished work, and records after those that were flushed."""

import pytest

from minikafka.log.disk import read_file, write_file
from minikafka.log.recovery.log_files import bases_of, finish_interrupted_work, goes_beyond
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.sim.world.sim_disk import SimDisk


def batch(offset):
    return bytes(build_batch([NewRecord(1, b"k", b"v")], BatchOptions(base_offset=offset)))


@pytest.fixture
def disk():
    """Segments with the offsets 0 and 1, 2 and 3, 4."""
    made = SimDisk()
    made.make_dir("t-0")
    for base, offsets in {0: (0, 1), 2: (2, 3), 4: (4,)}.items():
        write_file(made, f"t-0/{base:020}.log", b"".join(map(batch, offsets)))
        write_file(made, f"t-0/{base:020}.index", b"")
    return made


def test_unfinished_work_is_removed(disk):
    before = disk.list("t-0")
    for name in ("0.log.deleted", "0.log.cleaned", "leader-epoch-checkpoint.tmp"):
        write_file(disk, f"t-0/{name}", b"x")
    assert list(finish_interrupted_work(disk, "t-0")) == before == disk.list("t-0")


def test_a_cleaned_segment_takes_the_place_of_those_that_it_covers(disk):
    write_file(disk, f"t-0/{0:020}.log.swap", batch(3))
    names = finish_interrupted_work(disk, "t-0")
    assert bases_of(names) == [0, 4]
    assert f"{0:020}.index" not in names
    assert read_file(disk, f"t-0/{0:020}.log") == batch(3)


def test_a_copy_that_is_not_whole_is_removed(disk):
    """Its `.log` has the name of a whole one already, its transaction index not yet."""
    before = disk.list("t-0")
    write_file(disk, f"t-0/{0:020}.log.swap", batch(3))
    write_file(disk, f"t-0/{0:020}.txnindex.cleaned", b"aborted transactions")
    assert list(finish_interrupted_work(disk, "t-0")) == before == disk.list("t-0")


@pytest.mark.parametrize("mark", ["", ".swap"])
def test_the_indexes_of_a_copy_are_kept(disk, mark):
    """Without the transaction index, a reader of committed records would get aborted ones."""
    write_file(disk, f"t-0/{0:020}.log{mark}", batch(3))
    write_file(disk, f"t-0/{0:020}.txnindex.swap", b"aborted transactions")
    names = finish_interrupted_work(disk, "t-0")
    assert f"{0:020}.txnindex" in names
    assert read_file(disk, f"t-0/{0:020}.txnindex") == b"aborted transactions"


@pytest.mark.parametrize(
    ("offset", "tail", "expected"), [(4, b"", True), (5, b"", False), (5, b"torn", True)]
)
def test_a_log_goes_beyond_an_offset_if_bytes_follow_it(disk, offset, tail, expected):
    write_file(disk, f"t-0/{4:020}.log", batch(4) + tail)
    assert goes_beyond(disk, "t-0", offset) is expected
