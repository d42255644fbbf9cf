"""Where brokers and clients went wrong with consumer groups: none of it happens here."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartitions,
)
from minikafka.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from minikafka.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from minikafka.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from tests.worlds.consumer_groups import InProcess
from tests.worlds.group_world import SUBSCRIPTION


@pytest.fixture
def side():
    return InProcess({"t": 4})


def join(name, **more):
    names = None if "subscribed_topic_regex" in more else ["t"]
    return ConsumerGroupHeartbeatRequest(
        "g", name, 0, rebalance_timeout_ms=60_000, subscribed_topic_names=names,
        topic_partitions=[], **more,
    )  # fmt: skip


def beat(side, name, epoch, owned=None, **more):
    partitions = None
    if owned is not None:
        topic_id = side.topic_ids["t"]
        partitions = [ConsumerGroupHeartbeatRequestTopicPartitions(topic_id, sorted(owned))]
    return ConsumerGroupHeartbeatRequest("g", name, epoch, topic_partitions=partitions, **more)


def given(answer):
    return sorted(index for each in answer.assignment.topic_partitions for index in each.partitions)


def commit(side, name, epoch, index=0, offset=5):
    request = OffsetCommitRequest(
        "g", epoch, name,
        topics=[
            OffsetCommitRequestTopic(
                "t", partitions=[OffsetCommitRequestPartition(index, offset, -1, "")]
            )
        ],
    )  # fmt: skip
    return side.ask(request, 9).topics[0].partitions[0].error_code


def fetch(side, name, epoch, index=0):
    wanted = [OffsetFetchRequestTopics("t", partition_indexes=[index])]
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup("g", name, epoch, wanted)])
    (group,) = side.ask(request, 9).groups
    return group.error_code or group.topics[0].partitions[0].committed_offset


def test_a_member_that_was_fenced_joins_again_in_every_state(side):
    side.ask(join("a"), 1)
    assert side.ask(join("a"), 1).member_epoch == 2  # STABLE
    assert side.ask(beat(side, "a", 7), 1).error_code == ErrorCode.FENCED_MEMBER_EPOCH
    side.ask(join("b"), 1)
    side.ask(beat(side, "a", 2, owned=range(4)), 1)  # UNREVOKED_PARTITIONS
    again = side.ask(join("a"), 1)
    assert (again.error_code, given(again)) == (0, [0, 1])
    waiting = side.ask(join("b"), 1)
    assert waiting.error_code == 0
    side.ask(join("c"), 1)  # UNRELEASED_PARTITIONS: the others have what it should have
    assert side.ask(join("c"), 1).error_code == 0


def test_a_commit_in_flight_during_a_new_epoch_counts(side):
    side.ask(join("a"), 1)
    side.ask(join("b"), 1)
    side.ask(beat(side, "a", 2, owned=range(4)), 1)
    assert side.ask(beat(side, "a", 2, owned=[0, 1]), 1).member_epoch == 3
    assert commit(side, "a", 2) == ErrorCode.NONE
    assert commit(side, "a", 1) == ErrorCode.STALE_MEMBER_EPOCH
    assert commit(side, "a", 4) == ErrorCode.STALE_MEMBER_EPOCH
    # It no longer has this one.
    assert commit(side, "a", 2, index=3) == ErrorCode.STALE_MEMBER_EPOCH


def test_fifty_members_join_at_once_and_none_skips_a_committed_offset(side):
    side.ask(join("first"), 1)
    assert commit(side, "first", 2, offset=41) == ErrorCode.NONE
    epochs = {}
    for number in range(50):
        name = f"m{number:02}"
        epochs[name] = side.ask(join(name), 1).member_epoch
    for name, epoch in epochs.items():
        code = fetch(side, name, epoch)
        # A member learns that its epoch is old; it never reads that nothing is committed.
        assert code in (41, ErrorCode.STALE_MEMBER_EPOCH)
        current = side.ask(beat(side, name, epoch), 1).member_epoch
        assert fetch(side, name, current) == 41


def test_a_partition_is_given_only_after_its_owner_let_go(side):
    side.ask(join("a"), 1)
    assert given(side.ask(join("b"), 1)) == []
    for _ in range(3):
        side.ask(beat(side, "a", 2, owned=range(4)), 1)
        assert side.ask(beat(side, "b", 3), 1).assignment is None
    side.ask(beat(side, "a", 2, owned=[0, 1]), 1)
    assert given(side.ask(beat(side, "b", 3), 1)) == [2, 3]


def test_a_pattern_is_kept_changed_and_given_up(side):
    side.create("xt", 1, Uuid.of(5, 5))
    side.ask(join("a", subscribed_topic_regex="t"), 1)
    side.resolve_patterns()
    assert given(side.ask(beat(side, "a", 1), 1)) == [0, 1, 2, 3]
    side.fail_over()
    assert side.ask(beat(side, "a", 2), 1).member_epoch == 2
    side.world.run(for_ms=11_000)
    # As Kafka: until the topics of the new pattern are known, it subscribes to none.
    assert given(side.ask(beat(side, "a", 2, subscribed_topic_regex=".?t"), 1)) == []
    side.resolve_patterns()
    assert given(side.ask(beat(side, "a", 2, owned=()), 1)) == [0, 0, 1, 2, 3]
    gone = side.ask(
        beat(side, "a", 3, owned=(), subscribed_topic_regex="", subscribed_topic_names=[]), 1
    )
    assert given(gone) == []


def test_a_new_coordinator_resolves_a_pattern_once_more(side):
    """As Kafka 4.3.1: it writes the record also if it has the same topics, and no epoch."""

    def resolved():
        side.resolve_patterns()
        side.world.run(for_ms=11_000)
        assert side.ask(beat(side, "a", 2), 1).member_epoch == 2
        side.resolve_patterns()
        return side.world.group().resolved["t"]

    side.ask(join("a", subscribed_topic_regex="t"), 1)
    side.resolve_patterns()
    side.ask(beat(side, "a", 1), 1)
    first = resolved()
    # The change of the leader is one of the metadata.
    side.change(lambda _: None)
    side.fail_over()
    second = resolved()
    assert second.topics == first.topics
    assert first.version < second.version == side.image.offset
    assert resolved() == second


@pytest.mark.parametrize(
    ("policy", "code"),
    [
        ("disabled", ErrorCode.INCONSISTENT_GROUP_PROTOCOL),
        ("upgrade", ErrorCode.MEMBER_ID_REQUIRED),
        ("bidirectional", ErrorCode.MEMBER_ID_REQUIRED),
    ],
)
def test_the_policy_decides_whether_classic_members_join(policy, code):
    side = InProcess({"t": 1}, group_consumer_migration_policy=policy)
    side.ask(join("a"), 1)
    request = JoinGroupRequest(
        "g", 45_000, 60_000, "", None, "consumer",
        [JoinGroupRequestProtocol("range", SUBSCRIPTION)],
    )  # fmt: skip
    answer = side.ask(request, 9)
    assert answer.error_code == code
    assert (answer.leader, answer.generation_id) == ("", -1)


def test_the_first_epoch_that_a_member_sees_is_two(side):
    assert side.ask(join("a"), 1).member_epoch == 2


@pytest.mark.parametrize("epoch", [1, -1])
def test_a_heartbeat_to_no_group_says_so(side, epoch):
    answer = side.ask(ConsumerGroupHeartbeatRequest("none", "a", epoch), 1)
    assert answer.error_code == ErrorCode.GROUP_ID_NOT_FOUND
