"""Conditions that a run waits for after its faults have ended, and violations that it finds."""

from random import Random

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.directories.log_folders import FolderState
from minikafka.messages.remove_raft_voter import RemoveRaftVoterRequest
from minikafka.raft.election_state import QUORUM_STATE
from minikafka.raft.forgotten_votes import VOTES_FORGOTTEN
from minikafka.sim.checks.election_checks import ElectionChecks
from minikafka.sim.drive.directory_healing import DirectoryHealing
from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.healing import Healing
from minikafka.sim.drive.run_clients import TOPIC
from minikafka.sim.drive.simulation import Simulation
from minikafka.sim.world.sim_cluster import BROKER_PORT, host
from minikafka.sim.world.violation import Violation
from minikafka.sim.world.world import ConditionTimeoutError
from tests.worlds.sim_world import create_topic, leader_client, produce, registration, replica

PLAN = draw(3, 5_000).changed(incidents=(), producers=1, groups=0)


@pytest.fixture
def simulation():
    simulation = Simulation(PLAN)
    simulation.cluster.start()
    simulation.create_topic()
    simulation.world.run(1_000)
    return simulation


def test_a_node_that_was_asked_to_shut_down_does_not_serve(simulation):
    """Its shutdown takes leaders away later, after the last check for an operator."""
    assert simulation.healing.all_serve()
    node = simulation.cluster.nodes[1]
    node.pause()
    node.shut_down()
    assert node.started
    assert not simulation.healing.all_serve()


def test_no_operator_takes_the_place_of_a_rule(simulation, monkeypatch):
    """L4, L6: forbidden while the strategy, or a member of ISR or ELR, brings a leader."""
    found = []
    monkeypatch.setattr(Healing, "all_led", lambda _: False)
    monkeypatch.setattr(
        ElectionChecks,
        "check_leaders_owed",
        lambda _, image: found.append(image),
    )
    simulation.healing.elect_by_hand()
    # Once more where logs had to be accepted as empty.
    assert len(found) == 2
    assert [each.election_type for each in simulation.checkers.elections._requests] == [1, 1]


def test_replicas_that_never_agree_are_a_violation(simulation, monkeypatch):
    simulation.healing.replicas_agree()
    monkeypatch.setattr(Healing, "difference", lambda _: "t-0: n2 ends at 2")
    with pytest.raises(Violation, match="ReplicasAgree: t-0: n2 ends at 2") as caught:
        simulation.healing.replicas_agree()
    assert not isinstance(caught.value, ConditionTimeoutError)


@pytest.mark.parametrize(("most", "count"), [(-1, 0), (0, 0), (1, 1)])
def test_no_more_brokers_are_removed_than_the_partitions_can_lose(simulation, most, count):
    """Seed 75000545: an ISR was under min ISR."""
    gone = simulation.healing._dispensable(Random(1), most)
    assert len(gone) == count


@pytest.fixture
def with_two_directories():
    simulation = Simulation(PLAN.changed(log_dirs=2, partitions=6))
    simulation.cluster.start()
    simulation.create_topic()
    simulation.world.run(2_000)
    return simulation


def test_brokers_are_removed_only_while_every_isr_is_full(simulation, monkeypatch):
    """Seed 75000545: a leader that had been cut off shrank an ISR after the last wait for it."""
    healing, world = simulation.healing, simulation.cluster.world
    node = next(
        simulation.cluster.nodes[x] for x in (1, 2) if x != simulation.cluster.controller_id
    )
    node.pause()
    world.run_until(lambda: not healing._isr_is_full(), 30_000)
    node.resume()
    assert not healing._isr_is_full()
    full = []
    monkeypatch.setattr(Healing, "_dispensable", lambda *_: full.append(healing._isr_is_full()))
    healing._go_on_with_fewer()
    assert full == [True]


