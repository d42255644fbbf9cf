"""A group coordinator on a real partition of `__consumer_offsets`, on a simulated disk."""

from random import Random

from minikafka.common.clock import Now
from minikafka.common.environment import Environment
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.common.internal_topics import OFFSETS_TOPIC
from minikafka.config.values import Config
from minikafka.group.coordinator import GroupCoordinator
from minikafka.group.membership import Caller
from minikafka.group.offset_commits import CommitRow
from minikafka.group.records import parse_record
from minikafka.log.config import LogConfig
from minikafka.log.producers.verification import UNCHECKED
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.messages.heartbeat import HeartbeatRequest
from minikafka.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from minikafka.messages.leave_group import MemberIdentity
from minikafka.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitResponsePartition,
)
from minikafka.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from minikafka.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitResponsePartition,
)
from minikafka.metadata.image import ImageBuilder, MetadataImage
from minikafka.metadata.partition_registration import PartitionRegistration
from minikafka.records.builder import TransactionEnd
from minikafka.records.reader import read_records
from minikafka.replica.partition import Partition
from minikafka.replica.partition_event import PartitionEvent
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.broker_view import Flushes, Proposals, local_broker
from tests.worlds.wire_world import take_turn

NAME = TopicPartition(OFFSETS_TOPIC, 0)
TOPIC_ID = Uuid.of(7, 7)
SESSION_MS = 10_000
REBALANCE_MS = 60_000
WALL_MS = 1_000_000
SUBSCRIPTION = b"\0\1\0\0\0\1\0\1t\xff\xff\xff\xff\0\0\0\0"


class LocalReplicas:
    """The replicas of broker 1: one partition."""

    def __init__(self, partition):
        self.partition = partition
        self.listeners = []
        self.lost = []
        self.damages = []

    def led(self):
        return iter([self.partition] if self.partition.is_leader else [])

    def damaged(self, partition, error):
        self.damages.append((partition, error))

    def take_offline(self, fault):
        self.lost.append(fault)
        self.partition.leader = -1
        self.stop(self.partition.topic_partition)

    def change_leadership(self, partition):
        for each in self.listeners:
            each.leadership_changed(partition)

    def stop(self, name):
        for each in self.listeners:
            each.replica_stopped(name)


class LostAtAppend:
    """Ends the leadership of a world's broker within its next append, whose batch stays.

    The coordinator learns of it at once, or when it checks.
    """

    def __init__(self, world, *, is_told):
        self.world = world
        self.is_told = is_told
        world.partition.watchers[self] = None

    def changed(self, event):
        watchers = self.world.partition.watchers
        if event is not PartitionEvent.APPENDED or self not in watchers:
            return
        del watchers[self]
        if self.is_told:
            self.world.lead(leader=2)
        else:
            self.world.partition.leader = 2

    def follower_moves(self, broker):
        """Not of interest."""


