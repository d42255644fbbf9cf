"""Plays a sequence on a cluster, minikafka's or Apache Kafka's, and compares or records.

    python -m tests.golden.run [--record] [NAME …]

compares the named sequences, or all, with Apache Kafka (`MINIKAFKA_ORACLE` names the folder of its
tools); with --record it writes what Kafka does into them. Without names the schedules of E13 follow.
"""

import argparse
import sys
import time
from contextlib import closing
from functools import partial
from itertools import product

from minikafka.admin.client import AdminClient, AdminError, BrokerConnection
from minikafka.admin.configs import Resource, ResourceType, alter_configs
from minikafka.admin.topics import create_topic
from minikafka.common.errors import ErrorCode
from minikafka.harness.faults.elr_schedules import last_replica_standing, worked_example
from minikafka.harness.plan.settings import HarnessError
from minikafka.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from minikafka.messages.describe_log_dirs import DescribeLogDirsRequest
from minikafka.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from minikafka.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from minikafka.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from minikafka.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.reader import read_records
from tests.golden import sequence as data
from tests.golden.kafka_nodes import KafkaNodes

_POLL_S = 0.05
_QUIET_S = 4.5
_TIMEOUT_S = 30
_ELECTIONS = {"preferred": 0, "unclean": 1}
_NOT_YET = (
    ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.LEADER_NOT_AVAILABLE,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.OFFSET_NOT_AVAILABLE,
)  # fmt: skip
KAFKA_CONFIG = {
    "short": {"broker.session.timeout.ms": "3000", "broker.heartbeat.interval.ms": "500"},
    "long": {"broker.session.timeout.ms": "9000", "broker.heartbeat.interval.ms": "2000"},
}


class MismatchError(AssertionError):
    pass


