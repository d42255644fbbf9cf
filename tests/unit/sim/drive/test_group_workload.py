"""Members of a simulated group share its partitions, go on where it was, and survive trouble."""

from random import Random

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.history.group_anomalies import moved_commits, shared_partitions
from minikafka.history.operations import Resume
from minikafka.sim.checks.history import History
from minikafka.sim.drive.group_workload import SimMember, is_stable
from minikafka.sim.drive.workload import ClientConnections
from minikafka.sim.world.sim_cluster import BROKER_PORT, host
from tests.worlds.sim_world import create_topic, leader_client, produce, started_cluster

PARTITIONS = [TopicPartition("t", index) for index in range(3)]


class Group:
    """A cluster, a topic with some records, and members that are started one by one."""

    def __init__(self):
        self.cluster = started_cluster(3, separate_controller=True)
        create_topic(self.cluster, "t", partitions=3)
        self.history = History()
        self.members = []

    def produce(self, count):
        for where in PARTITIONS:
            client = leader_client(self.cluster, "t", where.partition)
            for number in range(count):
                produce(client, "t", b"%d" % number, partition=where.partition)

    def join(self, name):
        bootstrap = [(host(node_id), BROKER_PORT) for node_id in (1, 2, 3)]
        world, network = self.cluster.world, self.cluster.network
        connections = ClientConnections(world, network, name, bootstrap, Random(name))
        self.members.append(SimMember(connections, self.history, "g", name, PARTITIONS))
        self.members[-1].start()

    def is_stable(self):
        return is_stable(self.members, len(PARTITIONS), self.cluster.world.now_ms)

    def settle(self):
        self.cluster.world.run_until(self.is_stable, 60_000, "the group is stable")

    def anomalies(self):
        return [
            *shared_partitions(self.history.owned, lambda: False),
            *moved_commits(self.history.group, lambda: False),
        ]


@pytest.fixture
def group():
    return Group()


def test_members_share_the_partitions(group):
    group.join("a")
    group.settle()
    assert len(group.members[0].assigned) == 3
    group.join("b")
    group.settle()
    assert sorted(len(member.assigned) for member in group.members) == [1, 2]
    assert group.anomalies() == []


def test_a_later_member_resumes_at_the_offsets_of_the_group(group):
    group.produce(4)
    group.join("a")
    group.settle()
    group.cluster.world.run(5_000)
    group.members[0].running = False
    del group.members[0]
    group.join("b")
    group.settle()
    resumed = [each.offset for each in group.history.group if isinstance(each, Resume)]
    assert resumed == [-1, -1, -1, 4, 4, 4]
    assert group.anomalies() == []


def test_a_group_survives_its_coordinator(group):
    group.produce(2)
    group.join("a")
    group.join("b")
    group.settle()
    for node_id in (1, 2, 3):
        group.cluster.nodes[node_id].kill()
        group.cluster.world.run(8_000)
        group.cluster.nodes[node_id].start()
        group.cluster.world.run_until(group.cluster.all_started, 60_000, "all serve")
        group.settle()
    assert sum(member.rebalances for member in group.members) > 2
    assert group.anomalies() == []


def test_a_member_that_is_cut_off_is_not_stable(group):
    group.join("a")
    group.settle()
    for node_id in (1, 2, 3):
        group.cluster.network.cut("a", host(node_id))
    group.cluster.world.run(10_000)
    assert not group.is_stable()
    group.cluster.network.heal_all()
    group.settle()


@pytest.mark.parametrize("deposed", [True, False])
def test_answers_of_a_deposed_coordinator_are_marked(group, deposed):
    group.join("a")
    group.members[0].is_deposed = lambda _: deposed
    group.cluster.world.run(5_000)
    assert [x.by_deposed for x in group.history.group if isinstance(x, Resume)] == [deposed] * 3
