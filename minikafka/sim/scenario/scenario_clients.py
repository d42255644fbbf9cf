"""The clients and operators of a scenario.

A client sends to the last committed leader, as one with fresh metadata would, and retries if the
broker does not know its new role yet.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, cast

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.messages import elect_leaders as elections
from minikafka.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartition,
    ReassignableTopic,
)
from minikafka.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from minikafka.messages.delete_topics import (
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)
from minikafka.messages.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from minikafka.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from minikafka.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from minikafka.messages.update_features import (
    FeatureUpdateKey,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
)
from minikafka.metadata.partition_registration import NO_LEADER, PartitionRegistration
from minikafka.protocol.message import ApiMessage
from minikafka.records.builder import NewRecord, build_batch
from minikafka.records.reader import read_batch
from minikafka.records.scan import split_batches
from minikafka.sim.scenario.scenario import Command, spans
from minikafka.sim.world.machine_clock import EPOCH_MS
from minikafka.sim.world.sim_cluster import SimCluster
from minikafka.sim.world.world import US_PER_MS

M = TypeVar("M")
Note = Callable[[str, str], None]
_BY_NAME = 12
_TIMEOUT_MS = 5_000
_PATIENCE_MS = 10_000
_RETRY_MS = 50
_RESOURCE_TOPIC = 2
_UPGRADE, _SAFE_DOWNGRADE = 1, 2
ELECTIONS = {
    "preferred": 0,
    "unclean": 1,
    "designation": 2,
    "longest-log-balanced": 3,
    "longest-log-aggressive": 4,
}
_NOT_YET = (
    ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.LEADER_NOT_AVAILABLE,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.OFFSET_NOT_AVAILABLE,
)


@dataclass(slots=True)
class Sent:
    """The records of one Produce. `offset` is that of the first one, once acknowledged."""

    first: int
    count: int
    acks: int
    offset: int | None = None

    def __str__(self) -> str:
        return spans(list(range(self.first, self.first + self.count)), "r")


@dataclass(slots=True)
class ScenarioClients:
    """The clients. `note` adds a transcript line; `known` is each topic's committed partition.

    `on_elections` is called with each ElectLeaders request before it is sent.
    """

    cluster: SimCluster
    note: Note
    known: dict[str, PartitionRegistration]
    on_elections: Callable[[elections.ElectLeadersRequest], None] = lambda _: None
    reachable: Sequence[int] = ()
    """Brokers that an operator can reach."""
    answers: dict[str, str] = field(default_factory=dict)
    """The last response to an operator, by topic."""
    outcomes: dict[tuple[str, int], str] = field(default_factory=dict)
    """The result of the last Produce, by topic and acks: an offset, or an error."""
    seen: dict[str, list[str]] = field(default_factory=dict)
    """The values of the last read, by topic."""
    _sent: dict[str, list[Sent]] = field(default_factory=dict)
    _waiting: int = 0

    @property
    def is_waiting(self) -> bool:
        """True if a Produce has no response yet."""
        return self._waiting > 0

    def _send(
        self,
        node_id: int,
        request: ApiMessage,
        on_answer: Callable[[ApiMessage | None], None],
        timeout_ms: int,
        version: int | None = None,
    ) -> None:
        """Send a request on a new connection; call back with None after a timeout."""
        client = self.cluster.client("client", node_id)
        pending = self.cluster.world.after(timeout_ms * US_PER_MS, client.close)

        def answered(answer: ApiMessage | None) -> None:
            pending.cancel()
            client.close()
            on_answer(answer)

        client.send(request, answered, version=version)

    # Operators

    def create(
        self, command: Command, name: str, replicas: list[int], config: dict[str, str]
    ) -> None:
        """Create a topic with one partition."""
        topic = CreatableTopic(
            name=name,
            num_partitions=-1,
            replication_factor=-1,
            assignments=[CreatableReplicaAssignment(0, replicas)],
            configs=[CreatableTopicConfig(key, value) for key, value in config.items()],
        )
        request = CreateTopicsRequest(topics=[topic], timeout_ms=_TIMEOUT_MS)
        answer = self._ask(command, request, CreateTopicsResponse)
        if answer is not None and answer.topics[0].error_code:
            raise command.wrong(str(answer.topics[0].error_message))
        if answer is not None:
            self.cluster.world.run_until(lambda: name in self.known, _PATIENCE_MS)

    def delete(self, command: Command, topic: str) -> None:
        """Delete a topic."""
        request = DeleteTopicsRequest(topics=[DeleteTopicState(name=topic)], timeout_ms=_TIMEOUT_MS)
        self._ask(command, request, DeleteTopicsResponse)

    def set_feature(self, command: Command, feature: str, level: int) -> None:
        """Change the level of a feature."""
        update = FeatureUpdateKey(
            feature=feature,
            max_version_level=level,
            upgrade_type=_UPGRADE if level else _SAFE_DOWNGRADE,
        )
        request = UpdateFeaturesRequest(timeout_ms=_TIMEOUT_MS, feature_updates=[update])
        answer = self._ask(command, request, UpdateFeaturesResponse)
        if answer is not None:
            self.note("operator", f"{feature}={level}: {ErrorCode(answer.error_code).name}")

    def alter(self, command: Command, topics: list[str], config: dict[str, str]) -> None:
        """Change the configuration of topics."""
        changes = [AlterableConfig(key, 0, value) for key, value in config.items()]
        request = IncrementalAlterConfigsRequest(
            resources=[AlterConfigsResource(_RESOURCE_TOPIC, topic, changes) for topic in topics]
        )
        answer = self._ask(command, request, IncrementalAlterConfigsResponse)
        for each in () if answer is None else answer.responses:
            if each.error_code:
                raise command.wrong(str(each.error_message))

    def elect(self, command: Command, kind: str, topics: list[str], desired: int | None) -> None:
        """Request an election; the response is noted."""
        if kind not in ELECTIONS:
            raise command.wrong(f"no election {kind}; there is {', '.join(ELECTIONS)}")
        if (desired is not None) != (kind == "designation"):
            raise command.wrong("designation needs leader=, no other election takes it")
        leaders = None if desired is None else [desired]
        request = elections.ElectLeadersRequest(
            election_type=ELECTIONS[kind],
            topic_partitions=[
                elections.TopicPartitions(topic, partitions=[0], desired_leaders=leaders)
                for topic in topics
            ],
            timeout_ms=_PATIENCE_MS,
        )
        self.on_elections(request)
        answer = self._ask(command, request, elections.ElectLeadersResponse)
        for each in () if answer is None else answer.replica_election_results:
            self._answered(each.topic, each.partition_result[0].error_code)

    def reassign(self, command: Command, topics: list[str], replicas: list[int] | None) -> None:
        """Request a reassignment; None cancels the present one."""
        request = AlterPartitionReassignmentsRequest(
            timeout_ms=_TIMEOUT_MS,
            topics=[
                ReassignableTopic(topic, [ReassignablePartition(0, replicas)]) for topic in topics
            ],
        )
        answer = self._ask(command, request, AlterPartitionReassignmentsResponse)
        for each in () if answer is None else answer.responses:
            self._answered(each.name, each.partitions[0].error_code)

    def _answered(self, topic: str, code: int) -> None:
        name = ErrorCode(code).name
        self.answers[topic] = name
        self.note("operator", f"{topic}: {name}")

    def _ask(self, command: Command, request: ApiMessage, kind: type[M]) -> M | None:
        """Send a request to a reachable broker; return None without a response."""
        if not self.reachable:
            raise command.wrong("no broker is reachable")
        self.answers.clear()
        answers: list[ApiMessage | None] = []
        self._send(self.reachable[0], request, answers.append, 2 * _PATIENCE_MS)
        self.cluster.world.run_until(lambda: bool(answers), 3 * _PATIENCE_MS)
        if answers[0] is None:
            self.note("operator", "no response")
            return None
        assert isinstance(answers[0], kind)
        return answers[0]

    # Producers

    def produce(self, topic: str, count: int, acks: int, at: int | None = None) -> None:
        """Send one batch to the leader, or to the broker `at`; the result is noted."""
        sent = self._sent.setdefault(topic, [])
        first = 1 + sum(each.count for each in sent)
        batch = Sent(first, count, acks)
        sent.append(batch)
        self._waiting += 1
        self._try(topic, batch, at, self.cluster.world.now_ms + _TIMEOUT_MS)

    def _try(self, topic: str, batch: Sent, at: int | None, until_ms: int) -> None:
        leader = self.known[topic].leader if at is None else at
        if leader == NO_LEADER:
            self._became(topic, batch, "not sent: no leader", "NO_LEADER")
            return
        values = [b"r%d" % (batch.first + each) for each in range(batch.count)]
        records = build_batch([NewRecord(EPOCH_MS, None, value) for value in values])
        data = PartitionProduceData(0, memoryview(records))
        request = ProduceRequest(
            acks=batch.acks,
            timeout_ms=_TIMEOUT_MS,
            topic_data=[TopicProduceData(topic, partition_data=[data])],
        )
        if batch.acks == 0:
            client = self.cluster.client("client", leader)
            client.send(request, lambda _: None, version=_BY_NAME, expects_response=False)
            self._became(topic, batch, "sent, no response expected", "SENT")
            return

        def answered(answer: ApiMessage | None) -> None:
            if answer is None:
                self._became(topic, batch, "no response", "NO_ANSWER")
                return
            found = cast(ProduceResponse, answer).responses[0].partition_responses[0]
            error = ErrorCode(found.error_code)
            if error in _NOT_YET and self.cluster.world.now_ms < until_ms:
                self.cluster.world.after(
                    _RETRY_MS * US_PER_MS, lambda: self._try(topic, batch, at, until_ms)
                )
            elif error:
                self._became(topic, batch, f"refused: {error.name}", error.name)
            else:
                batch.offset = found.base_offset
                last = batch.offset + batch.count - 1
                where = spans(list(range(batch.offset, last + 1)))
                self._became(topic, batch, f"acknowledged at {where}", str(batch.offset))

        self._send(leader, request, answered, _TIMEOUT_MS + _RETRY_MS, _BY_NAME)

    def _became(self, topic: str, batch: Sent, what: str, outcome: str) -> None:
        self._waiting -= 1
        self.outcomes[topic, batch.acks] = outcome
        acks = "all" if batch.acks < 0 else batch.acks
        self.note(topic, f"{batch} (acks={acks}) {what}")

    # Readers

    def read(self, topic: str) -> None:
        """Read from the start to the high watermark; values read and missing are noted."""
        leader = self.known[topic].leader
        if leader == NO_LEADER:
            self.note("reader", f"cannot read {topic}: no leader")
            return
        seen: dict[int, str] = {}
        until_ms = self.cluster.world.now_ms + _TIMEOUT_MS
        while (found := self._fetch(leader, topic, max(seen, default=-1) + 1)) is not None:
            error, end, records = found
            if error in _NOT_YET and self.cluster.world.now_ms < until_ms:
                self.cluster.world.run(_RETRY_MS)
                continue
            if error:
                self.note("reader", f"cannot read {topic}: {error.name}")
                return
            seen |= records
            if not records:
                self._note_read(topic, seen, end)
                self.seen[topic] = list(seen.values())
                return
        self.note("reader", f"cannot read {topic}: no response from n{leader}")

    def poll(self, topic: str, for_ms: int) -> None:
        """Fetch at the high watermark, and wait there; the response is noted."""
        partition = self.known[topic]
        node = self.cluster.nodes[partition.leader].node if partition.leader > 0 else None
        if node is None or node.broker is None:
            self.note("reader", f"cannot read {topic}: no leader")
            return
        log = node.broker.replicas.partitions[TopicPartition(topic, 0)].log

        def answered(answer: ApiMessage | None) -> None:
            if answer is None:
                self.note("reader", f"poll of {topic}: no response")
                return
            it = cast(FetchResponse, answer).responses[0].partitions[0]
            size = len(it.records or b"")
            what = "records" if size else ErrorCode(it.error_code).name
            self.note("reader", f"poll of {topic}: {what}")

        request = _fetch_request(topic, log.high_watermark, for_ms)
        self._send(partition.leader, request, answered, for_ms + _PATIENCE_MS, _BY_NAME)

    def _fetch(
        self, leader: int, topic: str, offset: int
    ) -> tuple[ErrorCode, int, dict[int, str]] | None:
        request = _fetch_request(topic, offset, 0)
        answers: list[ApiMessage | None] = []
        self._send(leader, request, answers.append, _TIMEOUT_MS, _BY_NAME)
        self.cluster.world.run_until(lambda: bool(answers), _PATIENCE_MS)
        if answers[0] is None:
            return None
        it = cast(FetchResponse, answers[0]).responses[0].partitions[0]
        records = bytes(cast(memoryview, it.records or memoryview(b"")))
        values = {
            record.offset: bytes(record.value or b"").decode()
            for position, header in split_batches(records)
            for record in read_batch(records[position : position + header.size], 0, header)
            if record.offset >= offset
        }
        return ErrorCode(it.error_code), it.high_watermark, values

    def _note_read(self, topic: str, seen: dict[int, str], end: int) -> None:
        numbers = [int(value[1:]) for value in seen.values()]
        self.note(
            "reader", f"reads {spans(numbers, 'r') or 'nothing'} of {topic}, high watermark {end}"
        )
        for acks, promise in ((-1, "acks=all"), (1, "acks=1")):
            missing = [
                batch.first + each
                for batch in self._sent.get(topic, ())
                if batch.acks == acks and batch.offset is not None
                for each in range(batch.count)
                if seen.get(batch.offset + each) != f"r{batch.first + each}"
            ]
            hidden = [number for number in missing if number in self._above(topic, end)]
            lost = [number for number in missing if number not in hidden]
            if hidden:
                self.note("reader", f"not readable yet: {spans(hidden, 'r')} ({promise})")
            if lost:
                self.note("reader", f"LOST: {spans(lost, 'r')}, acknowledged with {promise}")

    def _above(self, topic: str, end: int) -> list[int]:
        """Return the acknowledged records above the high watermark in the leader's log."""
        node = self.cluster.nodes[self.known[topic].leader].node
        if node is None or node.broker is None:
            return []
        log = node.broker.replicas.partitions[TopicPartition(topic, 0)].log
        return [
            batch.first + each
            for batch in self._sent[topic]
            if batch.offset is not None
            for each in range(batch.count)
            if end <= batch.offset + each < log.log_end_offset
        ]


def _fetch_request(topic: str, offset: int, max_wait_ms: int) -> FetchRequest:
    wanted = FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=1 << 20)
    return FetchRequest(
        max_wait_ms=max_wait_ms,
        min_bytes=1,
        max_bytes=1 << 20,
        session_epoch=-1,
        topics=[FetchTopic(topic=topic, partitions=[wanted])],
    )