class Player:
    """Plays one sequence. `here` chooses the expectations: minikafka's, or Kafka's."""

    def __init__(self, nodes, sequence, *, here, heartbeat_s, record=False, log=lambda _: None):
        self.nodes = nodes
        self.sequence = sequence
        self.here = here
        self.heartbeat_s = heartbeat_s
        self.record = record
        self.log = log
        self.barriers = 0
        self.answers = {}
        self.written = {}
        self.clients = {}

    def play(self):
        with closing(self):
            self.play_steps()

    def play_steps(self):
        for number, step in enumerate(self.sequence.steps, 1):
            self.log(f"{self.sequence.name} {number}: {step.text}")
            self.answers = {}
            self.act(step.do[0], step.do[1:])
            if not self.nodes.running:
                step.rows = {}
                continue
            if self.record:
                self.settle()
            else:
                self.await_rows(number, step)
            self.barrier()
            found = self.rows(number)
            if self.record:
                step.rows = found
            else:
                self.compare(number, step, found)
            self.await_replicas(found)
        self.compare_read()

    # -- acting

    def act(self, action, words):
        if action in ("start", "stop", "kill"):
            getattr(self.nodes, action)(*map(int, words))
        elif action == "kill-in-order":
            for node in map(int, words):
                self.nodes.kill(node)
                self.let_heartbeats_pass()
        elif action == "bounce":
            (node,) = map(int, words)
            self.nodes.kill(node)
            self.nodes.start(node)
        else:
            getattr(self, f"do_{action}")(self.admin(), *words)

    def let_heartbeats_pass(self):
        """Let the other sessions be renewed; a missing heartbeat has no event to wait for."""
        time.sleep(2 * self.heartbeat_s)

    def do_create(self, admin):
        for name, topic in self.sequence.topics.items():
            create_topic(
                admin, name, assignment=[topic.replicas],
                configs={"min.insync.replicas": str(topic.min_isr)},
            )  # fmt: skip

    def do_elect(self, admin, kind):
        topics = [TopicPartitions(name, [0]) for name in self.sequence.topics]
        request = ElectLeadersRequest(
            election_type=_ELECTIONS[kind], topic_partitions=topics, timeout_ms=10_000
        )
        response = admin.ask(request)
        assert response.error_code == 0
        for result in response.replica_election_results:
            self.answer(result.topic, result.partition_result[0].error_code)

    def do_set(self, admin, change):
        key, _, value = change.partition("=")
        for name in self.sequence.topics:
            alter_configs(admin, Resource(ResourceType.TOPIC, name), {key: value}, [])

    def do_reassign(self, admin, replicas):
        """To other replicas; `reassign none` cancels what is under way."""
        target = None if replicas == "none" else [int(it) for it in replicas.split(",")]
        request = AlterPartitionReassignmentsRequest(
            timeout_ms=10_000,
            topics=[
                ReassignableTopic(name, [ReassignablePartition(0, target)])
                for name in self.sequence.topics
            ],
        )
        response = admin.ask(request)
        assert response.error_code == 0, response.error_message
        for result in response.responses:
            self.answer(result.name, result.partitions[0].error_code)

    def answer(self, topic, code):
        self.answers[topic] = ErrorCode(code).name

    # -- looking

    def admin(self):
        return self.client(self.nodes.running[0])

    def client(self, node):
        """A client of this one broker; its connection stays open until the broker goes."""
        if node not in self.clients:
            server = f"127.0.0.1:{self.nodes.port(node)}"
            self.clients[node] = AdminClient(server, client_id="golden", timeout_s=_TIMEOUT_S)
        return self.clients[node]

    def close(self):
        for client in self.clients.values():
            client.close()

    def states(self):
        request = DescribeTopicPartitionsRequest(
            topics=[TopicRequest(name) for name in sorted(self.sequence.topics)]
        )
        found = {}
        for topic in self.admin().ask(request).topics:
            if topic.error_code == 0:
                found[topic.name] = self.state(topic.name, topic.partitions[0])
        return found

    def state(self, topic, it):
        row = {
            "leader": "none" if it.leader_id < 0 else str(it.leader_id),
            "epoch": str(it.leader_epoch),
            "isr": data.numbers(it.isr_nodes),
            "elr": data.numbers(it.eligible_leader_replicas or []),
            "last": data.numbers(it.last_known_elr or []),
            "offline": data.numbers(it.offline_replicas),
        }
        if sorted(it.replica_nodes) != sorted(self.sequence.topics[topic].replicas):
            row["replicas"] = data.numbers(it.replica_nodes)
        return row

    def await_rows(self, number, step):
        expected = {
            topic: {k: v for k, v in step.expected(topic, self.here).items() if k in data.STATE}
            for topic in self.sequence.topics
        }
        deadline_s = time.monotonic() + _TIMEOUT_S
        while (found := self.states()) != expected:
            if time.monotonic() > deadline_s:
                self.fail(number, step, expected, found)
            time.sleep(_POLL_S)

    def settle(self):
        """For recording: until nothing has changed for longer than a session takes to end."""
        last, since_s = None, time.monotonic()
        while time.monotonic() - since_s < _QUIET_S:
            found = self.states()
            if found != last:
                last, since_s = found, time.monotonic()
            time.sleep(_POLL_S)

    def barrier(self):
        """Return when every broker has all metadata that is committed by now: sees a new topic."""
        self.barriers += 1
        name = f"barrier-{self.barriers}"
        create_topic(self.admin(), name, assignment=[[self.nodes.running[0]]])
        request = DescribeTopicPartitionsRequest(topics=[TopicRequest(name)])
        deadline_s = time.monotonic() + _TIMEOUT_S
        for node in self.nodes.running:
            while self.client(node).ask(request).topics[0].error_code != 0:
                assert time.monotonic() < deadline_s, f"broker {node} lags behind"
                time.sleep(_POLL_S)

    def rows(self, number):
        """State and answers of every topic, and what becomes of two records."""
        rows = {}
        for topic, state in self.states().items():
            row = dict(state)
            if topic in self.answers:
                row["answer"] = self.answers[topic]
            if state["leader"] != "none":
                leader = int(state["leader"])
                row["all"] = self.write(leader, topic, -1, f"all-{number}")
                row["one"] = self.write(leader, topic, 1, f"one-{number}")
            rows[topic] = row
        return rows

    def await_replicas(self, rows):
        """Return when the ISR has the whole log: what a replica has is no chance then."""
        followed = {topic: data.members(row["isr"]) for topic, row in rows.items() if row["isr"]}
        deadline_s = time.monotonic() + _TIMEOUT_S
        while True:
            sizes = {node: self.sizes(node) for node in self.nodes.running}
            if all(
                len({sizes[node].get(topic) for node in isr}) == 1
                for topic, isr in followed.items()
            ):
                return
            assert time.monotonic() < deadline_s, f"replicas differ in size: {sizes}"
            time.sleep(_POLL_S)

    def sizes(self, node):
        """How many bytes this broker has of each topic of the sequence."""
        response = self.client(node).ask(DescribeLogDirsRequest(topics=None))
        return {
            topic.name: partition.partition_size
            for directory in response.results
            for topic in directory.topics
            for partition in topic.partitions
            if topic.name in self.sequence.topics
        }

    def write(self, leader, topic, acks, value):
        batch = build_batch(
            [NewRecord(time.time_ns() // 10**6, None, value.encode())], BatchOptions()
        )
        request = ProduceRequest(
            acks=acks, timeout_ms=10_000,
            topic_data=[TopicProduceData(topic, partition_data=[PartitionProduceData(0, batch)])],
        )  # fmt: skip
        it = self.until_ready(leader, lambda connection: _produced(connection.ask(request, 9)))
        if it.error_code:
            return ErrorCode(it.error_code).name
        self.written[topic] = it.base_offset
        return str(it.base_offset)

    def until_ready(self, leader, ask):
        """The answer of a leader that has heard that it is one."""
        deadline_s = time.monotonic() + _TIMEOUT_S
        connection = BrokerConnection("127.0.0.1", self.nodes.port(leader), "golden", _TIMEOUT_S)
        with closing(connection):
            while True:
                it = ask(connection)
                if it.error_code not in _NOT_YET or time.monotonic() > deadline_s:
                    return it
                time.sleep(_POLL_S)

    def read(self, topic):
        """The values below the high watermark, once the last record that was taken is there."""
        leader = int(self.states()[topic]["leader"])
        values, offset = [], 0
        deadline_s = time.monotonic() + _TIMEOUT_S
        while offset <= self.written[topic]:
            assert time.monotonic() < deadline_s, f"{topic}: the high watermark stays at {offset}"
            request = FetchRequest(
                max_wait_ms=100, min_bytes=1, max_bytes=1_000_000,
                topics=[FetchTopic(topic, partitions=[
                    FetchPartition(0, fetch_offset=offset, partition_max_bytes=1_000_000)
                ])],
            )  # fmt: skip
            it = self.until_ready(
                leader, lambda connection, ask=request: _fetched(connection.ask(ask, 12))
            )
            assert it.error_code == 0, ErrorCode(it.error_code).name
            for record in read_records(bytes(it.records or b"")):
                if record.offset >= offset:
                    values.append(record.value.decode())
                    offset = record.offset + 1
        return values

    # -- judging

    def compare(self, number, step, found):
        expected = {topic: step.expected(topic, self.here) for topic in self.sequence.topics}
        if found != expected:
            self.fail(number, step, expected, found)

    def compare_read(self):
        found = {topic: self.read(topic) for topic in self.sequence.topics}
        if self.record:
            self.sequence.read = found
        elif found != self.sequence.read:
            raise MismatchError(f"{self.sequence.name}: read {found}, not {self.sequence.read}")

    def fail(self, number, step, expected, found):
        lines = [f"{self.sequence.name}, step {number}, {step.text}:"]
        for topic, row in expected.items():
            if row != found.get(topic):
                lines.append(f"  {topic}: expected {data.text(row)}")
                lines.append(f"  {topic}: found    {data.text(found.get(topic, {}))}")
        raise MismatchError("\n".join(lines))


def _produced(response):
    return response.responses[0].partition_responses[0]


def _fetched(response):
    return response.responses[0].partitions[0]


def with_kafka(name, *, record, base_port):
    sequence = data.load(name)
    config = KAFKA_CONFIG[sequence.session]
    heartbeat_s = int(config["broker.heartbeat.interval.ms"]) / 1000
    with KafkaNodes(sequence.brokers, config=config, base_port=base_port) as nodes:
        player = Player(
            nodes, sequence, here=False, heartbeat_s=heartbeat_s, record=record,
            log=lambda line: print(line, flush=True),
        )  # fmt: skip
        player.play()
    if record:
        data.save(sequence)


def schedules_with_kafka(base_port):
    """E13 on Apache Kafka: the same states, the same loss without ELR, none with it."""
    config = KAFKA_CONFIG["short"]
    for (schedule, brokers), elr in product(
        ((last_replica_standing, 3), (worked_example, 4)), (True, False)
    ):
        features = {"eligible.leader.replicas.version": int(elr)}
        with KafkaNodes(brokers, config=config, features=features, base_port=base_port) as nodes:
            outcome = schedule(nodes, elr=elr, say=lambda line: print(line, flush=True))
        lost, name = len(outcome.lost), f"{schedule.__name__}, {'with' if elr else 'without'} ELR"
        if len(outcome.acknowledged) != 200 or lost != (0 if elr else 200):
            raise MismatchError(f"{name}: {lost} of {len(outcome.acknowledged)} records are lost")
        print(f"{name}: {lost} records are lost, as they must be", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write what Kafka does")
    parser.add_argument("--base-port", type=int, default=21300)
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    failed = 0
    plays = {
        name: partial(with_kafka, name, record=args.record, base_port=args.base_port)
        for name in args.names or data.names()
    }
    if not args.names and not args.record:
        plays["schedules"] = partial(schedules_with_kafka, args.base_port)
    for name, play in plays.items():
        try:
            play()
            print(f"{name}: {'recorded' if args.record else 'as Apache Kafka does'}", flush=True)
        except (MismatchError, AdminError, HarnessError, RuntimeError) as error:
            failed += 1
            print(error, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