def test_a_move_that_does_not_end_is_a_violation(with_two_directories, monkeypatch):
    simulation = with_two_directories
    simulation.healing._directories_settle()
    monkeypatch.setattr(DirectoryHealing, "open_moves", lambda _: iter(["t-0 on 1"]))
    with pytest.raises(Violation, match="liveness: every move between directories ends.*: t-0 on"):
        simulation.healing._directories_settle()


def test_a_directory_that_the_metadata_does_not_have_is_a_violation(with_two_directories):
    simulation = with_two_directories
    logs = simulation.cluster.nodes[1].node.broker.logs
    at, home, log = next(
        (at, home, log) for home in logs.directories for at, log in home.logs.items()
    )
    other = next(each for each in logs.directories if each is not home)
    home.folders.enter(at, FolderState.RETIRING)
    other.add(at, log)
    assert list(simulation.healing._directories.wrong_assignments()) == [f"{at} on 1"]


def test_what_a_broker_led_in_a_failed_directory_moves(with_two_directories):
    simulation = with_two_directories
    simulation.healing._lose_a_directory()
    assert simulation.checkers.coverage.events["leaders moved from a failed directory"] > 0
    assert simulation.healing.all_serve()


def test_leaders_that_stay_on_a_failed_directory_are_a_violation(with_two_directories, monkeypatch):
    simulation = with_two_directories
    monkeypatch.setattr(DirectoryHealing, "has_moved_leaders", lambda *_: False)
    with pytest.raises(ConditionTimeoutError, match="liveness: n. serves without /n.-1"):
        simulation.healing._lose_a_directory()


def test_an_operator_elects_the_only_replica_of_a_broker_that_lost_a_directory():
    """E7, L4: the broker is restarted after an unclean end, and the strategy elects no leader."""
    plan = PLAN.changed(
        log_dirs=2, partitions=6, elr=True, recovery_manager=True, strategy="None", min_isr=1
    )
    simulation = Simulation(plan)
    simulation.cluster.start()
    simulation.create_topic()
    ids = simulation.cluster.broker_ids
    create_topic(simulation.cluster, "single", replicas=[[each] for each in ids for _ in range(2)])
    simulation.world.run(2_000)
    simulation.healing._lose_a_directory()
    assert simulation.checkers.elections._requests, "an operator was needed"
    assert simulation.healing.all_led()


# A quorum without a majority that remembers its votes


@pytest.fixture
def with_three_voters():
    plan = PLAN.changed(
        voters=3, dynamic_quorum=True, spares=0, auto_join=False, separate_controller=True
    )
    simulation = Simulation(plan)
    simulation.cluster.start()
    simulation.create_topic()
    simulation.world.run(2_000)
    return simulation


def voters_of(simulation):
    """Return the leader of the quorum and the other two voters."""
    cluster = simulation.cluster
    nodes = [cluster.nodes[each] for each in cluster.controller_ids]
    (leader,) = [node for node in nodes if node.node.raft.is_leader]
    return leader, *(node for node in nodes if node is not leader)


def forget(simulation, node):
    node.kill()
    disk = node.disks[node.config.metadata_log_dir]
    disk.remove(f"{METADATA_FOLDER}/{QUORUM_STATE}")
    disk.sync_dir(METADATA_FOLDER)
    simulation.checkers.quorum.forget(node.config.node_id)


def remove(simulation, leader, node):
    """Ask for the removal of a voter, and wait until the leader has appended it."""
    cluster, voter_id = simulation.cluster, node.config.node_id
    request = RemoveRaftVoterRequest(None, voter_id, cluster.directory_ids[voter_id])
    cluster.client("operator").send(request, lambda _: None)
    cluster.world.run_until(lambda: len(leader.node.raft.voters) == 2, 5_000, "the removal")


def restored(simulation):
    return simulation.checkers.coverage.events["quorums restored by an operator"]


