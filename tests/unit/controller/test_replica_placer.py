import re
from collections import Counter
from random import Random

import pytest

from minikafka.common.errors import InvalidReplicationFactorError
from minikafka.common.ids import Uuid
from minikafka.controller.replica_placer import _place_one, _racks, place
from minikafka.metadata.broker_registration import BrokerRegistration


def broker(broker_id, rack=None, *, fenced=False, leaving=False):
    return BrokerRegistration(
        broker_id=broker_id,
        epoch=1,
        incarnation_id=Uuid.of(1, broker_id),
        endpoints=(),
        features={},
        rack=rack,
        fenced=fenced,
        in_controlled_shutdown=leaving,
        log_dirs=(),
        cordoned_log_dirs=None,
        registered_at=1,
    )


def placed(brokers, partitions, factor, seed=1):
    return place(brokers, partitions=partitions, replication_factor=factor, rng=Random(seed))


@pytest.mark.parametrize("seed", range(5))
def test_leaders_and_replicas_are_spread_evenly(seed):
    assignment = placed([broker(x) for x in range(5)], 20, 3, seed)
    assert set(Counter(row[0] for row in assignment).values()) == {4}
    assert all(len(dict.fromkeys(row)) == 3 for row in assignment)
    counts = Counter(x for row in assignment for x in row)
    assert max(counts.values()) - min(counts.values()) <= 6


def test_followers_of_a_leader_are_not_always_the_same():
    assignment = placed([broker(x) for x in range(4)], 12, 2)
    followers = {row[1] for row in assignment if row[0] == 0}
    assert len(followers) == 3


@pytest.mark.parametrize("seed", range(5))
def test_each_rack_gets_a_replica(seed):
    brokers = [broker(x, rack="abc"[x % 3]) for x in range(6)]
    for row in placed(brokers, 9, 3, seed):
        assert sorted("abc"[x % 3] for x in row) == ["a", "b", "c"]


def test_a_fenced_broker_is_used_last_and_never_leads():
    brokers = [broker(0), broker(1, fenced=True), broker(2)]
    for row in placed(brokers, 10, 3):
        assert row[0] != 1
        assert row[-1] == 1
    for row in placed(brokers, 10, 2):
        assert 1 not in row


def test_a_rack_without_an_unfenced_broker_does_not_lead():
    brokers = [broker(0, "a"), broker(1, "b", fenced=True)]
    assert set(placed(brokers, 6, 2)) == {(0, 1)}


def test_a_broker_that_leaves_gets_nothing():
    brokers = [broker(0), broker(1, leaving=True)]
    assert placed(brokers, 2, 1) == [(0,), (0,)]


def test_a_broker_that_has_left_is_used_as_any_fenced_one():
    brokers = [broker(0), broker(1, leaving=True, fenced=True), broker(2, fenced=True)]
    for row in placed(brokers, 10, 3):
        assert row[0] == 0
        assert sorted(row) == [0, 1, 2]


@pytest.mark.parametrize(
    ("brokers", "factor", "text"),
    [
        (
            [broker(0)],
            2,
            "factor of 2 cannot be reached because only 1 broker(s) are registered or",
        ),
        ([broker(0), broker(1, leaving=True)], 2, "because only 1 broker(s) are registered or"),
        ([broker(0, fenced=True)], 1, "All brokers are currently fenced."),
        ([broker(0, fenced=True)], 2, "All brokers are currently fenced."),
        ([], 1, "All brokers are currently fenced."),
        ([broker(0)], 0, "Invalid replication factor 0: the replication factor must be positive."),
    ],
)
def test_what_cannot_be_placed_is_refused(brokers, factor, text):
    with pytest.raises(InvalidReplicationFactorError, match=re.escape(text)):
        placed(brokers, 1, factor)


def test_the_same_entropy_places_alike():
    brokers = [broker(x, rack="ab"[x % 2]) for x in range(6)]
    assert placed(brokers, 10, 3, seed=4) == placed(reversed(brokers), 10, 3, seed=4)


@pytest.mark.parametrize(
    "racks", ["a", "aaa", "ab", "aabb", "aab", "aAb", "aaAAb", "aAbBB", "abc", "aabbbc"]
)
def test_replicas_repeat_where_the_placement_says_that_they_do(racks):
    """A capital letter is a fenced broker."""
    usable = [broker(at, rack.lower(), fenced=rack.isupper()) for at, rack in enumerate(racks)]
    many, rng = placed(usable, 200, min(len(racks), 3)), Random(1)
    ordered = _racks(usable, rng)
    start = rng.randrange(len(ordered) * len(usable))
    assert many == [_place_one(ordered, start + at, min(len(racks), 3)) for at in range(200)]
