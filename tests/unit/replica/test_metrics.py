"""Metrics of brokers about their replicas, on whole simulated clusters."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.messages.delete_topics import (
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)
from minikafka.messages.produce import ProduceResponse
from minikafka.metrics import catalog
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from tests.worlds.metric_world import all_values, value
from tests.worlds.sim_world import (
    create_topic,
    fetch,
    produce,
    produce_request,
    registration,
    replica,
    started_cluster,
)

AT = ("t", "0")


def replicated(min_isr):
    cluster = started_cluster(3, separate_controller=True)
    create_topic(cluster, "t", replicas=[[1, 2, 3]], config={"min.insync.replicas": str(min_isr)})
    cluster.world.run_until(
        lambda: len(registration(cluster, "t").isr) == 3, 30_000, "all are in sync"
    )
    return cluster


def lose(cluster, node_id, isr, leader):
    """Kill a broker; returns when the controller and the leader know it."""
    cluster.nodes[node_id].kill()
    cluster.world.run_until(
        lambda: (
            registration(cluster, "t").isr == isr
            and registration(cluster, "t").leader == leader
            and (leader == -1 or replica(cluster, leader, "t").isr.committed == isr)
        ),
        60_000,
        f"ISR {isr}, leader {leader}",
    )


def standing(cluster, node_id):
    """At min ISR, under min ISR, under replicated: the partition's, then the broker's counts."""
    values = all_values(cluster, node_id)
    own = (catalog.AT_MIN_ISR, catalog.UNDER_MIN_ISR, catalog.UNDER_REPLICATED_PARTITION)
    counts = (catalog.AT_MIN_ISR_COUNT, catalog.UNDER_MIN_ISR_COUNT, catalog.UNDER_REPLICATED)
    return (
        tuple(int(values[metric.name, AT]) for metric in own),
        tuple(values[metric.name, ()] for metric in counts),
    )


NOTHING = ((0, 0, 0), (0, 0, 0))


def alike(at, under, under_replicated):
    """A broker with one partition counts what the partition is."""
    return ((at, under, under_replicated),) * 2


def test_min_isr_2_brokers_failing_one_by_one():
    """M1, M2: three in sync; two are at min ISR and under replicated; one is under min ISR."""
    cluster = replicated(2)
    assert [standing(cluster, node) for node in (1, 2, 3)] == [NOTHING] * 3
    lose(cluster, 3, (1, 2), 1)
    assert [standing(cluster, node) for node in (1, 2)] == [alike(1, 0, 1), NOTHING]
    lose(cluster, 2, (1,), 1)
    assert standing(cluster, 1) == alike(0, 1, 1)
    lose(cluster, 1, (), -1)
    assert value(cluster, 100, catalog.OFFLINE_PARTITIONS_COUNT) == 1


def test_min_isr_1_brokers_failing_one_by_one():
    """M1, M2: at min ISR only when a single replica is left: the next failure takes it offline."""
    cluster = replicated(1)
    assert [standing(cluster, node) for node in (1, 2, 3)] == [NOTHING] * 3
    lose(cluster, 3, (1, 2), 1)
    assert [standing(cluster, node) for node in (1, 2)] == [alike(0, 0, 1), NOTHING]
    lose(cluster, 2, (1,), 1)
    assert standing(cluster, 1) == alike(1, 0, 1)
    lose(cluster, 1, (), -1)
    assert value(cluster, 100, catalog.OFFLINE_PARTITIONS_COUNT) == 1


def test_the_new_leader_tells_what_the_old_one_told():
    """M2: the gauge of a partition is its leader's."""
    cluster = replicated(2)
    lose(cluster, 1, (2, 3), 2)
    assert [standing(cluster, node) for node in (2, 3)] == [alike(1, 0, 1), NOTHING]


def test_partitions_and_leaders_are_counted():
    cluster = started_cluster(2)
    create_topic(cluster, "t", replicas=[[1, 2], [1, 2], [2, 1]])
    values = all_values(cluster, 1)
    assert values[catalog.PARTITION_COUNT.name, ()] == 3
    assert values[catalog.LEADER_COUNT.name, ()] == 2
    assert values[catalog.OFFLINE_REPLICA_COUNT.name, ()] == 0
    assert values[catalog.REASSIGNING.name, ()] == 0


def test_traffic_is_counted_by_topic_and_in_all():
    cluster = started_cluster(2)
    create_topic(cluster, "t", replicas=[[1, 2]])
    create_topic(cluster, "u", replicas=[[1]])
    client = cluster.client()
    produce(client, "t", b"a", b"b")
    produce(client, "u", b"c")
    size = replica(cluster, 1, "t").log.size_bytes
    fetch(client, "t")
    fetch(client, "t", offset=2)
    values = all_values(cluster, 1)

    def counted(metric):
        return [int(values[metric.name, labels]) for labels in ((), ("t",), ("u",))]

    other = replica(cluster, 1, "u").log.size_bytes
    assert counted(catalog.MESSAGES_IN) == [3, 2, 1]
    assert counted(catalog.BYTES_IN) == [size + other, size, other]
    assert counted(catalog.BYTES_OUT) == [size, size, 0]
    assert counted(catalog.REPLICATION_BYTES_OUT) == [size, size, 0]
    assert value(cluster, 2, catalog.BYTES_IN) == 0


