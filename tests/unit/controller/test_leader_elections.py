import pytest

from minikafka.common.election_type import ElectionType
from minikafka.common.errors import ErrorCode, InvalidRequestError
from minikafka.controller import cluster_control, leader_elections
from minikafka.messages import elect_leaders as messages
from minikafka.messages.unregister_broker import UnregisterBrokerRequest
from minikafka.metadata.image import RESOURCE_BROKER
from tests.worlds.recovery_world import lost_world, world_with_topic


def elect(world, kind, asked=(("t", [0]),)):
    """(records, error code by topic and partition)."""
    request = messages.ElectLeadersRequest(
        election_type=kind,
        topic_partitions=None
        if asked is None
        else [messages.TopicPartitions(topic=t, partitions=list(p)) for t, p in asked],
    )
    records, response = world.apply(
        world.controller.decide(leader_elections.elect_leaders, request, 3)
    )
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
    (record,), answers = elect(cluster, ElectionType.PREFERRED)
    assert record.leader == 1
    assert answers == {("t", 0): ErrorCode.NONE}


def test_no_election_is_needed_where_the_preferred_leader_leads(cluster):
    cluster.create()
    records, answers = elect(cluster, ElectionType.PREFERRED)
    assert records == []
    assert answers == {("t", 0): ErrorCode.ELECTION_NOT_NEEDED}


def test_a_preferred_leader_outside_the_isr_is_not_available(cluster):
    cluster.create()
    cluster.fence(1)
    cluster.heartbeat(1)
    assert elect(cluster, ElectionType.PREFERRED)[1] == {
        ("t", 0): ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
    }


def test_unknown_partitions_are_named(cluster):
    cluster.create()
    _, answers = elect(cluster, ElectionType.PREFERRED, [("t", [7]), ("other", [0])])
    assert set(answers.values()) == {ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}
    assert len(answers) == 2


def test_an_unclean_election_is_not_needed_with_a_leader(cluster):
    with_leader_2(cluster)
    assert elect(cluster, ElectionType.UNCLEAN)[1] == {("t", 0): ErrorCode.ELECTION_NOT_NEEDED}


def test_an_unclean_election_asks_no_configuration(elr_topic):
    """Apache Kafka does the same: its transcript e."""
    for broker_id in (3, 2, 1):
        elr_topic.fence(broker_id)
    elr_topic.heartbeat(3)
    assert elr_topic.partition().leader == -1
    (record,), answers = elect(elr_topic, ElectionType.UNCLEAN)
    assert answers == {("t", 0): ErrorCode.NONE}
    assert (record.leader, record.isr, record.eligible_leader_replicas) == (3, [3], [])
    assert record.leader_recovery_state == 1


def test_an_unclean_election_needs_a_live_replica(elr_topic):
    for broker_id in (3, 2, 1):
        elr_topic.fence(broker_id)
    assert elect(elr_topic, ElectionType.UNCLEAN)[1] == {
        ("t", 0): ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE
    }


def test_a_null_list_answers_only_where_an_election_made_sense(cluster):
    with_leader_2(cluster)
    cluster.create("settled", assignment=((2, 3),))
    assert elect(cluster, ElectionType.PREFERRED, None)[1] == {("t", 0): ErrorCode.NONE}


def test_a_partition_that_is_named_twice_is_elected_once(cluster):
    with_leader_2(cluster)
    records, answers = elect(cluster, ElectionType.PREFERRED, [("t", [0, 0])])
    assert len(records) == 1
    assert answers == {("t", 0): ErrorCode.NONE}


NEW = (2, 3, 4)


def request_of(kind, *rows):
    return messages.ElectLeadersRequest(
        election_type=kind,
        topic_partitions=[
            messages.TopicPartitions(topic=topic, partitions=indexes, desired_leaders=desired)
            for topic, indexes, desired in rows
        ],
    )


@pytest.mark.parametrize(
    ("kind", "version"), [(5, 3), (-1, 3), (5, 2), *((kind, 2) for kind in NEW)]
)
def test_other_election_types_are_refused(cluster, kind, version):
    """A2: types 2 to 4 need version 3."""
    request = request_of(kind, ("t", [0], None))
    with pytest.raises(InvalidRequestError):
        cluster.controller.decide(leader_elections.elect_leaders, request, version)


