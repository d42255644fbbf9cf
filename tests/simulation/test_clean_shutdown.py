"""How a broker ended, told by its epoch, and what the controller makes of it (C1-C3, E7)."""

import json

import pytest

from minikafka.log.disk import read_file, write_file
from minikafka.messages.elect_leaders import ElectLeadersRequest, ElectLeadersResponse
from tests.worlds.sim_world import (
    create_topic,
    fetch,
    leader_client,
    produce,
    registration,
    started_cluster,
    values_of,
)

FILE = ".kafka_cleanshutdown"


class Told:
    """Three replicas that are all needed; node 3 goes and comes back. What the metadata said."""

    def __init__(self, log_dirs=1):
        self.states = []
        self.cluster = started_cluster(3, on_step=self.note, log_dirs=log_dirs)
        create_topic(self.cluster, "t", replicas=[[1, 2, 3]], config={"min.insync.replicas": "3"})
        self.node = self.cluster.nodes[3]

    def note(self, node):
        if node.node is not None and node.node.controller is not None:
            now = node.node.loader.image.partition("t", 0)
            state = None if now is None else (now.isr, now.elr, now.last_known_elr)
            if state is not None and (not self.states or self.states[-1] != state):
                self.states.append(state)

    def run_until(self, condition, what):
        self.cluster.world.run_until(condition, 60_000, what)

    def stop_cleanly(self):
        self.node.shut_down()
        self.run_until(lambda: not self.node.alive, "node 3 stops")
        assert self.node.exit_code == 0
        assert self.states[-1] == ((1, 2), (3,), ())

    def come_back(self):
        """The states from here until the ISR is full again."""
        seen = len(self.states)
        self.node.start()
        self.run_until(
            lambda: sorted(registration(self.cluster, "t").isr) == [1, 2, 3], "the ISR is full"
        )
        return self.states[seen:]

    @property
    def disk(self):
        return next(iter(self.node.disks.values()))

    def write(self, content):
        self.disk.remove(FILE)
        self.disk.open(FILE, create=True).append(content)


THROWN_OUT = ((1, 2), (), (3,))


def test_a_clean_shutdown_keeps_the_replica_eligible():
    told = Told()
    told.stop_cleanly()
    assert THROWN_OUT not in told.come_back()


def test_a_killed_broker_is_thrown_out_of_the_elr():
    told = Told()
    told.node.kill()
    told.run_until(lambda: registration(told.cluster, "t").isr == (1, 2), "node 3 is fenced")
    assert told.states[-1] == ((1, 2), (3,), ())
    assert told.come_back()[0] == THROWN_OUT


def test_a_crash_before_the_registration_is_an_unclean_shutdown():
    """C2: the file goes when the logs are there, so that nothing of it is left to be believed."""
    told = Told()
    told.stop_cleanly()
    told.node.start()
    assert not told.disk.exists(FILE)
    assert told.cluster.nodes[1].node.loader.image.brokers[3].fenced
    told.node.kill()
    assert told.come_back()[0] == THROWN_OUT


def test_a_file_of_another_broker_is_not_believed():
    """C3: the epoch must be the one that the controller has for this broker."""
    told = Told()
    told.stop_cleanly()
    other = told.cluster.nodes[2].node.broker.lifecycle.broker_epoch
    told.write(json.dumps({"version": 0, "brokerEpoch": other}).encode())
    assert told.come_back()[0] == THROWN_OUT


@pytest.mark.parametrize(
    "content",
    [b"", b'{"version": 0, "bro', b"\xff\xfe", b'{"version":0,"brokerEpoch":-1}', b"[]"],
)
def test_a_file_that_cannot_be_read_or_says_nothing_is_not_believed(content):
    told = Told()
    told.stop_cleanly()
    told.write(content)
    assert told.come_back()[0] == THROWN_OUT


def test_the_spelling_of_the_documents_is_understood():
    """C1."""
    told = Told()
    told.stop_cleanly()
    file = told.disk.open(FILE)
    epoch = json.loads(file.read_at(0, file.size))["brokerEpoch"]
    told.write(json.dumps({"version": 0, "BrokerEpoch": epoch}).encode())
    assert THROWN_OUT not in told.come_back()


def test_every_directory_must_say_so():
    """C1, C2: one directory without the file is enough."""
    told = Told(log_dirs=2)
    told.stop_cleanly()
    first, second = told.node.disks.values()
    assert first.exists(FILE)
    assert second.exists(FILE)
    second.remove(FILE)
    assert told.come_back()[0] == THROWN_OUT


