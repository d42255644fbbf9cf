"""What is said of two looks at a partition: what changed, and why."""

import pytest

from minikafka.admin.partition_states import ClusterState, PartitionState
from minikafka.admin.quorum import QuorumLeader
from minikafka.commands.watch_changes import cluster_changes, partition_changes
from minikafka.common.ids import TopicPartition

NAME = TopicPartition("t", 0)


def state(leader=1, epoch=3, isr=(1, 2, 3), elr=(), known=(), **more):
    replicas = more.pop("replicas", (1, 2, 3))
    return PartitionState(NAME, leader, epoch, replicas, isr, elr, known, **more)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (state(), state(), []),
        (state(), state(isr=(1, 2)), ["3 left the ISR"]),
        (state(isr=(1, 2)), state(), ["3 joined the ISR"]),
        (
            state(),
            state(leader=2, epoch=4, isr=(2, 3)),
            ["leader 1 → 2 (1 left the ISR)", "1 left the ISR"],
        ),
        (
            state(leader=2),
            state(leader=1, epoch=4),
            ["leader 2 → 1 (1 is the preferred leader)"],
        ),
        (state(), state(leader=3, epoch=4), ["leader 1 → 3 (1 is still in the ISR)"]),
        (
            state(replicas=(1, 2)),
            state(leader=2, epoch=4, isr=(2, 3), replicas=(3, 2)),
            [
                "leader 1 → 2 (1 is no longer a replica)",
                "1 left the ISR",
                "replicas 1,2 → 3,2",
            ],
        ),
        (
            state(isr=(1,), elr=(2,)),
            state(leader=-1, epoch=4, isr=(), elr=(2, 1)),
            [
                "leader 1 → none (1 left the ISR, and no other replica may lead)",
                "1 left the ISR",
                "1 joined the ELR",
            ],
        ),
        (
            state(isr=(1,)),
            state(leader=-1, epoch=4, isr=(1,)),
            ["leader 1 → none (1 is not alive, and no other replica may lead)"],
        ),
        (
            state(leader=-1, isr=(), elr=(2, 1)),
            state(leader=2, epoch=4, isr=(2,), elr=(1,)),
            ["leader none → 2 (2 was in the ELR)", "2 joined the ISR", "2 left the ELR"],
        ),
        (
            state(leader=-1, isr=(1,)),
            state(leader=1, epoch=4, isr=(1,)),
            ["leader none → 1 (1 is back and was in the ISR)"],
        ),
        (
            state(leader=-1, isr=(), elr=(1,)),
            state(leader=3, epoch=4, isr=(3,), known=(1,), is_recovering=True),
            [
                "leader none → 3 (unclean: 3 was in neither ISR nor ELR, records may be lost)",
                "3 joined the ISR",
                "1 left the ELR",
                "1 joined LastKnownELR",
                "the leader recovers from an unclean election",
            ],
        ),
        (
            state(isr=(1,)),
            state(leader=2, epoch=5, isr=(2,)),
            [
                "leader 1 → 2 (1 left the ISR; 2 joined the ISR meanwhile)",
                "1 left the ISR",
                "2 joined the ISR",
            ],
        ),
        (state(), state(epoch=5), ["leader 1 stays, leader epoch 3 → 5"]),
        (
            state(is_recovering=True),
            state(),
            ["the leader has recovered from an unclean election"],
        ),
        (
            state(high_watermark=10),
            state(high_watermark=8),
            ["high watermark 10 → 8: it went back"],
        ),
        (state(high_watermark=10), state(high_watermark=None), []),
        (state(high_watermark=10), state(high_watermark=11), []),
    ],
)
def test_what_is_said_of_a_partition(before, after, said):
    """E4, H7, L8: what one of the triggers did, and what must never happen."""
    assert partition_changes(before, after) == said


def test_brokers_and_partitions_come_and_go():
    other = TopicPartition("u", 0)
    before = ClusterState((1, 2), {NAME: state()}, {})
    after = ClusterState((2, 3), {other: state(leader=-1)._replace(name=other)}, {})
    assert cluster_changes(before, after) == [
        "broker 1 is gone",
        "broker 3 is back",
        "u-0: is new, leader none",
        "t-0: is gone",
    ]


def test_a_change_is_said_with_its_partition():
    before = ClusterState((1,), {NAME: state()}, {})
    after = ClusterState((1,), {NAME: state(isr=(1,))}, {})
    assert cluster_changes(before, after) == ["t-0: 2 left the ISR", "t-0: 3 left the ISR"]


def test_another_leader_of_the_quorum_is_a_change():
    none = ClusterState((1, 2), {}, {})
    first, second = (none._replace(quorum=QuorumLeader(node, node + 4)) for node in (1, 2))
    assert cluster_changes(first, first) == []
    assert cluster_changes(first, second) == ["node 2 leads the quorum, epoch 6"]
    assert cluster_changes(second, none) == ["the leader of the quorum is unknown"]
