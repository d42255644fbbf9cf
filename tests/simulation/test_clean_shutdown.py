"""Clean and unclean shutdowns, by the broker epoch noted, and their effect on ELR (C1-C3, E7)."""

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


class RestartedBroker:
    """Three replicas with min ISR 3; node 3 stops and restarts. `states` are those of the partition."""

    def __init__(self, log_dirs=1):
        self.states = []
        # With the manager, LastKnownELR names the replicas that E7 removes.
        given = {"unclean.recovery.manager.enabled": "true"}
        self.cluster = started_cluster(3, given=given, on_step=self.note, log_dirs=log_dirs)
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
        """Start node 3; return the states until the ISR is full again."""
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
    world = RestartedBroker()
    world.stop_cleanly()
    assert THROWN_OUT not in world.come_back()


def test_a_killed_broker_is_thrown_out_of_the_elr():
    world = RestartedBroker()
    world.node.kill()
    world.run_until(lambda: registration(world.cluster, "t").isr == (1, 2), "node 3 is fenced")
    assert world.states[-1] == ((1, 2), (3,), ())
    assert world.come_back()[0] == THROWN_OUT


def test_a_crash_before_the_registration_is_an_unclean_shutdown():
    """C2: the file goes when the logs are there, so that nothing of it is left to be believed."""
    world = RestartedBroker()
    world.stop_cleanly()
    world.node.start()
    assert not world.disk.exists(FILE)
    assert world.cluster.nodes[1].node.loader.image.brokers[3].fenced
    world.node.kill()
    assert world.come_back()[0] == THROWN_OUT


def test_a_file_of_another_broker_is_not_believed():
    """C3: the epoch must be the one that the controller has for this broker."""
    world = RestartedBroker()
    world.stop_cleanly()
    other = world.cluster.nodes[2].node.broker.local.broker_epoch
    world.write(json.dumps({"version": 0, "brokerEpoch": other}).encode())
    assert world.come_back()[0] == THROWN_OUT


@pytest.mark.parametrize(
    "content",
    [b"", b'{"version": 0, "bro', b"\xff\xfe", b'{"version":0,"brokerEpoch":-1}', b"[]"],
)
def test_a_file_that_cannot_be_read_or_says_nothing_is_not_believed(content):
    world = RestartedBroker()
    world.stop_cleanly()
    world.write(content)
    assert world.come_back()[0] == THROWN_OUT


def test_the_spelling_of_the_documents_is_understood():
    """C1."""
    world = RestartedBroker()
    world.stop_cleanly()
    file = world.disk.open(FILE)
    epoch = json.loads(file.read_at(0, file.size))["brokerEpoch"]
    world.write(json.dumps({"version": 0, "BrokerEpoch": epoch}).encode())
    assert THROWN_OUT not in world.come_back()


def test_every_directory_needs_the_file():
    """C1, C2: one directory without the file is enough."""
    world = RestartedBroker(log_dirs=2)
    world.stop_cleanly()
    first, second = world.node.disks.values()
    assert first.exists(FILE)
    assert second.exists(FILE)
    second.remove(FILE)
    assert world.come_back()[0] == THROWN_OUT


def test_a_broker_without_an_epoch_writes_minus_one():
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
    world = RestartedBroker()
    assert produce(leader_client(world.cluster, "t"), "t", b"v").error_code == 0
    world.stop_cleanly()
    world.disk.remove("t-0")
    assert world.come_back()[0] == THROWN_OUT


@pytest.mark.parametrize("content", [None, b"", b"0\n1\nt 0", b"nonsense"])
def test_without_readable_recovery_points_a_shutdown_was_unclean(content):
    """C2: nothing says how far each log was flushed, or which logs there were."""
    world = RestartedBroker()
    assert produce(leader_client(world.cluster, "t"), "t", b"v").error_code == 0
    world.stop_cleanly()
    world.disk.remove("recovery-point-offset-checkpoint")
    if content is not None:
        write_file(world.disk, "recovery-point-offset-checkpoint", content)
    assert world.come_back()[0] == THROWN_OUT


