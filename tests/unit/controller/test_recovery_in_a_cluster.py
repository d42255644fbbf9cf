"""Unclean recovery with whole nodes in virtual time: brokers answer for real logs."""

from minikafka.common.errors import ErrorCode
from minikafka.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from minikafka.metadata.partition_registration import LeaderRecoveryState
from tests.worlds.sim_world import (
    create_topic,
    fetch,
    produce,
    registration,
    replica,
    started_cluster,
    values_of,
)

GIVEN = {"unclean.recovery.manager.enabled": "true"}
LOGS = {1: (b"a", b"b", b"c", b"d"), 3: (b"a", b"b")}


def until(cluster, holds, what, within_ms=60_000):
    cluster.world.run_until(lambda: holds(registration(cluster, "t")), within_ms, what)


def lost_cluster():
    """Killed one by one, so that 1 holds most and 3 least; the controller stays."""
    cluster = started_cluster(3, given=GIVEN, separate_controller=True)
    create_topic(cluster, "t", replicas=[[1, 2, 3]], config={"min.insync.replicas": "2"})
    client = cluster.client(node_id=1)
    until(cluster, lambda t: len(t.isr) == 3, "all are in sync")
    assert produce(client, "t", b"a", b"b").error_code == ErrorCode.NONE
    cluster.nodes[3].kill()
    until(cluster, lambda t: t.isr == (1, 2), "3 is out")
    assert produce(client, "t", b"c").error_code == ErrorCode.NONE
    cluster.nodes[2].kill()
    until(cluster, lambda t: t.isr == (1,), "2 is out")
    assert produce(client, "t", b"d", acks=1).error_code == ErrorCode.NONE
    cluster.nodes[1].kill()
    until(cluster, lambda t: t.leader == -1, "no leader")
    assert registration(cluster, "t").elr == (1, 2)
    return cluster


def recovery(cluster):
    return cluster.nodes[cluster.controller_id].node.controller.recovery


def test_the_longest_log_leads_and_the_others_follow_it():
    """U1-U6, L8."""
    cluster = lost_cluster()
    for node_id in (3, 2, 1):
        assert registration(cluster, "t").leader == -1
        cluster.nodes[node_id].start()
        cluster.world.run(20_000)
    until(cluster, lambda t: t.leader == 1 and len(t.isr) == 3, "1 leads and all follow")
    assert registration(cluster, "t").leader_recovery_state is LeaderRecoveryState.RECOVERED
    assert registration(cluster, "t").last_known_elr == ()
    assert recovery(cluster).finished_count == 1
    found = values_of(fetch(cluster.client(node_id=1), "t"))
    assert tuple(found) == LOGS[1]


def test_a_controller_that_restarts_during_a_recovery_restarts_it():
    """U1."""
    cluster = lost_cluster()
    for node_id in (1, 2):
        cluster.nodes[node_id].start()
    cluster.world.run(30_000)
    assert recovery(cluster).recovering_count == 1
    assert registration(cluster, "t").leader == -1
    cluster.nodes[cluster.controller_id].kill()
    cluster.world.run(3_000)
    cluster.nodes[cluster.controller_id].start()
    cluster.world.run(10_000)
    assert recovery(cluster).recovering_count == 1
    cluster.nodes[3].start()
    until(cluster, lambda t: t.leader == 1 and len(t.isr) == 3, "1 leads and all follow")
    ends = {replica(cluster, node_id, "t").log.log_end_offset for node_id in (1, 2, 3)}
    assert ends == {len(LOGS[1])}


def test_aggressive_takes_what_is_there_and_the_others_truncate():
    """U5: the third holds least, and no other broker is back within 5 s."""
    cluster = lost_cluster()
    client = cluster.client(node_id=3)
    cluster.nodes[3].start()
    cluster.world.run(20_000)
    assert registration(cluster, "t").leader == -1
    value = AlterableConfig("unclean.recovery.strategy", 0, "Aggressive")
    request = IncrementalAlterConfigsRequest(resources=[AlterConfigsResource(2, "t", [value])])
    (answer,) = client.ask(request, IncrementalAlterConfigsResponse).responses
    assert answer.error_code == ErrorCode.NONE
    until(cluster, lambda t: t.leader == 3, "3 leads", within_ms=6_000)
    for node_id in (1, 2):
        cluster.nodes[node_id].start()
    until(cluster, lambda t: len(t.isr) == 3, "all follow")
    assert tuple(values_of(fetch(client, "t"))) == LOGS[3]
    assert {replica(cluster, n, "t").log.log_end_offset for n in (1, 2, 3)} == {2}
