"""Each fault has its effect, and is undone once."""

from functools import partial

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.log.checkpoints import META_PROPERTIES
from minikafka.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopic,
)
from minikafka.sim.drive.faults.damage import Damage, Patch
from minikafka.sim.drive.faults.faults import Faults
from minikafka.sim.drive.incidents import Fault, Incident
from minikafka.sim.world.crashes import Crash
from tests.worlds.sim_world import create_topic, produce, registration, started_cluster


@pytest.fixture
def cluster():
    cluster = started_cluster(3, separate_controller=True)
    create_topic(cluster, "t", replicas=[[1, 2, 3]])
    return cluster


@pytest.fixture
def losses():
    return []


@pytest.fixture
def faults(cluster, losses):
    note_power_losses(cluster, losses)
    return Faults(cluster, ("client",), losses.append)


def note_power_losses(cluster, losses):
    for node in cluster.nodes.values():
        node.on_power_loss = lambda node: losses.append(node.config.node_id)


def incident(what, node=2, other=0, for_ms=1_000, at_ms=0):
    return Incident(at_ms=at_ms, what=what, node=node, other=other, for_ms=for_ms)


LOSING_POWER = (Fault.POWER, Fault.BIT_FLIP, Fault.POWER_IN_STOP)
DOWN = (Fault.KILL, *LOSING_POWER, Fault.RESTART, Fault.WIPE)


@pytest.mark.parametrize("what", DOWN)
def test_a_node_goes_down_and_serves_again(cluster, faults, losses, what):
    faults.inject(incident(what))
    node = cluster.nodes[2]
    cluster.world.run_until(lambda: not node.alive, 10_000, "the node is down")
    cluster.world.run_until(lambda: node.started, 30_000, "the node serves again")
    assert bool(losses) is (what in (*LOSING_POWER, Fault.WIPE))


@pytest.mark.parametrize("at_ms", range(4))
def test_a_broker_that_came_back_crashes_again(cluster, faults, losses, at_ms):
    faults.inject(incident(Fault.CRASH_AFTER_REJOIN, at_ms=at_ms))
    node = cluster.nodes[2]
    cluster.world.run_until(lambda: cluster.network.is_cut("n2", "n3"), 60_000, "it crashes")
    assert node.starts == 2
    assert losses == [2]
    cluster.world.run_until(lambda: not cluster.network.is_cut("n2", "n3"), 60_000, "all heals")
    cluster.world.run_until(lambda: node.started, 60_000, "the node serves again")


def test_a_broker_that_answered_a_recovery_crashes(losses):
    """U8: its answer is held while another one is waited for."""
    given = {"unclean.recovery.manager.enabled": "true", "unclean.recovery.strategy": "Aggressive"}
    cluster = started_cluster(3, separate_controller=True, given=given)
    create_topic(cluster, "t", replicas=[[2, 3]])
    faults = Faults(cluster, ("client",), losses.append)
    cluster.on_step = faults.stepped
    faults.inject(incident(Fault.CRASH_AFTER_LOG_INFO))
    cluster.nodes[3].kill()
    cluster.world.run_until(lambda: registration(cluster, "t").isr == (2,), 60_000, "3 is out")
    cluster.nodes[2].lose_power()
    cluster.nodes[2].start()
    note_power_losses(cluster, losses)
    cluster.world.run_until(lambda: losses == [2], 60_000, "it crashes")
    assert not cluster.nodes[2].alive
    assert registration(cluster, "t").leader == -1
    cluster.world.run_until(lambda: cluster.nodes[2].started, 60_000, "it serves again")
    assert faults.effects.counts == {"crash-after-log-info": 1}


@pytest.mark.parametrize("what", [Fault.FULL_DISK, Fault.DISK_ERROR])
def test_a_node_whose_disk_fails_ends_and_comes_back_when_it_is_repaired(cluster, faults, what):
    faults.inject(incident(what, for_ms=8_000))
    produce(cluster.client(), "t", b"x" * 2_000)
    node = cluster.nodes[2]
    cluster.world.run_until(lambda: not node.alive, 8_000, "the node is down")
    cluster.world.run_until(lambda: node.started, 30_000, "the node serves again")