@pytest.mark.parametrize(
    ("kind", "rows"),
    [
        (ElectionType.DESIGNATION, None),
        (ElectionType.DESIGNATION, [("t", [0], None)]),
        (ElectionType.DESIGNATION, [("t", [0, 1], [1])]),
        (ElectionType.DESIGNATION, [("t", [0], [1, 2])]),
        (ElectionType.UNCLEAN, [("t", [0], [1])]),
        (ElectionType.PREFERRED, [("t", [0], [1])]),
    ],
)
def test_desired_leaders_match_partitions_and_go_with_a_designation(cluster, kind, rows):
    """A1."""
    request = request_of(kind, *(rows or []))
    if rows is None:
        request.topic_partitions = None
    with pytest.raises(InvalidRequestError):
        cluster.controller.decide(leader_elections.elect_leaders, request, 3)


def all_gone(world, *back):
    for broker_id in (3, 2, 1):
        world.fence(broker_id)
    for broker_id in back:
        world.heartbeat(broker_id)


def rows_of(response):
    return {
        (topic.topic, row.partition_id): (row.error_code, row.error_message)
        for topic in response.replica_election_results
        for row in topic.partition_result
    }


def designate(world, *rows):
    result = world.controller.decide(
        leader_elections.elect_leaders, request_of(ElectionType.DESIGNATION, *rows), 3
    )
    records, response = world.apply(result)
    return records, rows_of(response)


def test_a_designated_replica_is_elected(elr_topic):
    """A3, L8: RECOVERING, since it may lack records."""
    all_gone(elr_topic, 3)
    (record,), answers = designate(elr_topic, ("t", [0], [3]))
    assert answers == {("t", 0): (0, None)}
    assert (record.leader, record.isr, record.leader_recovery_state) == (3, [3], 1)
    assert record.eligible_leader_replicas == []


@pytest.mark.parametrize(
    ("desired", "error", "says"),
    [
        (9, ErrorCode.INVALID_REQUEST, "no replica of the partition; its replicas are: 1, 2, 3"),
        (-1, ErrorCode.INVALID_REQUEST, "broker -1"),
        (2, ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE, "broker 2 cannot lead: it is fenced"),
    ],
)
def test_a_designation_that_cannot_be_says_why(elr_topic, desired, error, says):
    """A3."""
    all_gone(elr_topic, 3)
    records, answers = designate(elr_topic, ("t", [0], [desired]))
    assert records == []
    code, message = answers["t", 0]
    assert code == error
    assert says in message


def test_a_designated_broker_that_was_unregistered_is_named(elr_topic):
    all_gone(elr_topic, 3)
    request = UnregisterBrokerRequest(broker_id=2)
    elr_topic.apply(elr_topic.controller.decide(cluster_control.unregister_broker, request))
    _, answers = designate(elr_topic, ("t", [0], [2]))
    assert "not registered" in answers["t", 0][1]


def test_a_designation_is_not_needed_with_a_leader(cluster):
    with_leader_2(cluster)
    records, answers = designate(cluster, ("t", [0, 7], [1, 1]), ("other", [0], [1]))
    assert records == []
    assert [code for code, _ in answers.values()] == [
        ErrorCode.ELECTION_NOT_NEEDED,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ]


def test_each_partition_gets_its_own_desired_leader(cluster):
    """A1: they match by index."""
    cluster.create(assignment=((1, 2, 3),) * 3)
    all_gone(cluster)
    for broker_id in (2, 3):
        cluster.register(broker_id)
    cluster.register(1)
    for broker_id in (2, 3):
        cluster.heartbeat(broker_id)
    assert all(cluster.partition("t", index).leader == -1 for index in range(3))
    designate(cluster, ("t", [2, 0], [2, 3]))
    assert [cluster.partition("t", index).leader for index in range(3)] == [3, -1, 2]


