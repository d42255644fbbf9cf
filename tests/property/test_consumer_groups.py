"""Consumer groups keep their promises through random requests, and through failovers."""

import json
from collections import Counter
from dataclasses import fields
from itertools import combinations

import pytest

from minikafka.group.consumer.group import ConsumerGroup
from tests.conformance.group_answers import Play
from tests.conformance.group_sequences import RECORDED, sequence_of, topic_of
from tests.worlds.consumer_groups import InProcess

SEEDS = range(40)
NOT_IN_LOG = ("holding", "seen_topics")


def held(member):
    return {
        (topic, index)
        for partitions in (member.assigned, member.revoking)
        for topic, indexes in partitions.items()
        for index in indexes
    }


def check(group):
    """No partition has two owners; what is counted is what is there."""
    members = group.members.values()
    for one, other in combinations(members, 2):
        assert not held(one) & held(other), (one, other)
    owned = {(topic, index) for topic, found in group.owners.items() for index in found}
    assert owned == set().union(*map(held, members))
    assert group.names == Counter(name for each in members for name in each.subscribed_names)
    assert group.patterns == Counter(each.pattern for each in members if each.pattern)
    assert group.classic_count == sum(each.is_classic for each in members)
    assert set(group.targets) <= set(group.members)
    assert set(group.static_members.values()) <= set(group.members)
    for each in members:
        assert each.epoch <= group.epoch


def state(group):
    return {
        each.name: getattr(group, each.name)
        for each in fields(group)
        if each.name not in NOT_IN_LOG
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_no_partition_has_two_owners(seed):
    side = InProcess(dict([topic_of(seed)]))
    for _ in Play(sequence_of(seed), [side]).rounds():
        for shard in side.world.groups.shards.values():
            for group in shard.store.groups.values():
                if isinstance(group, ConsumerGroup):
                    check(group)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_coordinator_that_takes_over_knows_what_the_last_one_knew(seed):
    side = InProcess(dict([topic_of(seed)]))
    for number, _ in enumerate(Play(sequence_of(seed), [side]).rounds()):
        if number % 7:
            continue
        side.resolve_patterns()
        (shard,) = side.world.groups.shards.values()
        before = {group_id: state(group) for group_id, group in shard.store.groups.items()
                  if isinstance(group, ConsumerGroup)}  # fmt: skip
        side.fail_over()
        (shard,) = side.world.groups.shards.values()
        after = {group_id: state(group) for group_id, group in shard.store.groups.items()
                 if isinstance(group, ConsumerGroup)}  # fmt: skip
        assert after == before


RECORDED_SEEDS = list(json.loads(RECORDED.read_text()))[:20]


@pytest.mark.parametrize("seed", RECORDED_SEEDS)
def test_members_do_not_notice_that_a_coordinator_takes_over(seed):
    """The answers are those of Apache Kafka without a failover."""
    expected = json.loads(RECORDED.read_text())[seed]
    side = InProcess(dict([topic_of(int(seed))]))
    sequence = sequence_of(int(seed))
    for number, (step, (row,)) in enumerate(Play(sequence, [side]).rounds()):
        assert json.loads(json.dumps(row)) == expected[number], step.text
        if not sequence.is_mixed and number % 5 == 0:
            side.fail_over()
