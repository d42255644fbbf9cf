"""Actions of operators during a run: elections, settings, topics, voters, restarts.

An answer without an error must be in the committed metadata; errors are ignored.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import ClassVar

from minikafka.common.ids import TopicPartition
from minikafka.common.internal_topics import TRANSACTIONS_TOPIC
from minikafka.messages import elect_leaders as elections
from minikafka.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from minikafka.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from minikafka.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from minikafka.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from minikafka.messages.remove_raft_voter import RemoveRaftVoterRequest
from minikafka.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest
from minikafka.metadata.features import ELIGIBLE_LEADER_REPLICAS_VERSION, TRANSACTION_VERSION
from minikafka.metadata.partition_registration import NO_LEADER
from minikafka.protocol.message import ApiMessage
from minikafka.sim.checks.committed_answers import CommittedAnswers
from minikafka.sim.checks.history import History
from minikafka.sim.drive.faults.fault_context import STUCK_SHARE
from minikafka.sim.drive.faults.faults import Faults
from minikafka.sim.drive.incidents import Incident, OperatorAction
from minikafka.sim.drive.log_dir_requests import described, moves_of
from minikafka.sim.drive.plan import Plan
from minikafka.sim.drive.quorum_members import change_voters
from minikafka.sim.drive.transactional_workload import PARTITIONS, TOPICS
from minikafka.sim.drive.workload import ClientConnections, SimProducer
from minikafka.sim.world.sim_cluster import BROKER_PORT, host
from minikafka.sim.world.world import US_PER_MS

_RESOURCE_TOPIC = 2
_TIMEOUT_MS = 5_000
_PREFERRED, _DESIGNATION = 0, 2
_ELECTIONS = {
    1: "unclean",
    _DESIGNATION: "designation",
    3: "longest-log-balanced",
    4: "longest-log-aggressive",
}
"""The election types that operators request, except PREFERRED."""
_UPGRADE, _SAFE_DOWNGRADE = 1, 2
_ROLL_POLL_MS = 200
_WIDE = 150
"""Partition count of a topic that a broker creates in several steps."""
_WIDE_SHARE = 0.25
"""Share of the draws of such a topic that create it: every step of its run costs more."""
_SAME_NAME_SHARE = 0.8
_STUCK_BEFORE_MS = 200
_RESIZED_SHARE = 0.3
"""Share of reassignments that also change the number of replicas."""
_WRITE_PACE_MS = 20
_WRITTEN_AFTER_MS = 300
_MOVED_AGAIN_SHARE = _EXTRA_MOVED_SHARE = 0.3
_MOVED_AGAIN_MS = (1, 10, 100, 1_000)


@dataclass(slots=True)
class Operators:
    """Carries out the operator actions of a plan, on the topic `topic` and those of transactions.

    `on_elections` is called with each ElectLeaders request before it is sent.
    """

    plan: Plan
    topic: str
    faults: Faults
    connections: Callable[[str], ClientConnections]
    answers: CommittedAnswers
    on_elections: Callable[[elections.ElectLeadersRequest], None] = lambda _: None
    _elr: bool = True
    _transaction_version: int = 2
    _extra_topics: int = 0
    _extra_topic: str = ""
    _rolling: bool = False
    _writer: SimProducer | None = None

    def __post_init__(self) -> None:
        """Start with the features as formatted."""
        self._elr = self.plan.cluster.elr
        self._transaction_version = self.plan.load.transaction_version

    def carry_out(self, incident: Incident) -> None:
        """Carry out an action."""
        assert isinstance(incident.what, OperatorAction)
        rng = self.faults.cluster.world.rng(f"operator/{incident.at_ms}")
        request = self._CARRY_OUT[incident.what](self, rng)
        if isinstance(request, elections.ElectLeadersRequest):
            self.on_elections(request)
        if request is not None:
            asked_at = self.answers.position
            connections = self.connections(f"operator{incident.at_ms}")

            def answered(answer: ApiMessage | None) -> None:
                self.answers.answered(request, answer, asked_at)
                # Without an answer it may still be carried out.
                if isinstance(request, RemoveRaftVoterRequest) and answer is not None:
                    self.faults.removals.remove(request.voter_id)

            connections.ask(rng.choice(connections.bootstrap), request, answered)

    def _note(self, what: str) -> None:
        self.faults.cluster.world.note("operator", what)

    def _elect_preferred(self, rng: Random) -> ApiMessage:
        del rng
        self._note("requests preferred elections")
        return elections.ElectLeadersRequest(
            election_type=_PREFERRED, topic_partitions=None, timeout_ms=_TIMEOUT_MS
        )

    def _elect_now(self, rng: Random) -> ApiMessage:
        """Request an election of any type but PREFERRED (A2), for every partition or for one."""
        kind = rng.choice(tuple(_ELECTIONS))
        partitions = None
        if kind == _DESIGNATION or rng.random() < 0.5:
            index = rng.randrange(self.plan.cluster.partitions)
            desired = [rng.randint(1, self.plan.cluster.brokers)] if kind == _DESIGNATION else None
            partitions = [
                elections.TopicPartitions(self.topic, partitions=[index], desired_leaders=desired)
            ]
        self._note(f"requests {_ELECTIONS[kind]} elections")
        return elections.ElectLeadersRequest(
            election_type=kind, topic_partitions=partitions, timeout_ms=_TIMEOUT_MS
        )

    def _alter(self, name: str, value: str) -> ApiMessage:
        self._note(f"{name}={value}")
        change = AlterableConfig(name, 0, value)
        return IncrementalAlterConfigsRequest(
            resources=[AlterConfigsResource(_RESOURCE_TOPIC, self.topic, [change])]
        )

    def _min_isr(self, rng: Random) -> ApiMessage:
        value = rng.randint(1, self.plan.cluster.replication_factor)
        return self._alter("min.insync.replicas", str(value))

    def _strategy(self, rng: Random) -> ApiMessage:
        if rng.random() < 0.3:
            allowed = rng.choice(("true", "false"))
            return self._alter("unclean.leader.election.enable", allowed)
        strategy = rng.choice(("Balanced", "Aggressive", "None"))
        return self._alter("unclean.recovery.strategy", strategy)

    def _feature(self, rng: Random) -> ApiMessage:
        del rng
        self._elr = not self._elr
        return self._update(ELIGIBLE_LEADER_REPLICAS_VERSION, int(self._elr), upgrades=self._elr)

    def _change_transaction_version(self, rng: Random) -> ApiMessage:
        del rng
        self._transaction_version = 3 - self._transaction_version
        level = self._transaction_version
        return self._update(TRANSACTION_VERSION, level, upgrades=level > 1)

    def _update(self, feature: str, level: int, *, upgrades: bool) -> ApiMessage:
        self._note(f"{feature}={level}")
        update = FeatureUpdateKey(
            feature=feature,
            max_version_level=level,
            upgrade_type=_UPGRADE if upgrades else _SAFE_DOWNGRADE,
        )
        return UpdateFeaturesRequest(timeout_ms=_TIMEOUT_MS, feature_updates=[update])

    def _reassign(self, rng: Random) -> ApiMessage:
        """Reassign one partition; every third time to another number of replicas (H6)."""
        brokers, count = self.faults.cluster.broker_ids, self.plan.cluster.replication_factor
        if rng.random() < _RESIZED_SHARE:
            count = rng.randint(1, len(brokers))
        index = rng.randrange(self.plan.cluster.partitions)
        members = rng.sample(brokers, count)
        self._note(f"reassigns {self.topic}-{index} to {members}")
        return AlterPartitionReassignmentsRequest(
            timeout_ms=_TIMEOUT_MS,
            topics=[ReassignableTopic(self.topic, [ReassignablePartition(index, members)])],
        )

    def _swap(self, rng: Random) -> None:
        """Move leadership back and forth between two replicas, faster than fetches complete.

        Each time the other replica becomes the preferred leader, and a preferred election is
        requested. Messages of the leader may be stuck meanwhile, and arrive when it leads again.
        """
        other = rng.randrange(1, self.plan.cluster.replication_factor)
        where = TopicPartition(self.topic, rng.randrange(self.plan.cluster.partitions))
        if rng.random() < STUCK_SHARE:
            # Stuck messages must contain records; followers must have followed in between.
            self._hold_answers(rng, where, other, rng.choice((1_000, 2_500)))
            begin = partial(self._swap_again, rng, where, other, 2, (100, 300))
            self.faults.cluster.world.after(_STUCK_BEFORE_MS * US_PER_MS, begin)
        else:
            self._swap_again(rng, where, other, rng.randint(2, 8), (10, 30, 100, 500))

    def _swap_transactions(self, rng: Random) -> None:
        """Move a coordinator of transactions, or a leader of a topic that has transactions.

        The coordinator moves while its records are stuck, so that its last decisions are lost. The
        leader moves while coordinators do not learn of it.
        """
        index = rng.randrange(PARTITIONS)
        other = rng.randrange(1, self.plan.cluster.replication_factor)
        if rng.random() < STUCK_SHARE:
            where = TopicPartition(TRANSACTIONS_TOPIC, index)
            self._hold_answers(rng, where, other, rng.choice((1_000, 2_500)))
        else:
            where = TopicPartition(rng.choice(TOPICS), index)
            self._hold_metadata(rng.choice((1_000, 2_500)))
        begin = partial(self._swap_again, rng, where, other, rng.randint(1, 3), (100, 300, 1_000))
        self.faults.cluster.world.after(_STUCK_BEFORE_MS * US_PER_MS, begin)

    def _hold_metadata(self, for_ms: int) -> None:
        """Delay the messages of the controller to the coordinators of transactions."""
        cluster = self.faults.cluster
        controller = cluster.nodes[cluster.controller_id].node
        topic = None if controller is None else controller.loader.image.topic(TRANSACTIONS_TOPIC)
        if topic is None:
            return
        found = {now.leader: None for now in topic.partitions.values()}
        coordinators = [x for x in found if x not in (NO_LEADER, cluster.controller_id)]
        if coordinators:
            links = [(host(cluster.controller_id), host(x)) for x in coordinators]
            self._hold("connections from the controller to coordinators", links, 1.0, for_ms)

    def _hold(self, what: str, links: list[tuple[str, str]], share: float, for_ms: int) -> None:
        """Hold back a share of the streams of links for a time."""
        cluster = self.faults.cluster
        clogs = [cluster.network.clog(source, target, share) for source, target in links]
        cluster.world.note("network", f"{what} are stuck for {for_ms} ms")

        def release() -> None:
            for clog in clogs:
                cluster.network.unclog(clog)

        cluster.world.after(for_ms * US_PER_MS, release)

    def _hold_answers(self, rng: Random, where: TopicPartition, other: int, for_ms: int) -> None:
        """Delay the messages of the leader to its followers, or those to the leader.

        Then the next leader is behind: its followers truncate records that only the first one had.
        """
        cluster = self.faults.cluster
        controller = cluster.nodes[cluster.controller_id].node
        if controller is None:
            return
        now = controller.loader.image.partition(*where)
        if now is None or now.leader == NO_LEADER:
            return
        leader = host(now.leader)
        links = [(leader, host(other)) for other in cluster.broker_ids if other != now.leader]
        what, share = f"some connections from {leader} to other brokers", STUCK_SHARE
        if rng.random() < STUCK_SHARE and now.leader != cluster.controller_id:
            following = now.replicas[other % len(now.replicas)]
            behind = host(now.replicas[0] if following == now.leader else following)
            links, share = [(host(cluster.controller_id), leader), (leader, behind)], 1.0
            what = f"connections from the controller to {leader} and from {leader} to {behind}"
        self._hold(what, links, share, for_ms)

    def _swap_again(
        self,
        rng: Random,
        where: TopicPartition,
        other: int,
        times: int,
        pauses_ms: tuple[int, ...],
    ) -> None:
        cluster = self.faults.cluster
        controller = cluster.nodes[cluster.controller_id].node
        if not times or self.faults.is_over or controller is None:
            return
        now = controller.loader.image.partition(*where)
        if now is None or other >= len(now.replicas):
            return
        members = list(now.replicas)
        members[0], members[other] = members[other], members[0]
        self._make_leader(where, members, rng)
        again = partial(self._swap_again, rng, where, other, times - 1, pauses_ms)
        cluster.world.after(rng.choice(pauses_ms) * US_PER_MS, again)

    def lead(self, node_id: int, where: TopicPartition, rng: Random) -> None:
        """Make a replica the preferred leader, and request a preferred election."""
        controller = self.faults.cluster.nodes[self.faults.cluster.controller_id].node
        now = None if controller is None else controller.loader.image.partition(*where)
        if self.faults.is_over or where.topic != self.topic or now is None:
            return
        if node_id in now.isr and not now.adding_replicas:
            others = [each for each in now.replicas if each != node_id]
            self._make_leader(where, [node_id, *others], rng)

    def _make_leader(self, where: TopicPartition, members: list[int], rng: Random) -> None:
        cluster = self.faults.cluster
        self._note(f"requests leader {members[0]} for {where}")
        connections = self.connections(f"operator{cluster.world.now_us}")
        bootstrap = rng.choice(connections.bootstrap)
        moved = AlterPartitionReassignmentsRequest(
            timeout_ms=_TIMEOUT_MS,
            topics=[
                ReassignableTopic(where.topic, [ReassignablePartition(where.partition, members)])
            ],
        )
        elected = elections.ElectLeadersRequest(
            election_type=_PREFERRED,
            topic_partitions=[elections.TopicPartitions(where.topic, partitions=[where.partition])],
            timeout_ms=_TIMEOUT_MS,
        )
        connections.ask(
            bootstrap, moved, lambda _: connections.ask(bootstrap, elected, lambda _: None)
        )

    def _topic(self, rng: Random) -> ApiMessage:
        """Create a topic that is not checked, or delete the last one of these.

        It is written to until after its deletion, with a flush per batch. A new topic may have the
        name of the former one.
        """
        name = self._extra_topic
        self._extra_topics += 1
        if not self._extra_topics % 2:
            self._note(f"deletes {name}")
            self.faults.cluster.world.after(_WRITTEN_AFTER_MS * US_PER_MS, self.stop_writing)
            return DeleteTopicsRequest(topics=[DeleteTopicState(name=name)], timeout_ms=_TIMEOUT_MS)
        partitions = rng.choice((1, 1, 2, 2, 3, _WIDE))
        if partitions == _WIDE and rng.random() >= _WIDE_SHARE:
            partitions = 3
        if not name or rng.random() >= _SAME_NAME_SHARE:
            name = self._extra_topic = f"x{self._extra_topics // 2}"
        self._note(f"creates {name}")
        topic = CreatableTopic(
            name=name,
            num_partitions=partitions,
            replication_factor=self.plan.cluster.replication_factor,
            configs=[CreatableTopicConfig("flush.messages", "1")],
        )
        self._write_to(name, min(topic.num_partitions, 3))
        return CreateTopicsRequest(topics=[topic], timeout_ms=_TIMEOUT_MS)

    def _write_to(self, name: str, partitions: int) -> None:
        """Write to a topic without readers; its records are not checked."""
        self.stop_writing()
        self._writer = SimProducer(
            self.connections(f"writer-{name}"),
            History(),
            name,
            [TopicPartition(name, index) for index in range(partitions)],
            acks=1,
            idempotent=False,
            interval_ms=_WRITE_PACE_MS,
        )
        self._writer.start()

    def stop_writing(self) -> None:
        """Stop the producer of the topic that was created last."""
        if self._writer is not None:
            self._writer.running = False

    def _roll(self, rng: Random) -> None:
        """Restart the brokers one by one, each when the previous one serves again."""
        if self._rolling:
            return
        self._rolling = True
        order = list(self.faults.cluster.broker_ids)
        rng.shuffle(order)
        self._note(f"restarts brokers in the order {order}")
        self._restart_next(order)

    def _restart_next(self, order: list[int]) -> None:
        world, nodes = self.faults.cluster.world, self.faults.cluster.nodes
        if not order or self.faults.is_over:
            self._rolling = False
            return
        node = nodes[order[0]]
        node.shut_down()
        begun = node.starts

        def poll() -> None:
            if self.faults.is_over:
                return
            if not node.alive:
                node.start()
            if node.started and node.starts > begun:
                self._restart_next(order[1:])
            else:
                world.after(_ROLL_POLL_MS * US_PER_MS, poll)

        poll()

    def _change_voters(self, rng: Random) -> ApiMessage | None:
        request = change_voters(self.faults.cluster, rng)
        if request is not None:
            self._note(f"{type(request).__name__} of {request.voter_id}")
        if isinstance(request, RemoveRaftVoterRequest):
            self.faults.removals.append(request.voter_id)
        return request

    def _alter_log_dirs(self, rng: Random) -> None:
        """Move replicas of one broker to other directories; sometimes move them again soon."""
        cluster = self.faults.cluster
        node = cluster.nodes[rng.choice(cluster.broker_ids)]
        if len(node.disks) == 1:
            return
        connections = self.connections(f"operator{cluster.world.now_us}")

        def move() -> None:
            is_extra = self._extra_topic and rng.random() < _EXTRA_MOVED_SHARE
            topic = self._extra_topic if is_extra else self.topic
            request = moves_of(node, topic, self.plan.cluster.partitions, rng)
            self._note(f"requests moves on {node.host}: {described(request)}")
            connections.ask((node.host, BROKER_PORT), request, lambda _: None)

        move()
        if rng.random() < _MOVED_AGAIN_SHARE:
            cluster.world.after(rng.choice(_MOVED_AGAIN_MS) * US_PER_MS, move)

    _CARRY_OUT: ClassVar[
        dict[OperatorAction, Callable[["Operators", Random], ApiMessage | None]]
    ] = {
        OperatorAction.ELECT: _elect_preferred,
        OperatorAction.ELECT_NOW: _elect_now,
        OperatorAction.MIN_ISR: _min_isr,
        OperatorAction.STRATEGY: _strategy,
        OperatorAction.FEATURE: _feature,
        OperatorAction.REASSIGN: _reassign,
        OperatorAction.SWAP: _swap,
        OperatorAction.SWAP_TRANSACTIONS: _swap_transactions,
        OperatorAction.TOPIC: _topic,
        OperatorAction.ROLL: _roll,
        OperatorAction.VOTERS: _change_voters,
        OperatorAction.ALTER_DIRS: _alter_log_dirs,
        OperatorAction.TRANSACTION_VERSION: _change_transaction_version,
    }
