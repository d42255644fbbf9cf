"""Requests for a transactional id whose transition is in progress: they wait for a short time."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.common.internal_topics import OFFSETS_TOPIC
from minikafka.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from minikafka.messages.end_txn import EndTxnRequest
from tests.conformance.transaction_cases import Producer, add, init
from tests.worlds.transaction_api import Asked
from tests.worlds.transaction_world import TransactionWorld

WAIT_MS = 100


@pytest.fixture
def world():
    return TransactionWorld(version=1)


@pytest.fixture
def ask(world):
    return Asked(world, writes_markers=False)


def ending(world, ask):
    """A producer whose transaction has an outcome, but not its markers yet."""
    producer = Producer(*world.ongoing(version=1))
    assert ask(EndTxnRequest("x", *producer, True), 4).error_code == ErrorCode.NONE
    assert world.state() == "PrepareCommit"
    return producer


def code_of(response):
    results = getattr(response, "results_by_topic_v3_and_below", None)
    return results[0].results_by_partition[0].partition_error_code if results else (
        response.error_code
    )  # fmt: skip


REQUESTS = [
    pytest.param(lambda producer: (add("x", producer, [("t", 1)], 3), 3), id="AddPartitionsToTxn"),
    pytest.param(
        lambda producer: (AddOffsetsToTxnRequest("x", *producer, "g"), 4), id="AddOffsetsToTxn"
    ),
    pytest.param(lambda producer: (EndTxnRequest("x", *producer, True), 4), id="EndTxn"),
    pytest.param(lambda _: (init("x"), 4), id="InitProducerId"),
]


@pytest.mark.parametrize("make", REQUESTS)
def test_request_is_carried_out_when_the_markers_are_written(world, ask, make):
    producer = ending(world, ask)
    world.env.after(WAIT_MS // 2, world.write_all_markers)
    begun_ms = world.now_ms
    assert code_of(ask(*make(producer))) == ErrorCode.NONE
    assert world.now_ms - begun_ms <= WAIT_MS


@pytest.mark.parametrize("make", REQUESTS)
def test_request_is_refused_when_the_markers_take_longer(world, ask, make):
    producer = ending(world, ask)
    begun_ms = world.now_ms
    assert code_of(ask(*make(producer))) == ErrorCode.CONCURRENT_TRANSACTIONS
    assert world.now_ms - begun_ms == WAIT_MS


def test_a_request_for_several_transactions_does_not_wait(world, ask):
    producer = ending(world, ask)
    other = Producer(*world.ongoing(name="y", version=1))
    request = add("x", producer, [("t", 1)], 4)
    request.transactions += add("y", other, [("t", 1)], 4).transactions
    begun_ms = world.now_ms
    codes = [
        result.topic_results[0].results_by_partition[0].partition_error_code
        for result in ask(request, 4).results_by_transaction
    ]
    assert codes == [ErrorCode.CONCURRENT_TRANSACTIONS, ErrorCode.NONE]
    assert world.now_ms == begun_ms


def test_an_id_without_a_transition_does_not_wait(world, ask):
    producer = Producer(*world.ongoing(version=1))
    begun_ms = world.now_ms
    assert code_of(ask(add("x", producer, [("t", 1)], 3), 3)) == ErrorCode.NONE
    assert world.now_ms == begun_ms


def test_offsets_are_added_only_to_a_known_partition(world, ask):
    """A coordinator whose metadata is behind would send no marker to the partition."""
    producer = Producer(*world.settled(world.coordinator.initialize("x", 60_000, None)))
    offsets = world.topics.pop(OFFSETS_TOPIC)
    world.change_image()
    request = AddOffsetsToTxnRequest("x", *producer, "g")
    assert ask(request, 4).error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert ask.created == [OFFSETS_TOPIC]
    assert world.state() == "Empty"
    world.topics[OFFSETS_TOPIC] = offsets
    world.change_image()
    assert ask(request, 4).error_code == ErrorCode.NONE
    assert world.entry().current.partitions == {TopicPartition(OFFSETS_TOPIC, 0)}
