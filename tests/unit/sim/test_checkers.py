"""The checkers find what they are for, on states that are broken by hand (E1, E2, H2, H7, L8)."""

from dataclasses import replace

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.metadata.partition_registration import LeaderRecoveryState, PartitionRegistration
from minikafka.sim.checkers import ELR_VERSION, Batch, Checkers, Committed, Violation, final_checks
from minikafka.sim.workload import History, Written
from tests.sim_world import create_topic, produce, replica, started_cluster

WHERE = TopicPartition("t", 0)


@pytest.fixture
def cluster():
    cluster = started_cluster(3)
    create_topic(cluster, "t", replicas=[[1, 2, 3]], config={"min.insync.replicas": "2"})
    for number in range(3):
        produce(cluster.client(), "t", b"%d" % number)
    cluster.world.run(2_000)
    return cluster


@pytest.fixture
def checkers():
    return Checkers(History(), 2, elr_enabled=True)


def changed(image, **changes):
    """The image with another state of the partition."""
    topic = image.topic("t")
    now = replace(topic.partitions[0], **changes)
    topics = {**image.topics, topic.topic_id: replace(topic, partitions={0: now})}
    return replace(image, topics=topics, offset=image.offset + 1)


def look_at(cluster, checkers, *changes):
    image = cluster.nodes[1].node.loader.image
    checkers.look_at_metadata(image)
    for change in changes:
        image = changed(image, **change)
        checkers.look_at_metadata(image)


NEXT = {"partition_epoch": 9, "leader_epoch": 9}


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"isr": (1,), "elr": (1, 2), **NEXT}, "E2"),
        ({"isr": (1, 2), "elr": (3,), **NEXT}, "E2"),
        ({"isr": (1, 9), **NEXT}, "E2"),
        ({"isr": (2,), **NEXT}, "E2"),
        ({"isr": (1, 2)}, "t-0: epochs go back"),
        ({"leader": 2, "partition_epoch": 9}, "t-0: a new leader in the same"),
    ],
)
def test_a_broken_registration_is_found(cluster, checkers, changes, rule):
    with pytest.raises(Violation, match=rule):
        look_at(cluster, checkers, changes)


def test_a_leader_out_of_nowhere_must_be_marked(cluster, checkers):
    without = {"isr": (), "elr": (1,), "leader": -1, "partition_epoch": 5, "leader_epoch": 5}
    with pytest.raises(Violation, match="L8"):
        look_at(cluster, checkers, without, {"isr": (3,), "elr": (), "leader": 3, **NEXT})


def test_an_empty_isr_is_found_where_elr_is_off(cluster):
    checkers = Checkers(History(), 2, elr_enabled=False)
    image = cluster.nodes[1].node.loader.image
    features = {**image.features, ELR_VERSION: 0}
    cluster.nodes[1].node.loader.image = replace(image, features=features)
    with pytest.raises(Violation, match="E1"):
        look_at(cluster, checkers, {"isr": (), "leader": -1, **NEXT})


def test_a_high_watermark_that_goes_back_is_found(cluster, checkers):
    checkers.look(cluster.nodes[1])
    replica(cluster, 1, "t").log.high_watermark -= 1
    with pytest.raises(Violation, match="H7"):
        checkers.look(cluster.nodes[1])


def lead_elsewhere(cluster, recovery=LeaderRecoveryState.RECOVERED):
    """Node 2 leads epoch 7, with an empty log."""
    registration = PartitionRegistration(
        replicas=(1, 2, 3), directories=(), isr=(2,), leader=2, leader_epoch=7, partition_epoch=7,
        leader_recovery_state=recovery,
    )  # fmt: skip
    partition = replica(cluster, 2, "t")
    partition.log.truncate_to(1, cluster.nodes[2].now)
    partition.apply(registration)


def test_a_leader_without_committed_records_is_found(cluster, checkers):
    checkers.look(cluster.nodes[1])
    assert checkers.committed[WHERE].end_offset == 3
    lead_elsewhere(cluster)
    with pytest.raises(Violation, match="LeaderCompleteness"):
        checkers.look(cluster.nodes[2])


def test_what_an_unclean_leader_lacks_is_lost_and_counted(cluster, checkers):
    """L8: the only excuse there is."""
    checkers.look(cluster.nodes[1])
    look_at(
        cluster, checkers,
        {"isr": (), "leader": -1, "partition_epoch": 5, "leader_epoch": 5},
        {"isr": (2,), "leader": 2, "leader_epoch": 7, "partition_epoch": 7,
         "leader_recovery_state": LeaderRecoveryState.RECOVERING},
    )  # fmt: skip
    lead_elsewhere(cluster)
    checkers.look(cluster.nodes[2])
    known = checkers.committed[WHERE]
    assert [batch.base_offset for batch in known.lost] == [1, 2]
    assert known.end_offset == 1
    assert checkers.unclean_elections == 1


def written(value, offset=None, *, refused=False, acks=-1):
    return Written(value, acks, 0, offset, refused)


def final(writes, logs, lost=()):
    checkers = Checkers(History(), 2, elr_enabled=True)
    checkers.history.writes[WHERE] = writes
    if lost:
        checkers.committed[WHERE] = Committed(lost=list(lost))
    return final_checks(checkers, checkers.history, {WHERE: logs})


@pytest.mark.parametrize(
    ("writes", "logs", "kinds"),
    [
        ([written(b"a", 0)], {0: b"a"}, []),
        ([written(b"a", 0)], {}, ["lost"]),
        ([written(b"a", 0)], {1: b"a"}, ["lost"]),
        ([written(b"a", 0, acks=1)], {}, []),
        ([written(b"a")], {4: b"a"}, []),
        ([written(b"a")], {}, []),
        ([written(b"a", 0)], {0: b"a", 1: b"a"}, ["duplicate"]),
        ([written(b"a", refused=True)], {3: b"a"}, ["aborted read"]),
        ([written(b"a", 0)], {0: b"a", 1: b"x"}, ["phantom"]),
    ],
)
def test_what_consumers_read_at_the_end_is_compared_with_what_was_promised(writes, logs, kinds):
    assert [problem.partition(":")[0] for problem in final(writes, logs)] == kinds


def test_a_record_that_an_unclean_election_took_is_excused():
    assert final([written(b"a", 4)], {}, [Batch(3, 5, 0, 0)]) == []
    assert len(final([written(b"a", 6)], {}, [Batch(3, 5, 0, 0)])) == 1


def test_an_offset_that_changed_its_value_is_a_contradiction():
    """ConsistentRead."""
    history = History()
    history.read(WHERE, 3, b"a")
    history.read(WHERE, 3, b"a")
    assert history.contradictions == []
    history.read(WHERE, 3, b"b")
    assert len(history.contradictions) == 1
    history.forget_reads_from(WHERE, 3)
    history.read(WHERE, 3, b"c")
    assert len(history.contradictions) == 1
