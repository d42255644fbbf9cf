"""Metrics of controllers, on whole simulated clusters."""

from minikafka.common.errors import ErrorCode
from minikafka.messages.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    TopicPartitions,
)
from minikafka.metrics import catalog
from tests.worlds.metric_world import all_values, value
from tests.worlds.sim_world import create_topic, produce, registration, started_cluster

RECOVERY = {"unclean.recovery.manager.enabled": "true"}


def until(cluster, holds, what, within_ms=60_000):
    cluster.world.run_until(lambda: holds(registration(cluster, "t")), within_ms, what)


def three(given=None, config=None):
    cluster = started_cluster(3, given=given, separate_controller=True)
    config = {"min.insync.replicas": "2", **(config or {})}
    create_topic(cluster, "t", replicas=[[1, 2, 3]], config=config)
    until(cluster, lambda t: len(t.isr) == 3, "all are in sync")
    return cluster


def counts(cluster, *metrics):
    values = all_values(cluster, cluster.controller_id)
    return [int(values[metric.name, ()]) for metric in metrics]


def electable(cluster):
    return value(cluster, 100, catalog.ELECTABLE_REPLICAS, "t", "0")


def test_a_healthy_cluster():
    cluster = three()
    create_topic(cluster, "u", replicas=[[2], [3]])
    assert counts(
        cluster,
        catalog.ACTIVE_CONTROLLER_COUNT,
        catalog.ACTIVE_BROKER_COUNT,
        catalog.FENCED_BROKER_COUNT,
        catalog.GLOBAL_TOPIC_COUNT,
        catalog.GLOBAL_PARTITION_COUNT,
        catalog.OFFLINE_PARTITIONS_COUNT,
        catalog.PREFERRED_IMBALANCE_COUNT,
        catalog.GLOBAL_UNDER_MIN_ISR_COUNT,
        catalog.GLOBAL_UNCLEAN_LEADER_COUNT,
        catalog.UNCLEAN_ELECTIONS,
        catalog.ELR_ELECTIONS,
    ) == [1, 3, 0, 2, 3, 0, 0, 0, 0, 0, 0]
    assert electable(cluster) == 3
    applied, committed = counts(
        cluster, catalog.CONTROLLER_APPLIED_OFFSET, catalog.CONTROLLER_COMMITTED_OFFSET
    )
    assert applied >= committed > 0


def test_lost_one_by_one_and_elected_out_of_the_elr():
    """M1: under min ISR and offline are counted; the ELR stays electable."""
    cluster = three()
    seen = []
    for node_id, isr in ((1, (2, 3)), (2, (3,)), (3, ())):
        cluster.nodes[node_id].kill()
        until(cluster, lambda t, isr=isr: t.isr == isr, f"ISR {isr}")
        seen.append(
            counts(
                cluster,
                catalog.FENCED_BROKER_COUNT,
                catalog.PREFERRED_IMBALANCE_COUNT,
                catalog.GLOBAL_UNDER_MIN_ISR_COUNT,
                catalog.OFFLINE_PARTITIONS_COUNT,
            )
        )
        assert electable(cluster) == max(len(isr), 2)
    assert seen == [[1, 1, 0, 0], [2, 1, 1, 0], [3, 1, 1, 1]]


def test_a_controller_that_is_not_active_knows_the_cluster_and_no_recovery():
    """As Kafka: what follows from the committed metadata is told by every controller."""
    cluster = lose_elr(RECOVERY)
    cluster.nodes[1].start()
    cluster.nodes[2].start()
    until(cluster, lambda t: not t.elr, "the ELR is lost")
    assert counts(cluster, catalog.RECOVERY_COUNT, catalog.GLOBAL_UNDER_MIN_ISR_COUNT) == [1, 1]
    cluster.nodes[100].node.controller.renounce()
    values = all_values(cluster, 100)
    shown = {name.rpartition("=")[2]: int(value) for (name, _), value in values.items()}
    assert (shown["ActiveControllerCount"], shown["GlobalPartitionCount"]) == (0, 1)
    assert shown["OfflinePartitionsCount"] == 1
    dotted = {name: value for (name, _), value in values.items() if ":" not in name}
    assert dotted == {
        metric.name: 0
        for metric in catalog.CONTROLLER_METRICS
        if ":" not in metric.name and metric is not catalog.ELECTABLE_REPLICAS
    }


