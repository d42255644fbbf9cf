"""Requests reach the shard of their id; APIs answer by version and listener."""

import pytest

from minikafka.common.errors import (
    CoordinatorLoadInProgressError,
    ErrorCode,
    InvalidTransactionTimeoutError,
    NotCoordinatorError,
)
from minikafka.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from minikafka.messages.describe_transactions import DescribeTransactionsRequest
from minikafka.messages.end_txn import EndTxnRequest
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from minikafka.messages.init_producer_id import InitProducerIdRequest
from minikafka.messages.list_transactions import ListTransactionsRequest
from minikafka.metadata.image import ImageBuilder, MetadataImage
from tests.worlds.transaction_api import Asked
from tests.worlds.transaction_world import at


@pytest.fixture
def ask(world):
    return Asked(world)


def test_ids_of_other_partitions_are_elsewhere(world):
    world.init()
    world.lead(leader=2)
    with pytest.raises(NotCoordinatorError):
        world.coordinator.describe("x")
    world.image = ImageBuilder(MetadataImage()).build(1, 1)
    assert world.coordinator.partition_of("x") is None
    with pytest.raises(NotCoordinatorError):
        world.coordinator.describe("x")


def test_a_removed_partition_has_no_coordinator(world):
    world.init()
    world.replicas.stop(world.partition.topic_partition)
    assert world.coordinator.shards == {}


def test_every_request_is_refused_while_ids_are_loaded(make_world):
    world = make_world(lead=False)
    world.lead()
    ask = Asked(world, writes_markers=False)
    ask.world.run = lambda *_: None
    loading = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    assert ask(InitProducerIdRequest("x", 5_000), 4).error_code == loading
    assert ask(EndTxnRequest("x", 1, 0, True), 4).error_code == loading
    (row,) = ask(DescribeTransactionsRequest(["x"]), 0).transaction_states
    assert row.error_code == loading
    assert ask(ListTransactionsRequest(), 2).error_code == loading


@pytest.mark.parametrize(
    ("timeout_ms", "is_valid"), [(0, False), (1, True), (9, True), (10, False)]
)
def test_the_longest_timeout_is_configured(make_world, timeout_ms, is_valid):
    world = make_world(transaction_max_timeout_ms=9)
    if is_valid:
        world.init(timeout_ms=timeout_ms)
    else:
        with pytest.raises(InvalidTransactionTimeoutError):
            world.init(timeout_ms=timeout_ms)


def test_an_exhausted_id_waits_for_producer_ids(world):
    producer = world.use_up(world.ongoing(at(0)), 32766)
    world.ids.available = False
    with pytest.raises(CoordinatorLoadInProgressError):
        world.end(producer)
    assert world.state() == "Ongoing"
    world.ids.available = True
    assert world.end(producer) == (101, 0)
    world.write_all_markers()
    assert world.entry().current.producer_id == 101
    assert world.coordinator.end("x", producer, is_commit=True, client_version=2).producer == (
        101, 0
    )  # fmt: skip


def test_without_producer_ids_a_new_id_must_wait(world, ask):
    world.ids.available = False
    response = ask(InitProducerIdRequest("x", 5_000), 4)
    assert response.error_code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    assert world.shard.entries == {}


def test_an_answer_to_a_write_that_timed_out(make_world):
    world = make_world(replicas=(1, 2))
    world.replicate()
    ask = Asked(world, writes_markers=False)
    response = ask(InitProducerIdRequest("x", 5_000), 4)
    assert response.error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert (response.producer_id, response.producer_epoch) == (-1, -1)
    response = ask(InitProducerIdRequest("x", 5_000), 4)
    assert response.error_code == ErrorCode.CONCURRENT_TRANSACTIONS
    world.replicate()
    assert ask.world.state() == "Empty"


def test_only_brokers_add_partitions_for_others(world):
    transactions = [
        AddPartitionsToTxnTransaction("x", 1, 0, False, [AddPartitionsToTxnTopic("t", [0])])
    ]
    response = Asked(world, listener="CLIENTS")(
        AddPartitionsToTxnRequest(transactions=transactions), 5
    )
    assert response.error_code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    assert response.results_by_transaction == []


def test_a_large_batch_is_handled_in_turns(world, ask):
    names = [f"id {number}" for number in range(120)]
    rows = []
    for name in names:
        producer = world.init(name)
        topics = [AddPartitionsToTxnTopic("t", [0])]
        rows.append(AddPartitionsToTxnTransaction(name, *producer, False, topics))
    response = ask(AddPartitionsToTxnRequest(transactions=rows), 5)
    assert [row.transactional_id for row in response.results_by_transaction] == names
    assert {world.state(name) for name in names} == {"Ongoing"}


def test_an_id_that_is_named_twice_is_described_once(ask):
    response = ask(DescribeTransactionsRequest(["a", "b", "a"]), 0)
    assert [row.transactional_id for row in response.transaction_states] == ["a", "b"]


def test_many_ids_are_listed_in_turns(world, ask):
    for number in range(2_500):
        world.coordinator.initialize(f"id {number}", 60_000, None)
    world.run()
    assert len(ask(ListTransactionsRequest(), 2).transaction_states) == 2_500
    request = ListTransactionsRequest(transactional_id_pattern="id 1\\d*7")
    assert len(ask(request, 2).transaction_states) == 111
    request = ListTransactionsRequest(producer_id_filters=[100, 101, 5])
    assert len(ask(request, 0).transaction_states) == 2


def test_the_coordinator_is_the_leader_of_the_partition(world, ask):
    response = ask(FindCoordinatorRequest(key_type=1, coordinator_keys=["x"]), 6)
    (row,) = response.coordinators
    assert (row.error_code, row.node_id, row.host) == (0, 1, "b1")
    assert ask(FindCoordinatorRequest("x", 1), 3).node_id == 1
    world.fenced.add(1)
    world.change_image()
    assert ask(FindCoordinatorRequest("x", 1), 3).error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE


def test_the_first_request_creates_the_topic(world, ask):
    world.image = ImageBuilder(MetadataImage()).build(1, 1)
    response = ask(FindCoordinatorRequest("x", 1), 3)
    assert response.error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert ask.created == ["__transaction_state"]


def test_an_id_that_exists_needs_no_producer_id(world, ask):
    world.init()
    world.ids.available = False
    before_ms = world.now_ms
    assert ask(InitProducerIdRequest("x", 5_000), 4).producer_epoch == 1
    assert world.now_ms == before_ms


def test_producer_ids_that_arrive_in_time_are_used(world, ask):
    world.ids.available = False
    world.env.after(1_000, lambda: setattr(world.ids, "available", True))
    assert ask(InitProducerIdRequest("x", 5_000), 4).producer_epoch == 0
