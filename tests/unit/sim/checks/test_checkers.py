"""The checkers find violations in states that are broken by hand.

Rules: E1, E2, E7, H1, H2, H7, L8, C2.
"""

from dataclasses import replace

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.history.operations import Written
from minikafka.log.checkpoints import CLEAN_SHUTDOWN
from minikafka.log.unified_log import UnifiedLog
from minikafka.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from minikafka.metadata.features import ELIGIBLE_LEADER_REPLICAS_VERSION
from minikafka.metadata.image import RESOURCE_TOPIC
from minikafka.metadata.partition_registration import LeaderRecoveryState, PartitionRegistration
from minikafka.replica.in_sync_replicas import IsrState
from minikafka.sim.checks.checkers import Checkers, ReplicaView
from minikafka.sim.checks.committed_records import POWER_LOSS, UNCLEAN_ELECTION, Committed, Lost
from minikafka.sim.checks.final_checks import final_checks
from minikafka.sim.checks.history import History
from minikafka.sim.checks.log_batches import BatchIdentity
from minikafka.sim.world.violation import Violation
from tests.worlds.sim_world import (
    batch,
    create_topic,
    produce,
    registration,
    replica,
    started_cluster,
)

WHERE = TopicPartition("t", 0)


@pytest.fixture
def cluster():
    cluster = started_cluster(3)
    create_topic(cluster, "t", replicas=[[1, 2, 3]], config={"min.insync.replicas": "2"})
    for number in range(3):
        produce(cluster.client(), "t", b"%d" % number)
    cluster.world.run(2_000)
    return cluster


@pytest.fixture
def checkers():
    return Checkers(History(), 2, elr_enabled=True)


def changed(image, **changes):
    """The image with another state of the partition."""
    topic = image.topic("t")
    now = replace(topic.partitions[0], **changes)
    topics = {**image.topics, topic.topic_id: replace(topic, partitions={0: now})}
    return replace(image, topics=topics, offset=image.offset + 1)


def look_at(cluster, checkers, *changes):
    image = cluster.nodes[1].node.loader.image
    checkers.check_metadata(image)
    for change in changes:
        image = changed(image, **change)
        checkers.check_metadata(image)


@pytest.mark.parametrize(
    "change",
    [
        lambda log, known, patch: setattr(known, "is_open", True),
        lambda log, known, patch: setattr(known, "end_offset", 9),
        lambda log, known, patch: known.by_leader.update({(2, 9): 0}),
        lambda log, known, patch: known.lost.append(None),
        lambda log, known, patch: setattr(log, "high_watermark", 1),
        lambda log, known, patch: patch.setattr(UnifiedLog, "generation", 1),
        lambda log, known, patch: patch.setattr(UnifiedLog, "last_batch_end_offset", 1),
        lambda log, known, patch: patch.setattr(UnifiedLog, "recovery_point", 1),
    ],
)
def test_a_replica_is_checked_again_where_something_has_changed_for_it(
    cluster, monkeypatch, change
):
    """Also where it is as long as before, or a leader has said what is committed."""
    partition, known = replica(cluster, 2, "t"), Committed()
    glance = ReplicaView(partition, known)
    assert glance.is_unchanged(partition)
    change(partition.log, known, monkeypatch)
    assert not glance.is_unchanged(partition)


NEXT = {"partition_epoch": 9, "leader_epoch": 9}
UNCLEAN_ELECTION_OF_2 = (
    {"isr": (), "elr": (), "last_known_elr": (1, 3), "last_known_leader": 2, "leader": -1,
     "partition_epoch": 5, "leader_epoch": 5},
    {"isr": (2,), "elr": (), "leader": 2, "leader_epoch": 7, "partition_epoch": 7,
     "leader_recovery_state": LeaderRecoveryState.RECOVERING},
)  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"isr": (1,), "elr": (1, 2), **NEXT}, "E2"),
        ({"isr": (1, 2), "elr": (3,), **NEXT}, "E2"),
        ({"isr": (1, 9), **NEXT}, "E2"),
        ({"isr": (2,), **NEXT}, "E2"),
        ({"isr": (1, 2)}, "epochs: t-0: they go back"),
        ({"leader": 2, "partition_epoch": 9}, "epochs: t-0: a new leader in the same"),
    ],
)
def test_a_broken_registration_is_found(cluster, checkers, changes, rule):
    with pytest.raises(Violation, match=rule):
        look_at(cluster, checkers, changes)


