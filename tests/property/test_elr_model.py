"""One partition through random operations against a model in plain sets (E5-E10, L1-L8, U6).

The model says what the rules say, in the order in which they say it, and predicts everything: the
leader, ISR, ELR, LastKnownELR, LastKnownLeader and the mark of an unclean leader. The code under
test is `partition_change`, `elect`, `recovery_step` and `recovery_winner`.
"""

from typing import ClassVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from minikafka.common.ids import TopicIdPartition, Uuid
from minikafka.controller.election import (
    Election,
    LogInfo,
    RecoveryStep,
    Strategy,
    recovery_step,
    recovery_winner,
)
from minikafka.controller.partition_change import ChangeContext, Target, partition_change
from minikafka.metadata.partition_registration import LeaderRecoveryState, PartitionRegistration
from minikafka.metadata.serde import decode_record, encode_record

BROKERS = (1, 2, 3, 4, 5)
PARTITION = TopicIdPartition(Uuid.of(1, 1), 0)
EXAMPLES = 1_100
STEPS = 50
WANTED_TRANSITIONS = 20_000
brokers = st.sampled_from(BROKERS)


class Model:
    """The state by the rules of the specification. No leader is -1."""

    def __init__(self, replicas, min_isr):
        self.replicas = list(replicas)
        self.minimum = min(min_isr, len(replicas))
        self.alive = set(BROKERS)
        self.isr = set(replicas)
        self.elr = set()
        self.last_known_elr = set()
        self.leader = replicas[0]
        self.last_known_leader = -1
        self.marked = False
        self.manager = False
        self.unclean_allowed = False

    # E5, E7, E8

    def propose(self, isr, unclean=()):
        """A new ISR: proposed by the leader, or after a broker was fenced."""
        if len(isr) >= self.minimum:
            self.elr = set()
            self.last_known_elr = set()
        else:
            leavers = self.isr - isr
            former = self.elr
            self.elr = (self.elr | leavers) - isr
            thrown_out = self.elr & set(unclean)
            if thrown_out:
                self.drop_eligible_leader(former)
            self.elr -= thrown_out
            self.last_known_elr |= thrown_out if self.manager else set()
        self.isr = set(isr)

    def drop_eligible_leader(self, elr):
        """E9: a last leader that is eligible is in LastKnownELR as the last leader only."""
        if self.last_known_leader in elr:
            self.last_known_elr -= {self.last_known_leader}

    # L1-L6

    def choose(self, *, preferred=False, unclean=None):
        """The leader to elect, and whether the election is unclean."""
        eligible = self.isr or self.elr  # L1; L2 only while the ISR is empty
        order = [self.leader, *self.replicas]
        if preferred:
            order = [self.replicas[0], *order]
        for replica in order:
            if replica in eligible and replica in self.alive:
                return replica, False
        # An operator's election ignores the recovery manager.
        by_operator = unclean is not None
        if self.manager and not by_operator:
            return -1, False  # L3, L4: the recovery manager's business
        if not self.isr and not self.elr and self.last_known_leader in self.alive:
            return self.last_known_leader, True  # L6
        if self.unclean_allowed if unclean is None else unclean:
            for replica in self.replicas:
                if replica in self.alive:
                    return replica, True  # L5, L6
        return -1, False

    def elect(self, leader, unclean):
        """Effects of an election on the other fields (E6, E9, L8)."""
        if leader == self.leader:
            return
        if leader == -1:
            self.last_known_leader = self.leader
            self.leader = -1
            return
        self.leader = leader
        self.drop_eligible_leader(self.elr)
        self.last_known_leader = -1
        if unclean:
            self.isr, self.elr = {leader}, set()
        elif leader in self.elr:
            self.isr = {leader}
            self.elr = self.elr - {leader}
        self.marked = unclean
        if len(self.isr) >= self.minimum:
            self.elr = set()
            self.last_known_elr = set()

    def settle(self, **how):
        """Elect by the rules."""
        self.elect(*self.choose(**how))

    # E10

    def set_min_isr(self, min_isr):
        """Another min.insync.replicas: an ELR that is not needed any more is removed."""
        self.minimum = min(min_isr, len(self.replicas))
        if len(self.isr) >= self.minimum:
            self.elr = set()
            self.last_known_elr = set()

    def wanted_step(self, strategy):
        """L3, L4, for a partition that has no leader."""
        if strategy is Strategy.AGGRESSIVE:
            return RecoveryStep.RECOVER
        if self.elr:
            return RecoveryStep.WAIT_FOR_ELIGIBLE
        if strategy is Strategy.NONE:
            return RecoveryStep.WAIT_FOR_OPERATOR
        if self.last_known_elr <= self.alive:
            return RecoveryStep.RECOVER
        return RecoveryStep.WAIT_FOR_LAST_KNOWN


