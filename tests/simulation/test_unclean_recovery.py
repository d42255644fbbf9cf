"""All replicas lose power, each at another point; the recovery loses what it must and no more."""

from itertools import permutations

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.messages import elect_leaders as elections
from tests.worlds.sim_world import (
    create_topic,
    fetch,
    leader_client,
    produce,
    registration,
    started_cluster,
    values_of,
)

WHERE = TopicPartition("t", 0)
REPLICAS = (1, 2, 3)
RECORDS = 40
MANAGED = {"unclean.recovery.manager.enabled": "true", "broker.session.timeout.ms": "3000"}
ORDERS = list(permutations(REPLICAS))


class Disaster:
    """Forty records acknowledged by all three replicas, whose machines then lose power at once."""

    def __init__(self, seed, strategy):
        given = {**MANAGED, "unclean.recovery.strategy": strategy}
        self.cluster = started_cluster(3, seed=seed, given=given, separate_controller=True)
        self.world = self.cluster.world
        config = {"min.insync.replicas": "2"}
        create_topic(self.cluster, "t", replicas=[list(REPLICAS)], config=config)
        client = leader_client(self.cluster, "t")
        for number in range(RECORDS):
            answer = produce(client, "t", b"%d" % number)
            assert (answer.error_code, answer.base_offset) == (ErrorCode.NONE, number)
        for node_id in REPLICAS:
            self.cluster.nodes[node_id].lose_power()
        self.world.run_until(lambda: not self.led(), 20_000, "all are fenced")
        self.ends = {}

    def start(self, node_id):
        """Start a machine; note what its log holds before a truncation."""
        node = self.cluster.nodes[node_id]
        node.start()
        log = node.node.broker.logs.get(WHERE)
        self.ends[node_id] = 0 if log is None else log.log_end_offset

    def led(self):
        return registration(self.cluster, "t").leader != -1

    def wait_for_leader(self, within_ms=60_000):
        self.world.run_until(self.led, within_ms, "a leader")
        return registration(self.cluster, "t")

    def readable(self):
        self.world.run(10_000)
        return values_of(fetch(leader_client(self.cluster, "t"), "t"))


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_balanced_elects_the_longest_log_in_whichever_order_they_return(order):
    """L4, L8, U5, U6: exactly what no replica held is lost."""
    disaster = Disaster(ORDERS.index(order) + 200, "Balanced")
    for node_id in order:
        assert not disaster.led(), "no leader before all brokers have answered"
        disaster.start(node_id)
        disaster.world.run(8_000)
    now = disaster.wait_for_leader()
    longest = max(disaster.ends.values())
    assert longest == disaster.ends[now.leader]
    assert disaster.readable() == [b"%d" % number for number in range(longest)]
    assert len(set(disaster.ends.values())) > 1, "the power cut treated all alike: no test"


def test_aggressive_elects_the_best_of_the_answers_within_five_seconds():
    """L4, U5."""
    disaster = Disaster(11, "Aggressive")
    for node_id in (2, 3):
        disaster.start(node_id)
    now = disaster.wait_for_leader(30_000)
    present = {node_id: disaster.ends[node_id] for node_id in (2, 3)}
    assert present[now.leader] == max(present.values())
    kept = disaster.readable()
    assert kept == [b"%d" % number for number in range(max(present.values()))]


def test_strategy_none_waits_for_the_operators_designation():
    """L4, A3: DESIGNATION elects the replica that the operator names, whatever its log holds."""
    disaster = Disaster(5, "None")
    for node_id in REPLICAS:
        disaster.start(node_id)
    disaster.world.run(60_000)
    assert not disaster.led()
    shortest = min(REPLICAS, key=disaster.ends.__getitem__)
    request = elections.ElectLeadersRequest(
        election_type=2,
        topic_partitions=[
            elections.TopicPartitions("t", partitions=[0], desired_leaders=[shortest])
        ],
        timeout_ms=10_000,
    )
    client = disaster.cluster.client("operator")
    response = client.ask(request, elections.ElectLeadersResponse, version=3)
    (answer,) = response.replica_election_results[0].partition_result
    assert answer.error_code == ErrorCode.NONE
    now = disaster.wait_for_leader(1_000)
    assert now.leader == shortest
    assert len(disaster.readable()) == disaster.ends[shortest]
