"""The same random requests about transactions to minikafka and to Apache Kafka 4.3.1.

A developer's check, not a test of the default run: MINIKAFKA_ORACLE=DIR python -m
tests.conformance.compare_transactions [--sequences N] [--seed S] [--base-port P] [--keep-going],
where DIR has kafka-cluster. Starts one node of each. After each request that changes something both
end their transitions first, so that answers do not depend on timing. Exit status 1 with the steps
of the sequence if an answer differs and no row of docs/compatibility.md explains it.
`--seed S --sequences 1` repeats one sequence.
"""

import argparse
import random
import sys
import time
from collections import Counter

from minikafka.admin.client import AdminClient, BrokerConnection
from minikafka.admin.topics import create_topic
from minikafka.common.ids import Uuid
from minikafka.messages.add_partitions_to_txn import AddPartitionsToTxnRequest
from minikafka.messages.describe_producers import DescribeProducersRequest, TopicRequest
from minikafka.messages.describe_transactions import DescribeTransactionsRequest
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from minikafka.messages.init_producer_id import InitProducerIdRequest
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic
from minikafka.testing import Cluster
from tests.conformance.transaction_answers import MISSING, Side, values_of
from tests.conformance.transaction_differences import row_of
from tests.conformance.transaction_sequences import STEPS, Names, Sequence
from tests.golden.kafka_nodes import KafkaNodes

CONFIG = {
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
}
_SEQUENCES_PER_TOPIC = 25
_ANSWER_S = 8.0
_OF_BROKERS_FROM = 4
_BROKERS_PORT = 101
"""The port of minikafka's listener for brokers of node 1, minus that for clients; see `minikafka dev`."""
_SETTLE_S = 0.5
_PAUSE_S = 0.003
_QUIET = {"fetch", "list", "describe", "find"}


class Server:
    """A broker: a connection for requests, and the ids of topics."""

    def __init__(self, address, brokers_port=None):
        host, port = address.split(":")
        self.host, self.port = host, int(port)
        self.brokers_port = brokers_port or self.port
        self.address = address
        self.connection = self.as_broker = None
        self.topic_ids = {MISSING: Uuid.of(7, 7)}
        self._connect()
        for kind in (0, 1):
            while self.connection.ask(FindCoordinatorRequest("x", kind), 3).error_code:
                time.sleep(0.1)
        while self.connection.ask(InitProducerIdRequest("warm", 60_000), 4).error_code:
            time.sleep(0.1)

    def _connect(self):
        for each in (self.connection, self.as_broker):
            if each is not None:
                each.close()
        self.connection = BrokerConnection(self.host, self.port, "compare", _ANSWER_S)
        self.as_broker = BrokerConnection(self.host, self.brokers_port, "compare", _ANSWER_S)

    def ask(self, request, version):
        """The answer, or "closed", or "no answer"."""
        # Unlike Kafka (row G1), requests of brokers count on the listener of brokers only.
        is_broker = isinstance(request, AddPartitionsToTxnRequest) and version >= _OF_BROKERS_FROM
        try:
            return (self.as_broker if is_broker else self.connection).ask(request, version)
        except TimeoutError:
            self._connect()
            return "no answer"
        except ConnectionError:
            self._connect()
            return "closed"

    def create(self, topic):
        with AdminClient(self.address, client_id="compare") as client:
            create_topic(client, topic, partitions=2 * _SEQUENCES_PER_TOPIC, replication_factor=1)
        while True:
            request = MetadataRequest(topics=[MetadataRequestTopic(name=topic)])
            (row,) = self.connection.ask(request, 12).topics
            if not row.error_code and self._leads(topic, len(row.partitions)):
                break
            time.sleep(0.05)
        self.topic_ids[topic] = row.topic_id

    def _leads(self, topic, count):
        """True if the broker leads all partitions; it lists them a little earlier."""
        request = DescribeProducersRequest([TopicRequest(topic, list(range(count)))])
        (row,) = self.connection.ask(request, 0).topics
        return not any(each.error_code for each in row.partitions)

    def settle(self, names):
        """Wait until no transition is in progress; a transition that cannot end has a limit."""
        end_s = time.monotonic() + _SETTLE_S
        while time.monotonic() < end_s:
            response = self.connection.ask(DescribeTransactionsRequest(list(names)), 0)
            states = [each.transaction_state for each in response.transaction_states]
            if not any(each.startswith("Prepare") for each in states):
                return
            time.sleep(_PAUSE_S)


