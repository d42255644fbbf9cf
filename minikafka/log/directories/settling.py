"""What must become of the folders of a partition: all decisions, as pure functions.

The callers find the facts, and carry the decisions out: `FutureLogs` and `LogManager.load` before
the metadata is known, `LogManager.settle` with it.

A log that may have committed records keeps its folder until another log of the partition is known
to have them: it is renamed only if the metadata has another topic id or no replica here, or if the
newer log has its name in another directory.
"""

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from minikafka.common.ids import (
    DIRECTORY_LOST,
    DIRECTORY_MIGRATING,
    DIRECTORY_UNASSIGNED,
    RESERVED_DIRECTORIES,
    ZERO_UUID,
    Uuid,
)
from minikafka.log.directories.log_folders import FolderState

# Before the metadata is known


class FormerLog(Enum):
    """What becomes of the log from which a partition was moved, if the swap did not end."""

    STAYS = "stays"
    REMOVED = "removed"
    SUPERSEDED = "superseded"


def settle_swap(*, has_folder: bool, has_newer: bool, has_copy: bool) -> FormerLog:
    """Decide about the former log, in whose directory the mark of a swap is.

    `has_newer`: another directory has a log of the same topic under the partition's name.
    `has_copy`: the target is online and has a copy, so that the swap has not renamed it.

    The former log must not be used if there is neither: the target cannot be read, or was replaced,
    and the records that were written after the swap are there.
    """
    if not has_folder:
        return FormerLog.STAYS
    if has_newer:
        return FormerLog.REMOVED
    return FormerLog.STAYS if has_copy else FormerLog.SUPERSEDED


class FoundLog(NamedTuple):
    """One of two logs of a partition."""

    topic_id: Uuid | None
    held_records: bool


class TwoLogs(Enum):
    """What becomes of two logs of a partition in two directories."""

    FIRST_IS_UNUSED = "first is unused"
    SECOND_IS_UNUSED = "second is unused"
    TWO_TOPICS = "two topics"
    REFUSED = "refused"


def settle_pair(first: FoundLog, second: FoundLog) -> TwoLogs:
    """Decide about two logs of a partition.

    Of two logs of one topic, one that never held a record is removed: a broker that restarts
    without one of its directories does not know of the folder there until the metadata names the
    directory, and makes another one. If both have records, only an operator knows which are newer.
    Only the metadata can decide between the logs of two topics.

    Unlike Kafka (row F8), which does not start.
    """
    if None not in (first.topic_id, second.topic_id) and first.topic_id != second.topic_id:
        return TwoLogs.TWO_TOPICS
    candidates = [(second, TwoLogs.SECOND_IS_UNUSED), (first, TwoLogs.FIRST_IS_UNUSED)]
    # First one without a topic id: it is no log of a replica.
    candidates.sort(key=lambda each: each[0].topic_id is not None)
    for log, verdict in candidates:
        if not log.held_records:
            return verdict
    return TwoLogs.REFUSED


class CurrentLog(NamedTuple):
    """The log of which a folder may be a copy."""

    topic_id: Uuid | None
    is_beside_copy: bool
    """True if both are in one directory."""
    has_copy: bool
    """True if another copy is followed."""


def settle_copy(topic_id: Uuid | None, current: CurrentLog | None) -> FolderState:
    """Decide if a copy that a start finds is followed, kept or removed (COPY, KEPT_COPY, ABSENT).

    It is kept if the log that it was copied from is not online.
    """
    if topic_id is not None and (current is None or current.topic_id not in (None, topic_id)):
        return FolderState.KEPT_COPY
    if current is None or current.is_beside_copy or current.has_copy:
        return FolderState.ABSENT
    return FolderState.COPY if current.topic_id == topic_id else FolderState.ABSENT


# With the metadata


class Place(NamedTuple):
    """What one log directory has of a partition."""

    directory_id: Uuid
    """ZERO_UUID if the directory was not read."""
    is_online: bool
    state: FolderState = FolderState.ABSENT
    topic_id: Uuid | None = None
    kept_copies: tuple[Uuid | None, ...] = ()
    """The topic ids of copies that are not followed."""
    has_empty_folder: bool = False
    """True if an operator accepts an empty log here."""


class AssignedReplica(NamedTuple):
    """A replica that the metadata has on this broker, and its directory there."""

    topic_id: Uuid
    directory_id: Uuid


class Cause(Enum):
    """Why the newest log of a replica cannot be used."""

    FOLDER_IS_GONE = "folder is gone"
    DIRECTORY_IS_GONE = "directory is gone"
    DIRECTORY_IS_UNKNOWN = "directory is unknown"
    LOG_MAY_BE_OLDER = "log may be older"
    LOG_IS_SUPERSEDED = "log is superseded"
    ONLY_A_COPY = "only a copy"


class Missing(NamedTuple):
    """A log that cannot be used, so that an empty or older one must not take its place."""

    cause: Cause
    place: int | None = None
    """The index of the place that shows it."""
    may_come_back: bool = False
    """True if the log may be in a directory that comes back."""
    is_unreported: bool = False
    """True if the controller may not know of the loss."""