@pytest.mark.parametrize("kind", [ElectionType.PREFERRED, ElectionType.UNCLEAN])
@pytest.mark.parametrize("everywhere", [True, False])
def test_a_thousand_partitions_are_served(cluster, kind, everywhere):
    """A5, A4: the rest comes back with REQUEST_LIMIT_REACHED, of a null list as well."""
    cluster.create(assignment=((1, 2, 3),) * 1003)
    cluster.create("settled", assignment=((2, 3),))
    cluster.fence(1)
    if kind == ElectionType.UNCLEAN:
        cluster.set_config("", "unclean.recovery.manager.enabled", "true", RESOURCE_BROKER)
        cluster.fence(3)
        cluster.fence(2)
        for broker_id in (1, 2, 3):
            cluster.register(broker_id)
    cluster.heartbeat(1)
    if kind == ElectionType.PREFERRED:
        for index in range(1003):
            cluster.propose(cluster.partition("t", index).leader, [2, 3, 1], index=index)
    records, answers = elect(cluster, kind, None if everywhere else [("t", range(1003))])
    limited = [key for key, code in answers.items() if code == ErrorCode.REQUEST_LIMIT_REACHED]
    assert len(limited) == 3 + (everywhere and kind == ElectionType.UNCLEAN)
    elected = [code for code in answers.values() if code == ErrorCode.NONE]
    assert len(records) == len(elected) == 1000


def test_an_unclean_election_that_is_asked_for_prefers_the_last_leader_with_the_manager_on():
    """A3: it goes as without the manager."""
    world = world_with_topic(strategy="None", replicas=(3, 2, 1))
    world.kill(3, 2, 1)
    for broker_id in (2, 1):
        world.come_back(broker_id)
    world.talk()
    assert world.leader == -1
    world.apply(
        world.controller.decide(
            leader_elections.elect_leaders, request_of(ElectionType.UNCLEAN, ("t", [0], None)), 3
        )
    )
    assert world.leader == 1


# The longest log


def begin(world, kind, *rows):
    return world.controller.begin_recoveries(request_of(kind, *rows), 3)


def test_the_longest_log_is_elected_without_a_leader():
    world = lost_world(manager=False)
    world.create("led", assignment=((3,),))
    world.come_back(3)
    world.come_back(1)
    world.create("led", assignment=((3,),))
    elections = begin(
        world, ElectionType.LONGEST_LOG_AGGRESSIVE, ("t", [0, 9], None), ("led", [0], None)
    )
    assert len(elections.recovery.pending) == 1
    world.talk(5000)
    assert elections.recovery.pending == {}
    _, response = world.apply(world.controller.end_recoveries(elections))
    assert [code for code, _ in rows_of(response).values()] == [
        ErrorCode.NONE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.ELECTION_NOT_NEEDED,
    ]
    assert world.leader == 3


def test_a_longest_log_that_is_not_found_in_time_says_what_is_missing():
    world = lost_world(manager=False)
    world.come_back(3)
    elections = begin(world, ElectionType.LONGEST_LOG_BALANCED, ("t", [0], None))
    world.talk(60_000)
    _, response = world.apply(world.controller.end_recoveries(elections))
    assert rows_of(response) == {
        ("t", 0): (ErrorCode.REQUEST_TIMED_OUT, "wait for a member of ISR or ELR")
    }


def test_no_live_replica_is_an_answer_at_once():
    """A3."""
    world = lost_world(manager=False)
    elections = begin(world, ElectionType.LONGEST_LOG_AGGRESSIVE, ("t", [0], None))
    assert elections.recovery.pending == {}
    _, response = world.apply(world.controller.end_recoveries(elections))
    assert rows_of(response)["t", 0][0] == ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE


def test_a_null_list_is_every_partition_without_leader():
    """A4."""
    world = lost_world(manager=False)
    world.come_back(3)
    world.create("led", assignment=((3,),))
    elections = world.controller.begin_recoveries(
        messages.ElectLeadersRequest(
            election_type=ElectionType.LONGEST_LOG_AGGRESSIVE, topic_partitions=None
        ),
        3,
    )
    assert list(elections.outcomes) == [("t", 0)]


def test_the_longest_log_needs_the_recovery_way_in(cluster):
    with pytest.raises(InvalidRequestError):
        cluster.controller.decide(
            leader_elections.elect_leaders,
            request_of(ElectionType.LONGEST_LOG_BALANCED, ("t", [0], None)),
            3,
        )


@pytest.mark.parametrize("kind", [0, 2, 9, -1])
def test_an_election_of_no_partition_has_no_result_whatever_its_type(world, kind):
    """As Kafka, which does not read the type then."""
    assert elect(world, kind, ()) == ([], {})
