import pytest

from minikafka.common.faults import InvariantViolation, StorageFault
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.messages.metadata_records.topic_record import TopicRecord
from minikafka.records.batch import ControlType
from minikafka.records.builder import control_record
from minikafka.records.errors import CorruptRecordsError
from tests.worlds.quorum_world import QuorumWorld


@pytest.fixture
def log():
    return QuorumWorld().raft.log


@pytest.fixture
def now():
    return QuorumWorld().env.clock.now


def append(log, now, *records, epoch=1):
    return log.append_records(records, epoch=epoch, metadata_version=30, now=now)


def test_an_empty_log_has_no_epoch(log):
    assert (log.end_offset, log.last_epoch) == (0, 0)
    assert list(log.batches(0, 0)) == []


def test_records_come_back_with_offsets_epoch_and_time(log, now):
    topic = TopicRecord(name="t")
    assert append(log, now, NoOpRecord(), topic, epoch=2) == 1
    (batch,) = log.batches(0, 2)
    assert batch.records == [(0, NoOpRecord()), (1, topic)]
    assert (batch.base_offset, batch.last_offset, batch.epoch) == (0, 1, 2)
    assert batch.append_ms == now.wall_ms
    assert batch.control == []
    assert log.last_epoch == 2


def test_control_records_come_back_by_type(log, now):
    records = [control_record(ControlType.KRAFT_VERSION, b"\0\0\0\1", now.wall_ms)]
    log.append_control(records, epoch=1, now=now)
    (batch,) = log.batches(0, 1)
    assert batch.control == [(ControlType.KRAFT_VERSION, b"\0\0\0\1")]
    assert batch.records == []


def test_batches_are_given_from_an_offset_on(log, now):
    for _ in range(3):
        append(log, now, NoOpRecord(), NoOpRecord())
    assert [x.base_offset for x in log.batches(2, 6)] == [2, 4]
    assert [x.base_offset for x in log.batches(2, 4)] == [2]


def test_a_batch_that_begins_before_the_offset_is_given_whole(log, now):
    append(log, now, NoOpRecord(), NoOpRecord(), NoOpRecord())
    assert [x.base_offset for x in log.batches(2, 3)] == [0]


def flip(log, at):
    log.unified_log.disk.flip(f"{log.unified_log.folder}/00000000000000000000.log", at, 3)


@pytest.mark.parametrize("at", [*range(12), *range(16, 70, 3)])
def test_a_flipped_bit_is_found_wherever_it_is(log, now, at):
    """But in the leader epoch, which no checksum covers (as in Kafka)."""
    for _ in range(3):
        append(log, now, NoOpRecord())
    second = log.size_bytes // 3
    flip(log, second + at)
    with pytest.raises(StorageFault, match="damaged"):
        list(log.batches(0, 3))
    with pytest.raises(StorageFault, match="damaged"):
        # A batch that is not whole may be the end of what is asked for.
        log.read(0, 1 << 20), log.read(1, 1 << 20)


def test_damage_is_named_by_file_byte_and_offset_with_what_to_do(log, now):
    for _ in range(3):
        append(log, now, NoOpRecord())
    byte = log.size_bytes // 3
    flip(log, byte + 50)
    with pytest.raises(StorageFault) as caught:
        list(log.batches(0, 3))
    said = str(caught.value)
    assert f"00000000000000000000.log is damaged at byte {byte}, offset 1: checksum" in said
    assert "remove __cluster_metadata-0" in said


def test_a_reader_gets_whole_batches_and_nothing_at_the_end(log, now):
    append(log, now, NoOpRecord())
    append(log, now, NoOpRecord())
    assert log.read(2, 1).slice is None
    assert len(log.read(1, 1).slice.read()) == log.size_bytes // 2


def test_fetched_batches_must_follow_the_end(log, now):
    append(log, now, NoOpRecord())
    first = bytes(log.read(0, 1).slice.read())
    with pytest.raises(CorruptRecordsError, match="begins at offset 0, expected 1"):
        log.append_fetched(memoryview(bytearray(first)), epoch=1, now=now)
    moved = bytearray(first)
    moved[7] = 1
    log.append_fetched(memoryview(moved), epoch=1, now=now)
    assert log.end_offset == 2


def test_what_is_not_there_is_a_violation(log, now):
    append(log, now, NoOpRecord())
    with pytest.raises(InvariantViolation):
        list(log.batches(0, 5))


def test_what_a_leader_appended_is_not_read_again_when_it_is_committed(log, now):
    """It is given once, and equals what is in the log."""
    records = [NoOpRecord(), TopicRecord(name="t")]
    append(log, now, *records, epoch=2)
    append(log, now, NoOpRecord(), epoch=2)
    written = list(log.batches(0, 3))
    kept = list(log.committed(0, 3))
    assert kept == written
    assert kept[0].records[1][1] is records[1]
    assert list(log.committed(0, 3)) == written
    assert all(record is not records[1] for _, record in log.committed(0, 2).__next__().records)


def test_control_batches_between_what_was_appended_are_read(log, now):
    append(log, now, NoOpRecord())
    log.append_control(
        [control_record(ControlType.KRAFT_VERSION, b"\0\0\0\1", now.wall_ms)], epoch=1, now=now
    )
    append(log, now, NoOpRecord())
    assert list(log.committed(0, 2)) == list(log.batches(0, 2))
    assert list(log.committed(2, 3)) == list(log.batches(2, 3))


def test_what_was_appended_and_truncated_is_never_committed(log, now):
    append(log, now, NoOpRecord())
    append(log, now, TopicRecord(name="gone"))
    log.truncate_to(1, now)
    append(log, now, TopicRecord(name="t"), epoch=2)
    assert [each.records for each in log.committed(0, 2)] == [
        [(0, NoOpRecord())],
        [(1, TopicRecord(name="t"))],
    ]


def test_a_node_that_follows_reads_what_is_committed(log, now):
    append(log, now, TopicRecord(name="t"))
    other = QuorumWorld().raft.log
    append(other, now, TopicRecord(name="t"))
    append(other, now, NoOpRecord())
    fetched = other.read(1, 1 << 20).slice.read()
    log.append_fetched(memoryview(fetched), epoch=1, now=now)
    assert list(log.committed(0, 2)) == list(other.batches(0, 2))