def test_changes_that_are_committed_at_once_are_checked_one_by_one(cluster):
    """MinIsrRecoveryQuorum: an ISR that shrinks, and a min ISR that is raised after it."""
    checkers = Checkers(History(), 2, elr_enabled=True, nodes=cluster.nodes)
    controller = cluster.nodes[cluster.controller_id]
    checkers.check(controller)
    cluster.nodes[3].kill()
    cluster.world.run_until(lambda: len(registration(cluster, "t").isr) == 2, 60_000, "3 is out")
    raised = AlterConfigsResource(
        RESOURCE_TOPIC, "t", [AlterableConfig("min.insync.replicas", 0, "3")]
    )
    request = IncrementalAlterConfigsRequest(resources=[raised])
    cluster.client().ask(request, IncrementalAlterConfigsResponse)
    cluster.world.run(1_000)
    image = controller.node.loader.image
    assert image.config(RESOURCE_TOPIC, "t") == {"min.insync.replicas": "3"}
    checkers.check(controller)
    checkers = Checkers(History(), 2, elr_enabled=True)
    checkers.check_metadata(changed(image, isr=(1, 2, 3), partition_epoch=8))
    with pytest.raises(Violation, match="fewer than 3"):
        checkers.check_metadata(replace(changed(image, partition_epoch=9), offset=image.offset + 2))


def test_a_leader_out_of_nowhere_must_be_marked(cluster, checkers):
    without = {
        "isr": (),
        "last_known_elr": (1, 2),
        "leader": -1,
        "partition_epoch": 5,
        "leader_epoch": 5,
    }
    with pytest.raises(Violation, match="L8"):
        look_at(cluster, checkers, without, {"isr": (3,), "elr": (), "leader": 3, **NEXT})


def test_an_empty_isr_is_found_where_elr_is_off(cluster):
    checkers = Checkers(History(), 2, elr_enabled=False)
    image = cluster.nodes[1].node.loader.image
    features = {**image.features, ELIGIBLE_LEADER_REPLICAS_VERSION: 0}
    cluster.nodes[1].node.loader.image = replace(image, features=features)
    with pytest.raises(Violation, match="E1"):
        look_at(cluster, checkers, {"isr": (), "leader": -1, **NEXT})


def test_a_high_watermark_that_goes_back_is_found(cluster, checkers):
    checkers.check(cluster.nodes[1])
    replica(cluster, 1, "t").log.high_watermark -= 1
    with pytest.raises(Violation, match="H7"):
        checkers.check(cluster.nodes[1])


def registration_of_2(recovery=LeaderRecoveryState.RECOVERED):
    return PartitionRegistration(
        replicas=(1, 2, 3), directories=(), isr=(2,), leader=2, leader_epoch=7, partition_epoch=7,
        leader_recovery_state=recovery,
    )  # fmt: skip


def lead_elsewhere(cluster, recovery=LeaderRecoveryState.RECOVERED):
    """Node 2 leads epoch 7, with an empty log."""
    partition = replica(cluster, 2, "t")
    partition.log.truncate_to(1, cluster.nodes[2].now)
    partition.apply(registration_of_2(recovery))


def test_a_leader_without_committed_records_is_found(cluster, checkers):
    checkers.check(cluster.nodes[1])
    assert checkers.committed[WHERE].end_offset == 3
    lead_elsewhere(cluster)
    with pytest.raises(Violation, match="LeaderCompleteness"):
        checkers.check(cluster.nodes[2])


@pytest.mark.parametrize(("committed_before", "is_complete"), [(1, True), (2, False)])
def test_a_leader_that_was_deposed_already_must_hold_earlier_commits(
    cluster, checkers, committed_before, is_complete
):
    """It hears of epoch 7 after the leader of epoch 9 has committed."""
    checkers.check(cluster.nodes[1])
    checkers.committed[WHERE].begun[9] = committed_before
    lead_elsewhere(cluster)
    if is_complete:
        checkers.check(cluster.nodes[2])
        return
    with pytest.raises(Violation, match="LeaderCompleteness"):
        checkers.check(cluster.nodes[2])


def test_records_that_an_unclean_leader_lacks_are_lost_and_counted(cluster, checkers):
    """L8: the only excuse there is."""
    checkers.check(cluster.nodes[1])
    look_at(cluster, checkers, *UNCLEAN_ELECTION_OF_2)
    lead_elsewhere(cluster)
    checkers.check(cluster.nodes[2])
    known = checkers.committed[WHERE]
    assert [each.batch.base_offset for each in known.lost] == [1, 2]
    assert known.end_offset == 1
    assert checkers.unclean_elections == 1