@pytest.mark.parametrize("what", [Fault.CUT, Fault.CUT_ONE_WAY])
def test_a_cut_link_heals(cluster, faults, what):
    faults.inject(incident(what, other=3))
    network = cluster.network
    assert network.is_cut("n2", "n3")
    assert network.is_cut("n3", "n2") is (what is Fault.CUT)
    cluster.world.run(2_000)
    assert not network.is_cut("n2", "n3")


@pytest.mark.parametrize("what", [Fault.CUT, Fault.CUT_ONE_WAY, Fault.ISOLATE])
def test_a_fault_that_ends_leaves_the_cuts_of_others(cluster, faults, what):
    faults.inject(incident(Fault.CUT, node=3, other=2, for_ms=5_000))
    faults.inject(incident(what, other=3, for_ms=1_000))
    cluster.world.run(2_000)
    assert cluster.network.is_cut("n2", "n3")
    assert cluster.network.is_cut("n3", "n2")
    cluster.world.run(4_000)
    assert not cluster.network.is_cut("n2", "n3")
    assert not cluster.network.is_cut("n3", "n2")


def test_a_broker_that_crashes_again_leaves_the_cuts_of_others(cluster, faults):
    faults.inject(incident(Fault.CUT, node=3, other=2, for_ms=90_000))
    faults.inject(incident(Fault.CRASH_AFTER_REJOIN, node=3))
    cluster.world.run_until(lambda: cluster.network.is_cut("n3", "n1"), 60_000, "it crashes")
    cluster.world.run_until(lambda: not cluster.network.is_cut("n3", "n1"), 60_000, "it heals")
    assert cluster.network.is_cut("n3", "n2")


def test_a_node_can_be_cut_off_from_all_or_from_its_clients(cluster, faults):
    faults.inject(incident(Fault.ISOLATE, for_ms=500))
    assert all(cluster.network.is_cut("n2", other) for other in ("n1", "n3", "n100"))
    cluster.world.run(1_000)
    faults.inject(incident(Fault.CUT_CLIENTS, for_ms=500))
    assert cluster.network.is_cut("client", "n2")
    faults.inject(incident(Fault.CUT_CONTROLLER, for_ms=500))
    assert cluster.network.is_cut("n100", "n2")
    assert not cluster.network.is_cut("n1", "n2")


def test_a_leader_aborts_its_connections_while_it_asks_for_a_member(cluster, faults):
    """CHECK 10: a member that joins by the next attempt is cut off before the first one arrives."""
    notes = []
    cluster.world.on_line = notes.append
    cluster.on_step = faults.stepped
    cluster.nodes[3].kill()
    cluster.world.run_until(lambda: registration(cluster, "t").isr == (1, 2), 60_000, "3 is out")
    faults.inject(incident(Fault.ABORT, node=2, for_ms=9_000))
    cluster.nodes[3].start()
    cluster.world.run_until(lambda: cluster.network.is_cut("n1", "n3"), 5_000, "3 is cut off")
    assert registration(cluster, "t").isr == (1, 2, 3)
    assert any("n1 aborts its connections to the controller" in note for note in notes)
    cluster.world.run_until(lambda: not cluster.network.is_cut("n1", "n3"), 20_000, "it heals")


@pytest.mark.parametrize("is_over", [False, True])
def test_an_abort_that_ends_leaves_the_cuts_of_others(cluster, faults, *, is_over):
    """Also those with which a broker is removed after all faults have ended."""
    cluster.on_step = faults.stepped
    cluster.nodes[3].kill()
    cluster.world.run_until(lambda: registration(cluster, "t").isr == (1, 2), 60_000, "3 is out")
    faults.inject(incident(Fault.ABORT, node=2, for_ms=4_000))
    cluster.nodes[3].start()
    cluster.world.run_until(lambda: cluster.network.is_cut("n1", "n3"), 5_000, "3 is cut off")
    if is_over:
        faults.repair_all()
        assert not cluster.network.is_cut("n1", "n3")
    cluster.network.cut("n1", "n3")
    cluster.world.run(10_000)
    assert cluster.network.is_cut("n1", "n3")


def test_a_broker_that_came_back_crashes_while_a_leader_asks_for_it(cluster, losses):
    """CHECK 9: what the leader asks arrives when the broker is another one than it was."""
    for at_ms in range(8):
        faults = Faults(cluster, ("client",), losses.append)
        cluster.on_step = faults.stepped
        node = cluster.nodes[3]
        faults.inject(incident(Fault.CRASH_AFTER_REJOIN, node=3, at_ms=at_ms))
        cluster.world.run_until(lambda: cluster.network.is_cut("n3", "n1"), 60_000, "it crashes")
        cluster.world.run_until(lambda: not cluster.network.is_cut("n3", "n1"), 60_000, "it heals")
        cluster.world.run_until(cluster.all_started, 60_000, "all serve")
        cluster.world.run_until(lambda: len(registration(cluster, "t").isr) == 3, 60_000, "all in")
    assert not cluster.network.is_cut("n3", "n100")
    assert node.starts > 10


