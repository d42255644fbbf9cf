"""A cluster's partitions as lines."""

from minikafka.admin.partition_states import ClusterState, PartitionState
from minikafka.admin.quorum import QuorumLeader
from minikafka.commands.watch_table import headline, plain, row
from minikafka.common.ids import TopicPartition


def state(index, leader=1, isr=(1, 2), **more):
    name = TopicPartition("t", index)
    return PartitionState(name, leader, 7, (1, 2), isr, (), (), **more)


def cluster(*states, silent=None):
    return ClusterState((1, 2), {each.name: each for each in states}, silent or {})


def test_cells_of_a_partition():
    told = state(0, high_watermark=5, log_ends={1: 6})
    assert row(told) == ("t-0", "1", "7", "1,2", "-", "-", "5", "1:6 2:?", "-")
    lost = state(1, leader=-1, isr=(), is_recovering=True)._replace(elr=(2,), last_known_elr=(1,))
    assert row(lost) == ("t-1", "none", "7", "-", "2", "1", "?", "1:? 2:?", "RECOVERING")


def test_a_frame_as_text():
    told = cluster(
        state(0, high_watermark=5, log_ends={1: 6, 2: 5}),
        state(1, leader=-1, isr=()),
        silent={2: "no answer"},
    )
    assert plain(told, ["12:00:00 t-1: 1 left the ISR"]).splitlines() == [
        headline(told),
        "Partition  Leader  Epoch  ISR  ELR  LastKnownELR  HWM  LEO      Recovery",
        "t-0        1       7      1,2  -    -             5    1:6 2:5  -",
        "t-1        none    7      -    -    -             ?    1:? 2:?  -",
        "broker 2: no answer",
        "12:00:00 t-1: 1 left the ISR",
    ]


def test_the_first_line_counts_what_needs_a_look():
    told = cluster(state(0), state(1, leader=-1), state(2, isr=(1,)), state(3, is_recovering=True))
    assert headline(told).startswith("brokers 1,2; 4 partitions, 3 of them ")


def test_the_first_line_names_the_leader_of_the_quorum():
    assert headline(cluster()).endswith("; the leader of the quorum is unknown")
    led = cluster()._replace(quorum=QuorumLeader(3, 7))
    assert headline(led).endswith("; node 3 leads the quorum, epoch 7")


def test_an_empty_cluster_is_one_line():
    assert plain(cluster(), []).count("\n") == 0