def test_an_unclean_election_is_counted_and_ends():
    """L8: the leader is unclean until it says that it has recovered."""
    cluster = three(config={"unclean.leader.election.enable": "true"})
    cluster.nodes[3].kill()
    until(cluster, lambda t: t.isr == (1, 2), "3 is out")
    assert produce(cluster.client(node_id=1), "t", b"a").error_code == ErrorCode.NONE
    for node_id in (1, 2):
        cluster.nodes[node_id].kill()
    cluster.nodes[3].start()
    until(cluster, lambda t: t.leader == 3, "3 leads")
    assert counts(cluster, catalog.GLOBAL_UNCLEAN_LEADER_COUNT) == [1]
    until(cluster, lambda t: not t.leader_recovery_state, "it has recovered")
    assert counts(cluster, catalog.GLOBAL_UNCLEAN_LEADER_COUNT) == [0]
    assert counts(cluster, catalog.UNCLEAN_ELECTIONS, catalog.ELR_ELECTIONS) == [1, 0]


def lose_elr(given, config=None):
    """Every broker crashes, and restarts after an unclean shutdown: none may lead by itself."""
    cluster = three(given, config)
    for node_id, isr in ((3, (1, 2)), (2, (1,)), (1, ())):
        cluster.nodes[node_id].kill()
        until(cluster, lambda t, isr=isr: t.isr == isr, f"ISR {isr}")
    return cluster


def test_a_recovery_is_counted_while_it_runs_and_when_it_is_over():
    """U5: balanced, also while members of LastKnownELR are missing."""
    cluster = lose_elr(RECOVERY)
    cluster.nodes[1].start()
    until(cluster, lambda t: t.last_known_elr == (1,), "1 has an unclean past")
    assert counts(cluster, catalog.RECOVERY_COUNT, catalog.RECOVERIES_FINISHED) == [0, 0]
    cluster.nodes[2].start()
    until(cluster, lambda t: not t.elr, "2 has one, too")
    assert counts(cluster, catalog.RECOVERY_COUNT, catalog.MANUAL_ELECTION_COUNT) == [1, 0]
    cluster.nodes[3].start()
    until(cluster, lambda t: t.leader != -1, "a leader is elected")
    cluster.world.run(100)
    assert counts(
        cluster, catalog.RECOVERY_COUNT, catalog.RECOVERIES_FINISHED, catalog.UNCLEAN_ELECTIONS
    ) == [0, 1, 1]


def test_a_partition_that_waits_for_an_operator_is_counted():
    """L4 None; ElectLeaders UNCLEAN ends it."""
    cluster = lose_elr(RECOVERY, {"unclean.recovery.strategy": "None"})
    for node_id in (1, 2, 3):
        cluster.nodes[node_id].start()
    until(cluster, lambda t: not t.elr, "the ELR is lost")
    cluster.world.run_until(cluster.all_started, 60_000, "all serve")
    assert counts(cluster, catalog.RECOVERY_COUNT, catalog.MANUAL_ELECTION_COUNT) == [0, 1]
    request = ElectLeadersRequest(
        election_type=1, topic_partitions=[TopicPartitions("t", [0])], timeout_ms=10_000
    )
    cluster.client().ask(request, ElectLeadersResponse, version=2)
    cluster.world.run(100)
    assert counts(cluster, catalog.MANUAL_ELECTION_COUNT, catalog.OFFLINE_PARTITIONS_COUNT) == [
        0,
        0,
    ]
