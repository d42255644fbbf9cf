"""Leaders and ISR out of the metadata log: each change, at the time at which it was written."""

import pytest

from minikafka.harness.clusters.elections import (
    CHANGE,
    UnreadableError,
    count_elections,
    metadata_end,
    most_recent,
    read_changes,
)
from minikafka.log.directories.log_directory import METADATA_FOLDER
from tests.worlds.quorum_world import QuorumWorld

START_MS = 1_000_000


@pytest.fixture
def world():
    world = QuorumWorld.started(config={"metadata.max.idle.interval.ms": "0"})
    world.join(1, 2, 3)
    world.create("other", assignment=((1, 2),))
    world.create("t", assignment=((1, 2, 3), (2, 3, 1)))
    return world


def exported(world, path):
    """The world's metadata log as a folder."""
    folder = path / METADATA_FOLDER
    folder.mkdir()
    for name in world.disk.list(METADATA_FOLDER):
        file = world.disk.open(f"{METADATA_FOLDER}/{name}")
        (folder / name).write_bytes(file.read_at(0, file.size))
    return path


def test_the_most_recent_log_has_the_newest_epoch_and_the_greatest_end(world, tmp_path):
    older, newer, none = (tmp_path / name for name in ("older", "newer", "none"))
    for path in (older, newer, none):
        path.mkdir()
    exported(world, older)
    world.create("later", assignment=((1, 2),))
    exported(world, newer)
    assert metadata_end(older) < metadata_end(newer)
    assert metadata_end(newer).epoch == metadata_end(older).epoch >= 1
    assert metadata_end(none) == (-1, 0)
    assert most_recent([older, newer, none]) == newer
    assert most_recent([]) is None


def test_a_log_whose_last_write_was_interrupted_ends_before_it(world, tmp_path):
    path = exported(world, tmp_path)
    end = metadata_end(path)
    [segment] = (path / METADATA_FOLDER).glob("*.log")
    segment.write_bytes(segment.read_bytes()[:-3])
    assert metadata_end(path) < end


def said(changes):
    return [(x["at_ms"] - START_MS, x["partition"], x["leader"], x["isr"]) for x in changes]


def test_each_change_has_the_time_at_which_the_controller_wrote_it(world, tmp_path):
    world.advance(1_234)
    world.fence(1)
    changes = read_changes(exported(world, tmp_path), ["t"], 2)
    assert said(changes) == [
        (0, 0, 1, [1, 2, 3]), (0, 1, 2, [1, 2, 3]), (1_234, 0, 2, [2, 3]), (1_234, 1, 2, [2, 3]),
    ]  # fmt: skip
    assert {each["event"] for each in changes} == {"partition_changed"}
    assert changes[-1]["elr"] == changes[-1]["last_known_elr"] == []


def test_partitions_of_all_topics_are_numbered_consecutively(world, tmp_path):
    changes = read_changes(exported(world, tmp_path), ["t", "other"], 2)
    assert [each["partition"] for each in changes] == [2, 0, 1]


def test_a_log_that_was_cut_begins_with_its_snapshot(world, tmp_path):
    world.snapshotter.retention.max_bytes = 0
    for _ in range(3):
        world.write_snapshot()
    cut_ms = world.env.clock.wall_ms - START_MS
    assert world.raft.log.start_offset > 0
    world.advance(500)
    world.fence(1)
    changes = said(read_changes(exported(world, tmp_path), ["t"], 2))
    assert [change[1:] for change in changes] == [(0, 2, [2, 3]), (1, 2, [2, 3])]
    assert changes[0][0] >= cut_ms + 500


def test_missing_and_damaged_files_are_reported(world, tmp_path):
    (tmp_path / METADATA_FOLDER).mkdir()
    with pytest.raises(UnreadableError, match="it has no segment"):
        read_changes(tmp_path, ["t"], 2)
    (tmp_path / METADATA_FOLDER).rmdir()
    exported(world, tmp_path)
    (path,) = (tmp_path / METADATA_FOLDER).glob("*.log")
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(UnreadableError, match="cannot be read: .*checksum"):
        read_changes(tmp_path, ["t"], 2)


def state(partition, leader, isr, elr=()):
    return {
        "event": CHANGE, "partition": partition, "leader": leader, "isr": isr, "elr": list(elr),
    }  # fmt: skip


def test_elections_are_counted_by_the_leaders_former_role():
    """E5, E13: out of the ISR, out of the ELR, out of neither."""
    changes = [
        state(0, 1, [1, 2, 3]),
        state(0, 2, [2, 3]),  # out of the ISR
        state(1, 1, [1]),
        state(0, 2, [2], [3]),  # the same leader
        state(0, None, [], [2, 3]),
        state(0, 3, [3], [2]),  # out of the ELR
        state(1, None, [], [2]),
        state(1, 3, [3]),  # out of neither
        {"event": "partition", "partition": 0, "leader": 9, "isr": [9]},
    ]
    assert count_elections(changes) == {"from_isr": 1, "from_elr": 1, "unclean": 1}
    assert count_elections([]) == {"from_isr": 0, "from_elr": 0, "unclean": 0}
