"""Clients with unusual group requests get a group through all of its states."""

from random import Random

from minikafka.sim.drive.odd_group_workload import ODD_GROUP, OddGroupClient
from minikafka.sim.drive.workload import ClientConnections
from minikafka.sim.world.sim_cluster import BROKER_PORT, host
from tests.worlds.sim_world import started_cluster


def test_the_group_reaches_every_state():
    cluster = started_cluster(1)
    clients = []
    for name in ("odd-1", "odd-2", "odd-3"):
        connections = ClientConnections(
            cluster.world, cluster.network, name, [(host(1), BROKER_PORT)], Random(name)
        )
        clients.append(OddGroupClient(connections, name, 200))
        clients[-1].start()
    states, instances = set(), set()
    for _ in range(1_500):
        cluster.world.run(50)
        for shard in cluster.nodes[1].node.broker.groups.shards.values():
            group = shard.store.groups.get(ODD_GROUP)
            if group is not None:
                states.add(group.state.value)
                instances.update(group.static_members)
    assert states == {"Empty", "PreparingRebalance", "CompletingRebalance", "Stable"}
    assert instances == {"odd-1", "odd-2", "odd-3"}
