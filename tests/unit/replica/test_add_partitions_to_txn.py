"""Questions to transaction coordinators: batching, order, errors, repetition."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.messages.add_partitions_to_txn import AddPartitionsToTxnResponse
from minikafka.replica.add_partitions_to_txn import Question
from tests.unit.replica.managed_world import ManagedWorld
from tests.worlds.transaction_wire import T0, manager_of, rows_of, state_topic, verdicts

T1 = TopicPartition("t", 1)


@pytest.fixture
def world():
    world = ManagedWorld()
    world.change(world.broker(1, port=1), world.broker(2, port=2), state_topic([2]))
    return world


def ask(manager, answers, *, tid="a", pid=1, epoch=0, verify=False, abortable=True, at=T0):
    """Ask; the answer goes to `answers` with the partition."""
    manager.ask(
        Question(tid, pid, epoch, verify, abortable, at), lambda code: answers.append((at, code))
    )


def test_questions_of_one_step_go_into_one_request(world):
    manager, answers = manager_of(world), []
    ask(manager, answers)
    ask(manager, answers, at=T1)
    ask(manager, answers, tid="b", pid=2, verify=True)
    sent = world.one()
    assert (sent.channel.port, sent.header.api_version) == (2, 5)
    assert rows_of(sent) == [("a", 1, 0, False, [T0, T1]), ("b", 2, 0, True, [T0])]
    world.answer(sent, verdicts(sent, codes={("a", T1): ErrorCode.INVALID_TXN_STATE}))
    assert answers == [(T0, 0), (T1, ErrorCode.INVALID_TXN_STATE), (T0, 0)]
    assert (manager.verifications, manager.failures, manager.pending) == (3, 1, 0)


def test_one_request_is_in_flight_and_later_questions_go_into_the_next(world):
    manager, answers = manager_of(world), []
    ask(manager, answers)
    first = world.one()
    ask(manager, answers, at=T1)
    assert world.sent() == []
    world.answer(first, verdicts(first))
    assert rows_of(world.one()) == [("a", 1, 0, False, [T1])]
    assert answers == [(T0, 0)]


def test_each_coordinator_has_its_own_request(world):
    world.change(state_topic([1, 2]))
    manager, answers = manager_of(world), []
    ask(manager, answers, tid="a")
    ask(manager, answers, tid="b")
    assert sorted(sent.channel.port for sent in world.sent()) == [1, 2]


def test_transactional_id_has_one_row_in_a_request(world):
    manager, answers = manager_of(world), []
    ask(manager, answers, pid=1)
    ask(manager, answers, pid=2)
    first = world.one()
    assert rows_of(first) == [("a", 1, 0, False, [T0])]
    world.answer(first, verdicts(first))
    assert rows_of(world.one()) == [("a", 2, 0, False, [T0])]


def test_waiting_question_of_an_older_epoch_is_fenced(world):
    manager, answers = manager_of(world), []
    ask(manager, answers, epoch=1)
    ask(manager, answers, epoch=2, at=T1)
    ask(manager, answers, epoch=1)
    sent = world.one()
    assert rows_of(sent) == [("a", 1, 2, False, [T1])]
    assert answers == [(T0, ErrorCode.INVALID_PRODUCER_EPOCH)] * 2


def test_request_is_bounded_and_the_rest_follows(world):
    manager, answers = manager_of(world), []
    for index in range(2500):
        ask(manager, answers, at=TopicPartition("t", index))
    first = world.one()
    assert len(rows_of(first)[0][4]) == 2000
    world.answer(first, verdicts(first))
    second = world.one()
    assert len(rows_of(second)[0][4]) == 500
    world.answer(second, verdicts(second))
    assert [at.partition for at, _ in answers] == list(range(2500))


@pytest.mark.parametrize("change", ["no topic", "no leader", "no endpoint"])
def test_without_a_coordinator_the_answer_is_not_available(change):
    world = ManagedWorld()
    if change == "no leader":
        world.change(world.broker(2), state_topic([-1]))
    elif change == "no endpoint":
        world.change(state_topic([2]))
    manager, answers = manager_of(world), []
    ask(manager, answers)
    assert answers == []
    assert world.sent() == []
    assert answers == [(T0, ErrorCode.COORDINATOR_NOT_AVAILABLE)]


def test_coordinator_that_lost_its_address_is_not_available(world):
    manager, answers = manager_of(world), []
    ask(manager, answers)
    world.change(lambda builder: builder.remove_broker(2))
    assert world.sent() == []
    assert answers == [(T0, ErrorCode.COORDINATOR_NOT_AVAILABLE)]


def test_coordinator_that_does_not_answer_is_a_network_exception(world):
    manager, answers = manager_of(world, request_timeout_ms=1000), []
    ask(manager, answers)
    world.one()
    assert world.sent(999) == []
    assert answers == []
    world.run(1)
    assert answers == [(T0, ErrorCode.NETWORK_EXCEPTION)]
    ask(manager, answers, at=T1)
    assert rows_of(world.one()) == [("a", 1, 0, False, [T1])]


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        (ErrorCode.CLUSTER_AUTHORIZATION_FAILED, ErrorCode.INVALID_TXN_STATE),
        (ErrorCode.UNSUPPORTED_VERSION, ErrorCode.UNSUPPORTED_VERSION),
    ],
)
def test_error_of_the_whole_response_is_that_of_each_question(world, code, answer):
    manager, answers = manager_of(world), []
    ask(manager, answers)
    ask(manager, answers, at=T1)
    world.answer(world.one(), AddPartitionsToTxnResponse(error_code=code))
    assert answers == [(T0, answer), (T1, answer)]


@pytest.mark.parametrize(
    ("code", "abortable", "answer"),
    [
        (ErrorCode.PRODUCER_FENCED, True, ErrorCode.INVALID_PRODUCER_EPOCH),
        (ErrorCode.TRANSACTION_ABORTABLE, True, ErrorCode.TRANSACTION_ABORTABLE),
        (ErrorCode.TRANSACTION_ABORTABLE, False, ErrorCode.INVALID_TXN_STATE),
        (ErrorCode.NOT_COORDINATOR, True, ErrorCode.NOT_COORDINATOR),
        (ErrorCode.INVALID_PRODUCER_ID_MAPPING, True, ErrorCode.INVALID_PRODUCER_ID_MAPPING),
    ],
)
def test_errors_of_a_partition_are_those_that_the_client_knows(world, code, abortable, answer):
    manager, answers = manager_of(world), []
    ask(manager, answers, abortable=abortable)
    sent = world.one()
    world.answer(sent, verdicts(sent, code))
    assert answers == [(T0, answer)]


def test_missing_row_is_no_confirmation(world):
    manager, answers = manager_of(world), []
    ask(manager, answers)
    world.answer(world.one(), AddPartitionsToTxnResponse())
    assert answers == [(T0, ErrorCode.NETWORK_EXCEPTION)]


def test_concurrent_transactions_is_asked_again_until_the_limit(world):
    manager, answers = manager_of(world), []
    ask(manager, answers)
    sent = world.one()
    for _ in range(5):
        world.answer(sent, verdicts(sent, ErrorCode.CONCURRENT_TRANSACTIONS))
        assert world.sent(19) == []
        sent = world.one(1)
    assert answers == []
    world.answer(sent, verdicts(sent, ErrorCode.CONCURRENT_TRANSACTIONS))
    assert answers == [(T0, ErrorCode.CONCURRENT_TRANSACTIONS)]
    assert (manager.requests_sent, manager.verification_ms, manager.failures) == (6, 100, 1)


def test_concurrent_transactions_of_a_verification_is_final(world):
    manager, answers = manager_of(world), []
    ask(manager, answers, verify=True)
    sent = world.one()
    world.answer(sent, verdicts(sent, ErrorCode.CONCURRENT_TRANSACTIONS))
    assert answers == [(T0, ErrorCode.CONCURRENT_TRANSACTIONS)]
