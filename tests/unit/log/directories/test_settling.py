"""What becomes of the folders of a partition; `tests/property/test_settling.py` has all cases."""

import pytest

from minikafka.common.ids import DIRECTORY_LOST, DIRECTORY_UNASSIGNED, ZERO_UUID, Uuid
from minikafka.log.directories.log_folders import FolderState
from minikafka.log.directories.settling import (
    AssignedReplica,
    Cause,
    CurrentLog,
    FormerLog,
    FoundLog,
    Place,
    TwoLogs,
    settle,
    settle_copy,
    settle_pair,
    settle_swap,
)

ID, FORMER_ID = Uuid.of(5, 6), Uuid.of(5, 7)
ONE, TWO, GONE = Uuid.of(1, 1), Uuid.of(2, 2), Uuid.of(3, 3)
ABSENT, OPEN, HELD_BACK = FolderState.ABSENT, FolderState.OPEN, FolderState.HELD_BACK
LOST, RETIRING, SUPERSEDED = FolderState.LOST, FolderState.RETIRING, FolderState.SUPERSEDED


@pytest.mark.parametrize(
    ("has_folder", "has_newer", "has_copy", "expected"),
    [
        (False, False, False, FormerLog.STAYS),
        (True, True, False, FormerLog.REMOVED),
        (True, False, True, FormerLog.STAYS),
        (True, False, False, FormerLog.SUPERSEDED),
    ],
)
def test_the_former_log_of_an_interrupted_swap(has_folder, has_newer, has_copy, expected):
    found = settle_swap(has_folder=has_folder, has_newer=has_newer, has_copy=has_copy)
    assert found is expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((ID, True), (ID, True), TwoLogs.REFUSED),
        ((ID, True), (ID, False), TwoLogs.SECOND_IS_UNUSED),
        ((ID, False), (ID, True), TwoLogs.FIRST_IS_UNUSED),
        ((ID, False), (ID, False), TwoLogs.SECOND_IS_UNUSED),
        ((None, False), (ID, False), TwoLogs.FIRST_IS_UNUSED),
        ((ID, True), (FORMER_ID, True), TwoLogs.TWO_TOPICS),
        ((ID, False), (FORMER_ID, True), TwoLogs.TWO_TOPICS),
    ],
)
def test_two_logs_of_a_partition(first, second, expected):
    assert settle_pair(FoundLog(*first), FoundLog(*second)) is expected


@pytest.mark.parametrize(
    ("topic_id", "current", "expected"),
    [
        (ID, (ID, False, False), FolderState.COPY),
        (ID, (ID, True, False), ABSENT),
        (ID, (ID, False, True), ABSENT),
        (ID, (None, False, False), ABSENT),
        (None, (ID, False, False), ABSENT),
        (None, None, ABSENT),
        (ID, None, FolderState.KEPT_COPY),
        (ID, (FORMER_ID, False, False), FolderState.KEPT_COPY),
    ],
)
def test_a_copy_at_the_start(topic_id, current, expected):
    found = None if current is None else CurrentLog(*current)
    assert settle_copy(topic_id, found) is expected


def settled(*places, directory=ONE, topic_id=ID):
    replica = None if topic_id is None else AssignedReplica(topic_id, directory)
    settlement = settle([Place(*place) for place in places], replica)
    missing = settlement.missing
    return settlement.states, None if missing is None else missing.cause


def test_a_log_in_use_stays_in_use():
    assert settled((ONE, True, OPEN, ID), (TWO, True)) == ((OPEN, ABSENT), None)


def test_logs_of_other_topics_are_set_aside():
    places = ((ONE, True, HELD_BACK, FORMER_ID), (TWO, True, HELD_BACK, ID))
    assert settled(*places) == ((RETIRING, OPEN), None)
    assert settled(*places, topic_id=None) == ((RETIRING, RETIRING), None)
    assert settled((ONE, True, SUPERSEDED, FORMER_ID)) == ((RETIRING,), None)


def test_a_log_whose_folder_is_missing_stays_lost_unless_another_directory_has_it():
    lost = (ONE, True, LOST)
    assert settled(lost, (TWO, True)) == ((LOST, ABSENT), Cause.FOLDER_IS_GONE)
    assert settled(lost, (TWO, True, OPEN, ID)) == ((ABSENT, OPEN), None)
    assert settled(lost, topic_id=None) == ((ABSENT,), None)


@pytest.mark.parametrize("directory", [GONE, DIRECTORY_LOST])
def test_a_log_whose_directory_is_gone_is_missing_unless_an_empty_one_is_accepted(directory):
    accepted = (ONE, True, ABSENT, None, (), True)
    assert settled((ONE, True), directory=directory)[1] is Cause.DIRECTORY_IS_GONE
    assert settled(accepted, directory=directory)[1] is None


def test_a_new_replica_waits_only_while_a_directory_is_offline():
    offline = (ZERO_UUID, False)
    assert settled((ONE, True), directory=DIRECTORY_UNASSIGNED)[1] is None
    found = settled((ONE, True), offline, directory=DIRECTORY_UNASSIGNED)
    assert found[1] is Cause.DIRECTORY_IS_UNKNOWN
    assert settled((ONE, True), offline, directory=TWO)[1] is None


@pytest.mark.parametrize("directory", [TWO, DIRECTORY_LOST])
def test_a_log_is_held_back_while_the_directory_of_a_newer_one_is_offline(directory):
    found = settled((ONE, True, OPEN, ID), (ZERO_UUID, False), directory=directory)
    assert found == ((HELD_BACK, ABSENT), Cause.LOG_MAY_BE_OLDER)


def test_what_an_interrupted_move_left_shows_that_the_log_is_elsewhere():
    superseded = (ONE, True, SUPERSEDED, ID)
    assert settled(superseded, directory=GONE)[1] is Cause.LOG_IS_SUPERSEDED
    copy = (ONE, True, ABSENT, None, (ID,))
    assert settled(copy, directory=GONE)[1] is Cause.ONLY_A_COPY
    former = (ONE, True, ABSENT, None, (FORMER_ID,))
    assert settled(former)[1] is None


def test_the_controller_may_not_know_of_a_log_that_an_interrupted_move_has_left():
    place = Place(ONE, is_online=True, state=SUPERSEDED, topic_id=ID)
    missing = settle([place], AssignedReplica(ID, GONE)).missing
    assert (missing.is_unreported, missing.may_come_back) == (True, True)