class Settlement(NamedTuple):
    """The states that the folders must have, in the order of the places."""

    states: tuple[FolderState, ...]
    missing: Missing | None = None


def settle(places: Sequence[Place], replica: AssignedReplica | None) -> Settlement:
    """Decide about all folders of a partition; `replica` is None if it is not on this broker.

    RETIRING: the folder must be set aside. ABSENT: a lost log need not come back.
    """
    states = [_settle_loaded(place, replica) for place in places]
    current = _current(places, states)
    missing = None
    for index, place in enumerate(places):
        if place.state is FolderState.LOST:
            if replica is None or current is not None:
                states[index] = FolderState.ABSENT
            else:
                missing = Missing(Cause.FOLDER_IS_GONE, index)
    if replica is None:
        return Settlement(tuple(states))
    if _is_gone(places, replica, is_here=current is not None):
        missing = _gone(replica, missing)
    displaced = _displaced(places, replica, is_here=current is not None)
    if displaced is not None:
        missing = Missing(*displaced, may_come_back=True, is_unreported=True)
    if current is not None and _may_be_older(places, replica):
        missing = Missing(Cause.LOG_MAY_BE_OLDER, current, may_come_back=True, is_unreported=True)
        states[current] = FolderState.HELD_BACK
    return Settlement(tuple(states), missing)


def _settle_loaded(place: Place, replica: AssignedReplica | None) -> FolderState:
    """Return the state of a folder that the metadata alone implies."""
    belongs = replica is not None and place.topic_id == replica.topic_id
    match place.state:
        case FolderState.OPEN | FolderState.HELD_BACK:
            return FolderState.OPEN if belongs else FolderState.RETIRING
        case FolderState.SUPERSEDED:
            may_belong = replica is not None and place.topic_id in (None, replica.topic_id)
            return FolderState.SUPERSEDED if may_belong else FolderState.RETIRING
        case _:
            return place.state


def _current(places: Sequence[Place], states: Sequence[FolderState]) -> int | None:
    found = [index for index, _ in enumerate(places) if states[index] is FolderState.OPEN]
    assert len(found) <= 1, f"two logs of a replica are in use: {places}"
    return found[0] if found else None


def _is_gone(places: Sequence[Place], replica: AssignedReplica, *, is_here: bool) -> bool:
    """True if a log is missing, and was reported as lost or is in no directory of this node.

    If its directory was never reported, it may be in one that is offline.
    """
    known = [place.directory_id for place in places]
    if replica.directory_id in (DIRECTORY_UNASSIGNED, DIRECTORY_MIGRATING):
        if all(place.is_online for place in places):
            return False
    elif replica.directory_id != DIRECTORY_LOST and (
        replica.directory_id in known or ZERO_UUID in known
    ):
        return False
    return not is_here and not any(place.has_empty_folder for place in places)


def _gone(replica: AssignedReplica, missing: Missing | None) -> Missing:
    may_be_elsewhere = replica.directory_id in (DIRECTORY_UNASSIGNED, DIRECTORY_MIGRATING)
    if missing is None:
        cause = Cause.DIRECTORY_IS_UNKNOWN if may_be_elsewhere else Cause.DIRECTORY_IS_GONE
        missing = Missing(cause)
    return missing._replace(
        may_come_back=may_be_elsewhere, is_unreported=replica.directory_id != DIRECTORY_LOST
    )


def _displaced(
    places: Sequence[Place], replica: AssignedReplica, *, is_here: bool
) -> tuple[Cause, int] | None:
    """Find a log or copy that shows that the newest log is elsewhere: a move was interrupted.

    One of the two directories is offline or was replaced. None if an operator accepts an empty log,
    or if the directory in the metadata is offline: no log is created elsewhere then.

    Unlike Kafka (row F7), which uses a copy that may lack records
    (`LogManager.recoverAbandonedFutureLogs`).
    """
    online = [place.directory_id for place in places if place.is_online]
    offline = [place.directory_id for place in places if not place.is_online]
    is_offline = replica.directory_id not in (*RESERVED_DIRECTORIES, *online) and (
        replica.directory_id in offline or ZERO_UUID in offline
    )
    if is_here or is_offline or any(place.has_empty_folder for place in places):
        return None
    for index, place in enumerate(places):
        is_superseded = place.state is FolderState.SUPERSEDED
        if is_superseded and place.topic_id in (None, replica.topic_id):
            return Cause.LOG_IS_SUPERSEDED, index
    for index, place in enumerate(places):
        if place.is_online and replica.topic_id in place.kept_copies:
            return Cause.ONLY_A_COPY, index
    return None


def _may_be_older(places: Sequence[Place], replica: AssignedReplica) -> bool:
    """True if a log is not in the directory that the metadata has, and one is offline.

    The partition may have been copied to that one while the other was out. If it is known as lost,
    a former start may have found this out.
    """
    online = [place.directory_id for place in places if place.is_online]
    if len(online) == len(places):
        return False
    return replica.directory_id not in (DIRECTORY_UNASSIGNED, DIRECTORY_MIGRATING, *online)
