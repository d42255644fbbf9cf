"""Random groups, which are divided again and again while members come and go.

Kafka's result depends on the order of hash tables. Members have ids of one letter, and topics small
numbers as ids: their order is that of the hash table, too.
"""

import json
from pathlib import Path
from random import Random

from minikafka.common.ids import Uuid
from minikafka.group.consumer.assignors import ASSIGNORS
from minikafka.group.consumer.assignors.spec import GroupSpec, Subscriber

DATA = Path(__file__).parent / "data" / "assignments.json"
LETTERS = "abcdefghijkl"


def divided(assignor, group):
    """The targets that an assignor computes."""
    computing = ASSIGNORS[assignor].assign(group)
    try:
        while True:
            next(computing)
    except StopIteration as end:
        return end.value


def histories(seed):
    """Yield (assignor, group, targets) of one group, at each of its changes."""
    rng = Random(f"assignments/{seed}")
    topics = {Uuid.of(0, 2 + number): rng.choice((1, 2, 3, 5, 7, 11))
              for number in range(rng.randint(1, 5))}  # fmt: skip
    is_homogeneous = rng.random() < 0.5
    assignor = rng.choice(("range", "uniform"))
    letters = iter(LETTERS)
    members, targets = {}, {}
    for change in range(rng.randint(1, 4)):
        for _ in range(rng.randint(1, 3)):
            mine = list(topics)
            if not is_homogeneous:
                mine = rng.sample(mine, rng.randint(1, len(mine)))
            name = next(letters)
            instance = f"i{name}" if rng.random() < 0.3 else None
            members[name] = Subscriber(instance, frozenset(mine), {})
        if change and len(members) > 1 and rng.random() < 0.5:
            gone = rng.choice(sorted(members))
            del members[gone]
        group = GroupSpec(
            {name: each._replace(target=targets.get(name, {})) for name, each in sorted(members.items())},
            topics,
            is_homogeneous,
        )  # fmt: skip
        targets = divided(assignor, group)
        yield assignor, group, targets


def as_json(assignor, group):
    """A group as Assignments.java reads it."""
    return json.dumps(
        {
            "assignor": assignor,
            "homogeneous": group.is_homogeneous,
            "topics": {number(topic): count for topic, count in group.partition_counts.items()},
            "members": {
                name: {
                    "instance": each.instance_id,
                    "topics": [number(topic) for topic in sorted(each.topics)],
                    "target": plain(each.target),
                }
                for name, each in group.subscribers.items()
            },
        }
    )


def number(topic_id):
    return str(int.from_bytes(topic_id[8:], "big"))


def plain(target):
    """Partitions by the number of their topic."""
    return {number(topic): sorted(found) for topic, found in sorted(target.items()) if found}
