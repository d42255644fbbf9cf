"""What one fetch reads, by its reader: up to which offset, from which replica, for how long."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.messages.fetch import FetchPartition, FetchRequest
from minikafka.replica.fetch_read import ConsumerReader, FetchRead, FollowerReader
from minikafka.replica.fetch_session import RequestedPartition, SessionKey
from tests.unit.replica.conftest import batch_of
from tests.unit.replica.managed_world import ID, T

CONSUMER = ConsumerReader(is_committed_only=False, must_lead=False)
FOLLOWER = FollowerReader(2, broker_epoch=10)


def fetch_read(world, reader, *, offset=0, index=0, epoch=-1, request=None):
    wanted = FetchPartition(
        index, current_leader_epoch=epoch, fetch_offset=offset, partition_max_bytes=1 << 20
    )
    row = RequestedPartition(SessionKey(ID, "t", index), wanted)
    request = request or FetchRequest(max_wait_ms=100, min_bytes=1)
    return FetchRead(world.manager, request, 17, reader, None, [row], 1 << 20)


def answer(read):
    """Read once; return the only answer."""
    read.read(read.rows(), notes_progress=True)
    ((_, data),) = read.answers
    return data


@pytest.fixture
def written(leading):
    """One record that the follower lacks."""
    leading.partition().append_as_leader(batch_of(1), required_acks=1)
    return leading


def test_a_consumer_reads_nothing_above_the_high_watermark(written):
    read = fetch_read(written, CONSUMER)
    data = answer(read)
    assert (data.high_watermark, bytes(data.records)) == (0, b"")
    assert not read.is_enough
    assert read.wait_keys() == [written.partition().committed]


def test_a_follower_reads_to_the_log_end_and_reports_its_own(written):
    read = fetch_read(written, FOLLOWER)
    assert answer(read).records.read()
    assert read.is_enough
    assert read.wait_keys() == [written.partition().appended]
    answer(fetch_read(written, FOLLOWER, offset=1))
    assert written.partition().log.high_watermark == 1
    assert answer(fetch_read(written, CONSUMER)).records.read()


def test_bytes_are_counted_once_they_are_in_a_response_by_their_reader(written):
    counts = written.partition().counts
    read = fetch_read(written, FOLLOWER)
    size = len(answer(read).records.read())
    assert (counts.bytes_out, counts.replication_bytes_out) == (0, 0)
    (topic,) = read.topics()
    assert (topic.topic_id, len(topic.partitions)) == (ID, 1)
    assert (counts.bytes_out, counts.replication_bytes_out) == (0, size)


@pytest.mark.parametrize(
    ("reader", "epoch", "code"),
    [
        (FollowerReader(3, broker_epoch=10), 0, ErrorCode.UNKNOWN_LEADER_EPOCH),
        (FollowerReader(3, broker_epoch=10), -1, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (FollowerReader(2, broker_epoch=9), 0, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (CONSUMER, 1, ErrorCode.UNKNOWN_LEADER_EPOCH),
    ],
    ids=["no replica", "no replica, no epoch", "an earlier incarnation", "a later epoch"],
)
def test_a_reader_that_may_not_read_gets_an_error_at_once(written, reader, epoch, code):
    read = fetch_read(written, reader, epoch=epoch)
    assert answer(read).error_code == code
    assert read.is_enough


def test_only_some_readers_need_the_leader(following):
    assert answer(fetch_read(following, CONSUMER)).error_code == ErrorCode.NONE
    old = CONSUMER._replace(must_lead=True)
    for reader in (old, FOLLOWER):
        data = answer(fetch_read(following, reader))
        assert data.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_a_wait_ends_with_enough_records_or_with_the_replica(written):
    read = fetch_read(written, CONSUMER)
    answer(read)
    assert not read.is_settled()
    answer(fetch_read(written, FOLLOWER, offset=1))
    assert read.is_settled()
    later = fetch_read(written, CONSUMER, offset=1)
    answer(later)
    assert not later.is_settled()
    written.manager.hosted.take_offline(T)
    assert later.is_settled()


def test_a_read_may_be_repeated(written):
    read = fetch_read(written, FOLLOWER)
    answer(read)
    read.forget_answers()
    assert (read.answers, read.total_bytes) == ([], 0)
    assert answer(read).records.read()
