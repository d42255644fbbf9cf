"""The gate before transactional appends: order, guards, leadership, memory."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.config.values import Config
from minikafka.log.producers.verification import NOT_VERIFIED, UNCHECKED, VerificationGuard
from minikafka.records.builder import BatchOptions, NewRecord, TransactionEnd, build_batch
from minikafka.records.errors import RecordValidationError
from minikafka.replica.transactional_appends import TransactionalAppends, TransactionalProducer
from tests.unit.replica.managed_world import ManagedWorld
from tests.worlds.broker_view import local_broker
from tests.worlds.transaction_wire import manager_of, rows_of, state_topic, verdicts

T0 = TopicPartition("t", 0)


class Gate:
    """Broker 1 leads partitions 0 and 1; broker 2 coordinates all transactions."""

    def __init__(self, **given):
        self.world = world = ManagedWorld()
        world.start(
            world.broker(1, port=1), world.broker(2, port=2), state_topic([2]), world.topic(),
            world.put(1), world.put(1, index=1),
        )  # fmt: skip
        world.run()
        world.sent()
        self.values = {key.replace("_", "."): str(value) for key, value in given.items()}
        self.local = local_broker(world, Config(self.values))
        self.gate = TransactionalAppends(world.env, manager_of(world, **given), self.local)
        world.manager.listeners.append(self.gate)
        self.ran = []

    def admit(self, name, *, index=0, pid=1, epoch=0, sequence=0, adds=True, append=True, size=0):
        """Admit an append that writes one record; note its name and outcome when it runs."""
        partition = self.world.partition(index)

        def run(outcome):
            self.ran.append((name, outcome))
            if append and isinstance(outcome, VerificationGuard):
                partition.append_as_leader(
                    batch_of(pid, epoch, sequence), required_acks=1, guard=outcome
                )

        producer = TransactionalProducer(f"x{pid}", pid, epoch, sequence, adds)
        return self.gate.admit(partition, producer, run, size_bytes=size)

    def request(self):
        requests = [sent for sent in self.world.sent() if sent.channel.purpose.startswith("add-")]
        assert len(requests) <= 1
        return requests[0] if requests else None

    def end(self, index=0, pid=1, epoch=1, commit=True):
        self.world.partition(index).append_end_marker(TransactionEnd(pid, epoch, commit, 0, 2))


def batch_of(pid, epoch, sequence):
    options = BatchOptions(
        producer_id=pid, producer_epoch=epoch, base_sequence=sequence, is_transactional=True
    )
    return memoryview(build_batch([NewRecord(1000, None, b"v")], options))


@pytest.fixture
def gate():
    return Gate()


def test_first_append_waits_for_the_coordinator_and_the_next_run_at_once(gate):
    assert not gate.admit("a")
    assert gate.ran == []
    sent = gate.request()
    assert rows_of(sent) == [("x1", 1, 0, False, [T0])]
    gate.world.answer(sent, verdicts(sent))
    assert [name for name, _ in gate.ran] == ["a"]
    assert gate.admit("b", sequence=1)
    assert gate.ran[1] == ("b", NOT_VERIFIED)
    assert gate.request() is None
    assert gate.world.partition().log.log_end_offset == 2
    assert (gate.gate.waiting, gate.world.env.queued_bytes) == (0, 0)


def test_appends_of_a_producer_run_in_the_order_of_their_arrival(gate):
    for sequence in range(5):
        assert not gate.admit(sequence, sequence=sequence)
    sent = gate.request()
    assert rows_of(sent) == [("x1", 1, 0, False, [T0])]
    gate.world.answer(sent, verdicts(sent))
    assert [name for name, _ in gate.ran] == [0, 1, 2, 3, 4]
    assert gate.world.partition().log.log_end_offset == 5


def test_other_producers_and_partitions_do_not_wait(gate):
    gate.admit("other", pid=2)
    sent = gate.request()
    gate.world.answer(sent, verdicts(sent))
    gate.admit("waits")
    gate.request()
    assert gate.admit("ongoing", pid=2, sequence=1)
    gate.admit("index 1", index=1)
    assert [name for name, _ in gate.ran] == ["other", "ongoing"]


def test_verify_only_is_asked_for_clients_that_add_partitions(gate):
    gate.admit("a", adds=False)
    assert rows_of(gate.request()) == [("x1", 1, 0, True, [T0])]


def test_new_epoch_needs_a_new_verification(gate):
    gate.admit("a")
    sent = gate.request()
    gate.world.answer(sent, verdicts(sent))
    gate.end()
    assert not gate.admit("b", epoch=1)
    assert rows_of(gate.request()) == [("x1", 1, 1, False, [T0])]


def test_old_epoch_is_rejected_before_the_coordinator_adds_the_partition(gate):
    gate.end(epoch=3)
    assert gate.admit("old", epoch=2)
    assert gate.ran == [("old", ErrorCode.INVALID_PRODUCER_EPOCH)]
    assert gate.request() is None
    assert not gate.admit("current", epoch=3)


def test_rejected_append_has_the_error_and_the_next_is_verified_on_its_own(gate):
    gate.admit("a")
    gate.admit("b", sequence=1)
    sent = gate.request()
    gate.world.answer(sent, verdicts(sent, ErrorCode.TRANSACTION_ABORTABLE))
    assert gate.ran == [("a", ErrorCode.TRANSACTION_ABORTABLE)]
    sent = gate.request()
    gate.world.answer(sent, verdicts(sent, ErrorCode.INVALID_TXN_STATE))
    assert gate.ran[1] == ("b", ErrorCode.INVALID_TXN_STATE)
    assert gate.gate.waiting == 0


def test_marker_between_question_and_answer_asks_the_coordinator_again(gate):
    # The marker of the previous transaction: epoch 1 is that of the next one (TV2).
    gate.admit("a", epoch=1)
    gate.admit("b", epoch=1, sequence=1)
    first = gate.request()
    gate.end(epoch=1)
    gate.world.answer(first, verdicts(first))
    assert gate.ran == []
    second = gate.request()
    assert rows_of(second) == rows_of(first)
    gate.world.answer(second, verdicts(second))
    assert [name for name, _ in gate.ran] == ["a", "b"]
    assert gate.world.partition().log.log_end_offset == 3
    assert gate.world.env.queued_bytes == 0


def test_answer_after_the_marker_of_the_same_transaction_is_what_counts(gate):
    gate.admit("a", adds=False)
    first = gate.request()
    gate.end(epoch=0, commit=False)
    gate.world.answer(first, verdicts(first))
    second = gate.request()
    gate.world.answer(second, verdicts(second, ErrorCode.INVALID_TXN_STATE))
    assert gate.ran == [("a", ErrorCode.INVALID_TXN_STATE)]
    assert gate.world.partition().log.log_end_offset == 1


def test_guard_that_is_stale_at_the_deadline_is_rejected(gate):
    gate.admit("a", append=False)
    sent = gate.request()
    gate.end()
    gate.world.env.clock.monotonic_ms += 30_000
    gate.world.answer(sent, verdicts(sent))
    (_, guard), = gate.ran  # fmt: skip
    with pytest.raises(RecordValidationError, match="not part of an ongoing transaction"):
        gate.world.partition().append_as_leader(batch_of(1, 1, 0), required_acks=1, guard=guard)


def test_disabled_verification_runs_at_once_but_still_adds_partitions():
    gate = Gate(transaction_partition_verification_enable="false")
    assert gate.admit("a", adds=False)
    assert gate.ran == [("a", UNCHECKED)]
    assert gate.world.partition().log.log_end_offset == 1
    assert not gate.admit("b", pid=2, adds=True)


@pytest.mark.parametrize("how", ["follows", "no leader", "removed"])
def test_end_of_the_leadership_ends_what_waits(gate, how):
    gate.admit("a")
    gate.admit("b", sequence=1)
    gate.admit("other", index=1)
    sent = gate.request()
    world = gate.world
    if how == "removed":
        world.apply(world.put(2, replicas=(2,), epoch=1))
    else:
        world.apply(world.put(2 if how == "follows" else -1, epoch=1))
    assert gate.ran == [(name, ErrorCode.NOT_LEADER_OR_FOLLOWER) for name in "ab"]
    world.answer(sent, verdicts(sent))
    assert [name for name, _ in gate.ran] == ["a", "b", "other"]
    assert world.env.queued_bytes == 0


def test_new_epoch_of_the_same_leader_goes_on(gate):
    gate.admit("a")
    sent = gate.request()
    gate.world.apply(gate.world.put(1, epoch=1))
    assert gate.ran == []
    gate.world.answer(sent, verdicts(sent))
    assert gate.world.partition().log.log_end_offset == 1


def test_follower_rejects_at_once(gate):
    gate.world.apply(gate.world.put(2, epoch=1))
    assert gate.admit("a")
    assert gate.ran == [("a", ErrorCode.NOT_LEADER_OR_FOLLOWER)]


def test_coordinator_that_never_answers_ends_all_appends_of_the_producer():
    gate = Gate(request_timeout_ms=1000)
    for sequence in range(3):
        gate.admit(sequence, sequence=sequence)
    gate.world.run(1000)
    assert gate.ran == [(name, ErrorCode.NETWORK_EXCEPTION) for name in range(3)]
    assert gate.gate.waiting == 0


def test_what_waits_counts_as_queued_bytes(gate):
    gate.admit("a", size=5000)
    gate.admit("b", sequence=1, size=3000)
    assert gate.world.env.queued_bytes >= 8000
    sent = gate.request()
    gate.world.answer(sent, verdicts(sent))
    assert gate.world.env.queued_bytes == 0


def test_error_of_one_append_does_not_stop_the_others(gate):
    contained = []
    gate.world.env.on_contained = lambda what, error: contained.append(str(error))
    partition = gate.world.partition()

    def broken(_):
        raise ValueError("broken")

    gate.gate.admit(partition, TransactionalProducer("x1", 1, 0, 0, True), broken)
    gate.admit("b", sequence=0)
    sent = gate.request()
    gate.world.answer(sent, verdicts(sent))
    assert contained == ["broken"]
    sent = gate.request()
    gate.world.answer(sent, verdicts(sent))
    assert [name for name, _ in gate.ran] == ["b"]


def test_many_waiting_appends_end_without_deep_recursion():
    gate = Gate()
    gate.world.change(state_topic([-1]))
    for sequence in range(3000):
        gate.admit(sequence, sequence=sequence)
    gate.world.run()
    assert [name for name, _ in gate.ran] == list(range(3000))


def test_many_appends_of_a_producer_run_in_several_steps(gate):
    for sequence in range(500):
        gate.admit(sequence, sequence=sequence)
    sent = gate.request()
    gate.world.answer(sent, verdicts(sent))
    assert len(gate.ran) == 61
    assert not gate.admit("behind", sequence=500)
    gate.world.env.spent_us = 0
    gate.world.env.take_later()()
    assert len(gate.ran) == 121
    gate.world.run()
    assert [name for name, _ in gate.ran] == [*range(500), "behind"]
    assert gate.world.partition().log.log_end_offset == 501
    assert gate.gate.waiting == 0


def test_leadership_that_ends_between_two_steps_ends_the_rest(gate):
    for sequence in range(300):
        gate.admit(sequence, sequence=sequence)
    sent = gate.request()
    gate.world.answer(sent, verdicts(sent))
    gate.world.apply(gate.world.put(2, epoch=1))
    gate.world.run()
    assert len(gate.ran) == 300
    assert gate.ran[201:] == [
        (sequence, ErrorCode.NOT_LEADER_OR_FOLLOWER) for sequence in range(201, 300)
    ]


def test_append_that_is_admitted_by_another_one_runs_behind_it(gate):
    partition = gate.world.partition()

    def run(outcome):
        gate.ran.append(("outer", outcome))
        gate.admit("inner", sequence=0)

    gate.gate.admit(partition, TransactionalProducer("x1", 1, 0, 0, True), run)
    sent = gate.request()
    gate.world.answer(sent, verdicts(sent))
    assert [name for name, _ in gate.ran] == ["outer"]
    sent = gate.request()
    gate.world.answer(sent, verdicts(sent))
    assert [name for name, _ in gate.ran] == ["outer", "inner"]
