import pytest

from minikafka.common.errors import ErrorCode, StaleBrokerEpochError
from minikafka.common.ids import Uuid
from minikafka.controller import replication_control
from minikafka.controller.replication_control import balancing
from minikafka.messages import alter_partition as messages
from minikafka.metadata.partition_registration import LeaderRecoveryState
from tests.worlds.quorum_world import QuorumWorld

RECOVERING = LeaderRecoveryState.RECOVERING


def request_of(world, leader, topic_id, partition=0):
    return messages.AlterPartitionRequest(
        broker_id=leader,
        broker_epoch=world.image.brokers[leader].epoch,
        topics=[
            messages.AlterPartitionRequestTopicData(
                topic_id=topic_id,
                partitions=[messages.AlterPartitionRequestPartitionData(partition_index=partition)],
            )
        ],
    )


def answer_to(world, request):
    _, response = world.apply(
        world.controller.decide(replication_control.alter_partition, request, 3)
    )
    return response.topics[0].partitions[0]


@pytest.mark.parametrize("version", [2, 3])
def test_a_proposed_isr_is_committed_and_answered(elr_topic, version):
    (record,), answer = elr_topic.propose(1, [1, 2], version=version)
    assert record.isr == [1, 2]
    assert answer.error_code == 0
    assert (answer.leader_id, answer.leader_epoch, answer.partition_epoch) == (1, 0, 1)
    assert answer.isr == [1, 2]
    assert answer.leader_recovery_state == 0


def test_a_proposal_that_changes_nothing_is_a_success_without_record(elr_topic):
    records, answer = elr_topic.propose(1, [1, 2, 3])
    assert records == []
    assert (answer.error_code, answer.partition_epoch) == (0, 0)


def test_a_shrinking_isr_fills_the_elr_and_a_growing_one_empties_it(elr_topic):
    elr_topic.propose(1, [1])
    assert elr_topic.partition().elr == (2, 3)
    elr_topic.propose(1, [1, 3])
    assert elr_topic.partition().elr == ()


def test_a_proposal_of_another_incarnation_is_refused_as_a_whole(elr_topic):
    request = request_of(elr_topic, 1, elr_topic.image.topic_ids["t"])
    request.broker_epoch += 1
    with pytest.raises(StaleBrokerEpochError):
        elr_topic.controller.decide(replication_control.alter_partition, request, 3)


def test_unknown_topics_and_partitions_are_named(elr_topic):
    unknown_topic = answer_to(elr_topic, request_of(elr_topic, 1, Uuid.of(1, 1)))
    assert unknown_topic.error_code == ErrorCode.UNKNOWN_TOPIC_ID
    request = request_of(elr_topic, 1, elr_topic.image.topic_ids["t"], partition=5)
    assert answer_to(elr_topic, request).error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"leader_epoch": 2}, ErrorCode.NOT_CONTROLLER),
        ({"partition_epoch": 3}, ErrorCode.NOT_CONTROLLER),
        ({"leader_epoch": 0}, ErrorCode.FENCED_LEADER_EPOCH),
        ({"partition_epoch": 1}, ErrorCode.INVALID_UPDATE_VERSION),
        ({"leader_recovery_state": 1}, ErrorCode.INVALID_REQUEST),
        ({"leader_recovery_state": 7}, ErrorCode.INVALID_REQUEST),
    ],
)
def test_a_proposal_is_refused_because_of(elr_topic, changes, error):
    elr_topic.fence(1)
    elr_topic.heartbeat(1)
    elr_topic.propose(2, [2, 3, 1])
    assert elr_topic.partition().leader == 2
    records, answer = elr_topic.propose(2, [2, 3], **changes)
    assert records == []
    assert answer.error_code == error


@pytest.mark.parametrize("isr", [[1, 1], [1, 9], [2, 3], []])
def test_an_isr_that_is_none_is_refused(elr_topic, isr):
    assert elr_topic.propose(1, isr)[1].error_code == ErrorCode.INVALID_REQUEST


def test_only_the_leader_may_propose(elr_topic):
    assert elr_topic.propose(2, [1, 2])[1].error_code == ErrorCode.INVALID_REQUEST


def test_a_fenced_broker_cannot_join_an_isr(elr_topic):
    elr_topic.fence(3)
    assert elr_topic.propose(1, [1, 2, 3])[1].error_code == ErrorCode.INELIGIBLE_REPLICA