def test_a_broker_aborts_its_connections_if_no_leader_asks(cluster, faults):
    notes = []
    cluster.world.on_line = notes.append
    faults.inject(incident(Fault.ABORT))
    cluster.world.run(10_000)
    assert any("n2 aborts its connections to the controller" in note for note in notes)


def test_a_node_can_be_slow_to_reach_for_all(cluster, faults):
    faults.inject(incident(Fault.SLOW_NODE, for_ms=500))
    slow = cluster.network.slow_links
    assert {("n2", "n100"), ("n1", "n2"), ("client", "n2")} <= slow.keys()
    cluster.world.run(1_000)
    assert not slow


def test_a_link_that_two_faults_slow_down_is_slow_until_the_last_one_ends(cluster, faults):
    slow = cluster.network.slow_links
    faults.inject(incident(Fault.SLOW_NODE, for_ms=3_000))
    faults.inject(incident(Fault.SLOW, other=3, for_ms=1_000))
    cluster.world.run(2_000)
    assert ("n2", "n3") in slow
    faults.inject(incident(Fault.SLOW, other=3, for_ms=3_000))
    cluster.world.run(2_000)
    assert slow.keys() == {("n2", "n3"), ("n3", "n2")}
    cluster.world.run(2_000)
    assert not slow


@pytest.mark.parametrize("power", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_process_ends_at_a_disk_operation(cluster, faults, losses, *, power, share):
    produce(cluster.client(), "t", b"before")
    cluster.world.run(1_000)
    node = cluster.nodes[2]
    log = node.node.broker.replicas.partitions[TopicPartition("t", 0)].log
    assert log.log_end_offset == 1
    size = log.size_bytes
    ended = []
    node.crash_within_step(Crash(0, power=power, share=share, on_crash=lambda: ended.append(1)))
    produce(cluster.client(), "t", b"x" * 500)
    cluster.world.run_until(lambda: not node.alive, 1_000, "the node is down")
    assert ended == [1]
    assert losses == [2] * power
    end_offset = log.log_end_offset
    assert end_offset == 1, "the step went no further"
    if not power:
        (disk,) = node.disks.values()
        written = disk.open("t-0/00000000000000000000.log").size - size
        assert 200 < written < 500 if share else not written
    assert not node.ended_cleanly
    node.start()
    cluster.world.run_until(lambda: node.started, 30_000, "the node serves again")


def test_a_process_ends_while_it_loads_its_logs(cluster, faults, losses):
    node = cluster.nodes[2]
    node.kill()
    node.start(Crash(0, power=True))
    assert not node.alive
    assert losses == [2]
    node.start(Crash(1_000_000, power=False))
    cluster.world.run_until(lambda: node.started, 30_000, "the node serves again")


def test_crashes_within_steps_count_when_they_happen(cluster, faults, monkeypatch):
    monkeypatch.setattr("minikafka.sim.drive.faults.machines._OPERATIONS_BEFORE_CRASH", (5,))
    for at_ms in range(3):
        faults.inject(incident(Fault.CRASH_IN_STEP, for_ms=500, at_ms=at_ms))
        cluster.world.run_until(lambda: not cluster.nodes[2].alive, 60_000, "it is down")
        cluster.world.run_until(lambda: cluster.nodes[2].alive, 60_000, "it is up")
    assert faults.effects.counts["crash-in-step"] >= 3


def test_faults_without_effect_do_not_count(cluster, faults):
    node = cluster.nodes[2]
    faults.inject(incident(Fault.FULL_DISK, for_ms=10))
    cluster.world.run(20)
    node.kill()
    faults.inject(incident(Fault.KILL, for_ms=500))
    faults.inject(incident(Fault.CUT, other=3, for_ms=100))
    cluster.world.run(200)
    assert not +faults.effects.counts
    cluster.world.run_until(lambda: node.started, 30_000, "the node serves again")
    faults.inject(incident(Fault.CUT, other=1, for_ms=2_000))
    faults.inject(incident(Fault.SLOW, other=3, for_ms=2_000))
    faults.inject(incident(Fault.PAUSE, node=3, for_ms=500))
    cluster.world.run(1_000)
    faults.repair_all()
    assert +faults.effects.counts == {"cut": 1, "pause": 1}


def test_clocks_drift_but_do_not_jump(cluster, faults):
    node = cluster.nodes[2]
    before = node.now
    faults.inject(incident(Fault.DRIFT, for_ms=10_000))
    assert node.now == before
    cluster.world.run(10_000)
    gone_ms = node.now.monotonic_ms - before.monotonic_ms
    assert gone_ms != 10_000
    cluster.world.run(1_000)
    assert abs(node.now.monotonic_ms - before.monotonic_ms - gone_ms - 1_000) <= 1


@pytest.mark.parametrize("at_ms", [0, 1])
def test_an_old_copy_comes_back_and_is_no_clean_end(cluster, faults, losses, at_ms):
    """C3: also where the copy says of itself that it was shut down cleanly."""
    faults.inject(incident(Fault.RESTORE, at_ms=at_ms))
    node = cluster.nodes[2]
    cluster.world.run_until(lambda: node.started and node.starts == 1 + at_ms, 30_000, "copied")
    for number in range(3):
        produce(cluster.client(), "t", b"%d" % number)
    faults.inject(incident(Fault.RESTORE))
    assert not node.alive
    assert losses == [2]
    assert not node.ended_cleanly
    cluster.world.run_until(lambda: node.started, 30_000, "the node serves again")


def flip_a_bit(cluster, faults):
    (disk,) = cluster.nodes[2].disks.values()
    before = bytes(disk.content(META_PROPERTIES)[:1])
    patch = Patch(disk, META_PROPERTIES, 0, before, bytes([before[0] ^ 1]))
    faults.storage._damages.append(Damage(2, "a bit", [patch]))
    assert faults.storage.is_rotten(2)


def test_no_copy_is_made_of_a_disk_that_is_rotten(cluster, faults):
    """Seed 40000116: a copy does not say that its disk was to blame."""
    flip_a_bit(cluster, faults)
    faults.inject(incident(Fault.RESTORE))
    faults.inject(incident(Fault.RESTORE))
    assert not faults.effects.counts["restore"]


def test_damage_goes_with_the_disk(cluster, faults):
    flip_a_bit(cluster, faults)
    faults.inject(incident(Fault.WIPE))
    assert not faults.storage.is_rotten(2)


def test_everything_is_repaired_at_once_and_nothing_twice(cluster, faults):
    for what in (Fault.KILL, Fault.PAUSE, Fault.SLOW_DISK, Fault.DRIFT, Fault.DISK_ERROR):
        faults.inject(incident(what, node=1 + len(what.value) % 3, for_ms=20_000))
    for what in (Fault.SLOW, Fault.CLOG, Fault.CUT):
        faults.inject(incident(what, node=1, other=2, for_ms=20_000))
    cluster.world.run(5_000)
    faults.repair_all()
    cluster.world.run_until(cluster.all_started, 60_000, "all serve")
    assert not cluster.network.slow_links
    starts = {node_id: node.starts for node_id, node in cluster.nodes.items()}
    cluster.world.run(60_000)
    assert starts == {node_id: node.starts for node_id, node in cluster.nodes.items()}


@pytest.mark.parametrize("at_ms", range(4))
def test_a_broker_goes_on_without_one_of_its_directories(at_ms):
    """Later the directory works again, or an empty one replaces it."""
    cluster = started_cluster(3, separate_controller=True, log_dirs=2)
    lost = []
    faults = Faults(cluster, ("client",), lost.append)
    create_topic(cluster, "t", replicas=[[2, 1, 3]] * 4)
    node = cluster.nodes[2]
    sound, failing = node.disks
    ids = [home.directory_id for home in node.node.broker.logs.directories]
    faults.inject(incident(Fault.DIRECTORY_ERROR, at_ms=at_ms, for_ms=12_000))
    cluster.world.run_until(lambda: node.has_lost_directory, 11_000, "the directory fails")
    assert [home.disk.root for home in node.node.broker.logs.online] == [sound]
    cluster.world.run_until(lambda: node.starts == 2 and node.started, 30_000, "it serves again")
    assert not node.has_lost_directory
    after = [home.directory_id for home in node.node.broker.logs.directories]
    assert after[0] == ids[0]
    assert (after[1] != ids[1]) is (lost == [2])
    assert faults.effects.counts["directory-error"] == 1
    assert node.disks[failing].broken is None


def test_the_only_directory_does_not_fail(cluster, faults):
    faults.inject(incident(Fault.DIRECTORY_ERROR))
    assert [disk.broken for disk in cluster.nodes[2].disks.values()] == [None]


@pytest.mark.parametrize("ends", ["undone", "repaired"])
@pytest.mark.parametrize("at_ms", range(6))
def test_a_directory_is_taken_out_and_put_back_as_it_was(ends, at_ms):
    cluster = started_cluster(3, separate_controller=True, log_dirs=2)
    faults = Faults(cluster, ("client",), lambda _: None)
    cluster.on_step = faults.stepped
    create_topic(cluster, "t", replicas=[[2, 1, 3]] * 4)
    node = cluster.nodes[2]
    before = dict(node.disks)
    what = incident(Fault.DIRECTORY_OUT, at_ms=at_ms, for_ms=5_000)
    faults.inject(what)
    cluster.world.run(500)
    if node.alive and node.starts == 1:
        # It may wait for a move.
        moves, logs = node.node.broker.replicas.moves, node.node.broker.logs
        for at, log in list(logs.logs.items()):
            target = next(each for each in before if each != log.disk.root)
            node.post(partial(moves.alter, at, target))
    cluster.world.run_until(lambda: node.starts == 2 and node.started, 19_000, "it starts without")
    assert list(node.disks) == list(before)[:1]
    if ends == "repaired":
        faults.repair_all()
    cluster.world.run_until(lambda: node.starts == 3 and node.started, 60_000, "it starts with it")
    assert (node.disks, node.taken_out) == (before, {})
    assert len(node.node.broker.logs.online) == 2
    assert faults.effects.counts["directory-out"] == 1


def test_a_broker_crashes_while_it_moves_a_replica():
    cluster = started_cluster(1, separate_controller=True, log_dirs=2)
    faults = Faults(cluster, ("client",), lambda _: None)
    cluster.on_step = faults.stepped
    create_topic(cluster, "t")
    node = cluster.nodes[1]
    faults.inject(incident(Fault.CRASH_IN_MOVE, node=1))
    cluster.world.run(2_000)
    assert node.starts == 1
    logs = node.node.broker.logs
    at = TopicPartition("t", 0)
    target = next(each for each in logs.directories if each is not logs.directory_of(at))
    topics = [AlterReplicaLogDirTopic("t", [0])]
    request = AlterReplicaLogDirsRequest(dirs=[AlterReplicaLogDir(target.disk.root, topics)])
    cluster.client().ask(request, AlterReplicaLogDirsResponse, version=2)
    cluster.world.run_until(lambda: node.starts == 2 and node.started, 60_000, "it serves again")
    assert faults.effects.counts["crash-in-move"] == 1


def test_leaders_of_the_quorum_are_cut_off_one_after_the_other():
    cluster = started_cluster(1, voters=3, separate_controller=True)
    faults = Faults(cluster, (), lambda _: None)
    voters = [cluster.nodes[each] for each in cluster.controller_ids]
    cut = []

    def noted(line):
        if "is cut off from the other voters" in line:
            (leader,) = [x.node.raft for x in voters if x.host in line]
            assert leader.is_leader
            assert leader.high_watermark < leader.end_offset
            cut.append(leader.epoch)

    cluster.world.on_line = noted
    cluster.on_step = faults.stepped
    # The second one does nothing while the first one goes on.
    faults.inject(incident(Fault.CUT_LEADERS))
    faults.inject(incident(Fault.CUT_LEADERS, at_ms=1))
    cluster.world.run(60_000)
    assert 3 <= len(cut) <= 5
    assert cut == sorted(set(cut))
    assert faults.effects.counts["cut-leaders"] == 1
    states = {(x.node.raft.epoch, x.node.raft.leader_id, x.node.raft.end_offset) for x in voters}
    assert len(states) == 1


def test_the_only_voter_is_not_cut_off(cluster, faults):
    cluster.on_step = faults.stepped
    faults.inject(incident(Fault.CUT_LEADERS))
    cluster.world.run(5_000)
    assert faults.effects.counts["cut-leaders"] == 0
