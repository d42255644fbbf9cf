"""A simulated node in which faults can be set."""

import pytest

from minikafka.common.events import Tick
from minikafka.faults.dispatcher import install
from minikafka.faults.vocabulary import AnswerFault
from minikafka.sim.world.sim_client import SimClient
from tests.worlds.sim_world import create_topic, produce, replica, started_cluster


class PatientClient(SimClient):
    """A client that waits for the rest of a frame."""

    halves = 0

    def arrived(self, data):
        if len(data) < 4 + int.from_bytes(data[:4], "big"):
            self.halves += 1
        else:
            super().arrived(data)


class FaultyNode:
    """A node with a topic "t" of two partitions, each with a batch of two records."""

    def __init__(self, node_id=1, cluster=None):
        self.cluster = cluster or started_cluster(1)
        self.machine = self.cluster.nodes[node_id]
        self.node = self.machine.node
        self.dispatcher = install(self.node)
        self.client = self.new_client()
        if cluster is None:
            self.topic_id = create_topic(self.cluster, "t", partitions=2)
            for partition in (0, 1):
                produce(
                    self.client, "t", b"%da" % partition, b"%db" % partition, partition=partition
                )
            create_topic(self.cluster, "u")

    def set(self, *faults):
        self.dispatcher.set_faults(faults)
        self.machine.post(lambda: self.machine._step(Tick()))

    def fault(self, api, what, **match):
        made = AnswerFault.named(api, what, id=str(what), **match)
        self.set(made)
        return made

    @property
    def hits(self):
        return sum(self.dispatcher.faults.hits().values())

    def new_client(self, client_id="sim"):
        usual = self.cluster.client(client_id)
        return PatientClient(
            usual.world, usual.network, usual.name, usual.address, client_id=client_id
        )

    def send(self, request, version=None, client=None):
        """Send a request; the list that gets its answer, None if the connection is lost."""
        answers = []
        (client or self.client).send(request, answers.append, version=version)
        return answers

    def answer(self, request, version=None, within_ms=2_000, client=None):
        answers = self.send(request, version, client)
        self.cluster.world.run_until(lambda: bool(answers), within_ms, "an answer")
        return answers[0]

    def run(self, for_ms):
        self.cluster.world.run(for_ms)

    @property
    def end_offsets(self):
        return [replica(self.cluster, 1, "t", index).log.log_end_offset for index in (0, 1)]


@pytest.fixture
def faulty():
    return FaultyNode()
