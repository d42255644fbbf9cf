"""A controller through any life: one replay for everybody, snapshots that say the same, order kept."""

from dataclasses import replace

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from minikafka.common.errors import DuplicateBrokerRegistrationError
from minikafka.controller.replica_index import ReplicaIndex
from minikafka.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from minikafka.messages.delete_topics import DeleteTopicsRequest
from minikafka.messages.elect_leaders import ElectLeadersRequest
from minikafka.metadata.image import RESOURCE_BROKER
from minikafka.metadata.loader import MetadataLoader
from minikafka.metadata.snapshot import snapshot_records
from tests.quorum_world import QuorumWorld

BROKERS = (1, 2, 3)
TOPICS = ("a", "b")
MIN_ISR = "min.insync.replicas"
brokers, topics = st.sampled_from(BROKERS), st.sampled_from(TOPICS)


def without_offsets(image):
    """The image without what a snapshot does not carry: where registrations stood in the log."""
    return replace(
        image,
        offset=0,
        brokers={number: replace(x, registered_at=0) for number, x in image.brokers.items()},
    )


def partitions_of(rows):
    return sorted(row.partition for row in rows)


class Cluster(RuleBasedStateMachine):
    """Brokers register, stop, return; topics come and go; leaders propose; the controller restarts."""

    def __init__(self):
        super().__init__()
        self.world = QuorumWorld.started()
        self.world.join(*BROKERS)
        self.world.create("a", configs={MIN_ISR: "2"})
        self.epochs = {}
        self.partition_epochs = {}

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

    @rule(broker=brokers, wish=st.sampled_from(("stay", "stay", "be fenced", "leave")))
    def heartbeat(self, broker, wish):
        if broker in self.image.brokers:
            self.world.heartbeat(
                broker, want_fence=wish == "be fenced", want_shut_down=wish == "leave"
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
        self.world.apply(self.world.controller.create_partitions(request))

    @rule(topic=topics)
    def delete(self, topic):
        request = DeleteTopicsRequest(topic_names=[topic])
        self.world.apply(self.world.controller.delete_topics(request))
        self.partition_epochs.clear()

    @rule(topic=topics, wanted=st.lists(brokers, unique=True))
    def propose(self, topic, wanted):
        self.shrink_or_grow(topic, wanted)

    @rule(topic=topics)
    def shrink_to_the_leader(self, topic):
        self.shrink_or_grow(topic, [])

    def shrink_or_grow(self, topic, wanted):
        now = self.world.partition(topic)
        if now is None or now.leader == -1:
            return
        members = [x for x in wanted if x in now.replicas and self.image.broker_is_active(x)]
        isr = list(dict.fromkeys([now.leader, *members]))
        _, answer = self.world.propose(now.leader, isr, topic)
        assert answer.error_code == 0
        assert tuple(answer.isr) == self.world.partition(topic).isr

    @rule(topic=topics, value=st.sampled_from(("1", "2", "3")))
    def set_min_isr(self, topic, value):
        self.world.set_config(topic, MIN_ISR, value)

    @rule(value=st.sampled_from(("1", "2")))
    def set_cluster_min_isr(self, value):
        self.world.set_config("", MIN_ISR, value, RESOURCE_BROKER)

    @rule(kind=st.integers(0, 1))
    def elect(self, kind):
        request = ElectLeadersRequest(election_type=kind, topic_partitions=None)
        self.world.apply(self.world.controller.elect_leaders(request))

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
        assert self.image.topics == before.topics
        assert self.image.brokers == before.brokers
        assert self.image.configs == before.configs

    @invariant()
    def the_committed_image_is_the_latest_one(self):
        assert self.world.loader.image == self.image

    @invariant()
    def a_snapshot_says_the_same(self):
        image = self.image
        again = MetadataLoader().load_snapshot(
            snapshot_records(image), last_offset=image.offset, epoch=image.epoch
        )
        assert without_offsets(again) == without_offsets(image)

    @invariant()
    def partitions_are_well_formed(self):
        view = self.world.controller._view()
        for name, _, now in self.image.all_partitions():
            assert now.leader == -1 or now.leader in now.isr
            assert not set(now.isr) & set(now.elr)
            assert all(self.image.broker_is_active(x) for x in now.isr)
            min_isr = view.min_isr(self.image.topic(name.topic))
            # Raising min ISR may leave an ISR below it without ELR, never the other way round.
            assert not now.elr or len(now.isr) < min_isr

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