def test_a_directory_that_fails_at_its_load_makes_the_shutdown_unclean():
    """C2: it is known only after the epoch of the shutdown was read."""
    world = RestartedBroker(log_dirs=2)
    create_topic(world.cluster, "u", replicas=[[1, 2, 3]])
    world.stop_cleanly()
    _, second = world.node.disks.values()
    second.remove("u-0/partition.metadata")
    second.open("u-0/00000000000000000000.log").append(b"x" * 100)
    seen = len(world.states)
    world.node.start()
    world.run_until(lambda: world.states[seen:], "node 3 is registered")
    assert world.states[seen] == THROWN_OUT


@pytest.mark.parametrize("after_ms", [0, 1_000, 8_900, 10_000])
@pytest.mark.parametrize("is_alone", [False, True])
def test_a_leader_that_is_killed_and_returns_leaves_isr_and_elr(after_ms, is_alone):
    """E7, KAFKA-18106: whenever it returns, nothing goes on in the leader epoch that it knew."""
    restarted = RestartedBroker()
    cluster, node = restarted.cluster, restarted.node
    create_topic(cluster, "u", replicas=[[3, 1, 2]], config={"min.insync.replicas": "2"})
    if is_alone:
        for node_id in (1, 2):
            if node_id != cluster.controller_id:
                cluster.nodes[node_id].kill()
    before = registration(cluster, "u")
    states = []

    def came_back():
        now = registration(cluster, "u")
        states.append((now.isr, now.elr))
        return node.started

    node.kill()
    cluster.world.run(after_ms)
    node.start()
    restarted.run_until(came_back, "node 3 serves")
    assert registration(cluster, "u").leader_epoch > before.leader_epoch
    assert any(3 not in isr + elr for isr, elr in states)


def test_a_broker_that_stops_and_starts_is_unfenced_within_two_seconds():
    """KAFKA-19047: the session of the incarnation that has stopped does not hold the next one up."""
    cluster = started_cluster(3, separate_controller=True)
    create_topic(cluster, "t", replicas=[[1, 2, 3], [2, 3, 1], [3, 1, 2]])
    for turn in range(10):
        node_id = 1 + turn % 3
        node = cluster.nodes[node_id]
        node.shut_down()
        cluster.world.run_until(lambda node=node: not node.alive, 30_000, "the broker stops")
        node.start()
        cluster.world.run_until(
            lambda node_id=node_id: (
                cluster.nodes[cluster.controller_id].node.loader.image.brokers[node_id].active
            ),
            2_000,
            "the broker is unfenced",
        )


def test_the_leader_of_partitions_that_cannot_move_stops_within_two_seconds():
    """They have one replica; it does not wait for them."""
    cluster = started_cluster(3, separate_controller=True)
    create_topic(cluster, "alone", replicas=[[1]] * 5)
    create_topic(cluster, "t", replicas=[[1, 2, 3]] * 5)
    produce(cluster.client(node_id=1), "alone", b"x")
    node = cluster.nodes[1]
    node.shut_down()
    cluster.world.run_until(lambda: not node.alive, 2_000, "the broker stops")
    assert node.exit_code == 0
    assert registration(cluster, "alone").leader == -1
    assert all(registration(cluster, "t", index).leader in (2, 3) for index in range(5))


def test_a_topic_of_three_replicas_is_created_while_one_of_three_brokers_is_stopped():
    """The stopped broker gets its replicas when it returns."""
    cluster = started_cluster(3, separate_controller=True)
    create_topic(cluster, "t", replicas=[[3, 1, 2]])
    node = cluster.nodes[3]
    node.shut_down()
    cluster.world.run_until(lambda: not node.alive, 10_000, "the broker stops")
    create_topic(cluster, "u")
    assert sorted(registration(cluster, "u").replicas) == [1, 2, 3]
    assert sorted(registration(cluster, "u").isr) == [1, 2]
    node.start()
    cluster.world.run_until(
        lambda: sorted(registration(cluster, "u").isr) == [1, 2, 3], 60_000, "the ISR is full"
    )
