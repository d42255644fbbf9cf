"""The same random requests about consumer groups to minikafka and to Apache Kafka 4.3.1.

A developer's check, not a test of the default run: MINIKAFKA_ORACLE=DIR python -m
tests.conformance.compare_groups [--sequences N] [--seed S] [--base-port P] [--keep-going], where
DIR has kafka-cluster. Starts one node of each. Exit status 1 with the steps of the sequence if an
answer differs. `--seed S --sequences 1` repeats one sequence; `--record` writes Kafka's answers to
tests/conformance/data/group_sequences.json, which test_group_sequences.py compares with.
"""

import argparse
import json
import random
import sys
import time

from minikafka.admin.client import AdminClient, BrokerConnection
from minikafka.admin.topics import create_topic
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic
from minikafka.testing import Cluster
from tests.conformance.group_answers import Play, Side
from tests.conformance.group_sequences import RECORDED, sequence_of, topic_of
from tests.golden.kafka_nodes import KafkaNodes

CONFIG = {
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
    "group.consumer.assignment.interval.ms": "0",
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "1",
}
_LEARNS_S = 5.0
"""How long Kafka's coordinator may take to learn of topics that its broker has already."""
_PATTERN_S = 0.15
"""How long the topics of a new pattern may take."""


class Server(Side):
    """A broker, by one connection."""

    def __init__(self, address):
        super().__init__()
        self.address = address
        host, port = address.split(":")
        self.connection = BrokerConnection(host, int(port), "compare", 10)
        while self.connection.ask(FindCoordinatorRequest("x", 0), 3).error_code:
            time.sleep(0.1)

    def ask(self, request, version):
        return self.connection.ask(request, version)

    def resolve_patterns(self):
        time.sleep(_PATTERN_S)

    def create(self, topic, partitions):
        with AdminClient(self.address, client_id="compare") as client:
            create_topic(client, topic, partitions=partitions, replication_factor=1)
        while True:
            request = MetadataRequest(topics=[MetadataRequestTopic(name=topic)])
            (row,) = self.connection.ask(request, 12).topics
            if not row.error_code and all(not each.error_code for each in row.partitions):
                break
            time.sleep(0.02)
        self.topic_ids[topic] = row.topic_id


def difference(seed, servers):
    """Play one sequence; the number of requests, and the text of the first difference or ""."""
    sequence = sequence_of(seed)
    told = [f"seed {seed}"]
    for step, rows in Play(sequence, servers).rounds():
        told.append(f"{step.text}\n    {rows[0]}")
        if rows[0] != rows[1]:
            told.append(f"  Apache Kafka:\n    {rows[1]}")
            for server in servers:
                answer = server.ask(sequence.describe().build(server), 1)
                told += ["  after it:", *_members(server.values(answer))]
            return len(told), "\n".join(told)
    return len(told) - 1, ""


def _members(row):
    (group,) = row["groups"]
    yield f"    {group['group_state']} {group['group_epoch']} {group['assignment_epoch']}"
    for member in group["members"]:
        has, target = (
            [each["partitions"] for each in member[key]["topic_partitions"]]
            for key in ("assignment", "target_assignment")
        )
        yield (
            f"    {member['member_id']} {member['member_epoch']} has {has} target {target} "
            f"{member['subscribed_topic_names']} {member['subscribed_topic_regex']}"
        )


def record(server, seeds):
    """Write the answers of Apache Kafka."""
    rows = {
        seed: [row for _, (row,) in Play(sequence_of(seed), [server]).rounds()] for seed in seeds
    }
    lines = (f"{json.dumps(str(seed))}: {json.dumps(row)}" for seed, row in rows.items())
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def compare(servers, seeds, *, keep_going):
    """Print what differs; return the number of sequences with a difference."""
    requests = differences = 0
    begun_s = time.monotonic()
    for seed in seeds:
        asked, text = difference(seed, servers)
        requests += asked
        if text:
            differences += 1
            print(text, flush=True)
            if not keep_going:
                break
    took_s = time.monotonic() - begun_s
    print(f"{len(seeds)} sequences, {requests} requests, {differences} differences, {took_s:.0f} s")
    return differences


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.compare_groups")
    parser.add_argument("--sequences", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--base-port", type=int, default=21_300)
    parser.add_argument("--keep-going", action="store_true")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    seeds = range(options.seed, options.seed + options.sequences)
    with (
        Cluster(1, config=CONFIG, kafka_defaults=True) as ours,
        KafkaNodes(1, config=CONFIG, base_port=options.base_port) as theirs,
    ):
        servers = [Server(ours.bootstrap_servers), Server(theirs.bootstrap_servers)]
        for seed in seeds:
            for server in servers:
                server.create(*topic_of(seed))
        time.sleep(_LEARNS_S)
        if options.record:
            record(servers[1], seeds)
            return 0
        return int(bool(compare(servers, seeds, keep_going=options.keep_going)))


if __name__ == "__main__":
    sys.exit(main())