def test_what_a_long_poll_read_in_vain_is_not_counted():
    """Only what is sent counts: a fetch that waits for more reads twice."""
    cluster = started_cluster(1)
    create_topic(cluster, "t")
    client = cluster.client()
    produce(client, "t", b"a")
    size = replica(cluster, 1, "t").log.size_bytes
    fetch(client, "t", min_bytes=10 * size, max_wait_ms=500)
    assert value(cluster, 1, catalog.BYTES_OUT) == size


def test_the_sum_keeps_what_a_deleted_topic_counted():
    cluster = started_cluster(1)
    create_topic(cluster, "t")
    client = cluster.client()
    produce(client, "t", b"a")
    request = DeleteTopicsRequest(topics=[DeleteTopicState(name="t")], timeout_ms=10_000)
    client.ask(request, DeleteTopicsResponse)
    broker = cluster.nodes[1].node.broker
    cluster.world.run_until(lambda: not broker.replicas.partitions, 10_000, "it is gone")
    values = all_values(cluster, 1)
    assert values[catalog.MESSAGES_IN.name, ()] == 1
    assert (catalog.MESSAGES_IN.name, ("t",)) not in values
    create_topic(cluster, "t")
    values = all_values(cluster, 1)
    assert values[catalog.MESSAGES_IN.name, ("t",)] == 0
    assert values[catalog.MESSAGES_IN.name, ()] == 1


def test_isr_changes_are_counted_by_the_leader_that_proposed_them():
    """A follower that stands still leaves the ISR before its session is over, and comes back."""
    given = {"broker.session.timeout.ms": "120000", "replica.lag.time.max.ms": "2000"}
    cluster = started_cluster(2, given=given)
    create_topic(cluster, "t", replicas=[[1, 2]])
    cluster.nodes[2].pause()
    produce(cluster.client(), "t", b"x", acks=1)
    cluster.world.run_until(
        lambda: replica(cluster, 1, "t").isr.committed == (1,), 60_000, "the ISR shrinks"
    )
    cluster.nodes[2].resume()
    cluster.world.run_until(
        lambda: len(replica(cluster, 1, "t").isr.committed) == 2, 60_000, "it expands"
    )
    cluster.world.run(1_000)
    changes = (catalog.ISR_SHRINKS, catalog.ISR_EXPANDS)
    assert [value(cluster, 1, metric) for metric in changes] == [1, 1]
    assert [value(cluster, 2, metric) for metric in changes] == [0, 0]


def test_offsets_and_size_are_those_of_the_log():
    cluster = started_cluster(1)
    create_topic(cluster, "t")
    produce(cluster.client(), "t", b"a", b"b")
    log = replica(cluster, 1, "t").log
    log.increment_log_start_offset(1)
    assert value(cluster, 1, catalog.LOG_START_OFFSET, *AT) == 1
    assert value(cluster, 1, catalog.LOG_END_OFFSET, *AT) == 2
    assert value(cluster, 1, catalog.LOG_SIZE, *AT) == log.size_bytes > 0


def test_a_directory_that_failed_is_told():
    cluster = started_cluster(1, log_dirs=2)
    create_topic(cluster, "t", partitions=2)
    home, other = cluster.nodes[1].disks.values()
    (lost,) = [x for x in (0, 1) if replica(cluster, 1, "t", x).log.disk is other]
    other.fill()
    produce(cluster.client(), "t", b"x" * 1000, partition=lost)
    values = all_values(cluster, 1)
    assert values[catalog.LOG_DIRECTORY_OFFLINE.name, (other.root,)] == 1
    assert values[catalog.LOG_DIRECTORY_OFFLINE.name, (home.root,)] == 0
    assert values[catalog.OFFLINE_LOG_DIRECTORY_COUNT.name, ()] == 1
    assert values[catalog.OFFLINE_REPLICA_COUNT.name, ()] == 1
    assert TopicPartition("t", lost) in cluster.nodes[1].node.broker.replicas.hosted.offline


@pytest.mark.parametrize("taken", [0, 1, 5, 20])
def test_a_topic_may_go_while_values_are_taken(taken):
    """Between two values of one scrape the node goes on."""
    from minikafka.replica.metrics import replica_samples

    cluster = started_cluster(1)
    create_topic(cluster, "t", partitions=3)
    client = cluster.client()
    samples = replica_samples(cluster.nodes[1].node.broker.replicas)
    got = [next(samples) for _ in range(taken)]
    request = DeleteTopicsRequest(topics=[DeleteTopicState(name="t")], timeout_ms=10_000)
    client.ask(request, DeleteTopicsResponse)
    cluster.world.run(1_000)
    got += samples
    assert dict.fromkeys(sample.metric for sample in got)


def test_verifications_of_transactions_are_counted():
    cluster = started_cluster(1)
    create_topic(cluster, "t")
    options = BatchOptions(producer_id=7, producer_epoch=0, base_sequence=0, is_transactional=True)
    request = produce_request("t", bytes(build_batch([NewRecord(0, None, b"v")], options)))
    request.transactional_id = "tx"
    verifier = cluster.nodes[1].node.broker.transactional_appends.verifier
    verifier.verification_ms = 12
    answer = cluster.client().ask(request, ProduceResponse, version=11)
    assert answer.responses[0].partition_responses[0].error_code == ErrorCode.NOT_ENOUGH_REPLICAS
    assert value(cluster, 1, catalog.VERIFICATION_FAILURES) == 1
    assert value(cluster, 1, catalog.VERIFICATION_TIME) == 12