def test_a_broker_in_controlled_shutdown_cannot_join_an_isr(elr_topic):
    elr_topic.create("u", assignment=((3,),))
    elr_topic.heartbeat(3, want_shut_down=True)
    assert not elr_topic.image.brokers[3].fenced
    assert elr_topic.propose(1, [1, 2, 3])[1].error_code == ErrorCode.INELIGIBLE_REPLICA


def test_an_earlier_incarnation_cannot_join_an_isr(elr_topic):
    elr_topic.propose(1, [1, 2])
    epoch = elr_topic.image.brokers[3].epoch
    members = [messages.BrokerState(broker_id=x) for x in (1, 2)]
    stale = messages.BrokerState(broker_id=3, broker_epoch=epoch - 1)
    _, answer = elr_topic.propose(1, [], new_isr_with_epochs=[*members, stale])
    assert answer.error_code == ErrorCode.INELIGIBLE_REPLICA
    current = messages.BrokerState(broker_id=3, broker_epoch=epoch)
    _, answer = elr_topic.propose(1, [], new_isr_with_epochs=[*members, current])
    assert answer.error_code == 0


def with_unclean_leader(world):
    """Partition 0 of topic t: broker 3 leads uncleanly and has not recovered."""
    world.create(configs={"unclean.leader.election.enable": "true"})
    world.propose(1, [1])
    world.fence(1)
    now = world.partition()
    assert now.leader_recovery_state is RECOVERING
    return now.leader


def test_an_unclean_leader_reports_that_it_has_recovered(cluster):
    leader = with_unclean_leader(cluster)
    (record,), answer = cluster.propose(leader, [leader], leader_recovery_state=0)
    assert record.leader_recovery_state == 0
    assert answer.leader_recovery_state == 0


def test_an_unclean_leader_stands_alone_until_it_has_recovered(cluster):
    leader = with_unclean_leader(cluster)
    other = 2 if leader == 3 else 3
    _, answer = cluster.propose(leader, [leader, other], leader_recovery_state=1)
    assert answer.error_code == ErrorCode.INVALID_REQUEST
    _, answer = cluster.propose(leader, [leader], leader_recovery_state=1)
    assert (answer.error_code, answer.leader_recovery_state) == (0, 1)


def test_leaderships_go_back_to_first_replicas_in_the_background():
    world = QuorumWorld.started(config={"leader.imbalance.check.interval.seconds": "1"})
    world.join(1, 2)
    world.create(assignment=((1, 2), (2, 1)))
    world.fence(1)
    world.heartbeat(1)
    world.propose(2, [2, 1])
    assert world.partition().leader == 2
    world.advance(1000)
    assert world.partition().leader == 1
    assert world.partition().isr == (2, 1)


def test_balancing_stops_at_its_limit(cluster):
    cluster.create(assignment=((1, 2),) * 5)
    cluster.fence(1)
    cluster.heartbeat(1)
    for index in range(5):
        cluster.propose(2, [2, 1], index=index)
    records = balancing(cluster.controller.current_view(), 3)
    assert len(records) == 3
    assert len(balancing(cluster.controller.current_view(), 100)) == 5


def test_allowing_unclean_elections_elects_at_once(elr_topic):
    """L5: a live replica leads, though ELR members are fenced."""
    for broker_id in (3, 2, 1):
        elr_topic.fence(broker_id)
    elr_topic.heartbeat(3)
    assert elr_topic.partition().leader == -1
    elr_topic.set_config("t", "unclean.leader.election.enable", "true")
    assert elr_topic.partition().leader == -1
    elr_topic.advance(0)
    now = elr_topic.partition()
    assert (now.leader, now.isr, now.elr) == (3, (3,), ())
    assert now.leader_recovery_state is RECOVERING


def test_unclean_elections_are_looked_for_from_time_to_time(elr_topic):
    for broker_id in (3, 2, 1):
        elr_topic.fence(broker_id)
    elr_topic.heartbeat(3)
    config = {
        "unclean.leader.election.enable": "true",
        "unclean.leader.election.interval.ms": "500",
    }
    restarted = QuorumWorld.started(elr_topic.disk, config)
    assert restarted.partition().leader == -1
    restarted.advance(500)
    assert restarted.partition().leader == 3
