"""A broker keeps a bounded number of verifications, whatever the number of its logs."""

from types import SimpleNamespace

import pytest

from minikafka.log.producers.producer_state import ProducerState
from minikafka.replica import verification_guards
from minikafka.replica.verification_guards import VerificationGuards
from tests.unit.replica.test_transactional_appends import Gate
from tests.worlds.transaction_wire import verdicts


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(verification_guards, "MAX_GUARDS", 10)


def begin(guards, partition, producer_id):
    guard = partition.log.producers.begin_verification(producer_id, 0, 0, bumps_epochs=True)
    guards.add(guard, partition, producer_id)
    return guard


def test_the_oldest_guard_of_all_logs_is_dropped(few):
    guards = VerificationGuards()
    partitions = [SimpleNamespace(log=SimpleNamespace(producers=ProducerState())) for _ in range(5)]
    for number in range(100):
        begin(guards, partitions[number % 5], number)
    assert len(guards) == 10
    kept = [pid for partition in partitions for pid in partition.log.producers.unverified]
    assert sorted(kept) == list(range(90, 100))


def test_a_guard_that_was_replaced_is_not_dropped_for_its_producer(few):
    guards = VerificationGuards()
    partition = SimpleNamespace(log=SimpleNamespace(producers=ProducerState()))
    first = begin(guards, partition, 1)
    partition.log.producers.end_verification(1, first)
    second = begin(guards, partition, 1)
    for number in range(2, 11):
        begin(guards, partition, number)
    assert partition.log.producers.is_current(1, second)


def answer(gate):
    sent = gate.request()
    gate.world.answer(sent, verdicts(sent))


def test_an_appended_transaction_leaves_no_guard():
    gate = Gate()
    gate.admit("writes")
    answer(gate)
    assert len(gate.gate.guards) == 0
    gate.admit("does not", pid=2, append=False)
    answer(gate)
    assert len(gate.gate.guards) == 1
    assert [name for name, _ in gate.ran] == ["writes", "does not"]


def test_a_guard_that_a_marker_removed_is_forgotten_when_the_coordinator_answers():
    gate = Gate()
    gate.admit("a")
    sent = gate.request()
    gate.end(epoch=0)
    gate.world.answer(sent, verdicts(sent))
    answer(gate)
    assert len(gate.gate.guards) == 0
