"""The flushes that a broker runs for its logs."""

import pytest

from minikafka.common.effects import Flush
from minikafka.common.environment import RETRY_MS
from minikafka.common.faults import OutOfFilesError, StorageFault
from tests.unit.replica.conftest import batch_of
from tests.unit.replica.managed_world import DIRS


@pytest.fixture
def managed(managed):
    """Partition 0 is led, and each record must be flushed before it is acknowledged."""
    managed.local.static = {"log.flush.interval.messages": "1"}
    managed.start(
        managed.broker(1),
        managed.topic(),
        managed.put(1, isr=(1,), replicas=(1,), directory=DIRS[0]),
    )
    flushes(managed)
    return managed


def flushes(managed, for_ms=0):
    """The flushes that were requested since the last call."""
    managed.sent(for_ms)
    found = [each for each in managed.others if isinstance(each, Flush)]
    managed.others.clear()
    return found


def append(managed):
    managed.partition().append_as_leader(batch_of(1), required_acks=1)


def end(managed, flush, fault=None):
    if fault is None:
        for target in flush.targets:
            target.run()
    managed.env.flush_done(flush.token, fault)


def test_records_are_committed_when_their_flush_has_ended(managed):
    append(managed)
    (flush,) = flushes(managed)
    assert managed.partition().log.high_watermark == 0
    end(managed, flush)
    assert managed.partition().log.high_watermark == 1


def test_records_that_come_during_a_flush_go_into_the_next_one(managed):
    append(managed)
    (first,) = flushes(managed)
    append(managed)
    append(managed)
    assert flushes(managed) == []
    end(managed, first)
    (second,) = flushes(managed)
    end(managed, second)
    assert managed.partition().log.recovery_point == 3


@pytest.mark.parametrize(
    "fault",
    [OutOfFilesError("/one", "no descriptor is left"), StorageFault("/two", "broken")],
    ids=["no descriptor", "another directory"],
)
def test_flush_that_failed_in_an_intact_directory_is_repeated(managed, fault):
    append(managed)
    (flush,) = flushes(managed)
    end(managed, flush, fault)
    assert flushes(managed, RETRY_MS - 1) == []
    (again,) = flushes(managed, 1)
    end(managed, again)
    assert managed.partition().log.recovery_point == 1


def test_flush_that_failed_is_not_repeated_in_its_own_directory(managed):
    append(managed)
    (flush,) = flushes(managed)
    fault = StorageFault("/one", "broken")
    end(managed, flush, fault)
    assert managed.offline == [DIRS[0]]
    assert flushes(managed, 10 * RETRY_MS) == []


def test_without_descriptors_a_flush_is_requested_once_a_second(managed, monkeypatch):
    """Each request had its own retry, and every second there was one more of them."""
    log, refused = managed.partition().log, []

    def refuse():
        refused.append(managed.env.clock.monotonic_ms)
        raise OutOfFilesError("/one", "Too many open files")

    with monkeypatch.context() as patch:
        append(managed)
        (flush,) = flushes(managed)
        append(managed)
        patch.setattr(managed.disks[0], "reserve_files", refuse)
        end(managed, flush)
        managed.run(20 * RETRY_MS)
        refused.clear()
        managed.run(RETRY_MS)
        assert len(refused) == 1
    (again,) = flushes(managed, RETRY_MS)
    end(managed, again)
    assert log.recovery_point == 2


def test_flush_of_a_log_that_is_gone_is_not_repeated(managed):
    append(managed)
    (flush,) = flushes(managed)
    end(managed, flush, StorageFault("/two", "broken"))
    managed.apply(managed.no_topic())
    assert flushes(managed, 10 * RETRY_MS) == []