class PartitionLife(RuleBasedStateMachine):
    """The code and the model, side by side, through everything that can happen to a partition."""

    transitions: ClassVar[list[int]] = [0]

    @initialize(count=st.integers(1, 5), min_isr=st.integers(1, 5), manager=st.booleans())
    def create(self, count, min_isr, manager):
        replicas = BROKERS[:count]
        self.model = Model(replicas, min_isr)
        self.model.manager = manager
        self.now = PartitionRegistration(
            replicas=replicas,
            directories=tuple(Uuid.of(7, broker) for broker in replicas),
            isr=replicas,
            leader=1,
            leader_epoch=0,
            partition_epoch=0,
        )

    def change(self, target, election=None, designated=-1, alive=None):
        self.transitions[0] += 1
        model = self.model
        allowed = model.unclean_allowed and not model.manager
        online = Election.UNCLEAN if allowed else Election.ONLINE
        context = ChangeContext(
            min_insync_replicas=model.minimum,
            elr_enabled=True,
            metadata_version=30,
            election=online if election is None else election,
            acceptable=(model.alive if alive is None else alive).__contains__,
            default_directory=lambda broker: Uuid.of(7, broker),
            recovery_enabled=model.manager,
            designated=designated,
        )
        record = partition_change(PARTITION, self.now, target, context)
        if record is not None:
            self.now = self.now.merge(decode_record(encode_record(record, 2)))

    def without(self, broker):
        return tuple(member for member in self.now.isr if member != broker)

    # Brokers

    @rule(broker=brokers)
    def fence(self, broker):
        self.model.alive.discard(broker)
        if broker in self.model.isr:
            self.change(Target(isr=self.without(broker)))
            self.model.propose(self.model.isr - {broker})
            self.model.settle()

    @rule(broker=brokers)
    def unfence(self, broker):
        self.model.alive.add(broker)
        if self.model.leader == -1:
            self.change(Target())
            self.model.settle()

    @rule(broker=brokers)
    def come_back_after_an_unclean_shutdown(self, broker):
        model = self.model
        model.alive.discard(broker)
        if broker in model.isr or broker in model.elr:
            self.change(Target(isr=self.without(broker), unclean_shutdown=(broker,)))
            model.propose(model.isr - {broker}, unclean=[broker])
            model.settle()

    # The leader

    @precondition(lambda self: self.model.leader != -1)
    @rule(wanted=st.lists(brokers, unique=True))
    def alter_the_isr(self, wanted):
        model = self.model
        others = [
            broker
            for broker in wanted
            if broker in model.alive and broker in model.replicas and broker != model.leader
        ]
        isr = (model.leader, *others)
        recovered = LeaderRecoveryState.RECOVERED
        self.change(Target(isr=isr, recovery_state=recovered))
        model.propose(set(isr))
        model.settle()
        model.marked = False

    # Operators and configuration

    @rule()
    def elect_the_preferred_replica(self):
        self.change(Target(), Election.PREFERRED)
        self.model.settle(preferred=True, unclean=False if not self.model.manager else None)

    @precondition(lambda self: self.model.leader == -1)
    @rule()
    def elect_uncleanly(self):
        self.change(Target(), Election.UNCLEAN)
        self.model.settle(unclean=True)

    @precondition(lambda self: self.model.leader == -1)
    @rule(broker=brokers)
    def designate(self, broker):
        model = self.model
        if broker not in model.alive or broker not in model.replicas:
            return
        eligible = model.isr or model.elr
        self.change(Target(), designated=broker)
        model.elect(broker, broker not in eligible)

    @rule(allowed=st.booleans())
    def allow_unclean_elections(self, allowed):
        self.model.unclean_allowed = allowed

    @rule(min_isr=st.integers(1, 5))
    def change_min_isr(self, min_isr):
        self.transitions[0] += 1
        self.model.set_min_isr(min_isr)
        if len(self.now.isr) >= self.model.minimum:
            # The effect of ClearElrRecord (`replay`, E10).
            self.now = self.now.without_elr()

    # The recovery manager

    @precondition(lambda self: self.model.leader == -1 and self.model.manager)
    @rule(strategy=st.sampled_from(Strategy), data=st.data(), time_is_up=st.booleans())
    def recover(self, strategy, data, time_is_up):
        model = self.model
        step = recovery_step(
            self.now.isr or self.now.elr, self.now.last_known_elr, strategy,
            model.alive.__contains__,
        )  # fmt: skip
        assert step is model.wanted_step(strategy)
        if step is not RecoveryStep.RECOVER:
            return
        answers = {
            broker: LogInfo(data.draw(st.integers(0, 2)), data.draw(st.integers(0, 3)))
            for broker in model.replicas
            if broker in model.alive and data.draw(st.booleans())
        }
        needed = self.now.last_known_elr if strategy is Strategy.BALANCED else ()
        winner = recovery_winner(
            answers, needed=needed, expected=len(model.replicas), time_is_up=time_is_up
        )
        assert winner == self.best(answers, needed, time_is_up=time_is_up)
        if winner != -1:
            eligible = model.isr or model.elr
            self.change(Target(), designated=winner)
            model.elect(winner, winner not in eligible)

    def best(self, answers, needed, *, time_is_up):
        """U5, U6: the highest epoch, then the longest log, then the lowest id."""
        if not answers or not set(needed) <= set(answers):
            return -1
        if len(answers) < len(self.model.replicas) and not time_is_up:
            return -1
        epoch = max(log.last_epoch for log in answers.values())
        newest = {b: log for b, log in answers.items() if log.last_epoch == epoch}
        end = max(log.end_offset for log in newest.values())
        return min(b for b, log in newest.items() if log.end_offset == end)

    # What must hold

    @invariant()
    def code_and_model_agree(self):
        now, model = self.now, self.model
        assert now.leader == model.leader
        assert set(now.isr) == model.isr
        assert set(now.elr) == model.elr
        last_leader = {model.last_known_leader} - {-1}
        assert set(now.last_known_elr) == (model.last_known_elr if model.manager else last_leader)
        assert now.last_known_leader == model.last_known_leader
        assert bool(now.leader_recovery_state) == model.marked

    @invariant()
    def the_partition_is_well_formed(self):
        """E2."""
        model = self.model
        assert not model.isr & model.elr
        assert model.isr | model.elr | model.last_known_elr <= set(model.replicas)
        assert not model.elr or len(model.isr) < model.minimum
        assert model.leader == -1 or model.leader in model.isr & model.alive
        assert not (model.leader != -1 and model.last_known_leader != -1)


def test_code_and_model_agree_for_as_many_transitions_as_promised():
    PartitionLife.transitions[0] = 0
    run_state_machine_as_test(
        PartitionLife,
        settings=settings(max_examples=EXAMPLES, stateful_step_count=STEPS, deadline=None),
    )
    assert PartitionLife.transitions[0] >= WANTED_TRANSITIONS
