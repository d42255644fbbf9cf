"""Which replica a consumer in a rack is sent to (KIP-392)."""

from types import SimpleNamespace

import pytest

from minikafka.replica.in_sync_replicas import IsrState
from minikafka.replica.replica_selector import NO_REPLICA, preferred_read_replica
from minikafka.replica.replica_state import ReplicaState

RACKS = {1: "a", 2: "b", 3: "c", 4: "b", 5: None}


def registered(rack, *, fenced=False, listeners=("PLAINTEXT",)):
    return SimpleNamespace(
        rack=rack, fenced=fenced, endpoint=lambda name: name if name in listeners else None
    )


def partition(ends, *, isr=(1, 2, 3, 4, 5), leads=True, starts=None, caught_up=None, **brokers):
    """A replica on broker 1, whose followers have these log end offsets."""
    known = {broker: registered(rack) for broker, rack in RACKS.items()}
    known.update({int(name[1:]): broker for name, broker in brokers.items()})
    followers = {
        broker: ReplicaState(
            broker,
            end,
            (starts or {}).get(broker, 0),
            last_caught_up_ms=(caught_up or {}).get(broker, 0),
        )
        for broker, end in ends.items()
    }
    return SimpleNamespace(
        is_leader=leads, broker_id=1, followers=followers, isr=IsrState(isr),
        view=SimpleNamespace(image=SimpleNamespace(brokers=known)),
    )  # fmt: skip


def preferred(found, rack="b", offset=5, listener="PLAINTEXT"):
    return preferred_read_replica(found, rack=rack, listener=listener, fetch_offset=offset)


@pytest.mark.parametrize(
    ("rack", "expected"), [("a", NO_REPLICA), ("b", 2), ("c", 3), ("d", NO_REPLICA)]
)
def test_the_replica_in_the_rack(rack, expected):
    assert preferred(partition({2: 10, 3: 10}), rack) == expected


def test_a_follower_names_no_replica():
    assert preferred(partition({2: 10}, leads=False)) == NO_REPLICA


def test_the_leader_is_preferred_to_a_follower_in_its_rack():
    assert preferred(partition({2: 10}, _1=registered("b"))) == NO_REPLICA


@pytest.mark.parametrize(
    ("offset", "expected"),
    [(3, NO_REPLICA), (4, 2), (10, 2), (11, NO_REPLICA)],
)
def test_the_follower_has_the_offset(offset, expected):
    assert preferred(partition({2: 10}, starts={2: 4}), offset=offset) == expected


def test_the_follower_is_in_sync():
    assert preferred(partition({2: 10, 4: 8}, isr=(1, 4))) == 4
    assert preferred(partition({2: 10}, isr=(1,))) == NO_REPLICA


@pytest.mark.parametrize(
    "broker", [registered("b", fenced=True), registered("b", listeners=("OTHER",))]
)
def test_clients_can_reach_the_follower(broker):
    assert preferred(partition({2: 10}, _2=broker)) == NO_REPLICA


def test_of_several_the_one_with_the_most_records_then_the_one_that_was_caught_up_last():
    assert preferred(partition({2: 10, 4: 11}, caught_up={2: 9})) == 4
    assert preferred(partition({2: 10, 4: 10}, caught_up={2: 9, 4: 8})) == 2
    assert preferred(partition({2: 10, 4: 10})) == 4