def test_records_that_a_damaged_leader_lacks_after_a_power_loss_are_lost_once(cluster, checkers):
    """E13, seed 40000106: its followers, which lead after it, have cut that off."""
    checkers.check(cluster.nodes[1])
    checks = checkers.replicas
    checks.is_damaged = checks.is_excused = lambda node_id, *_: node_id == 2
    lead_elsewhere(cluster)
    checkers.check(cluster.nodes[2])
    known = checkers.committed[WHERE]
    assert [(each.batch.base_offset, each.why) for each in known.lost] == [
        (1, POWER_LOSS), (2, POWER_LOSS),
    ]  # fmt: skip
    assert known.end_offset == 1


def test_a_damaged_unclean_leader_is_judged_by_its_epochs(cluster, checkers):
    """L8, seed 41000003: what it goes on to commit may be lost in a later election."""
    checkers.check(cluster.nodes[1])
    look_at(cluster, checkers, *UNCLEAN_ELECTION_OF_2)
    checkers.replicas.is_damaged = lambda node_id, _: node_id == 2
    lead_elsewhere(cluster)
    checkers.check(cluster.nodes[2])
    known = checkers.committed[WHERE]
    assert [each.batch.base_offset for each in known.lost] == [1, 2]
    assert not known.is_open
    log = replica(cluster, 2, "t").log
    log.high_watermark = 1
    checkers.replicas.leader(cluster.nodes[2], replica(cluster, 2, "t"))
    log.high_watermark = 0
    with pytest.raises(Violation, match="H7"):
        checkers.replicas.leader(cluster.nodes[2], replica(cluster, 2, "t"))


def test_records_below_an_unclean_leaders_log_are_lost(cluster, checkers):
    """L8: its log had begun there before, and others have committed below meanwhile."""
    checkers.check(cluster.nodes[1])
    look_at(cluster, checkers, *UNCLEAN_ELECTION_OF_2)
    partition = replica(cluster, 2, "t")
    partition.log.truncate_fully_and_start_at(2, cluster.nodes[2].now)
    partition.apply(registration_of_2())
    checkers.replicas.leader(cluster.nodes[2], partition)
    assert {each.batch.base_offset for each in checkers.committed[WHERE].lost} == {0, 1, 2}


@pytest.mark.parametrize("is_damaged", [False, True])
def test_a_batch_within_which_an_unclean_leaders_log_begins_is_lost_if_it_lacks_it(
    cluster, checkers, is_damaged
):
    """L8, seed 71000116: it has an old copy of its log, whose batches began elsewhere."""
    produce(cluster.client(), "t", b"3", b"4", b"5")
    cluster.world.run(2_000)
    checkers.check(cluster.nodes[1])
    look_at(cluster, checkers, *UNCLEAN_ELECTION_OF_2)
    checkers.replicas.is_damaged = lambda node_id, _: is_damaged and node_id == 2
    partition = replica(cluster, 2, "t")
    partition.log.truncate_fully_and_start_at(4, cluster.nodes[2].now)
    partition.apply(registration_of_2())
    checkers.replicas.leader(cluster.nodes[2], partition)
    known = checkers.committed[WHERE]
    assert 3 in {each.batch.base_offset for each in known.lost}
    assert known.end_offset == 3


def test_a_leader_whose_log_begins_within_a_batch_has_it(cluster, checkers):
    produce(cluster.client(), "t", b"3", b"4", b"5")
    cluster.world.run(2_000)
    checkers.check(cluster.nodes[1])
    partition = replica(cluster, 2, "t")
    partition.log.increment_log_start_offset(4)
    partition.apply(registration_of_2())
    checkers.replicas.leader(cluster.nodes[2], partition)


def test_records_that_a_deposed_leader_commits_later_are_lost_too(cluster, checkers):
    """L8: the unclean election could not reach it and its followers."""
    checkers.check(cluster.nodes[1])
    look_at(cluster, checkers, *UNCLEAN_ELECTION_OF_2)
    produce(cluster.client(), "t", b"3")
    cluster.world.run(2_000)
    node = cluster.nodes[1]
    for _ in range(2):
        checkers.replicas.leader(node, node.node.broker.replicas.partitions[WHERE])
    known = checkers.committed[WHERE]
    assert [each.batch.base_offset for each in known.lost] == [3]
    assert known.end_offset == 3