def test_a_broker_that_never_got_an_epoch_says_so():
    """C1: it writes -1, which is no clean shutdown."""
    cluster = started_cluster(2, separate_controller=True)
    cluster.nodes[100].kill()
    cluster.nodes[2].kill()
    cluster.nodes[2].start()
    cluster.world.run(1_000)
    cluster.nodes[2].shut_down()
    cluster.world.run_until(lambda: not cluster.nodes[2].alive, 400_000, "node 2 stops")
    (disk,) = cluster.nodes[2].disks.values()
    file = disk.open(FILE)
    assert json.loads(file.read_at(0, file.size)) == {"version": 0, "brokerEpoch": -1}


def cut_identity(disk):
    content = read_file(disk, "t-0/partition.metadata")
    write_file(disk, "t-0/partition.metadata", content[: len(content) // 2])


def remove_identity(disk):
    disk.remove("t-0/partition.metadata")


RECORDS = [b"%d" % number for number in range(30)]


def stopped_with_records(replicas):
    """All brokers end cleanly; node 1 leads and ends last, so that it may lead again."""
    cluster = started_cluster(3, separate_controller=True)
    create_topic(cluster, "t", replicas=[replicas])
    for value in RECORDS:
        assert produce(leader_client(cluster, "t"), "t", value).error_code == 0
    for node_id in (3, 2, 1):
        cluster.nodes[node_id].shut_down()
        cluster.world.run_until(lambda n=node_id: not cluster.nodes[n].alive, 60_000, "it stops")
    return cluster


@pytest.mark.parametrize("damage", [cut_identity, remove_identity])
def test_a_log_that_cannot_be_identified_costs_no_record_of_its_replicas(damage):
    """C2, E7: the one that comes back without it does not lead with an empty log."""
    cluster = stopped_with_records([1, 2, 3])
    (disk,) = cluster.nodes[1].disks.values()
    damage(disk)
    for node in cluster.nodes.values():
        if not node.alive:
            node.start()
    cluster.world.run(20_000)
    if registration(cluster, "t").leader < 0:
        request = ElectLeadersRequest(election_type=1, topic_partitions=None, timeout_ms=5_000)
        cluster.client(node_id=2).ask(request, ElectLeadersResponse)
        cluster.world.run(5_000)
    assert values_of(fetch(leader_client(cluster, "t"), "t")) == RECORDS


@pytest.mark.parametrize("damage", [cut_identity, remove_identity])
def test_the_only_replica_never_leads_an_empty_log_in_place_of_its_own(damage):
    """C2, E7."""
    cluster = stopped_with_records([1])
    (disk,) = cluster.nodes[1].disks.values()
    damage(disk)
    for node in cluster.nodes.values():
        if not node.alive:
            node.start()
    cluster.world.run(20_000)
    assert registration(cluster, "t").leader == -1
    assert disk.open("t-0/00000000000000000000.log").size > 0


def test_a_broker_whose_log_is_gone_is_thrown_out_of_the_elr():
    """C2: its new log is empty, whatever the clean shutdown file says."""
    told = Told()
    assert produce(leader_client(told.cluster, "t"), "t", b"v").error_code == 0
    told.stop_cleanly()
    told.disk.remove("t-0")
    assert told.come_back()[0] == THROWN_OUT


@pytest.mark.parametrize("content", [None, b"", b"0\n1\nt 0", b"nonsense"])
def test_without_readable_recovery_points_a_shutdown_was_unclean(content):
    """C2: nothing says how far each log was flushed, or which logs there were."""
    told = Told()
    assert produce(leader_client(told.cluster, "t"), "t", b"v").error_code == 0
    told.stop_cleanly()
    told.disk.remove("recovery-point-offset-checkpoint")
    if content is not None:
        write_file(told.disk, "recovery-point-offset-checkpoint", content)
    assert told.come_back()[0] == THROWN_OUT


def test_a_directory_that_fails_at_its_load_makes_the_shutdown_unclean():
    """C2: it is known only after the epoch of the shutdown was read."""
    told = Told(log_dirs=2)
    create_topic(told.cluster, "u", replicas=[[1, 2, 3]])
    told.stop_cleanly()
    _, second = told.node.disks.values()
    second.remove("u-0/partition.metadata")
    second.open("u-0/00000000000000000000.log").append(b"x" * 100)
    seen = len(told.states)
    told.node.start()
    told.run_until(lambda: told.states[seen:], "node 3 is registered")
    assert told.states[seen] == THROWN_OUT
