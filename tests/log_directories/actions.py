"""What happens in a seed: one function for each action, and how often it is drawn.

An action ends with `ProcessEndedError` if the process of the broker ends within it.
"""

from minikafka.common.ids import TopicPartition, Uuid
from minikafka.controller import cluster_control, replication_control
from minikafka.controller.partition_change import Target
from minikafka.controller.view import is_online
from minikafka.log.checkpoints import RECOVERY_POINTS, read_offsets, read_topic_id
from minikafka.metadata.partition_registration import NO_LEADER, PartitionRegistration
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.sim.world.disk_errors import IO_ERROR
from tests.log_directories import checks
from tests.log_directories.metadata import OTHER_DIRECTORY
from tests.log_directories.model import (
    ProcessEndedError,
    Replica,
    common_length,
    value_of,
)

NAMES = ("t", "u", "v")
_ANY_EPOCH = 1 << 30

# Topics and replicas


def create(world):
    """Create a topic, also under the name of a deleted one."""
    rng, metadata = world.rng, world.metadata
    names = [name for name in NAMES if name not in metadata.image.topic_ids]
    if not names:
        return
    name = rng.choice(names)
    world.topics += 1
    topic_id = Uuid.of(7, world.topics)
    partitions = []
    for index in range(rng.choice((1, 1, 2))):
        replica = Replica(TopicPartition(name, index), topic_id, world.topics)
        world.replicas[replica.key] = replica
        members = rng.choice(((1,), (1, 2), (2, 1), (2,)))
        isr = tuple(each for each in members if not metadata.is_fenced(each))
        leader = isr[0] if isr else NO_LEADER
        partitions.append(
            PartitionRegistration(
                replicas=members,
                directories=tuple(metadata.view.default_directory(each) for each in members),
                isr=isr or members[:1], leader=leader, leader_epoch=0, partition_epoch=0,
                last_known_leader=NO_LEADER if isr else members[0],
            )
        )  # fmt: skip
        world.say("create", replica, "of topic", world.topics, "on", members, "leader", leader)
    metadata.edit(
        lambda builder: builder.put_topic(name, topic_id),
        *(
            lambda builder, index=index, each=each: builder.put_partition(topic_id, index, each)
            for index, each in enumerate(partitions)
        ),
    )
    world.broker.publish()


def delete(world):
    topics = list(world.metadata.image.topics)
    if topics:
        topic_id = world.rng.choice(topics)
        world.say("delete topic", world.metadata.image.topics[topic_id].name)
        world.metadata.edit(lambda builder: builder.remove_topic(topic_id))
        world.broker.publish()


def recreate(world):
    delete(world)
    create(world)


def reassign(world):
    """Assign a partition away from broker 1, or to it again."""
    replica = _choose(world, world.live())
    if replica is None:
        return
    now = world.registration(replica)
    if now.leader != 2:
        return
    if 1 not in now.replicas:
        world.say("assign", replica, "to broker 1 again")
        directories = (OTHER_DIRECTORY, world.metadata.view.default_directory(1))
        _put(world, replica, replicas=(2, 1), directories=directories, leader=2)
        if replica.roots & (checks.absent_roots(world) | broken_roots(world)):
            # The former log may be there when the directory works again.
            replica.has_two_histories = True
    elif 2 in now.isr:
        world.say("assign", replica, "away from broker 1")
        _put(
            world, replica, replicas=(2,), directories=(OTHER_DIRECTORY,), isr=(2,), elr=(),
            leader=2,
        )  # fmt: skip
        if replica.own and replica.home in checks.absent_roots(world):
            replica.has_two_histories = True
        replica.remove()
    world.broker.publish()


def broken_roots(world):
    return {disk.root for disk in world.disks if disk.broken is not None}


def _put(world, replica, *, leader, **values):
    epoch = world.registration(replica).leader_epoch + 1
    world.metadata.put(replica, leader=leader, leader_epoch=epoch, **values)
    world.note_elections()


def elect(world):
    """Move a leadership to the other member of the ISR."""
    replicas = [each for each in world.own_replicas() if len(world.registration(each).isr) == 2]
    replica = _choose(world, replicas)
    if replica is None:
        return
    now = world.registration(replica)
    new = 3 - now.leader if now.leader != NO_LEADER else 1
    if not world.metadata.is_fenced(new) and world.metadata.view.acceptable(now)(new):
        world.say("elect", new, "for", replica)
        _put(world, replica, leader=new)
        world.broker.publish()


def other_broker(world):
    """Broker 2 goes or comes back. It loses nothing."""
    view = world.metadata.view
    broker = world.metadata.image.brokers[2]
    world.say("broker 2", "is back" if broker.fenced else "is away")
    change = cluster_control.unfencing if broker.fenced else cluster_control.fencing
    world.commit(change(view, broker))
    world.broker.publish()


# Records