class Comparison:
    """Plays sequences on both; counts what differs."""

    def __init__(self, ours, theirs):
        self.servers = (ours, theirs)
        self.counts = Counter()
        self.known = Counter()

    def play(self, seed, topic, place):
        """Play one sequence; the text of the first unexplained difference, or None."""
        run = f"{seed}-{self.counts['sequences']}"
        names = Names(
            (f"{run}-a", f"{run}-b"), (f"{run}-g", f"{run}-h"), topic,
            (2 * place, 2 * place + 1), f"{run}-missing",
        )  # fmt: skip
        sequence = Sequence(random.Random(f"transactions/{seed}"), names)
        sides = [Side(server.ask, server.topic_ids, names) for server in self.servers]
        self.counts["sequences"] += 1
        told = []
        first = sequence.first()
        steps = [lambda each=each: each for each in first]
        steps += [sequence.step] * STEPS
        for draw in steps:
            step, learns = draw()
            found, theirs = self._ask(sides, step)
            told.append(f"{step.text} v{step.version}\n    {found}")
            if found != theirs:
                row = row_of(step, found, theirs, told)
                if row is None:
                    return "\n".join([f"seed {seed}", *told, f"  Apache Kafka:\n    {theirs}"])
                self.known[row] += 1
                return None
            self._learn(sequence, learns, found)
            if step.text.split()[0] not in _QUIET:
                for server in self.servers:
                    server.settle((*names.ids, names.missing))
        for step in sequence.last():
            found, theirs = self._ask(sides, step)
            told.append(f"{step.text} v{step.version}\n    {found}")
            if found != theirs:
                row = row_of(step, found, theirs, told)
                if row is None:
                    return "\n".join([f"seed {seed}", *told, f"  Apache Kafka:\n    {theirs}"])
                self.known[row] += 1
                return None
        return None

    def _ask(self, sides, step):
        self.counts["requests"] += 1
        answers = []
        for side in sides:
            answer = side.ask(step.build(side), step.version)
            answers.append(values_of(side, answer))
        return answers

    @staticmethod
    def _learn(sequence, learns, found):
        if isinstance(learns, str) or (learns is None and "producer_id" in found):
            sequence.learn(learns, found)
        elif isinstance(learns, tuple):
            accepted = {
                (topic.get("name"), each["index"])
                for topic in found["responses"]
                for each in topic["partition_responses"]
                if each["error_code"] == 0
            }
            for topic, index, producer, _, first, count in learns[1]:
                if {(topic, index), ("", index)} & accepted:
                    sequence.sequences[producer, topic, index] = first + count


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.compare_transactions")
    parser.add_argument("--sequences", type=int, default=500)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--base-port", type=int, default=21_300)
    parser.add_argument("--keep-going", action="store_true")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with (
        Cluster(1, config=CONFIG, kafka_defaults=True) as ours,
        KafkaNodes(1, config=CONFIG, base_port=options.base_port) as theirs,
    ):
        first = Server(ours.bootstrap_servers, ours.port(1) + _BROKERS_PORT)
        return compare(first, Server(theirs.bootstrap_servers), options)


def compare(ours, theirs, options):
    """Play all sequences, and print a report."""
    comparison = Comparison(ours, theirs)
    begun_s = time.monotonic()
    differences = 0
    topic = ""
    for number in range(options.sequences):
        place = number % _SEQUENCES_PER_TOPIC
        if place == 0:
            topic = f"t{options.seed}-{number}"
            for server in comparison.servers:
                server.create(topic)
        difference = comparison.play(options.seed + number, topic, place)
        if difference:
            differences += 1
            print(difference, flush=True)
            if not options.keep_going:
                break
    took_s = time.monotonic() - begun_s
    for row, count in comparison.known.most_common():
        print(f"{count} sequences end with a known difference: {row}")
    counts = ", ".join(f"{count} {name}" for name, count in comparison.counts.items())
    print(f"{counts}, {differences} unexplained differences, {took_s:.0f} s")
    return int(bool(differences))


if __name__ == "__main__":
    sys.exit(main())
