"""A controller through random operations: equal replays, equal snapshots, rising epochs."""

from dataclasses import replace

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from minikafka.common.errors import DuplicateBrokerRegistrationError, ErrorCode
from minikafka.controller import leader_elections, reassignments, topic_control
from minikafka.controller.replica_index import ReplicaIndex
from minikafka.messages import alter_partition_reassignments as reassignment_messages
from minikafka.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from minikafka.messages.delete_topics import DeleteTopicsRequest
from minikafka.messages.elect_leaders import ElectLeadersRequest
from minikafka.metadata.image import RESOURCE_BROKER, RESOURCE_TOPIC
from minikafka.metadata.loader import MetadataLoader
from minikafka.metadata.snapshot import snapshot_records
from minikafka.sim.checks.registration_checks import perhaps_thrown_out, recovery_quorum
from tests.worlds.quorum_world import QuorumWorld

BROKERS = (1, 2, 3)
TOPICS = ("a", "b")
MIN_ISR = "min.insync.replicas"
brokers, topics = st.sampled_from(BROKERS), st.sampled_from(TOPICS)
indexes = st.integers(0, 1)


def without_offsets(image):
    """The image without what a snapshot does not carry: where registrations stood in the log."""
    return replace(
        image,
        offset=0,
        brokers={number: replace(x, registered_at=0) for number, x in image.brokers.items()},
    )


def min_isr_of(image, topic, now):
    """H6, as the specification says it."""
    own = image.config(RESOURCE_TOPIC, topic).get(MIN_ISR)
    configured = own or image.config(RESOURCE_BROKER, "").get(MIN_ISR) or "1"
    return min(int(configured), len(now.replicas))


def partitions_of(rows):
    return sorted(row.partition for row in rows)