def append(world):
    """Write to a partition that has a leader."""
    replicas = [x for x in world.live() if world.registration(x).leader != NO_LEADER]
    replica = _choose(world, replicas)
    for _ in range(world.rng.choice((1, 3))):
        if replica is not None:
            _append(world, replica)


def _append(world, replica):
    now = world.registration(replica)
    if now is None or now.leader == NO_LEADER:
        return
    world.records += 1
    record = world.records
    if now.leader == 1:
        _lead(world, replica, record, now)
        return
    options = BatchOptions(base_offset=len(replica.other), leader_epoch=now.leader_epoch)
    batch = build_batch([_new(world, replica, record)], options)
    replica.other = [*replica.other, (record, bytes(batch))]
    if 1 in now.isr and not _follow(world, replica):
        now = world.registration(replica)
        if now is not None and set(now.isr) == {1, 2}:
            world.metadata.change(replica, Target(isr=(2,)))
            world.broker.publish()
    replica.committed = replica.copied


def _new(world, replica, record):
    wall_ms = world.broker.env.clock.now.wall_ms
    return NewRecord(wall_ms, b"k", value_of(replica, record))


def _lead(world, replica, record, now):
    """Append to the log of broker 1; broker 2 has the record at once if it is in the ISR."""
    partition = _usable(world, replica)
    if partition is None or not partition.is_leader:
        return
    broker, log = world.broker, partition.log
    batch = memoryview(build_batch([_new(world, replica, record)]))
    replica.in_flight = [record]
    broker.guarded(
        lambda: log.append_as_leader(
            batch, leader_epoch=partition.leader_epoch, now=broker.env.clock.now
        )
    )
    replica.in_flight = []
    if _usable(world, replica) is not partition:
        return
    numbers, written = checks.batches(log)[-1]
    if numbers[2] != record:
        return
    if replica.committed == replica.own:
        replica.committed = [*replica.committed, record]
    replica.own = [*replica.own, record]
    if 2 in now.isr:
        replica.other = [*replica.other, (record, written)]
    log.update_high_watermark(len(replica.own))


def _usable(world, replica):
    """The partition of broker 1 if the model knows its log, and can read that."""
    broker = world.broker
    partition = broker.manager.hosted.online.get(replica.at) if broker else None
    if partition is None or partition.log is not replica.open_log:
        return None
    home = broker.logs.directory_of(replica.at)
    return None if home is None or home.disk.broken is not None else partition


def _follow(world, replica):
    """Copy the log of broker 2, the leader, to that of broker 1; True if it has all records."""
    partition = _usable(world, replica)
    if partition is None or partition.leader != 2:
        return False
    broker, log = world.broker, partition.log
    common = common_length(replica.own, replica.copied)
    if common < len(replica.own):
        world.say("truncate", replica, "to", common)
        replica.own, replica.in_flight = replica.own[:common], replica.own[common:]
        replica.least = min(replica.least, common)
        replica.durable = min(replica.durable, common)
        broker.guarded(lambda: log.truncate_to(common, broker.env.clock.now))
        replica.in_flight = []
    for record, batch in replica.other[common:]:
        if broker.logs.get(replica.at) is not log:
            return False
        replica.in_flight = [record]
        records = memoryview(bytearray(batch))
        broker.guarded(
            lambda records=records: log.append_as_follower(
                records, leader_epoch=_ANY_EPOCH, now=broker.env.clock.now
            )
        )
        replica.in_flight = []
        if broker.logs.get(replica.at) is log:
            replica.own = [*replica.own, record]
    if broker.logs.get(replica.at) is not log:
        return False
    log.update_high_watermark(len(replica.own))
    return True


def replicate(world):
    """Let followers fetch; then ISRs grow."""
    for replica in world.own_replicas():
        now = world.registration(replica)
        if now is None or len(now.replicas) < 2:
            continue
        if now.leader == 2 and _follow(world, replica):
            _join(world, replica, 1)
        elif now.leader == 1 and not world.metadata.is_fenced(2) and _usable(world, replica):
            log = _usable(world, replica).log
            rows = checks.batches(log)
            kept = replica.other[: log.log_start_offset]
            replica.other = kept + [(record, batch) for (_, _, record), batch in rows]
            replica.committed = replica.copied
            _join(world, replica, 2)


def _join(world, replica, broker_id):
    """The leader proposes an ISR with a broker, which may be fenced or without the directory."""
    now, broker = world.registration(replica), world.metadata.image.brokers[broker_id]
    online = is_online(now.directory(broker_id), broker.log_dirs)
    if broker_id not in now.isr and not broker.fenced and online:
        world.metadata.change(replica, Target(isr=(*now.isr, broker_id)))
        world.note_elections()
        world.broker.publish()


# Files


def flush(world):
    replica = _choose(world, _open(world))
    if replica is None:
        return
    world.say("flush", replica)
    log = world.broker.manager.hosted.online[replica.at].log

    def run():
        request = log.take_flush(everything=True)
        if request is not None:
            request.run()
            log.flushed(request)

    world.broker.guarded(run)


