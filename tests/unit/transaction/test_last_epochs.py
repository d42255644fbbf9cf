"""The last epochs of a producer id, from the coordinator to the logs of the partitions.

KAFKA-18660: an overflow at the end of a transaction returned the old producer id. KAFKA-19367:
InitProducerId bumped the epoch twice and overflowed. KAFKA-19999: a leader refused a repeated
marker, and the transaction did not end.
"""

from collections import Counter

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.log.producers.producer_state import ProducerState
from minikafka.log.producers.verification import NOT_VERIFIED
from minikafka.records.batch import CONTROL, TRANSACTIONAL
from minikafka.records.errors import RecordValidationError
from minikafka.records.reader import EndMarker
from tests.unit.log.producers.test_producer_state import header
from tests.worlds.transaction_world import at

LAST = 32767
"""The epoch of a fencing marker, which no producer has."""


class Cluster:
    """A coordinator, and the producer state of partition 0 with the markers that are sent to it."""

    def __init__(self, world, version):
        self.world = world
        self.version = version
        self.state = ProducerState()
        self.offset = 0
        self.sequences = Counter()
        """The next sequence of each producer id and epoch."""

    def write(self, producer):
        """The producer begins a transaction, and writes its first record."""
        self.world.add(producer, at(0), version=self.version)
        sequence = self.sequences[producer]
        guard = self.state.begin_verification(*producer, sequence, bumps_epochs=self.version >= 2)
        batch = self._batch(producer, sequence, TRANSACTIONAL)
        assert self.state.check(batch, guard) is None
        self.state.written(batch, 0)
        self.sequences[producer] += 1

    def is_fenced(self, producer):
        """True if the log refuses the next record of the producer for its epoch."""
        with pytest.raises(RecordValidationError) as caught:
            self.state.check(
                self._batch(producer, self.sequences[producer], TRANSACTIONAL), NOT_VERIFIED
            )
        return caught.value.code == ErrorCode.INVALID_PRODUCER_EPOCH

    def write_markers(self, *, times=1):
        """Markers are written as often as they are sent; the coordinator gets the last answer."""
        while self.world.entry().pending is not None:
            for each in self.world.sent(for_ms=100):
                for _ in range(times):
                    self._written(each)
                self.world.answer_markers(each)
        assert not self.state.ongoing

    def lose_answer(self):
        """A marker is written, and its answer lost."""
        sent = self.world.one()
        self._written(sent)
        self.world.answer_markers(sent, ErrorCode.REQUEST_TIMED_OUT)

    def _written(self, sent):
        for row in sent.body.markers:
            batch = self._batch((row.producer_id, row.producer_epoch), -1, TRANSACTIONAL | CONTROL)
            marker = EndMarker(row.transaction_result, row.coordinator_epoch)
            self.state.check_marker(batch, marker, row.transaction_version)
            self.state.ended(batch, marker, high_watermark=self.offset, now_ms=0)

    def _batch(self, producer, sequence, attributes):
        self.offset += 1
        return header(
            sequence, producer_id=producer[0], epoch=producer[1], offset=self.offset,
            attributes=attributes,
        )  # fmt: skip


@pytest.fixture(params=[1, 2])
def cluster(make_world, request):
    return Cluster(make_world(version=request.param), request.param)


def begin(cluster, epoch):
    """A producer with this epoch, and its open transaction."""
    producer = cluster.world.use_up(cluster.world.init(), epoch)
    cluster.write(producer)
    return producer


def goes_on(cluster, producer):
    """The producer has an epoch that may be used, and can begin and commit a transaction."""
    assert 0 <= producer.epoch < LAST
    cluster.write(producer)
    following = cluster.world.end(producer, version=cluster.version)
    cluster.write_markers()
    return following


@pytest.mark.parametrize("epoch", [32764, 32765, 32766])
@pytest.mark.parametrize("commit", [True, False])
def test_every_end_of_a_transaction_returns_a_producer_that_goes_on(cluster, commit, epoch):
    producer = begin(cluster, epoch)
    for _ in range(4):
        following = cluster.world.end(producer, commit, version=cluster.version)
        cluster.write_markers()
        assert cluster.world.end(producer, commit, version=cluster.version) == following
        if cluster.version >= 2:
            assert cluster.is_fenced(producer)
            is_last = producer.epoch == LAST - 1
            assert following.epoch == (0 if is_last else producer.epoch + 1)
            assert (following.producer_id != producer.producer_id) == is_last
        assert 0 <= following.epoch < LAST
        cluster.write(following)
        producer = following


@pytest.mark.parametrize("epoch", [32764, 32765, 32766])
@pytest.mark.parametrize("names_itself", [True, False])
def test_a_producer_that_starts_over_within_a_transaction_goes_on(cluster, names_itself, epoch):
    former = begin(cluster, epoch)
    expected = former if names_itself else None
    outcome = cluster.world.coordinator.initialize("x", 60_000, expected)
    assert outcome.is_fence
    cluster.world.settled(outcome)
    cluster.write_markers()
    assert cluster.is_fenced(former)
    assert cluster.world.state() == "CompleteAbort"
    again = cluster.world.init()
    assert again != former
    assert again.epoch < former.epoch or again.producer_id == former.producer_id
    goes_on(cluster, goes_on(cluster, again))


@pytest.mark.parametrize("epoch", [32764, 32765, 32766])
def test_a_producer_whose_transaction_times_out_goes_on(cluster, epoch):
    former = begin(cluster, epoch)
    cluster.world.run(for_ms=200_000)
    cluster.write_markers()
    assert cluster.is_fenced(former)
    goes_on(cluster, cluster.world.init())


@pytest.mark.parametrize("epoch", [5, 32765, 32766])
@pytest.mark.parametrize("commit", [True, False])
def test_a_marker_that_is_written_again_ends_the_transaction(cluster, commit, epoch):
    """The answer of the first one was lost, or the coordinator was loaded again."""
    producer = begin(cluster, epoch)
    following = cluster.world.end(producer, commit, version=cluster.version)
    cluster.lose_answer()
    cluster.world.fail_over()
    cluster.write_markers(times=2)
    assert cluster.world.state() == ("CompleteCommit" if commit else "CompleteAbort")
    goes_on(cluster, following)
