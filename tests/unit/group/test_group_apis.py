"""The handlers of group APIs, by version, on a real coordinator."""

import pytest

from minikafka.apis import delete_groups as delete_groups_api
from minikafka.apis.delete_groups import delete_groups
from minikafka.apis.describe_groups import describe_groups
from minikafka.apis.find_coordinator import find_coordinator
from minikafka.apis.heartbeat import heartbeat
from minikafka.apis.join_group import join_group
from minikafka.apis.leave_group import leave_group
from minikafka.apis.list_groups import list_groups
from minikafka.apis.offset_delete import offset_delete
from minikafka.apis.offset_fetch import offset_fetch
from minikafka.apis.sync_group import sync_group
from minikafka.apis.txn_offset_commit import txn_offset_commit
from minikafka.apis.write_txn_markers import write_txn_markers
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.common.internal_topics import OFFSETS_TOPIC
from minikafka.coordinator.journal import Write
from minikafka.group.expiration import GroupExpiration
from minikafka.group.offset_commits import OffsetCommits
from minikafka.messages.delete_groups import DeleteGroupsRequest
from minikafka.messages.describe_groups import DescribeGroupsRequest
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from minikafka.messages.heartbeat import HeartbeatRequest
from minikafka.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from minikafka.messages.leave_group import LeaveGroupRequest
from minikafka.messages.leave_group import MemberIdentity as Leaving
from minikafka.messages.list_groups import ListGroupsRequest
from minikafka.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from minikafka.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from minikafka.messages.sync_group import SyncGroupRequest
from minikafka.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from minikafka.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from minikafka.metadata.image import ImageBuilder
from tests.worlds import group_requests
from tests.worlds.group_requests import Asked, T
from tests.worlds.group_world import LostAtAppend


@pytest.fixture
def ask(world):
    return Asked(world)


def codes(response):
    return [p.error_code for topic in response.topics for p in topic.partitions]


# FindCoordinator


def test_coordinator_is_found_on_the_listener_of_the_request(ask):
    response = ask(find_coordinator, FindCoordinatorRequest(coordinator_keys=["g", ""]), 6)
    assert [(c.key, c.node_id, c.host, c.port) for c in response.coordinators] == [
        ("g", 1, "host", 9092),
        ("", 1, "host", 9092),
    ]
    one = ask(find_coordinator, FindCoordinatorRequest("g"), 3)
    assert (one.error_code, one.error_message, one.node_id) == (0, "NONE", 1)


def test_topic_of_offsets_is_created_when_it_is_first_needed(ask, world):
    world.image = ImageBuilder(type(ask.image)()).build(1, 1)
    response = ask(find_coordinator, FindCoordinatorRequest("g"), 3)
    assert response.error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert ask.created == ["__consumer_offsets"]


def test_fenced_broker_coordinates_nothing(world):
    response = Asked(world, fenced=True)(find_coordinator, FindCoordinatorRequest("g"), 3)
    assert (response.error_code, response.node_id) == (ErrorCode.COORDINATOR_NOT_AVAILABLE, -1)


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (2, ErrorCode.INVALID_REQUEST),
        (9, ErrorCode.INVALID_REQUEST),
    ],
)
def test_other_coordinators_are_refused(ask, kind, code):
    request = FindCoordinatorRequest(key_type=kind, coordinator_keys=["g"])
    assert ask(find_coordinator, request, 6).coordinators[0].error_code == code


# Offsets


def test_commit_names_topics_by_id_or_name(ask):
    assert codes(ask.commit()) == [0]
    assert codes(ask.commit(version=10, topic="", topic_id=T, indexes=(1,))) == [0]
    assert codes(ask.commit(topic="nope", indexes=(0, 1))) == [3, 3]
    assert codes(ask.commit(indexes=(0, 7))) == [0, 3]
    assert codes(ask.commit(version=10, topic_id=Uuid.of(9, 9))) == [ErrorCode.UNKNOWN_TOPIC_ID]


def test_commit_waits_for_its_replicas(make_world):
    world = make_world(replicas=(1, 2))
    steps = Asked(world).commit()
    wait = next(steps)
    assert not wait.settled()
    assert wait.deadline_ms == 5000
    world.replicate()
    assert wait.settled()
    with pytest.raises(StopIteration) as stop:
        steps.send(True)
    assert codes(stop.value.value) == [0]


def test_commit_that_is_not_replicated_in_time_fails(make_world):
    world = make_world(replicas=(1, 2))
    steps = Asked(world).commit()
    next(steps)
    with pytest.raises(StopIteration) as stop:
        steps.send(False)
    assert codes(stop.value.value) == [ErrorCode.COORDINATOR_NOT_AVAILABLE]


