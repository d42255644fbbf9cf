"""One partition through random operations: E2, invariants, and E5 against a plain model."""

from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from minikafka.common.ids import TopicIdPartition, Uuid
from minikafka.controller.election import Election
from minikafka.controller.partition_change import ChangeContext, Target, partition_change
from minikafka.metadata.partition_registration import (
    LeaderRecoveryState,
    PartitionRegistration,
)
from minikafka.metadata.serde import decode_record, encode_record

BROKERS = (1, 2, 3, 4)
PARTITION = TopicIdPartition(Uuid.of(1, 1), 3)
brokers = st.sampled_from(BROKERS)


def directory(broker):
    return Uuid.of(7, broker)


@dataclass
class Model:
    """ISR and ELR by the rules, as sets."""

    isr: set
    elr: set = field(default_factory=set)

    def propose(self, isr, min_isr, unclean=()):
        """E5, then E7."""
        if len(isr) >= min_isr:
            self.elr = set()
        else:
            self.elr = (self.elr | (self.isr - isr)) - isr - set(unclean)
        self.isr = isr

    def elected(self, leader, min_isr, *, unclean):
        """E6 and L8."""
        if unclean:
            self.isr, self.elr = {leader}, set()
        elif leader in self.elr:
            self.isr, self.elr = {leader}, self.elr - {leader}
        if len(self.isr) >= min_isr:
            self.elr = set()


class PartitionLife(RuleBasedStateMachine):
    """Brokers come and go, cleanly or not; the leader shrinks and grows its ISR."""

    elr_enabled = True

    def __init__(self):
        super().__init__()
        self.alive = dict.fromkeys(BROKERS)
        self.before = None

    @initialize(
        count=st.integers(1, 4), min_isr=st.integers(1, 4), election=st.sampled_from(Election)
    )
    def create(self, count, min_isr, election):
        replicas = BROKERS[:count]
        self.min_isr = min(min_isr, count)
        self.election = election
        self.now = PartitionRegistration(
            replicas=replicas,
            directories=tuple(directory(x) for x in replicas),
            isr=replicas,
            leader=1,
            leader_epoch=0,
            partition_epoch=0,
        )
        self.model = Model(set(replicas))

    def change(self, target, *, election=None):
        context = ChangeContext(
            min_insync_replicas=self.min_isr,
            elr_enabled=self.elr_enabled,
            metadata_version=30,
            election=self.election if election is None else election,
            acceptable=self.alive.__contains__,
            default_directory=directory,
        )
        self.before = self.now
        record = partition_change(PARTITION, self.now, target, context)
        if record is not None:
            self.now = self.now.merge(decode_record(encode_record(record, 2)))
        self.follow_model(target)

    def follow_model(self, target):
        wanted = self.before.isr if target.isr is None else target.isr
        self.model.propose(set(wanted), self.min_isr, target.unclean_shutdown)
        before, now = self.before, self.now
        if now.leader not in (before.leader, -1):
            safe = self.model.isr or self.model.elr
            self.model.elected(now.leader, self.min_isr, unclean=now.leader not in safe)

    @rule(broker=brokers)
    def fence(self, broker):
        self.alive.pop(broker, None)
        if broker in self.now.isr:
            self.change(Target(isr=tuple(x for x in self.now.isr if x != broker)))

    @rule(broker=brokers)
    def unfence(self, broker):
        self.alive[broker] = None
        if self.now.leader == -1:
            self.change(Target())

    @rule(broker=brokers)
    def restart_uncleanly(self, broker):
        self.alive.pop(broker, None)
        if broker in self.now.isr or broker in self.now.elr:
            isr = tuple(x for x in self.now.isr if x != broker)
            self.change(Target(isr=isr, unclean_shutdown=(broker,)))

    @precondition(lambda self: self.now.leader != -1)
    @rule(wanted=st.lists(brokers, unique=True))
    def propose(self, wanted):
        others = [
            x for x in wanted if x in self.alive and x in self.now.replicas and x != self.now.leader
        ]
        self.change(
            Target(isr=(self.now.leader, *others), recovery_state=LeaderRecoveryState.RECOVERED)
        )

    @rule(election=st.sampled_from((Election.PREFERRED, Election.UNCLEAN)))
    def elect(self, election):
        if election is Election.PREFERRED or self.now.leader == -1:
            self.change(Target(), election=election)

    @invariant()
    def the_partition_is_well_formed(self):
        now = self.now
        assert now.leader == -1 or now.leader in now.isr
        assert set(now.isr) | set(now.elr) | set(now.last_known_elr) <= set(now.replicas)
        assert not set(now.isr) & set(now.elr)
        assert not now.elr or len(now.isr) < self.min_isr
        assert len(now.isr) < self.min_isr or not now.last_known_elr
        assert now.leader == -1 or now.last_known_leader == -1
        if now.leader_recovery_state is LeaderRecoveryState.RECOVERING:
            assert len(now.isr) <= 1
        assert now.leader == -1 or now.leader in self.alive

    @invariant()
    def epochs_only_grow(self):
        if self.before is None:
            return
        moved = self.now is not self.before
        assert self.now.partition_epoch == self.before.partition_epoch + moved
        assert 0 <= self.now.leader_epoch - self.before.leader_epoch <= moved
        assert self.now.leader == self.before.leader or (
            self.now.leader_epoch > self.before.leader_epoch
        )
        assert self.now.partition_epoch >= self.now.leader_epoch

    @invariant()
    def no_fenced_broker_is_in_the_isr(self):
        assert all(member in self.alive for member in self.now.isr)

    @invariant()
    def isr_and_elr_are_those_of_the_model(self):
        assert set(self.now.isr) == self.model.isr
        assert set(self.now.elr) == self.model.elr


class PartitionLifeWithoutElr(PartitionLife):
    """Without ELR the last member stays in the ISR, and there is nothing else to remember."""

    elr_enabled = False

    def follow_model(self, target):
        pass

    @invariant()
    def no_fenced_broker_is_in_the_isr(self):
        fenced = [x for x in self.now.isr if x not in self.alive]
        assert not fenced or self.now.leader == -1

    @invariant()
    def isr_and_elr_are_those_of_the_model(self):
        assert self.now.isr
        assert self.now.elr == self.now.last_known_elr == ()
        assert self.now.last_known_leader == -1


_SETTINGS = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestPartitionLife = PartitionLife.TestCase
TestPartitionLife.settings = _SETTINGS
TestPartitionLifeWithoutElr = PartitionLifeWithoutElr.TestCase
TestPartitionLifeWithoutElr.settings = _SETTINGS