def roll(world):
    replica = _choose(world, _open(world))
    if replica is not None:
        broker, log = world.broker, world.broker.manager.hosted.online[replica.at].log
        if log.log_end_offset > log.segments.active.base_offset:
            broker.guarded(lambda: log.roll(broker.env.clock.now))


def trim(world):
    """Let retention remove records of broker 1 that broker 2 keeps."""
    replica = _choose(world, _open(world))
    partition = None if replica is None else _usable(world, replica)
    if partition is None:
        return
    broker, log = world.broker, partition.log
    most = min(common_length(replica.own, replica.copied), log.high_watermark)
    if most > log.log_start_offset:
        start = world.rng.randint(log.log_start_offset + 1, most)
        world.say("trim", replica, "to", start)
        replica.start = start
        broker.guarded(lambda: log.increment_log_start_offset(start))


def move(world):
    """Begin to move a log to another directory, or end its move."""
    replica = _choose(world, _open(world) or world.own_replicas())
    if replica is None:
        return
    root = world.rng.choice(world.present).root
    # Before the step: the process may end in it.
    replica.roots.add(root)
    code = world.broker.step(lambda: world.broker.manager.moves.alter(replica.at, root))
    world.say("move", replica, "to", root, code.name)


def _open(world):
    """The replicas of broker 1 that are online."""
    online = world.broker.manager.hosted.online
    return [each for each in world.own_replicas() if each.at in online]


def _choose(world, replicas):
    return world.rng.choice(replicas) if replicas else None


# The process and its disks


def wait(world):
    ms = world.rng.choice((0, 1, 10, 500, 1500, 6000))
    world.say("wait", ms, "ms")
    world.broker.run(ms)


def break_disk(world):
    """A disk fails until the next start."""
    disk = world.rng.choice(world.present)
    world.say("break", disk.root)
    disk.broken = IO_ERROR


def plan_crash(world):
    world.broker.crash = world.broker.plan_crash(0, 1, 2, 3, 5, 8, 13, 21, 40, 80)
    world.say("plan", world.broker.crash)


def kill(world):
    world.broker.end(power=world.rng.random() < 0.5)
    raise ProcessEndedError


def stop(world):
    """A controlled shutdown."""
    rng, broker = world.rng, world.broker
    world.say("STOP")
    world.commit(replication_control.removal_from_isrs(world.metadata.view, 1))
    broker.publish()
    if rng.random() < 0.5:
        broker.run(20)
    broker.shut_down(broker.plan_crash(*range(0, 80, 3)) if rng.random() < 0.3 else broker.crash)


def while_stopped(world):
    """The operator takes a directory out of log.dirs or puts it back; the metadata changes."""
    rng = world.rng
    if rng.random() < 0.35:
        root = rng.choice(world.disks).root
        if root in world.out:
            world.out.discard(root)
        elif len(world.present) > 1:
            world.out.add(root)
    elif rng.random() < 0.5:
        world.out.clear()
    if rng.random() < 0.1:
        _remove_folder(world)
    if rng.random() < 0.3:
        for _ in range(rng.choice((1, 2))):
            rng.choice((create, delete, reassign, other_broker, _append_to_other))(world)


def _remove_folder(world):
    """An operator removes the folder of a log that a checkpoint names."""
    replica = _choose(world, [each for each in world.own_replicas() if each.own])
    if replica is None or replica.home in world.out:
        return
    disk = world.disk(replica.home)
    if disk.broken is not None:
        return
    points = read_offsets(disk, RECOVERY_POINTS) or {}
    if points.get(replica.at) and read_topic_id(disk, str(replica)) == replica.topic_id:
        world.say("remove the folder of", replica, "in", replica.home)
        disk.remove(str(replica))
        disk.sync_names()
        replica.is_removed = replica.was_lost = True
        world.removed.add(replica.at)
        world.broker.clean_epoch = None
        now = world.registration(replica)
        if now.leader == 2 and 1 not in (*now.isr, *now.elr) and world.rng.random() < 0.5:
            world.say("accept an empty log of", replica)
            disk.make_dir(str(replica))
            disk.sync_names()


def _append_to_other(world):
    for replica in world.live():
        if world.registration(replica).leader == 2:
            _append(world, replica)


_SHARES = (
    (create, 8), (delete, 3), (recreate, 3), (append, 14), (replicate, 8), (reassign, 6),
    (elect, 4), (other_broker, 3), (flush, 5), (roll, 2), (trim, 4), (move, 9), (wait, 14), (break_disk, 2),
    (plan_crash, 6), (kill, 3), (stop, 4),
)  # fmt: skip
_ACTIONS = [action for action, share in _SHARES for _ in range(share)]


def draw(rng):
    """Choose an action, the more often the larger its share is."""
    return rng.choice(_ACTIONS)
