"""What must hold after each step, after each start and at the end.

A step may bring another log of a replica into use: after a start, after the swap of a move, or
after a loss. Its records are compared with those that the model has. `Replica` names the excuses
that hold for a replica for good; the others are functions here, each with its reason.
"""

import re

from minikafka.common.ids import DIRECTORY_LOST, DIRECTORY_UNASSIGNED
from minikafka.metadata.partition_registration import NO_LEADER
from tests.log_directories.model import MARK, ViolationError

_RECORD_LENGTH_AT = 8
_HEADER = 12


def batches(log):
    """The batches of a log, each with the numbers that its record holds."""
    found = []
    offset = log.log_start_offset
    while offset < log.log_end_offset:
        read = log.read(
            offset, 1 << 20, upper_bound_offset=log.log_end_offset, min_one_message=True
        )
        data = bytes(read.slice.read())
        at = 0
        while at + _HEADER <= len(data):
            length = _HEADER + int.from_bytes(data[at + _RECORD_LENGTH_AT : at + _HEADER], "big")
            batch = data[at : at + length]
            if len(batch) < length:
                break
            base_offset = int.from_bytes(batch[:8], "big")
            if base_offset >= offset:
                found.append((tuple(map(int, MARK.search(batch).groups())), batch))
                offset = base_offset + 1
            at += length
    return found


def records_of(replica, log):
    """The records of a log, which must all be those of the replica, and those that it deleted."""
    start = log.log_start_offset
    if start > replica.start and not replica.has_two_histories:
        raise ViolationError(f"{replica}: starts at {start}, and it started at {replica.start}")
    numbers = [number for number, _ in batches(log)]
    for topic, index, _ in numbers:
        if (topic, index) != (replica.number, replica.at.partition):
            raise ViolationError(f"{replica}: has a record of partition {index} of topic {topic}")
    return [*replica.copied[:start], *(record for _, _, record in numbers)]


def absent_roots(world):
    """The roots of directories that are not in log.dirs, or are offline."""
    homes = world.broker.logs.directories if world.broker else ()
    return world.out | {home.disk.root for home in homes if not home.is_online}


# Steps


def before_step(world):
    """Note how much of each log a power loss within the step keeps."""
    broker = world.broker
    for replica in world.own_replicas():
        log = broker.logs.get(replica.at)
        if log is not None and log is replica.open_log:
            replica.durable = min(log.recovery_point, len(replica.own))
            replica.home = broker.logs.directory_of(replica.at).disk.root


def before_replicas(world):
    """Note whose directory the controller does not know at a start."""
    world.unassigned = {
        replica.key
        for replica in world.own_replicas()
        if world.registration(replica).directory(1) == DIRECTORY_UNASSIGNED
    }


def observe(world):
    """Compare the logs that have come into use with the model."""
    broker = world.broker
    if not broker or broker.is_starting:
        return
    for replica in world.own_replicas():
        partition = broker.manager.hosted.online.get(replica.at)
        if partition is None:
            continue
        log, home = partition.log, broker.logs.directory_of(replica.at)
        if not log.topic_id == partition.topic_id == replica.topic_id:
            raise ViolationError(f"{replica}: the log in use has topic id {log.topic_id}")
        if log is replica.open_log:
            continue
        if home is None or broker.logs.get(replica.at) is not log:
            raise ViolationError(f"{replica}: its log is not the one of the log manager")
        if home.disk.broken is not None:
            continue
        records = records_of(replica, log)
        if replica.open_log is not None and records != replica.own:
            raise ViolationError(f"{replica}: a move changes {replica.own} to {records}")
        if replica.open_log is None and replica.own is not None:
            _judge(world, replica, records, home.disk.root)
        replica.open_log, replica.own, replica.home = log, records, home.disk.root
        replica.start, replica.is_removed = log.log_start_offset, False
        replica.roots.add(replica.home)
        replica.least = len(records)
        replica.durable = min(log.recovery_point, len(records))


def _judge(world, replica, records, root):
    """Compare the log that a start uses with the one that the last process used."""
    registration = world.registration(replica)
    keeps = replica.keeps(records)
    world.say(
        "log of", replica, "in", root, "has", records, "of", replica.own, "least", replica.least,
        "from", replica.home, "ISR", registration.isr, "ELR", registration.elr,
    )  # fmt: skip
    absent = absent_roots(world)
    if replica.roots - {root} & absent and (root != replica.home or not keeps or not records):
        replica.has_two_histories = True
    if _is_forgiven(world, replica, records, root, absent):
        replica.committed = list(records)
        return
    if keeps:
        if replica.lacks_committed(records):
            _lose_unflushed(replica, records)
        return
    if not (replica.has_two_histories or replica.is_removed):
        _require_copy(replica, records, root, registration)
    _require_committed(replica, records, registration)