def test_a_leader_that_overestimates_a_follower_is_found(cluster):
    """WeakIsr."""
    checkers = Checkers(History(), 2, elr_enabled=True, nodes=cluster.nodes)
    checkers.check(cluster.nodes[1])
    replica(cluster, 1, "t").followers[3].log_end_offset += 1
    with pytest.raises(Violation, match="WeakIsr.*for 3, with epoch"):
        checkers.check(cluster.nodes[1])


def test_a_leader_that_goes_by_another_isr_than_the_committed_one_is_found(cluster):
    """ReplicationQuorumSuperset."""
    checkers = Checkers(History(), 2, elr_enabled=True, nodes=cluster.nodes)
    checkers.check(cluster.nodes[1])
    replica(cluster, 1, "t").isr = IsrState((1, 2))
    with pytest.raises(Violation, match="ReplicationQuorumSuperset"):
        checkers.check(cluster.nodes[1])


@pytest.mark.parametrize("isr", [IsrState((1, 2, 3), (1, 2)), IsrState((1, 2, 3), (1, 2, 3))])
def test_a_proposal_under_way_is_no_reason_to_object(cluster, isr):
    checkers = Checkers(History(), 2, elr_enabled=True, nodes=cluster.nodes)
    replica(cluster, 1, "t").isr = isr
    checkers.check(cluster.nodes[1])
    assert checkers.coverage.checks > 1


def test_a_member_of_the_isr_that_lacks_committed_records_is_found(cluster):
    """LeaderCandidateCompleteness: at a change of the ISR, and when the member serves again."""
    checkers = Checkers(History(), 2, elr_enabled=True, nodes=cluster.nodes)
    checkers.check(cluster.nodes[1])
    replica(cluster, 3, "t").log.truncate_to(1, cluster.nodes[3].now)
    with pytest.raises(Violation, match="LeaderCandidateCompleteness: t-0: 3 of ISR"):
        checkers.check(cluster.nodes[3])
    image = cluster.nodes[1].node.loader.image
    with pytest.raises(Violation, match="LeaderCandidateCompleteness: t-0: 3 of ISR"):
        checkers.check_metadata(changed(image, partition_epoch=5))


def test_a_high_watermark_that_moves_under_min_isr_is_found(cluster):
    """H1, H3."""
    checkers = Checkers(History(), 2, elr_enabled=True, nodes=cluster.nodes)
    checkers.check(cluster.nodes[1])
    partition = replica(cluster, 1, "t")
    partition.min_isr = 4
    partition.log.append_as_leader(
        memoryview(bytearray(batch(b"x"))), leader_epoch=0, now=cluster.nodes[1].now
    )
    partition.log.update_high_watermark(4)
    with pytest.raises(Violation, match="H1"):
        checkers.check(cluster.nodes[1])
    partition.min_isr = 2
    checkers.committed[WHERE].by_leader[1, 0] = 3
    with pytest.raises(Violation, match="H2: t-0: the high watermark is 4, ISR member 2 ends at 3"):
        checkers.check(cluster.nodes[1])


def test_a_replica_with_other_records_is_found(cluster):
    """LogMatching."""
    checkers = Checkers(History(), 2, elr_enabled=True, nodes=cluster.nodes)
    for node in cluster.nodes.values():
        checkers.check(node)
    checkers.check_at_end()
    known = checkers.committed[WHERE]
    known.batches[1] = known.batches[1]._replace(crc=0)
    known.matched.clear()
    with pytest.raises(Violation, match="LogMatching: t-0: n1 has"):
        checkers.check_at_end()


def test_a_clean_shutdown_file_that_stays_is_found(cluster):
    """C2."""
    node = cluster.nodes[2]
    Checkers(History(), 2, elr_enabled=True, nodes=cluster.nodes).check(node)
    (disk,) = node.disks.values()
    disk.open(CLEAN_SHUTDOWN, create=True)
    with pytest.raises(Violation, match="C2: n2 runs"):
        Checkers(History(), 2, elr_enabled=True, nodes=cluster.nodes).check(node)


def test_a_broker_that_stays_in_the_isr_after_an_unclean_end_is_found(cluster):
    """E7: the new epoch of a process that follows a killed one, and the ISR as it was."""
    checkers = Checkers(History(), 2, elr_enabled=True, nodes=cluster.nodes)
    checkers.check(cluster.nodes[1])
    image = cluster.nodes[1].node.loader.image
    again = replace(image.brokers[2], epoch=image.brokers[2].epoch + 50)
    later = replace(image, brokers={**image.brokers, 2: again}, offset=image.offset + 1)
    checkers.check_metadata(later)
    cluster.nodes[2].began_cleanly = False
    again = replace(again, epoch=again.epoch + 50)
    later = replace(later, brokers={**image.brokers, 2: again}, offset=later.offset + 1)
    with pytest.raises(Violation, match="E7: t-0: 2 had an unclean shutdown"):
        checkers.check_metadata(later)


