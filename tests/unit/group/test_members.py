"""Members of both protocols, in groups of both kinds."""

import pytest

from minikafka.common.errors import ErrorCode, IllegalGenerationError
from minikafka.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from minikafka.messages.heartbeat import HeartbeatRequest
from minikafka.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from minikafka.messages.leave_group import LeaveGroupRequest, MemberIdentity
from minikafka.messages.sync_group import SyncGroupRequest
from tests.worlds.consumer_groups import InProcess


@pytest.fixture
def side():
    return InProcess({"t": 2})


def beat(member_id, epoch, owned=None, **more):
    return ConsumerGroupHeartbeatRequest("g", member_id, epoch, topic_partitions=owned, **more)


@pytest.mark.parametrize(
    ("request_", "version"),
    [
        (SyncGroupRequest("g", 1, "m", None, "consumer", "range", []), 5),
        (HeartbeatRequest("g", 1, "m"), 4),
    ],
)
def test_classic_requests_to_no_group_name_an_unknown_member(side, request_, version):
    assert side.ask(request_, version).error_code == ErrorCode.UNKNOWN_MEMBER_ID


def test_classic_requests_of_a_consumer_member_are_refused(side):
    joined = side.ask(beat("m", 0, [], rebalance_timeout_ms=1000, subscribed_topic_names=["t"]), 1)
    assert joined.error_code == 0
    sync = SyncGroupRequest("g", joined.member_epoch, "m", None, "consumer", "range", [])
    assert side.ask(sync, 5).error_code == ErrorCode.UNKNOWN_MEMBER_ID
    stay = HeartbeatRequest("g", joined.member_epoch, "m")
    assert side.ask(stay, 4).error_code == ErrorCode.UNKNOWN_MEMBER_ID


def test_a_consumer_member_may_be_removed_by_leave_group(side):
    side.ask(beat("m", 0, [], rebalance_timeout_ms=1000, subscribed_topic_names=["t"]), 1)
    left = side.ask(LeaveGroupRequest("g", members=[MemberIdentity("m")]), 5)
    assert [each.error_code for each in left.members] == [0]
    assert side.ask(beat("m", 2), 1).error_code == ErrorCode.UNKNOWN_MEMBER_ID


def test_malformed_metadata_joins_no_consumer_group(side):
    side.ask(beat("m", 0, [], rebalance_timeout_ms=1000, subscribed_topic_names=["t"]), 1)
    request = JoinGroupRequest(
        "g", 45_000, 60_000, "x", None, "consumer", [JoinGroupRequestProtocol("range", b"\0")]
    )
    answer = side.ask(request, 9)
    # As Kafka: a refusal of a consumer group names no member.
    assert (answer.error_code, answer.member_id) == (ErrorCode.INCONSISTENT_GROUP_PROTOCOL, "")


def test_a_producer_that_names_an_old_epoch_of_a_consumer_member_has_an_illegal_generation(side):
    side.ask(beat("m", 0, [], rebalance_timeout_ms=1000, subscribed_topic_names=["t"]), 1)
    for epoch in (1, 3):
        with pytest.raises(IllegalGenerationError):
            side.world.commit_transactional({0: 5}, member_id="m", generation=epoch)
    assert side.world.commit_transactional({0: 5}, member_id="m", generation=2)[1] == [0]
