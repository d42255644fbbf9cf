"""Rules for elections: every election in the metadata log has a reason, and every due one happens.

The log shows decisions, not reasons. So each election from outside ISR and ELR needs a valid
reason: no member of ISR and ELR could lead, and the topic's setting, its recovery strategy, the
last known leader or a request of an operator names the elected replica. The choice of an unclean
recovery is checked in `recovery_checks`.

Source: docs/rules.md L1-L7, A2; KIP-966 "Leader election", "Unclean recovery".
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.common.ids import (
    DIRECTORY_LOST,
    DIRECTORY_MIGRATING,
    DIRECTORY_UNASSIGNED,
    TopicPartition,
)
from minikafka.messages.elect_leaders import ElectLeadersRequest
from minikafka.metadata.features import ELIGIBLE_LEADER_REPLICAS_VERSION
from minikafka.metadata.image import RESOURCE_BROKER, RESOURCE_TOPIC, MetadataImage
from minikafka.metadata.partition_registration import (
    NO_LEADER,
    PartitionRegistration,
)
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.world.violation import Violation

_MANAGER = "unclean.recovery.manager.enabled"
_STRATEGY = "unclean.recovery.strategy"
_ALLOWED = "unclean.leader.election.enable"
_UNCLEAN, _DESIGNATION, _LONGEST_BALANCED, _LONGEST_AGGRESSIVE = 1, 2, 3, 4


class RulesInForce(NamedTuple):
    """The configuration for elections of one topic (L7)."""

    manager: bool
    strategy: str
    unclean_allowed: bool
    elr: bool


class ElectionContext(NamedTuple):
    """A partition at an election: `able` replicas could lead, `eligible` are in ISR or ELR.

    The change does not remove `eligible` ones; `able` are in assignment order.
    """

    able: tuple[int, ...]
    eligible: tuple[int, ...]
    last_known_elr: tuple[int, ...]
    last_known_leader: int


def rules_in_force(image: MetadataImage, topic: str, given: Mapping[str, str]) -> RulesInForce:
    """Return the rules of a topic: its own values first, then the cluster's, then `given`."""
    cluster = image.config(RESOURCE_BROKER, "")
    layers = (image.config(RESOURCE_TOPIC, topic), cluster, given)
    strategy = "Balanced"
    for layer in layers:
        if _STRATEGY in layer:
            strategy = layer[_STRATEGY]
            break
        if _ALLOWED in layer:
            strategy = "Aggressive" if layer[_ALLOWED] == "true" else "Balanced"
            break
    allowed = next((layer[_ALLOWED] for layer in layers if _ALLOWED in layer), "false")
    return RulesInForce(
        manager=cluster.get(_MANAGER, given.get(_MANAGER)) == "true",
        strategy=strategy,
        unclean_allowed=allowed == "true",
        elr=_has_elr(image),
    )


def _has_elr(image: MetadataImage) -> bool:
    return image.feature(ELIGIBLE_LEADER_REPLICAS_VERSION) > 0


def can_lead(image: MetadataImage, registration: PartitionRegistration, broker_id: int) -> bool:
    """True if a broker is unfenced, not shutting down, and its directory is online."""
    broker = image.brokers.get(broker_id)
    if broker is None or broker.fenced or broker.in_controlled_shutdown:
        return False
    directory = registration.directory(broker_id)
    if directory in (DIRECTORY_UNASSIGNED, DIRECTORY_MIGRATING) or not broker.log_dirs:
        return directory != DIRECTORY_LOST
    return directory in broker.log_dirs


def election_context(
    former: PartitionRegistration,
    now: PartitionRegistration,
    before: MetadataImage,
    image: MetadataImage,
) -> ElectionContext:
    """Return the context of an election between the registrations `former` and `now`."""

    def keeps_its_place(broker_id: int) -> bool:
        was, present = before.brokers.get(broker_id), image.brokers.get(broker_id)
        directory = former.directory(broker_id)
        if directory != now.directory(broker_id) and not can_lead(image, former, broker_id):
            # Its former directory is gone, so that its log is a new one (E2, E7).
            return False
        return was is None or present is None or was.epoch == present.epoch

    # E12: an ELR that is left while the feature is off says nothing.
    elr = former.elr if _has_elr(before) and _has_elr(image) else ()
    eligible = tuple(x for x in (*former.isr, *elr) if x in now.replicas and keeps_its_place(x))
    last_known_leader = former.last_known_leader
    if last_known_leader == NO_LEADER and len(former.last_known_elr) == 1:
        # As Kafka: the last leader may be recorded there.
        last_known_leader = former.last_known_elr[0]
    return ElectionContext(
        able=tuple(x for x in now.replicas if can_lead(image, now, x)),
        eligible=eligible,
        last_known_elr=tuple(x for x in former.last_known_elr if x in now.replicas),
        last_known_leader=last_known_leader if former.leader == NO_LEADER else NO_LEADER,
    )


def unfit_election(
    leader: int, moment: ElectionContext, rules: RulesInForce, requests: list[tuple[int, int]]
) -> str | None:
    """Return the violation by an unclean election of `leader`; None if it had a reason.

    `requests` are the requests of operators: election type and desired leader.
    """
    able = [x for x in moment.eligible if x in moment.able]
    if able:
        return f"L1: {leader} is elected uncleanly although {able} of ISR and ELR could lead"
    steps = {_LONGEST_BALANCED: "Balanced", _LONGEST_AGGRESSIVE: "Aggressive"}
    for kind, desired in requests:
        if kind == _DESIGNATION and desired == leader:
            return None
        if kind == _UNCLEAN and leader in _named_uncleanly(moment, rules):
            return None
        if kind in steps and _recovers(steps[kind], moment):
            return None
    if rules.manager:
        if _recovers(rules.strategy, moment):
            return None
        return (
            f"L3: {leader} is elected by a recovery that must not begin: strategy "
            f"{rules.strategy}, {moment}"
        )
    if rules.unclean_allowed and leader in _named_uncleanly(moment, rules):
        return None
    if not moment.eligible and leader == moment.last_known_leader:
        return None
    return f"L6: {leader} is elected uncleanly without a reason: {rules}, {moment}"


