"""The transaction coordinator against a plain model, with a failover between any two commits.

Requests, commits, markers, failures of leaders, time and failovers come in random order. A new
coordinator has the whole log of the former one, or only what was committed; requests of the former
one may still arrive.
"""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minikafka.common.errors import ErrorCode, KafkaError
from minikafka.transaction import coordinator
from minikafka.transaction.state import TransactionState
from minikafka.transaction.transaction import LAST_EPOCH
from minikafka.transaction.transitions import created
from tests.worlds.transaction_world import TransactionWorld, at

NAMES = ("x", "y")
RETRIED = (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_ENOUGH_REPLICAS)


class Model:
    """What clients were told, what leaders were sent, and what must hold of both."""

    def __init__(self, version):
        self.version = version
        self.world = TransactionWorld(replicas=(1, 2), version=version)
        self.world.replicate()
        self.waiting = []
        self.in_flight = []
        self.producers = {}
        self.handed_out = {}
        self.acknowledged = {}
        self.written = {}

    # Requests

    def initialize(self, name, choice):
        expected = self.producers.get(name) if choice % 2 else None
        outcome = self.world.coordinator.initialize(name, 30_000, expected)

        def acknowledged():
            if not outcome.is_fence:
                self.hand_out(name, outcome.producer, again=expected is not None)

        self.waiting.append((outcome.write, acknowledged))

    def hand_out(self, name, producer, *, again=False):
        # The marker of a transaction in the last epoch could have no newer one.
        assert producer.epoch < LAST_EPOCH
        assert again or producer not in self.handed_out
        self.handed_out[producer] = name
        self.producers[name] = producer

    def add(self, name, choice):
        producer = self.producers.get(name)
        if producer is not None:
            partitions = frozenset((at(choice % 4), at(choice // 2 % 4)))
            self.world.coordinator.add_partitions(name, producer, partitions, self.version)

    def commit(self, name, _):
        self.end(name, is_commit=True)

    def abort(self, name, _):
        self.end(name, is_commit=False)

    def end(self, name, *, is_commit):
        producer = self.producers.get(name)
        if producer is None:
            return
        before = self.world.entry(name).current if name in self.world.shard.entries else None
        outcome = self.world.coordinator.end(
            name, producer, is_commit=is_commit, client_version=self.version
        )
        if outcome.write is None:
            assert outcome.producer.epoch < LAST_EPOCH
            return
        marked = (producer.producer_id, producer.epoch + (self.version == 2))
        start = self.world.log.log_end_offset - 1

        def acknowledged():
            self.acknowledged[start] = (marked, is_commit, before.partitions)
            if self.version == 2:
                self.hand_out(name, outcome.producer)

        self.waiting.append((outcome.write, acknowledged))

    # What happens to them

    def replicate(self, *_):
        self.world.replicate()

    def pass_time(self, *_):
        self.world.run(for_ms=15_000)

    def answer(self, _, choice):
        if self.in_flight:
            sent = self.in_flight.pop(choice % len(self.in_flight))
            if choice % 3 == 2:
                self.world.answer_markers(sent, RETRIED[choice % 2])
            else:
                self.write(sent)
                self.world.answer_markers(sent)

    def write(self, sent):
        for marked, is_commit, partitions in self.world.markers(sent):
            for partition in partitions:
                self.written.setdefault((marked, partition), []).append(is_commit)

    def fail_over_with_all(self, _, choice):
        self.fail_over(choice, None)

    def fail_over_with_committed(self, _, choice):
        self.fail_over(choice, self.world.log.high_watermark)

    def fail_over(self, choice, keep_to):
        self.settle()
        self.waiting = []
        for number, sent in enumerate(self.in_flight):
            if choice >> number & 1:
                self.write(sent)
        self.in_flight = []
        self.world.fail_over(keep_to)

    # What must hold

    def settle(self):
        for write, acknowledged in self.waiting:
            if write.settled() and write.code == ErrorCode.NONE:
                acknowledged()
        self.waiting = [each for each in self.waiting if each[0].code is None]
        for sent in self.world.sent():
            self.check(sent)
            self.in_flight.append(sent)

    def check(self, sent):
        """Each marker has the outcome that the committed log says."""
        states = {}
        for record in self.world.records(self.world.log.high_watermark):
            states[record.transactional_id] = record.transaction
        prepared = {(each.producer_id, each.producer_epoch): each.state for each in states.values()}
        for marked, is_commit, _ in self.world.markers(sent):
            state = TransactionState.PREPARE_COMMIT if is_commit else TransactionState.PREPARE_ABORT
            assert prepared[marked] is state

    def finish(self):
        for _ in range(4):
            self.world.run(for_ms=5_000)
            self.replicate()
            self.settle()
            while self.in_flight:
                sent = self.in_flight.pop()
                self.write(sent)
                self.world.answer_markers(sent)
                self.replicate()
                self.settle()
        for entry in self.world.shard.entries.values():
            assert not entry.current.state.is_prepared
        for marked, is_commit, partitions in self.acknowledged.values():
            for partition in partitions:
                outcomes = self.written[marked, partition]
                assert is_commit in outcomes
                # With version 2 every transaction has an epoch of its own.
                assert self.version < 2 or set(outcomes) == {is_commit}


STEPS = (
    Model.initialize, Model.add, Model.add, Model.commit, Model.abort, Model.replicate,
    Model.replicate, Model.answer, Model.answer, Model.pass_time, Model.fail_over_with_all,
    Model.fail_over_with_committed,
)  # fmt: skip


AGEING = (
    Model.initialize, Model.add, Model.abort, Model.replicate, Model.replicate, Model.replicate,
    Model.answer, Model.answer, Model.pass_time, Model.pass_time, Model.pass_time,
)  # fmt: skip
"""Steps after which many transactions have timed out."""


EXPECTED = (
    ErrorCode.CONCURRENT_TRANSACTIONS,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.PRODUCER_FENCED,
    ErrorCode.INVALID_PRODUCER_ID_MAPPING,
    ErrorCode.INVALID_TXN_STATE,
)


@given(st.sampled_from((0, 2)), st.integers(0, 2**32), st.integers(1, 150))
def test_what_is_acknowledged_is_what_the_markers_say(version, seed, length):
    play(version, seed, length, STEPS)


@given(st.sampled_from((0, 2)), st.integers(0, 2**32), st.integers(1, 150), st.integers(1, 3))
def test_producer_ids_end_before_their_epochs(version, seed, length, left):
    def used_up(*args):
        return replace(created(*args), producer_epoch=LAST_EPOCH - left)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coordinator, "created", used_up)
        play(version, seed, length, AGEING)


def play(version, seed, length, steps):
    """Random steps, and what must hold after each one and in the end."""
    rng = Random(seed)
    model = Model(version)
    for _ in range(length):
        step = rng.choice(steps)
        try:
            step(model, rng.choice(NAMES), rng.randrange(16))
        except KafkaError as error:
            if error.code not in EXPECTED:
                raise
        model.settle()
    model.finish()
