"""A topic that is deleted and created again is another topic."""

import pytest

from minikafka.common.clock import Now
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.messages.delete_topics import (
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)
from minikafka.sim.checks.checkers import Checkers
from minikafka.sim.checks.history import History
from minikafka.sim.world.violation import Violation
from tests.worlds.sim_world import create_topic, produce, replica, started_cluster

WHERE = TopicPartition("t", 0)


def test_a_topic_that_is_created_again_has_none_of_the_records_of_the_former_one():
    """Seed 75000849: another leader, and a broker that has not learned of the deletion yet."""
    cluster = started_cluster(3)
    create_topic(cluster, "t", replicas=[[1, 2, 3]], config={"min.insync.replicas": "2"})
    for number in range(3):
        produce(cluster.client(), "t", b"%d" % number)
    cluster.world.run(2_000)
    checkers = Checkers(History(), 2, elr_enabled=True)
    checkers.check_metadata(cluster.nodes[1].node.loader.image)
    for node_id in (1, 2, 3):
        checkers.check(cluster.nodes[node_id])
    former = replica(cluster, 2, "t")
    assert checkers.committed[WHERE].end_offset == 3
    request = DeleteTopicsRequest(topics=[DeleteTopicState(name="t")], timeout_ms=10_000)
    cluster.client().ask(request, DeleteTopicsResponse)
    checkers.check_metadata(cluster.nodes[1].node.loader.image)
    assert checkers.committed[WHERE].end_offset == 3
    create_topic(cluster, "t", replicas=[[3, 2]], config={"min.insync.replicas": "2"})
    checkers.check_metadata(cluster.nodes[1].node.loader.image)
    assert checkers.coverage.events["topics created again"] == 1
    cluster.nodes[2].node.broker.replicas.partitions[WHERE] = former
    for node_id in (2, 3):
        checkers.check(cluster.nodes[node_id])
    assert checkers.committed[WHERE].end_offset == 0


def test_the_log_of_a_new_topic_is_not_compared_with_the_records_of_the_former_one():
    """Seed 98001691: one step makes the log, and shows images of the former topic before it."""
    cluster = started_cluster(3)
    create_topic(cluster, "t", replicas=[[1, 2, 3]], config={"min.insync.replicas": "2"})
    produce(cluster.client(), "t", b"0")
    cluster.world.run(2_000)
    checkers = Checkers(History(), 2, elr_enabled=True, nodes=cluster.nodes)
    image = cluster.nodes[1].node.loader.image
    checkers.check_metadata(image)
    for node_id in (1, 2, 3):
        checkers.check(cluster.nodes[node_id])
    topic = image.topic("t")
    now = topic.partitions[0]
    log = replica(cluster, 2, "t").log
    log.truncate_to(0, Now(0, 0))
    with pytest.raises(Violation, match="LeaderCandidateCompleteness: t-0: 2 of ISR"):
        checkers.replicas.candidates_are_complete(WHERE, now)
    log.topic_id = Uuid.of(7, 7)
    checkers.replicas.candidates_are_complete(WHERE, now)
