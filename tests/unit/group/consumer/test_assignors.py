"""The assignors divide evenly, keep what can be kept, and give each partition once."""

from itertools import pairwise
from random import Random

import pytest

from minikafka.common.ids import Uuid
from minikafka.group.consumer.assignors import ASSIGNORS
from minikafka.group.consumer.assignors.spec import GroupSpec, Subscriber


def run(name, group):
    computing = ASSIGNORS[name].assign(group)
    try:
        while True:
            assert next(computing) > 0
    except StopIteration as end:
        return end.value


def topics_of(rng):
    return {Uuid.of(1, number): rng.choice((1, 2, 3, 7, 20)) for number in range(rng.randint(1, 6))}


def draw(rng, *, is_homogeneous, before=None):
    topics = topics_of(rng) if before is None else before.partition_counts
    names = [f"m{number}" for number in range(rng.randint(1, 12))]
    subscribers = {}
    for name in names:
        mine = frozenset(topics)
        if not is_homogeneous:
            mine = frozenset(rng.sample(list(topics), rng.randint(0, len(topics))))
        subscribers[name] = Subscriber(rng.choice((None, f"i{name}")), mine, {})
    return GroupSpec(subscribers, topics, is_homogeneous)


def after(group, targets, *, without=()):
    """The group in its next assignment: each member has its target."""
    return group._replace(
        subscribers={
            name: each._replace(target=targets.get(name, {}))
            for name, each in group.subscribers.items()
            if name not in without
        }
    )


def pairs(targets, name):
    return {(topic, index) for topic, found in targets.get(name, {}).items() for index in found}


def check(group, targets):
    given = [pair for name in group.subscribers for pair in pairs(targets, name)]
    assert len(given) == len(set(given))
    wanted = {
        (topic, index)
        for each in group.subscribers.values()
        for topic in each.topics
        for index in range(group.partition_counts[topic])
    }
    assert set(given) == wanted
    for name, each in group.subscribers.items():
        assert set(targets.get(name, {})) <= each.topics


@pytest.mark.parametrize("seed", range(200))
@pytest.mark.parametrize("is_homogeneous", [True, False])
@pytest.mark.parametrize("name", ASSIGNORS)
def test_each_partition_goes_to_one_subscriber(name, is_homogeneous, seed):
    rng = Random(seed)
    group = draw(rng, is_homogeneous=is_homogeneous)
    targets = run(name, group)
    check(group, targets)
    gone = rng.choice(list(group.subscribers))
    if len(group.subscribers) > 1:
        smaller = after(group, targets, without=[gone])
        check(smaller, run(name, smaller))


@pytest.mark.parametrize("seed", range(200))
def test_uniform_numbers_differ_by_one_at_most(seed):
    group = draw(Random(seed), is_homogeneous=True)
    targets = run("uniform", group)
    counts = [len(pairs(targets, name)) for name in group.subscribers]
    assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize("seed", range(200))
def test_uniform_moves_nothing_without_need(seed):
    rng = Random(seed)
    group = draw(rng, is_homogeneous=rng.random() < 0.5)
    targets = run("uniform", group)
    again = run("uniform", after(group, targets))
    assert all(pairs(again, name) == pairs(targets, name) for name in group.subscribers)


@pytest.mark.parametrize("seed", range(200))
def test_uniform_moves_as_little_as_it_can_when_a_member_leaves(seed):
    rng = Random(seed)
    group = draw(rng, is_homogeneous=True)
    if len(group.subscribers) == 1:
        return
    targets = run("uniform", group)
    gone = rng.choice(list(group.subscribers))
    smaller = after(group, targets, without=[gone])
    again = run("uniform", smaller)
    for name in smaller.subscribers:
        assert pairs(targets, name) <= pairs(again, name)


@pytest.mark.parametrize("seed", range(200))
def test_uniform_leaves_no_move_that_would_make_numbers_more_even(seed):
    group = draw(Random(seed), is_homogeneous=False)
    targets = run("uniform", group)
    counts = {name: len(pairs(targets, name)) for name in group.subscribers}
    for giver in group.subscribers:
        for topic, _ in pairs(targets, giver):
            for taker, each in group.subscribers.items():
                if topic in each.topics:
                    assert counts[giver] - counts[taker] <= 1, (giver, taker)


@pytest.mark.parametrize("seed", range(200))
def test_ranges_are_neighbours_in_the_order_of_the_members(seed):
    group = draw(Random(seed), is_homogeneous=seed % 2 == 0)
    targets = run("range", group)
    members = sorted(
        group.subscribers,
        key=lambda name: (group.subscribers[name].instance_id is None,
                          group.subscribers[name].instance_id or name),
    )  # fmt: skip
    for topic, count in group.partition_counts.items():
        here = [name for name in members if topic in group.subscribers[name].topics]
        ranges = [sorted(targets[name].get(topic, ())) for name in here]
        if here:
            assert [index for each in ranges for index in each] == list(range(count))
            sizes = [len(each) for each in ranges]
            assert all(one >= other for one, other in pairwise(sizes))
            assert max(sizes) - min(sizes) <= 1


def test_a_group_without_subscriptions():
    group = GroupSpec({"m": Subscriber(None, frozenset(), {})}, {}, is_homogeneous=True)
    assert not pairs(run("uniform", group), "m")
    assert not pairs(run("range", group), "m")
