"""Written, committed and transactional offsets."""

import pytest

from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.group.group import Group, GroupState
from minikafka.group.offsets import GroupOffsets
from minikafka.messages.coordinator.offset_commit import OffsetCommitValue

ID = Uuid.of(1, 1)


def value(offset=1, at=0, expire=-1, topic_id=ID):
    return OffsetCommitValue(offset, 0, "", at, expire, topic_id)


def test_offset_is_found_once_it_is_committed():
    offsets = GroupOffsets()
    offsets.write("t", 0, value(5))
    assert offsets.find("t", 0, ID) is None
    offsets.commit("t", 0, value(5))
    assert offsets.find("t", 0, ID).offset == 5
    assert offsets.find("t", 1, ID) is None


@pytest.mark.parametrize(
    ("committed", "asked", "found"),
    [(ID, ID, True), (ID, ZERO_UUID, True), (ZERO_UUID, ID, True), (ID, Uuid.of(2, 2), False)],
)
def test_only_two_different_ids_are_two_topics(committed, asked, found):
    offsets = GroupOffsets()
    offsets.commit("t", 0, value(topic_id=committed))
    assert (offsets.find("t", 0, asked) is not None) is found


def test_offsets_that_are_removed_leave_nothing_behind():
    offsets = GroupOffsets()
    for change in (offsets.write, offsets.commit):
        change("t", 0, value())
        change("t", 0, None)
        change("t", 7, None)
    assert offsets.is_empty
    assert offsets.written_count == 0


def test_offset_of_an_open_transaction_does_not_expire():
    offsets = GroupOffsets()
    offsets.write("t", 0, value())
    offsets.write_transactional(7, ("t", 0), value(), 1)
    assert offsets.expired(Group("g", 0), 1_000_000, 1000) == []
    offsets.end_transaction(7, is_commit=False)()
    assert offsets.expired(Group("g", 0), 1_000_000, 1000) == [("t", 0)]


@pytest.mark.parametrize(
    ("state", "expired"),
    [
        (GroupState.EMPTY, True),
        (GroupState.PREPARING_REBALANCE, False),
        (GroupState.COMPLETING_REBALANCE, False),
        (GroupState.STABLE, False),
    ],
)
def test_offsets_of_a_group_with_members_of_another_kind_do_not_age(state, expired):
    offsets = GroupOffsets()
    offsets.write("t", 0, value())
    group = Group("g", 0, state=state, protocol_type="connect")
    assert bool(offsets.expired(group, 1_000_000, 1000)) is expired


def test_own_expiry_of_an_offset_counts_before_any_retention():
    offsets = GroupOffsets()
    offsets.write("t", 0, value(expire=500))
    assert offsets.expired(Group("g", 0), 499, 1) == []
    assert offsets.expired(Group("g", 0), 500, 1_000_000) == [("t", 0)]