def test_an_operator_restores_a_quorum_without_a_majority_that_remembers(with_three_voters):
    simulation = with_three_voters
    leader, removed, other = voters_of(simulation)
    forget(simulation, other)
    remove(simulation, leader, removed)
    other.start()
    simulation.world.run(60_000)
    assert not simulation.healing._quorum.is_led()
    assert simulation.healing.restore_quorum() == 0
    assert restored(simulation) == 1
    assert not other.disks[other.config.metadata_log_dir].exists(VOTES_FORGOTTEN)
    simulation.world.run_until(simulation.healing._quorum.is_led, 20_000, "a leader")


def test_no_operator_restores_a_quorum_that_can_elect_a_leader(with_three_voters):
    """The other two have a majority that remembers: what keeps them from it is a violation."""
    simulation = with_three_voters
    leader, _, other = voters_of(simulation)
    forget(simulation, other)
    other.start()
    leader.pause()
    assert simulation.healing._quorum.needed_voters() == []


def test_no_operator_restores_a_quorum_while_a_controller_is_down(with_three_voters):
    simulation = with_three_voters
    leader, removed, other = voters_of(simulation)
    forget(simulation, other)
    remove(simulation, leader, removed)
    other.start()
    assert simulation.healing._quorum.needed_voters() == [other]
    removed.kill()
    assert simulation.healing._quorum.needed_voters() == []


def test_the_time_without_a_leader_counts_if_nothing_is_repaired(with_three_voters):
    simulation = with_three_voters
    assert simulation.healing.restore_quorum() == 0
    leader, *others = voters_of(simulation)
    for node in others:
        simulation.cluster.network.cut(leader.host, node.host)
    simulation.cluster.network.cut(others[0].host, others[1].host)
    simulation.world.run(20_000)
    assert simulation.healing.restore_quorum() == 45_000
    assert restored(simulation) == 0


_SEGMENTS = 40


@pytest.fixture
def healing_of_segments():
    """That of a run that has ended; then one partition of each kind of topic gets many segments."""
    plan = PLAN.changed(
        duration_ms=1_000, brokers=3, replication_factor=3, partitions=9, transactions=True,
        some_stay_down=False,
    )  # fmt: skip
    simulation = Simulation(plan)
    assert simulation.run().violation is None
    for where in (TopicPartition(TOPIC, 0), simulation.clients.transactional.partitions[0]):
        client = leader_client(simulation.cluster, *where)
        leader = simulation.cluster.nodes[registration(simulation.cluster, *where).leader]
        for number in range(_SEGMENTS):
            produce(client, where.topic, b"%d" % number)
            replica(simulation.cluster, leader.config.node_id, *where).log.roll(leader.now)
    simulation.world.run(1_000)
    healing = simulation.healing
    healing.plan = healing.transactional.plan = plan.changed(healing_ms=5_000)
    return healing


def test_partitions_at_their_end_do_not_delay_the_final_reader(healing_of_segments):
    """A response ends with a segment, and a connection serves one fetch at a time."""
    assert len(healing_of_segments.read_all()[TopicPartition(TOPIC, 0)]) >= _SEGMENTS


def test_partitions_at_their_end_do_not_delay_the_reader_of_transactions(healing_of_segments):
    assert not healing_of_segments.transactional.problems()


def test_the_final_reader_asks_no_broker_that_was_removed(healing_of_segments):
    """Seed 74000376: a broker that is cut off for good answers with the metadata that it has."""
    connections = healing_of_segments.clients.connections("final", without=[1, 3])
    left = [x for x in healing_of_segments.cluster.broker_ids if x not in (1, 3)]
    assert connections.bootstrap == [(host(node_id), BROKER_PORT) for node_id in left]


def test_a_node_that_an_earlier_error_stops_is_started_again():
    """Seed 98000222: a slow flush failed after everything was repaired."""
    simulation = Simulation(PLAN)
    simulation.cluster.start()
    simulation.create_topic()
    simulation.world.run(1_000)
    node = simulation.cluster.nodes[1]
    starts = node.starts
    simulation.world.after(1_500 * 1_000, node.kill)
    simulation.healing.carry_out()
    assert node.starts == starts + 1