class Cluster(RuleBasedStateMachine):
    """Brokers register, stop, return; topics come and go; leaders propose; the controller restarts."""

    def __init__(self):
        super().__init__()
        self.world = QuorumWorld.started()
        self.world.join(*BROKERS)
        self.world.create("a", ((1, 2, 3), (2, 3, 1)), {MIN_ISR: "2"})
        self.epochs = {}
        self.partition_epochs = {}
        self.follow_from_the_start()

    def follow_from_the_start(self):
        self.followed, self.batches_seen = MetadataLoader(), 0

    @property
    def image(self):
        return self.world.image

    def unfenced(self):
        return [x.broker_id for x in self.image.brokers.values() if not x.fenced]

    @rule(broker=brokers, clean=st.booleans())
    def register(self, broker, clean):
        known = self.image.brokers.get(broker)
        epoch = known.epoch if known is not None and clean else -1
        try:
            self.world.register(broker, epoch=epoch)
        except DuplicateBrokerRegistrationError:
            assert not known.fenced

    @rule(broker=brokers, intent=st.sampled_from(("stay", "stay", "be fenced", "leave")))
    def heartbeat(self, broker, intent):
        if broker in self.image.brokers:
            self.world.heartbeat(
                broker, want_fence=intent == "be fenced", want_shut_down=intent == "leave"
            )

    @rule(clean=st.booleans())
    def heal(self, clean):
        """Every broker comes back, and into every ISR."""
        for broker, known in self.image.brokers.items():
            if not known.active:
                self.world.heartbeat(broker, want_fence=True)
                self.register(broker, clean)
                self.world.heartbeat(broker)
        for name, _, now in self.image.all_partitions():
            if now.leader != -1:
                self.world.propose(now.leader, now.replicas, name.topic, name.partition)

    @rule(topic=topics, count=st.integers(1, 3), min_isr=st.sampled_from((None, "1", "2", "3")))
    def create(self, topic, count, min_isr):
        registered = sorted(self.image.brokers)
        assignment = tuple(tuple(registered[x % len(registered) :] + registered[: x % len(
            registered
        )]) for x in range(count)) if registered else ((1,),)  # fmt: skip
        self.world.create(topic, assignment, {MIN_ISR: min_isr} if min_isr else None)

    @rule(topic=topics, count=st.integers(2, 4))
    def grow(self, topic, count):
        request = CreatePartitionsRequest(
            topics=[CreatePartitionsTopic(name=topic, count=count, assignments=None)]
        )
        self.world.apply(self.world.controller.decide(topic_control.create_partitions, request))

    @rule(topic=topics)
    def delete(self, topic):
        request = DeleteTopicsRequest(topic_names=[topic])
        self.world.apply(self.world.controller.decide(topic_control.delete_topics, request, 6))
        self.partition_epochs.clear()

    @rule(topic=topics, index=indexes, wanted=st.lists(brokers, unique=True))
    def propose(self, topic, index, wanted):
        self.shrink_or_grow(topic, index, wanted)

    @rule(topic=topics, index=indexes)
    def shrink_to_the_leader(self, topic, index):
        self.shrink_or_grow(topic, index, [])

    def shrink_or_grow(self, topic, index, wanted):
        now = self.world.partition(topic, index)
        if now is None or now.leader == -1:
            return
        members = [x for x in wanted if x in now.replicas and self.image.broker_is_active(x)]
        isr = list(dict.fromkeys([now.leader, *members]))
        _, answer = self.world.propose(now.leader, isr, topic, index)
        after = self.world.partition(topic, index)
        if answer.error_code == ErrorCode.NEW_LEADER_ELECTED:
            # The proposal completed a reassignment that removes its own leader.
            assert now.leader not in after.replicas
        else:
            assert answer.error_code == ErrorCode.NONE
            assert tuple(answer.isr) == after.isr

    @rule(topic=topics, index=indexes, wanted=st.lists(brokers, unique=True, min_size=1))
    def reassign(self, topic, index, wanted):
        """Also to more replicas, or to fewer."""
        request = reassignment_messages.AlterPartitionReassignmentsRequest(
            topics=[
                reassignment_messages.ReassignableTopic(
                    topic, [reassignment_messages.ReassignablePartition(index, wanted)]
                )
            ]
        )
        self.world.apply(
            self.world.controller.decide(reassignments.alter_partition_reassignments, request)
        )

    @rule(topic=topics, index=indexes, stays=brokers)
    def move_away_from_lost_replicas(self, topic, index, stays):
        """All replicas but those on one broker end uncleanly, and the partition moves there."""
        for broker in self.image.brokers:
            if broker != stays:
                self.world.heartbeat(broker, want_fence=True)
                self.register(broker, clean=False)
        self.reassign(topic, index, [stays])

    @rule(topic=topics, value=st.sampled_from(("1", "2", "3")))
    def set_min_isr(self, topic, value):
        self.world.set_config(topic, MIN_ISR, value)

    @rule(topic=topics, value=st.sampled_from(("true", "false")))
    def allow_unclean_elections(self, topic, value):
        self.world.set_config(topic, "unclean.leader.election.enable", value)

    @rule(value=st.sampled_from(("1", "2")))
    def set_cluster_min_isr(self, value):
        self.world.set_config("", MIN_ISR, value, RESOURCE_BROKER)

    @rule(kind=st.integers(0, 1))
    def elect(self, kind):
        request = ElectLeadersRequest(election_type=kind, topic_partitions=None)
        self.world.apply(self.world.controller.decide(leader_elections.elect_leaders, request, 3))

    @rule(broker=brokers)
    def let_the_session_end(self, broker):
        for _ in range(6):
            for other in self.unfenced():
                if other != broker:
                    self.world.heartbeat(other)
            self.world.advance(2000)
        assert broker not in self.unfenced()

    @rule()
    def restart(self):
        before = self.image
        now_ms = self.world.env.clock.monotonic_ms
        self.world = QuorumWorld.started(self.world.disk, start_ms=now_ms, seed=before.offset)
        self.follow_from_the_start()
        assert self.image.topics == before.topics
        assert self.image.brokers == before.brokers
        assert self.image.configs == before.configs

    @invariant()
    def the_committed_image_is_the_latest_one(self):
        assert self.world.loader.image == self.image

    @invariant()
    def a_snapshot_rebuilds_the_image(self):
        image = self.image
        again = MetadataLoader().load_snapshot(
            snapshot_records(image), last_offset=image.offset, epoch=image.epoch
        )
        assert without_offsets(again) == without_offsets(image)

    @invariant()
    def partitions_are_well_formed(self):
        for name, _, now in self.image.all_partitions():
            assert now.leader == -1 or now.leader in now.isr
            assert not set(now.isr) & set(now.elr)
            assert all(self.image.broker_is_active(x) for x in now.isr)
            # Raising min ISR may leave an ISR below it without ELR, never the other way round.
            assert not now.elr or len(now.isr) < min_isr_of(self.image, name.topic, now)

    @invariant()
    def every_change_keeps_a_recovery_quorum(self):
        """E2, H6: of each partition by its own number of replicas."""
        batches = self.world.batches
        for batch in batches[self.batches_seen :]:
            before = self.followed.image
            image = self.followed.load_batch(
                batch.records, last_offset=batch.last_offset, epoch=batch.epoch
            )
            for name, topic_id, now in image.all_partitions():
                topic = before.topics.get(topic_id)
                former = None if topic is None else topic.partitions.get(name.partition)
                if former is not None and former is not now:
                    minimum = min_isr_of(image, name.topic, now)
                    unlisted = perhaps_thrown_out(former, now, before, image)
                    assert recovery_quorum(former, now, minimum, unlisted) is None
        self.batches_seen = len(batches)

    @invariant()
    def epochs_only_grow(self):
        for number, broker in self.image.brokers.items():
            assert broker.epoch >= self.epochs.get(number, -1)
            assert broker.epoch <= broker.registered_at
            self.epochs[number] = broker.epoch
        for name, topic_id, now in self.image.all_partitions():
            key = topic_id, name.partition
            epochs = now.leader_epoch, now.partition_epoch
            before = self.partition_epochs.get(key, (0, 0))
            assert epochs[0] >= before[0]
            assert epochs[1] >= before[1]
            self.partition_epochs[key] = epochs

    @precondition(lambda self: self.world.controller.is_active)
    @invariant()
    def the_index_is_kept_up(self):
        kept, fresh = self.world.controller._index, ReplicaIndex()
        fresh.advance(self.image)
        for broker in (-1, *BROKERS):
            for find in ("in_isr", "in_isr_or_elr", "led_by"):
                found = getattr(kept, find)(broker), getattr(fresh, find)(broker)
                assert partitions_of(found[0]) == partitions_of(found[1])
        assert partitions_of(kept.without_preferred_leader()) == partitions_of(
            fresh.without_preferred_leader()
        )


TestCluster = Cluster.TestCase
TestCluster.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