def _is_forgiven(world, replica, records, root, absent):
    """EXCUSE. Without ELR the last member of the ISR stays there, and leads with what it has.

    As in Kafka: after an unclean shutdown, and after a start without the directory of its log, if
    the controller does not know that yet, or if an older log is in another directory: the operator
    who takes the directory out of log.dirs decides for that one. With ELR, too, if an operator has
    removed the newer log.
    """
    if replica.is_removed and replica.has_two_histories:
        return True
    if world.metadata.elr or not replica.lacks_committed(records):
        return False
    is_elsewhere = replica.home in absent and root != replica.home
    if is_elsewhere and replica.key in world.unassigned:
        return True
    is_last = world.registration(replica).isr == (1,)
    is_older = is_elsewhere and root in replica.roots
    has_older = replica.has_two_histories and (is_older or not replica.least)
    return is_last and (replica.keeps(records) or has_older)


def _lose_unflushed(replica, records):
    """EXCUSE. A power loss takes what is not flushed, if no other broker has it."""
    kept = max(len(records), replica.common_with_other())
    if replica.common_with_other() < len(replica.committed):
        replica.committed = replica.committed[:kept]


def _require_copy(replica, records, root, registration):
    """Without an excuse another log is one that is copied from another leader.

    It is empty at first, in a directory that had no log of the replica. A leader that is another
    broker has truncated it, or begins to.
    """
    is_copy = registration.leader == 2 or (not records and root not in replica.roots)
    if not is_copy:
        raise ViolationError(
            f"{replica}: the log in {root} has {records}, not {replica.own} up to {replica.least}"
        )
    is_member = 1 in (*registration.isr, *registration.elr)
    is_sound = len(replica.roots) == 1 and replica.own and not replica.was_lost
    if is_member or is_sound:
        raise ViolationError(
            f"{replica}: {records} in {root} replace {replica.own} of {replica.home}"
        )


def _require_committed(replica, records, registration):
    members = (*registration.isr, *registration.elr, registration.leader)
    if 1 in members and replica.lacks_committed(records):
        raise ViolationError(
            f"{replica}: a member of ISR {registration.isr} or ELR {registration.elr} has "
            f"{records}, but {replica.committed} are committed"
        )


def members(world):
    """A member of ISR or ELR has all committed records."""
    for replica in world.own_replicas() if world.broker else ():
        is_online = replica.at in world.broker.manager.hosted.online
        if is_online and replica.open_log is not None:
            _require_committed(replica, replica.own, world.registration(replica))


# Starts


def after_start(world):
    """After a start all replicas are online, or offline for a reason."""
    absent = absent_roots(world)
    for replica in world.own_replicas():
        hosted = world.broker.manager.hosted
        if replica.at in hosted.online:
            continue
        if replica.at not in hosted.offline:
            raise ViolationError(f"{replica}: is neither online nor offline")
        reason = world.reason(replica)
        world.say("offline:", replica, reason)
        is_known_as_lost = world.registration(replica).directory(1) == DIRECTORY_LOST
        if "is gone with the records" in str(reason) and not replica.own:
            if replica.at in world.removed:
                # EXCUSE. Checkpoints have no topic ids: it is the log of a former topic.
                replica.is_removed = True
            elif not replica.roots:
                raise ViolationError(
                    f"{replica}: the log of a former topic counts as lost: {reason}"
                )
        may_stay = is_known_as_lost if replica.own is None else replica.was_lost
        if replica.is_removed:
            continue
        if not (absent or replica.has_two_histories) and (replica.least or not may_stay):
            raise ViolationError(f"{replica}: offline with all directories: {reason}")
        replica.was_lost |= is_known_as_lost or bool(absent)
    members(world)


# End


def at_end(world):
    """All directories are there, and nothing is broken: all replicas are used, nothing is left."""
    for replica in world.own_replicas():
        _end_of(world, replica)
    if world.broker.assignments.pending:
        raise ViolationError("the controller does not answer assignments at the end")
    mine = {str(replica.at) for replica in world.own_replicas()}
    offline = {str(at) for at in world.broker.manager.hosted.offline}
    for disk in world.disks:
        for name in disk.list(""):
            is_other = re.fullmatch(r"[tuv]-\d+", name) and name not in mine
            # EXCUSE. An operator may use the copy of a log that is lost.
            is_left = name.endswith("-future") and name.partition(".")[0] not in offline
            if is_other or is_left or name.endswith(("-delete", "-moved")):
                raise ViolationError(f"left at the end: {disk.root}/{name}")
    members(world)


def _end_of(world, replica):
    registration = world.registration(replica)
    if replica.at not in world.broker.manager.hosted.online:
        is_lost = not replica.own and registration.directory(1) == DIRECTORY_LOST
        is_excused = replica.has_two_histories or replica.is_removed or is_lost
        if registration.leader == 2 or not is_excused:
            raise ViolationError(f"{replica}: offline at the end: {world.reason(replica)}")
        return
    if registration.leader == NO_LEADER:
        raise ViolationError(f"{replica}: has no leader at the end: {registration}")
    home = world.broker.logs.directory_of(replica.at)
    if registration.directory(1) != home.directory_id:
        raise ViolationError(f"{replica}: the metadata does not have {home.disk.root} at the end")
