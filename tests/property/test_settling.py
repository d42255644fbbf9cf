"""The folders of a partition in two directories: all states, all metadata, all crash points."""

from itertools import product
from random import Random
from types import SimpleNamespace

import pytest

from minikafka.common.ids import (
    DIRECTORY_LOST,
    DIRECTORY_MIGRATING,
    DIRECTORY_UNASSIGNED,
    ZERO_UUID,
    TopicPartition,
    Uuid,
)
from minikafka.log.checkpoints import (
    HIGH_WATERMARKS,
    LOG_START_OFFSETS,
    RECOVERY_POINTS,
    BadMetaPropertiesError,
    write_offsets,
)
from minikafka.log.directories.log_folders import (
    FOLDER_STATES,
    FolderState,
    LogFolders,
    LostLog,
    checkpoint,
)
from minikafka.log.directories.settling import AssignedReplica, Cause, Place, settle
from tests.worlds.log_directories import CONFIG, ID, NOW, TP, append, formatted, start

FORMER_ID = Uuid.of(5, 7)
ONE, TWO, GONE = Uuid.of(1, 1), Uuid.of(2, 2), Uuid.of(3, 3)
NOWHERE = (DIRECTORY_UNASSIGNED, DIRECTORY_MIGRATING)
REPLICAS = [
    None,
    *(AssignedReplica(ID, each) for each in (ONE, TWO, GONE, DIRECTORY_LOST, *NOWHERE)),
]
ABSENT, OPEN, HELD_BACK = FolderState.ABSENT, FolderState.OPEN, FolderState.HELD_BACK
LOST, RETIRING, SUPERSEDED = FolderState.LOST, FolderState.RETIRING, FolderState.SUPERSEDED


def places(directory_id):
    """All that a directory may have of the partition."""
    yield Place(directory_id, is_online=False)
    yield Place(ZERO_UUID, is_online=False)
    rows = [(OPEN, each) for each in (ID, FORMER_ID, None)]
    rows += [(HELD_BACK, each) for each in (ID, FORMER_ID)]
    rows += [(SUPERSEDED, each) for each in (ID, FORMER_ID, None)]
    for copies in ((), (ID,), (FORMER_ID,)):
        for state, topic_id in (*rows, (LOST, None), (ABSENT, None)):
            yield Place(directory_id, True, state, topic_id, copies)
        yield Place(directory_id, True, kept_copies=copies, has_empty_folder=True)


def is_reachable(pair):
    """A start uses one log, or holds back two of different topics."""
    logs = [each for each in pair if each.state in (OPEN, HELD_BACK)]
    topics = {each.topic_id for each in logs}
    return len(logs) < 2 or (len(topics) == 2 and all(each.state is HELD_BACK for each in logs))


PAIRS = [pair for pair in product(places(ONE), places(TWO)) if is_reachable(pair)]


def all_cases():
    return product(PAIRS, REPLICAS)


def may_have_records(place):
    """It is a log of the replica, as far as is known."""
    unknown = (None,) if place.state is SUPERSEDED else ()
    return place.state in (OPEN, HELD_BACK, SUPERSEDED) and place.topic_id in (ID, *unknown)


def test_at_most_one_log_is_used_and_it_is_the_replicas():
    for pair, replica in all_cases():
        states = settle(pair, replica).states
        used = [place for place, state in zip(pair, states, strict=True) if state is OPEN]
        assert len(used) <= (replica is not None), (pair, replica)
        assert all(place.topic_id == ID for place in used), (pair, replica)


def test_each_transition_is_legal():
    for pair, replica in all_cases():
        for place, state in zip(pair, settle(pair, replica).states, strict=True):
            if state is not place.state:
                FOLDER_STATES.require(place.state, state, (pair, replica))


def test_a_log_that_may_have_committed_records_keeps_its_folder():
    for pair, replica in all_cases():
        for place, state in zip(pair, settle(pair, replica).states, strict=True):
            if replica is not None and may_have_records(place):
                assert state is not RETIRING, (pair, replica)


def test_an_empty_log_is_created_only_where_no_newer_one_can_be():
    """Or where the operator accepts it, or where `LogManager.create` refuses."""
    for pair, replica in all_cases():
        if replica is None:
            continue
        states, missing = settle(pair, replica)
        if missing is not None or OPEN in states:
            continue
        offline = [place.directory_id for place in pair if not place.is_online]
        is_refused = replica.directory_id in offline or (
            ZERO_UUID in offline and replica.directory_id not in (ONE, TWO, DIRECTORY_LOST)
        )
        is_refused |= ZERO_UUID in offline and replica.directory_id not in [
            place.directory_id for place in pair
        ]
        if any(place.has_empty_folder for place in pair) or is_refused:
            continue
        assert not any(may_have_records(place) for place in pair), (pair, replica)
        assert not any(ID in place.kept_copies for place in pair), (pair, replica)
        assert LOST not in states, (pair, replica)
        if replica.directory_id in NOWHERE:
            assert not offline, (pair, replica)
        else:
            assert replica.directory_id in [place.directory_id for place in pair], (pair, replica)


def restarted(place, state, *, is_done):
    """What the next start finds after some of the decisions were carried out."""
    if state is RETIRING or (state is ABSENT and place.state is LOST):
        return place._replace(state=ABSENT, topic_id=None) if is_done else place
    return place


def loaded(pair):
    """Without the metadata a log is used unless there are two."""
    logs = [place for place in pair if place.state in (OPEN, HELD_BACK)]
    state = HELD_BACK if len(logs) > 1 else OPEN
    return [place._replace(state=state) if place in logs else place for place in pair]


