import pytest

from minikafka.common.errors import ErrorCode, InvalidRequestError
from minikafka.messages import elect_leaders as messages

PREFERRED, UNCLEAN = 0, 1


def elect(world, kind, asked=(("t", [0]),)):
    """(records, error code by topic and partition)."""
    request = messages.ElectLeadersRequest(
        election_type=kind,
        topic_partitions=None
        if asked is None
        else [messages.TopicPartitions(topic=t, partitions=list(p)) for t, p in asked],
    )
    records, response = world.apply(world.controller.elect_leaders(request))
    answers = {
        (topic.topic, row.partition_id): row.error_code
        for topic in response.replica_election_results
        for row in topic.partition_result
    }
    return records, answers


def with_leader_2(world):
    """Topic t is led by 2, with 1, its preferred leader, back in the ISR."""
    world.create()
    world.fence(1)
    world.heartbeat(1)
    world.propose(2, [2, 3, 1])


def test_the_preferred_leader_is_elected(cluster):
    with_leader_2(cluster)
    (record,), answers = elect(cluster, PREFERRED)
    assert record.leader == 1
    assert answers == {("t", 0): ErrorCode.NONE}


def test_no_election_is_needed_where_the_preferred_leader_leads(cluster):
    cluster.create()
    records, answers = elect(cluster, PREFERRED)
    assert records == []
    assert answers == {("t", 0): ErrorCode.ELECTION_NOT_NEEDED}


def test_a_preferred_leader_outside_the_isr_is_not_available(cluster):
    cluster.create()
    cluster.fence(1)
    cluster.heartbeat(1)
    assert elect(cluster, PREFERRED)[1] == {("t", 0): ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE}


def test_unknown_partitions_are_named(cluster):
    cluster.create()
    _, answers = elect(cluster, PREFERRED, [("t", [7]), ("other", [0])])
    assert set(answers.values()) == {ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}
    assert len(answers) == 2


def test_an_unclean_election_is_not_needed_where_somebody_leads(cluster):
    with_leader_2(cluster)
    assert elect(cluster, UNCLEAN)[1] == {("t", 0): ErrorCode.ELECTION_NOT_NEEDED}


def test_an_unclean_election_asks_no_configuration(elr_topic):
    """Apache Kafka does the same: its transcript e."""
    for broker_id in (3, 2, 1):
        elr_topic.fence(broker_id)
    elr_topic.heartbeat(3)
    assert elr_topic.partition().leader == -1
    (record,), answers = elect(elr_topic, UNCLEAN)
    assert answers == {("t", 0): ErrorCode.NONE}
    assert (record.leader, record.isr, record.eligible_leader_replicas) == (3, [3], [])
    assert record.leader_recovery_state == 1


def test_an_unclean_election_needs_a_live_replica(elr_topic):
    for broker_id in (3, 2, 1):
        elr_topic.fence(broker_id)
    assert elect(elr_topic, UNCLEAN)[1] == {("t", 0): ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE}


def test_a_null_list_answers_only_where_an_election_made_sense(cluster):
    with_leader_2(cluster)
    cluster.create("settled", assignment=((2, 3),))
    assert elect(cluster, PREFERRED, None)[1] == {("t", 0): ErrorCode.NONE}


def test_a_partition_that_is_named_twice_is_elected_once(cluster):
    with_leader_2(cluster)
    records, answers = elect(cluster, PREFERRED, [("t", [0, 0])])
    assert len(records) == 1
    assert answers == {("t", 0): ErrorCode.NONE}


def test_other_election_types_are_refused(cluster):
    with pytest.raises(InvalidRequestError):
        elect(cluster, 2)