class World:
    """Broker 1, which leads the partition with or without a follower (broker 2)."""

    def __init__(self, replicas=(1,), lead=True, **config):
        self.env = Environment(Random(1))
        self.wall_ms = WALL_MS
        self.at(0)
        values = {"group.initial.rebalance.delay.ms": "0"}
        values |= {key.replace("_", "."): str(value) for key, value in config.items()}
        self.config = Config(values)
        self.disk = SimDisk("/d")
        self.replica_ids = replicas
        self.epoch = -1
        self.log = self.open_log()
        builder = ImageBuilder(MetadataImage())
        builder.put_topic(OFFSETS_TOPIC, TOPIC_ID)
        builder.put_partition(TOPIC_ID, 0, self.registration(1))
        self.image = builder.build(1, 1)
        self.start()
        if lead:
            self.lead()
            self.run()

    def open_log(self, *, clean=True):
        return UnifiedLog.open(
            self.disk, "o-0", NAME, config=LogConfig(), checkpointed=CheckpointedOffsets(clean=clean),
            now=self.env.clock.now, rng=Random(2), topic_id=TOPIC_ID,
        )  # fmt: skip

    def start(self):
        local = local_broker(self, self.config)
        self.partition = Partition(
            self.env, local, NAME, TOPIC_ID, self.log, len(self.replica_ids), 30_000, Proposals(),
            Flushes(),
        )  # fmt: skip
        self.replicas = LocalReplicas(self.partition)
        self.groups = GroupCoordinator(
            env=self.env, view=local, replicas=self.replicas
        )  # fmt: skip
        self.groups.start()

    def registration(self, leader):
        ids = self.replica_ids
        return PartitionRegistration(
            replicas=ids, directories=(Uuid.of(0, 1),) * len(ids), isr=ids, leader=leader,
            leader_epoch=self.epoch, partition_epoch=self.epoch,
        )  # fmt: skip

    def lead(self, leader=1):
        """A new leader epoch."""
        self.epoch += 1
        self.partition.apply(self.registration(leader))
        self.replicas.change_leadership(self.partition)

    def restart(self):
        """Another coordinator takes over, on the same log."""
        self.start()
        self.lead()
        self.run()

    def fail_over(self, keep_to=None):
        """The broker crashes; another one has its log, without records from `keep_to` on."""
        self.env.end()
        if keep_to is not None:
            self.log.truncate_to(keep_to, self.env.clock.now)
        self.start()
        self.lead()

    def replicate(self, to_offset=None):
        """The follower has everything, or what is below an offset."""
        end_offset = self.log.log_end_offset
        self.partition.follower_fetched(
            2, broker_epoch=1, fetch_offset=end_offset if to_offset is None else to_offset,
            log_start_offset=0, leader_end_offset=end_offset,
        )  # fmt: skip

    def at(self, monotonic_ms):
        self.env.clock.set(Now(monotonic_ms, monotonic_ms + self.wall_ms))

    def run(self, for_ms=0):
        """Let time pass, and everything that is due happen at its time."""
        until = self.env.clock.monotonic_ms + for_ms
        while True:
            due = self.env.next_deadline_ms()
            if due is None or due > until:
                break
            self.at(due)
            take_turn(self.env, due)
        self.at(until)

    def heartbeat(self, member_id, generation, group="g", instance=None):
        self.groups.heartbeat(HeartbeatRequest(group, generation, member_id, instance))

    def join(self, member_id="", instance=None, version=9, group="g", protocols=("range",), **more):
        values = {"session_timeout_ms": SESSION_MS, "rebalance_timeout_ms": REBALANCE_MS, **more}
        request = JoinGroupRequest(
            group_id=group,
            member_id=member_id,
            group_instance_id=instance,
            protocol_type=values.pop("protocol_type", "consumer"),
            protocols=[JoinGroupRequestProtocol(name, SUBSCRIPTION) for name in protocols],
            **values,
        )
        return self.groups.join(request, Caller("client", "/127.0.0.1", version))

    def member_id(self, group="g", **more):
        """The id that a new dynamic member is given."""
        return self.join(group=group, **more).answer.member_id

    def enter(self, count=1, group="g", **more):
        """That many dynamic members join a new group together; their answers, the leader first."""
        ids = [self.member_id(group=group) for _ in range(count)]
        waiting = [self.join(each, group=group, **more) for each in ids]
        self.run()
        return [each.answer for each in waiting]

    def sync(self, member_id, generation, assignments=None, group="g", instance=None, **more):
        return self.groups.sync(
            SyncGroupRequest(
                group_id=group,
                generation_id=generation,
                member_id=member_id,
                group_instance_id=instance,
                assignments=[
                    SyncGroupRequestAssignment(each, data)
                    for each, data in (assignments or {}).items()
                ],
                **more,
            )
        )

    def stable(self, count=1, group="g", **more):
        """A stable group of dynamic members; their ids, the leader's first."""
        answers = self.enter(count, group=group, **more)
        ids = [each.member_id for each in answers]
        generation = answers[0].generation_id
        for member_id in ids[1:]:
            self.sync(member_id, generation, group=group)
        self.sync(ids[0], generation, {each: each.encode() for each in ids}, group=group)
        return ids

    def leave(self, *identities, group="g"):
        return self.groups.leave(group, [MemberIdentity(*each) for each in identities])

    def commit(
        self, offsets, group="g", member_id="", generation=-1, version=9, topic="t", retention=-1,
        metadata="",
    ):  # fmt: skip
        """Commit offsets by partition, or pairs of both; the write and the rows' answers."""
        rows = [
            CommitRow(
                topic,
                Uuid.of(3, 3),
                OffsetCommitRequestPartition(index, offset, 0, metadata),
                OffsetCommitResponsePartition(index),
            )
            for index, offset in (offsets.items() if isinstance(offsets, dict) else offsets)
        ]
        request = OffsetCommitRequest(group, generation, member_id, None, retention)
        write = self.groups.shard_of(group).commits.commit(request, version, rows)
        return write, [row.answer.error_code for row in rows]

    def commit_transactional(
        self, offsets, producer_id=7, group="g", member_id="", generation=-1, instance=None,
        topic="t", metadata="", guard=UNCHECKED,
    ):  # fmt: skip
        """Commit offsets by partition in a transaction; the write and the rows' answers."""
        rows = [
            CommitRow(
                topic,
                Uuid.of(3, 3),
                TxnOffsetCommitRequestPartition(index, offset, 0, metadata),
                TxnOffsetCommitResponsePartition(index),
            )
            for index, offset in offsets.items()
        ]
        request = TxnOffsetCommitRequest(
            "tx", group, producer_id, 0, generation, member_id, instance
        )
        write = self.groups.shard_of(group).commits.commit_transactional(request, rows, guard)
        return write, [row.answer.error_code for row in rows]

    def end_transaction(self, producer_id=7, is_commit=True, epoch=0, coordinator_epoch=0):
        """The marker of a transaction."""
        end = TransactionEnd(producer_id, epoch, is_commit, coordinator_epoch, 0)
        return self.groups.end_transaction(0, end)

    def unstable(self, group="g", topic="t", partitions=range(10)):
        """The partitions with an offset of a transaction that is not over."""
        offsets = self.groups.shard_of(group).committed_offsets(group)
        return [index for index in partitions if offsets.is_unstable(topic, index)]

    def committed(self, group="g", topic="t"):
        """Committed offsets by partition."""
        offsets = self.groups.shard_of(group).committed_offsets(group)
        return {index: value.offset for index, value in offsets.committed.get(topic, {}).items()}

    def group(self, group="g"):
        return self.groups.shard_of(group).store.group(group)

    def records(self):
        """Every record of the log, parsed."""
        read = self.log.read(0, 1 << 20, upper_bound_offset=self.log.log_end_offset)
        if read.slice is None:
            return []
        return [parse_record(r.key, r.value) for r in read_records(read.slice.read())]