def written(value, offset=None, *, refused=False, acks=-1):
    return Written(value, acks, 0, offset, refused)


def final(writes, logs, lost=(), history=None):
    checkers = Checkers(history or History(), 2, elr_enabled=True)
    checkers.history.writes[WHERE] = writes
    if lost:
        checkers.committed[WHERE] = Committed(lost=list(lost))
    return final_checks(checkers, checkers.history, {WHERE: logs})


@pytest.mark.parametrize(
    ("writes", "logs", "kinds"),
    [
        ([written(b"a", 0)], {0: b"a"}, []),
        ([written(b"a", 0)], {}, ["lost"]),
        ([written(b"a", 0)], {1: b"a"}, ["lost"]),
        ([written(b"a", 0, acks=1)], {}, []),
        ([written(b"a")], {4: b"a"}, []),
        ([written(b"a")], {}, []),
        ([written(b"a", 0)], {0: b"a", 1: b"a"}, ["duplicate"]),
        ([written(b"a", refused=True)], {3: b"a"}, ["aborted read"]),
        ([written(b"a", 0)], {0: b"a", 1: b"x"}, ["phantom"]),
    ],
)
def test_final_reads_are_compared_with_the_guarantees(writes, logs, kinds):
    assert [problem.partition(":")[0] for problem in final(writes, logs)] == kinds


LOST = Lost(BatchIdentity(3, 5, 0, 0), (b"x", b"a", b"y"), UNCLEAN_ELECTION, 1)


def test_a_record_that_an_unclean_election_took_is_excused():
    assert final([written(b"a", 4)], {}, [LOST]) == []
    assert len(final([written(b"a", 6)], {}, [LOST])) == 1


def test_another_record_at_the_offset_of_a_lost_one_is_not_excused():
    [problem] = final([written(b"a", 4), written(b"b", 4)], {}, [LOST])
    assert problem.startswith(f"lost: {WHERE} b'b'")


def test_an_offset_that_changed_its_value_is_a_contradiction():
    """ConsistentRead."""
    history = History()
    history.read(WHERE, 3, b"a")
    history.read(WHERE, 3, b"a")
    assert history.contradictions == []
    history.read(WHERE, 3, b"b")
    assert len(history.contradictions) == 1
    history.forget_reads_from(WHERE, 3)
    history.read(WHERE, 3, b"c")
    assert len(history.contradictions) == 1


def test_a_deposed_leader_may_serve_records_lost_by_an_election():
    """ConsistentRead: it cannot know, and what it shows was committed once; nothing else may be."""
    history = History()
    for offset in (3, 6):
        history.read(WHERE, offset, b"new")
        history.read(WHERE, offset, b"x")
    [problem] = final([], {}, [LOST], history)
    assert problem.startswith(f"ConsistentRead: {WHERE} offset 6")


def count_checked_replicas(cluster, checkers, monkeypatch):
    """Count the replicas of the topic that are checked on all brokers."""
    looks = []
    look = Checkers._check_partition

    def counted(self, node, partition):
        looks.append(partition)
        look(self, node, partition)

    monkeypatch.setattr(Checkers, "_check_partition", counted)
    for node_id in (1, 2, 3):
        checkers.check(cluster.nodes[node_id])
    return len([each for each in looks if each.topic_partition == WHERE])


def test_a_changed_replica_is_checked_again(cluster, checkers, monkeypatch):
    for _ in range(2):
        count_checked_replicas(cluster, checkers, monkeypatch)
    assert count_checked_replicas(cluster, checkers, monkeypatch) == 0
    produce(cluster.client(), "t", b"more")
    cluster.world.run(2_000)
    assert count_checked_replicas(cluster, checkers, monkeypatch) == 3
    checkers.lost_records(2)
    assert count_checked_replicas(cluster, checkers, monkeypatch) == 3


def test_replicas_are_checked_again_after_a_change_of_the_metadata(cluster, checkers, monkeypatch):
    for _ in range(2):
        count_checked_replicas(cluster, checkers, monkeypatch)
    look_at(cluster, checkers, {"partition_epoch": 9})
    assert count_checked_replicas(cluster, checkers, monkeypatch) == 3