@pytest.mark.parametrize("version", range(1, 8))
def test_one_group_is_fetched_by_old_clients(ask, version):
    ask.commit()
    request = OffsetFetchRequest("g", [OffsetFetchRequestTopic("t", [0, 1])])
    (topic,) = ask(offset_fetch, request, version).topics
    found = [(p.committed_offset, p.committed_leader_epoch, p.metadata) for p in topic.partitions]
    assert found == [(40, 2, "m"), (-1, -1, "")]


def test_several_groups_are_fetched_at_once(ask):
    ask.commit()
    by_name = OffsetFetchRequestTopics("t", partition_indexes=[0])
    groups = [
        OffsetFetchRequestGroup("g", topics=None),
        OffsetFetchRequestGroup("unknown", topics=[by_name]),
    ]
    first, second = ask(offset_fetch, OffsetFetchRequest(groups=groups), 9).groups
    assert [(t.name, [p.committed_offset for p in t.partitions]) for t in first.topics] == [
        ("t", [40])
    ]
    assert (second.error_code, second.topics[0].partitions[0].committed_offset) == (0, -1)


def test_a_group_that_is_named_twice_is_answered_once(ask):
    """All offsets of a group are one entry; entries that name partitions stand for themselves."""
    ask.commit()
    whole = OffsetFetchRequestGroup("g", topics=None)
    named = [OffsetFetchRequestTopics("t", partition_indexes=[0])]
    part = OffsetFetchRequestGroup("g", topics=named)
    groups = ask(offset_fetch, OffsetFetchRequest(groups=[whole, part, whole, part]), 9).groups
    assert [group.group_id for group in groups] == ["g", "g", "g"]
    described = ask(describe_groups, DescribeGroupsRequest(groups=["x", "g", "x", "g"]), 6).groups
    assert [group.group_id for group in described] == ["x", "g"]


def test_offsets_are_fetched_by_topic_id(ask):
    """Topics with errors are last."""
    ask.commit()
    wanted = [
        OffsetFetchRequestTopics(topic_id=each, partition_indexes=[0])
        for each in (Uuid.of(9, 9), T)
    ]
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup("g", topics=wanted)])
    (group,) = ask(offset_fetch, request, 10).groups
    found = [(p.committed_offset, p.error_code) for t in group.topics for p in t.partitions]
    assert found == [(40, 0), (-1, ErrorCode.UNKNOWN_TOPIC_ID)]


def test_failed_fetch_says_so_where_each_version_looks(ask, world):
    world.lead(leader=2)
    topics = [OffsetFetchRequestTopic("t", [0])]
    first = ask(offset_fetch, OffsetFetchRequest("g", topics), 1)
    assert first.topics[0].partitions[0].error_code == ErrorCode.NOT_COORDINATOR
    second = ask(offset_fetch, OffsetFetchRequest("g", topics), 7)
    assert (second.error_code, second.topics) == (ErrorCode.NOT_COORDINATOR, [])
    groups = OffsetFetchRequest(groups=[OffsetFetchRequestGroup("g")])
    assert ask(offset_fetch, groups, 8).groups[0].error_code == ErrorCode.NOT_COORDINATOR


