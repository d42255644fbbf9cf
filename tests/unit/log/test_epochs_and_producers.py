"""Leader epochs and producers of batches, and where segments roll."""

import pytest

from minikafka.log.checkpoints import read_epochs
from minikafka.log.disk import read_file
from minikafka.records.batch import ControlType
from minikafka.records.builder import (
    BatchOptions,
    build_batch,
    control_record,
    end_marker_value,
)
from minikafka.records.validation import AppendOrigin
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.one_log import NOW, append, open_log


@pytest.fixture
def disk():
    return SimDisk()


def follow(log, data, epoch=9):
    return log.append_as_follower(memoryview(data), leader_epoch=epoch, now=NOW)


def test_leader_and_follower_of_the_same_records_have_the_same_files(disk):
    """A leader writes batch by batch, a follower many batches with one write."""
    config = {"segment_bytes": 600, "index_interval_bytes": 50}
    leader = open_log(disk, **config)
    for number in range(20):
        append(
            leader, 1 + number % 3, 50_000 + 7 * number % 11, epoch=number // 8,
            producer_id=number if number % 2 else -1, producer_epoch=0, base_sequence=0,
        )  # fmt: skip
    copy = SimDisk()
    follower = open_log(copy, **config)
    for segment in leader.segments.items:
        follow(follower, segment.file.read_at(0, segment.size))
    assert follower.producers == leader.producers
    for log in (leader, follower):
        log.close()
    names = disk.list("t-0")
    assert len([name for name in names if name.endswith(".log")]) > 3
    assert copy.list("t-0") == names
    assert [read_file(copy, f"t-0/{name}") for name in names] == [
        read_file(disk, f"t-0/{name}") for name in names
    ]


def test_transaction_holds_the_last_stable_offset_until_its_marker_is_committed(disk):
    log = open_log(disk)
    ids = {"producer_id": 7, "producer_epoch": 0, "is_transactional": True}
    append(log, 2)
    append(log, 2, base_sequence=0, **ids)
    marker = build_batch(
        [control_record(ControlType.ABORT, end_marker_value(0), 50_000)],
        BatchOptions(is_control=True, **ids),
    )
    log.update_high_watermark(4)
    assert log.last_stable_offset == 2
    log.append_as_leader(
        memoryview(marker), leader_epoch=0, now=NOW, origin=AppendOrigin.COORDINATOR
    )
    assert log.last_stable_offset == 2
    log.update_high_watermark(5)
    assert log.last_stable_offset == 5
    (aborted,) = log.aborted_transactions(0, 5)
    assert aborted == (7, 2, 4, 5)
    assert open_log(disk).aborted_transactions(0, 5) == [aborted]


def test_an_epoch_is_written_with_its_first_records(disk):
    """A start forgets one that has none; writing it for every leader costs a start seconds."""
    log = open_log(disk)
    log.assign_epoch_start_offset(3, 0)
    assert log.latest_epoch == 3
    assert read_epochs(disk, "t-0") is None
    append(log, epoch=3)
    assert read_epochs(disk, "t-0") == [(3, 0)]
    log.assign_epoch_start_offset(5, log.log_end_offset)
    disk.crash()
    assert open_log(disk).leader_epochs == [(3, 0)]


def test_epoch_of_a_new_leader_is_known_before_its_first_record(disk):
    log = open_log(disk)
    append(log, 2)
    log.assign_epoch_start_offset(3, 2)
    assert log.latest_epoch == 3
    assert log.end_offset_for_epoch(0) == (0, 2)
    log.truncate_to(2, NOW)
    assert log.latest_epoch == 0