def end(pair, replica):
    """The result when all is carried out; a folder that was retired is gone."""
    states, missing = settle(pair, replica)
    final = [ABSENT if state is RETIRING else state for state in states]
    return final, None if missing is None else missing.cause


def test_a_crash_between_any_two_decisions_changes_nothing():
    for pair, replica in all_cases():
        states = settle(pair, replica).states
        expected = end(pair, replica)
        for done in product((False, True), repeat=2):
            found = [
                restarted(place, state, is_done=each)
                for place, state, each in zip(pair, states, done, strict=True)
            ]
            assert end(loaded(found), replica) == expected, (pair, replica, done)


# Checkpoints


def folder_of(folders, at, state):
    log = SimpleNamespace(
        recovery_point=7, high_watermark=6, log_start_offset=3,
        segments=SimpleNamespace(first=SimpleNamespace(base_offset=0)),
    )  # fmt: skip
    ways = {
        HELD_BACK: (OPEN, HELD_BACK), RETIRING: (OPEN, RETIRING), ABSENT: (OPEN, RETIRING, ABSENT),
    }  # fmt: skip
    for each in ways.get(state, (state,)):
        row = folders.enter(at, each)
    row.log = log if state in (OPEN, HELD_BACK, RETIRING) else None
    row.lost = LostLog(0, 0, 0) if state is LOST else None


def test_checkpoints_name_exactly_what_a_start_must_miss():
    """A missing log of which an older one, or none, must not take the place."""
    names = [TopicPartition("t", index) for index in range(2)]
    states = (ABSENT, OPEN, HELD_BACK, SUPERSEDED, LOST, RETIRING)
    for pair in product(states, repeat=2):
        folders = LogFolders()
        for at, state in zip(names, pair, strict=True):
            folder_of(folders, at, state)
        used = {at for at, state in zip(names, pair, strict=True) if state in (OPEN, HELD_BACK)}
        lost = {at for at, state in zip(names, pair, strict=True) if state is LOST}
        assert checkpoint(RECOVERY_POINTS, folders).keys() == used
        assert checkpoint(HIGH_WATERMARKS, folders).keys() == used | lost
        assert checkpoint(LOG_START_OFFSETS, folders).keys() == used | lost
        # Two files show each lost log.
        assert all(checkpoint(HIGH_WATERMARKS, folders)[at] for at in lost)


# On disks


def with_log(disk, topic_id=ID):
    append(start([disk]).create(TP, topic_id, CONFIG, NOW))


def with_mark(disk):
    with_log(disk)
    disk.open(f"t-0.{GONE}-moved", create=True).close()


def with_copy(disk):
    with_log(disk)
    disk.rename("t-0", f"t-0.{0:032x}-future")


CONTENTS = {
    "nothing": lambda _: None,
    "log": with_log,
    "former topic": lambda disk: with_log(disk, FORMER_ID),
    "superseded": with_mark,
    "copy": with_copy,
    "lost": lambda disk: write_offsets(disk, HIGH_WATERMARKS, {TP: 5}, sync=True),
    "empty folder": lambda disk: disk.make_dir("t-0"),
}


class CrashError(Exception):
    """The process ends."""


def settled(disks, replica):
    """Start with the metadata; return which log is used, why none is, and what is set aside."""
    manager = start(disks)
    missing, empty, faults = manager.settle({} if replica is None else {TP: replica})
    assert faults == []
    assert manager.retire(NOW, 9) == ([], False)
    for at, home in empty:
        home.remove_empty(at)
    log = manager.get(TP)
    kept = sorted(
        (disk.root, name.rpartition("-")[2])
        for disk in disks
        for name in disk.list("")
        if name.startswith("t-0") and not name.endswith("-delete")
    )
    cause = missing[TP].cause if TP in missing else None
    return None if log is None else (log.disk.root, log.log_end_offset), cause, kept


def of(contents):
    disks = [formatted("one", ONE), formatted("two", TWO)]
    for disk, content in zip(disks, contents, strict=True):
        CONTENTS[content](disk)
        disk.crash()
        disk.sync_all()
    return disks


def crash_within(disks, replica, operations, power):
    """True if the process ends before it has settled everything."""
    left = operations

    def count(*_):
        nonlocal left
        left -= 1
        if left < 0:
            raise CrashError

    for disk in disks:
        disk.before_change = count
    try:
        settled(disks, replica)
    except CrashError:
        return True
    finally:
        for disk in disks:
            disk.before_change = lambda *_: None
            if power is None:
                disk.crash()
            else:
                disk.lose_power(Random(power))
    return False


@pytest.mark.parametrize("power", [None, 1], ids=["kill", "power loss"])
@pytest.mark.parametrize("first", CONTENTS)
def test_a_crash_at_any_operation_of_a_start_changes_nothing(first, power):
    for second, replica in product(CONTENTS, REPLICAS):
        contents = (first, second)
        try:
            expected = settled(of(contents), replica)
        except BadMetaPropertiesError:
            continue
        operations = 0
        disks = of(contents)
        while crash_within(disks, replica, operations, power):
            assert settled(disks, replica) == expected, (contents, replica, operations)
            operations += 1
            disks = of(contents)
        assert settled(disks, replica) == expected, (contents, replica, "after the end")


def test_the_cases_reach_every_cause():
    found = {settle(*case).missing for case in all_cases()}
    assert {each.cause for each in found if each is not None} == set(Cause)