def test_offsets_are_deleted_unless_they_are_consumed(ask, world):
    ask.commit()
    indexes = [OffsetDeleteRequestPartition(index) for index in (0, 7)]
    request = OffsetDeleteRequest("g", [OffsetDeleteRequestTopic("t", indexes)])
    assert codes(ask(offset_delete, request, 0)) == [0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
    assert world.committed() == {}
    world.stable()
    assert codes(ask(offset_delete, request, 0))[0] == ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
    missing = OffsetDeleteRequest("missing", request.topics)
    assert ask(offset_delete, missing, 0).error_code == ErrorCode.GROUP_ID_NOT_FOUND


# Appends that end the leadership


def marker(ask):
    topic = WritableTxnMarkerTopic(OFFSETS_TOPIC, [0])
    request = WriteTxnMarkersRequest([WritableTxnMarker(7, 0, True, [topic])])
    with pytest.raises(StopIteration) as stop:
        next(ask(write_txn_markers, request, 1))
    (result,) = stop.value.value.markers
    return codes(result)


def delete_offset(ask):
    topics = [OffsetDeleteRequestTopic("t", [OffsetDeleteRequestPartition(0)])]
    return [ask(offset_delete, OffsetDeleteRequest("g", topics), 0).error_code]


def deleted(ask, *names):
    with pytest.raises(StopIteration) as stop:
        next(ask(delete_groups, DeleteGroupsRequest([*names]), 2))
    return stop.value.value.results


def delete_group(ask):
    return [each.error_code for each in deleted(ask, "g")]


def join(ask):
    protocols = [JoinGroupRequestProtocol("range")]
    request = JoinGroupRequest("new", 10_000, 1, "", None, "consumer", protocols)
    return [ask(join_group, request, 3).error_code]


APPENDING = [
    (lambda ask: codes(ask.commit(indexes=(0, 1))), [ErrorCode.NOT_COORDINATOR] * 2),
    (delete_offset, [ErrorCode.NOT_COORDINATOR]),
    (delete_group, [ErrorCode.NOT_COORDINATOR]),
    (join, [ErrorCode.NOT_COORDINATOR]),
    (marker, [ErrorCode.NOT_LEADER_OR_FOLLOWER]),
]


@pytest.mark.parametrize("is_told", [True, False])
@pytest.mark.parametrize(("request_of", "expected"), APPENDING)
def test_request_whose_append_ends_the_leadership_is_answered_at_once(
    make_world, request_of, expected, is_told
):
    world = make_world(replicas=(1, 2))
    world.commit({0: 1})
    world.commit_transactional({1: 1})
    world.replicate()
    LostAtAppend(world, is_told=is_told)
    end_offset = world.log.log_end_offset
    assert request_of(Asked(world)) == expected
    assert world.log.log_end_offset > end_offset
    world.run()
    assert world.groups.memory.held_bytes == 0


@pytest.mark.parametrize("is_told", [True, False])
def test_assignment_whose_append_ends_the_leadership_is_answered_at_once(ask, world, is_told):
    (leader,) = world.enter()
    LostAtAppend(world, is_told=is_told)
    response = ask(sync_group, SyncGroupRequest("g", 1, leader.member_id), 4)
    assert response.error_code == ErrorCode.NOT_COORDINATOR
    world.run(for_ms=60_000)
    assert world.groups.memory.held_bytes == 0


@pytest.mark.parametrize(("request_of", "expected"), APPENDING[:3])
def test_request_whose_write_has_failed_says_so(world, monkeypatch, request_of, expected):
    """However the coordinator decides about a write, it is not answered as a success."""
    world.commit({0: 1})

    def failed(*_, **__):
        return Write(journal, 9, 0, code=ErrorCode.NOT_COORDINATOR)

    journal = world.groups.shards[0].store.journal
    monkeypatch.setattr(OffsetCommits, "commit", failed)
    monkeypatch.setattr(GroupExpiration, "forget", failed)
    assert request_of(Asked(world)) == expected


# Members


def test_join_that_fails_names_the_member(ask):
    response = ask(join_group, JoinGroupRequest("g", 10_000, 1, "m"), 9)
    assert (response.error_code, response.member_id) == (ErrorCode.UNKNOWN_MEMBER_ID, "m")
    assert response.protocol_name is None
    assert ask(join_group, JoinGroupRequest("g", 10_000, 1, "m"), 6).protocol_name == ""


def test_join_that_finds_no_coordinator_names_no_member(ask, world):
    world.groups.shards.clear()
    response = ask(join_group, JoinGroupRequest("g", 10_000, 1, "m"), 9)
    assert (response.error_code, response.member_id) == (ErrorCode.NOT_COORDINATOR, "")


def test_sync_must_name_its_protocol_since_version_5(ask, world):
    (member,) = world.stable()
    request = SyncGroupRequest("g", 1, member)
    assert ask(sync_group, request, 5).error_code == ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert ask(sync_group, request, 4).assignment == member.encode()


def test_heartbeat_is_welcome_while_groups_are_loaded(make_world):
    world = make_world(lead=False)
    world.lead()
    assert Asked(world)(heartbeat, HeartbeatRequest("g", 1, "m"), 4).error_code == 0


def test_leaving_is_answered_for_each_member_since_version_3(ask, world):
    (member,) = world.stable()
    assert ask(leave_group, LeaveGroupRequest("g", "no"), 2).error_code == 25
    response = ask(leave_group, LeaveGroupRequest("g", members=[Leaving(member)]), 5)
    assert (response.error_code, [m.error_code for m in response.members]) == (0, [0])
    gone = ask(leave_group, LeaveGroupRequest("gone", members=[Leaving("x")]), 5)
    assert (gone.error_code, gone.members[0].error_code) == (0, ErrorCode.UNKNOWN_MEMBER_ID)


# Groups


def test_only_a_stable_group_shows_what_members_have(ask, world):
    (member,) = world.stable()
    (group,) = ask(describe_groups, DescribeGroupsRequest(["g"]), 6).groups
    assert (group.group_state, group.protocol_data) == ("Stable", "range")
    assert group.members[0].member_assignment == member.encode()
    world.member_id()
    world.join(member)
    (group,) = ask(describe_groups, DescribeGroupsRequest(["g"]), 6).groups
    assert (group.group_state, group.protocol_data) == ("PreparingRebalance", "")
    assert group.members[0].member_assignment == b""


def test_unknown_group_is_dead(ask):
    (old,) = ask(describe_groups, DescribeGroupsRequest(["x"]), 5).groups
    assert (old.error_code, old.group_state) == (0, "Dead")
    (new,) = ask(describe_groups, DescribeGroupsRequest(["x"]), 6).groups
    assert (new.error_code, new.error_message) == (69, "Group x not found.")


def test_groups_are_listed_by_state_and_type(ask, world):
    world.stable()
    ask.commit(group="h")

    def listed(*filters):
        groups = ask(list_groups, ListGroupsRequest(*filters), 5).groups
        return [group.group_id for group in groups]

    assert listed() == ["h", "g"]
    assert listed(["stable"]) == ["g"]
    assert listed(["EMPTY", "dead"], ["Classic"]) == ["h"]
    assert listed([], ["consumer"]) == []


def test_each_group_is_deleted_or_says_why_not(ask, world):
    world.stable()
    ask.commit(group="h")
    assert [(r.group_id, r.error_code) for r in deleted(ask, "g", "h", "x")] == [
        ("g", ErrorCode.NON_EMPTY_GROUP),
        ("h", 0),
        ("x", ErrorCode.GROUP_ID_NOT_FOUND),
    ]


def test_many_groups_are_deleted_some_a_step(ask, world, monkeypatch):
    """19,000 groups in one request were one step of 0.97 s."""
    monkeypatch.setattr(delete_groups_api, "_GROUP_US", 1_500)
    names = [f"many-{number}" for number in range(5)]
    for name in names:
        ask.commit(group=name)
    steps = ask(delete_groups, DeleteGroupsRequest([*names, "x", names[0]]), 2)
    left = []
    while True:
        try:
            wait = steps.send(True if left else None)
        except StopIteration as end:
            results = end.value.results
            break
        # What was begun is done, even if the client goes.
        assert not wait.for_answer_only
        assert not wait.settled()
        left.append(len(list(world.groups.all_groups())))
        world.env.spent_us = 0
        world.env.take_later()()
        assert wait.settled()
    assert left == [3, 1]
    assert list(world.groups.all_groups()) == []
    assert [(result.group_id, result.error_code) for result in results] == [
        *((name, 0) for name in names),
        ("x", ErrorCode.GROUP_ID_NOT_FOUND),
    ]


@pytest.mark.parametrize(
    ("verified", "expected"),
    [
        (ErrorCode.NETWORK_EXCEPTION, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_COORDINATOR),
        (ErrorCode.INVALID_PRODUCER_EPOCH, ErrorCode.INVALID_PRODUCER_EPOCH),
    ],
)
def test_a_failed_verification_is_told_in_terms_of_groups(ask, monkeypatch, verified, expected):
    """A producer retries NETWORK_EXCEPTION and NOT_LEADER_OR_FOLLOWER only for a partition."""
    monkeypatch.setattr(group_requests, "_admit", lambda _, __, write: write(verified))
    topic = TxnOffsetCommitRequestTopic("t", partitions=[TxnOffsetCommitRequestPartition(0, 5)])
    request = TxnOffsetCommitRequest("x", "g", 7, 0, topics=[topic])
    with pytest.raises(StopIteration) as ended:
        next(ask(txn_offset_commit, request, 5))
    assert codes(ended.value.value) == [expected]


@pytest.mark.parametrize("version", [7, 9])
@pytest.mark.parametrize("requires", [True, False])
def test_only_a_reader_that_requires_stable_offsets_waits_for_a_transaction(
    ask, world, version, requires
):
    ask.commit()
    world.commit_transactional({0: 99})
    if version == 7:
        topic = OffsetFetchRequestTopic("t", [0])
        request = OffsetFetchRequest("g", [topic], require_stable=requires)
        (row,) = ask(offset_fetch, request, version).topics[0].partitions
    else:
        group = OffsetFetchRequestGroup(
            "g", topics=[OffsetFetchRequestTopics("t", partition_indexes=[0])]
        )
        request = OffsetFetchRequest(groups=[group], require_stable=requires)
        (row,) = ask(offset_fetch, request, version).groups[0].topics[0].partitions
    if requires:
        assert row.error_code == ErrorCode.UNSTABLE_OFFSET_COMMIT
    else:
        assert (row.error_code, row.committed_offset) == (ErrorCode.NONE, 40)