def _named_uncleanly(moment: ElectionContext, rules: RulesInForce) -> tuple[int, ...]:
    """L6: the last known leader if it is alive, else the first live replica of the assignment."""
    last = moment.last_known_leader
    if rules.elr and not moment.eligible and last in moment.able:
        return (last,)
    return moment.able[:1]


def _recovers(strategy: str, moment: ElectionContext) -> bool:
    """L3, L4: return True if a recovery by `strategy` begins."""
    if strategy == "Balanced":
        return not moment.eligible and all(x in moment.able for x in moment.last_known_elr)
    return strategy == "Aggressive"


def owed_leader(
    now: PartitionRegistration, image: MetadataImage, rules: RulesInForce
) -> str | None:
    """Return why a partition without leader must get one without an operator; None if not."""
    moment = election_context(now, now, image, image)
    able = [x for x in moment.eligible if x in moment.able]
    if able:
        return f"{able} of ISR {now.isr} and ELR {now.elr} can lead"
    if rules.manager:
        if moment.able and _recovers(rules.strategy, moment):
            return f"strategy {rules.strategy} recovers, and {moment.able} are alive"
        return None
    if rules.unclean_allowed and moment.able:
        return f"unclean elections are enabled, and {moment.able} are alive"
    if rules.elr and not moment.eligible and moment.last_known_leader in moment.able:
        return f"the last known leader {moment.last_known_leader} is alive"
    return None


@dataclass(slots=True)
class ElectionChecks:
    """Checks each election. `given` is the static configuration of the controller."""

    given: Mapping[str, str] = field(default_factory=dict)
    coverage: Coverage = field(default_factory=Coverage)
    _requests: list[ElectLeadersRequest] = field(default_factory=list)

    def asked(self, request: ElectLeadersRequest) -> None:
        """Record a request of an operator. It may be delayed, and arrive at any later time."""
        self._requests.append(request)

    def changed(
        self,
        where: TopicPartition,
        former: PartitionRegistration,
        now: PartitionRegistration,
        images: tuple[MetadataImage, MetadataImage],
    ) -> None:
        """Check a change of a partition; `images` are those before and after it.

        Raises:
            Violation: a leader was elected without a valid reason.
        """
        if now.leader in (former.leader, NO_LEADER):
            return
        before, image = images
        moment = election_context(former, now, before, image)
        if now.was_elected_uncleanly(former):
            self.coverage.rules["L1, L3, L4, L6"] += 1
            rules = rules_in_force(image, where.topic, self.given)
            problem = unfit_election(now.leader, moment, rules, list(self._requested(where)))
            if problem is not None:
                rule, _, what = problem.partition(": ")
                raise Violation(f"{rule}: {where}: {what}")
        elif now.leader not in former.isr:
            self.coverage.rules["L2"] += 1
            self.coverage.events["elections from the ELR"] += now.leader in former.elr
            members = [x for x in former.isr if x in moment.eligible and x in moment.able]
            # With the end of a reassignment, its leader has taken the new one into the ISR.
            has_joined = former.leader not in now.replicas and len(now.isr) > 1
            if members and now.leader in former.elr and not has_joined:
                raise Violation(
                    f"L2: {where}: {now.leader} of the ELR leads although {members} of the ISR "
                    f"could"
                )

    def _requested(self, where: TopicPartition) -> Iterator[tuple[int, int]]:
        for request in self._requests:
            if request.topic_partitions is None:
                yield request.election_type, NO_LEADER
                continue
            for row in request.topic_partitions:
                if row.topic == where.topic and where.partition in row.partitions:
                    leaders = row.desired_leaders or [NO_LEADER] * len(row.partitions)
                    yield request.election_type, leaders[row.partitions.index(where.partition)]

    def check_eligible_members_lead(self, image: MetadataImage) -> None:
        """L1, L2: check that no partition lacks a leader while a member of ISR or ELR can lead.

        Raises:
            Violation: a partition has no leader although a member could lead.
        """
        for where, now in _without_leader(image):
            self.coverage.rules["L1, L2: no member waits"] += 1
            members = now.isr or now.elr
            able = [x for x in members if x in now.replicas and can_lead(image, now, x)]
            if able:
                raise Violation(
                    f"liveness: {where}: no leader although {able} of ISR {now.isr} and ELR "
                    f"{now.elr} could lead"
                )

    def check_leaders_owed(self, image: MetadataImage) -> None:
        """Check, long after all faults have ended, that no rule owes a partition its leader.

        Raises:
            Violation: one does.
        """
        for where, now in _without_leader(image):
            self.coverage.rules["only operators help"] += 1
            why = owed_leader(now, image, rules_in_force(image, where.topic, self.given))
            if why is not None:
                raise Violation(f"liveness: {where}: no leader although {why}")


def _without_leader(image: MetadataImage) -> Iterator[tuple[TopicPartition, PartitionRegistration]]:
    for topic in image.topics.values():
        for index, now in topic.partitions.items():
            if now.leader == NO_LEADER:
                yield TopicPartition(topic.name, index), now
