"""The same random requests about consumer groups to minikafka and to Apache Kafka 4.3.1.

A developer's check, not a test of the default run: MINIKAFKA_ORACLE=DIR python -m
tests.conformance.compare_groups [--sequences N] [--seed S] [--base-port P] [--keep-going], where
DIR has kafka-cluster. Starts one node of each. Exit status 1 with the steps of the sequence if an
answer differs. `--seed S --sequences 1` repeats one sequence.
"""

import argparse
import random
import sys
import time

from minikafka.admin.client import AdminClient, BrokerConnection
from minikafka.admin.topics import create_topic
from minikafka.group.embedded import assignment_of
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic
from minikafka.testing import Cluster
from tests.conformance.group_sequences import STEPS, Sequence
from tests.golden.kafka_nodes import KafkaNodes

CONFIG = {
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
    "group.consumer.assignment.interval.ms": "0",
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "1",
}
_LEARNS_S = 0.5
_PATTERN_S = 0.15
"""How long the topics of a new pattern may take."""


class Server:
    """A broker: a connection, and the ids of topics."""

    def __init__(self, address):
        self.address = address
        host, port = address.split(":")
        self.connection = BrokerConnection(host, int(port), "compare", 10)
        self.topic_ids = {}
        self.ids = {}
        """The ids that the server drew, by the names of members."""
        while self.connection.ask(FindCoordinatorRequest("x", 0), 3).error_code:
            time.sleep(0.1)

    def id_of(self, member):
        name = getattr(member, "name", member)
        return self.ids.get(name, name)

    def create(self, topic, partitions):
        with AdminClient(self.address, client_id="compare") as client:
            create_topic(client, topic, partitions=partitions, replication_factor=1)
        while True:
            request = MetadataRequest(topics=[MetadataRequestTopic(name=topic)])
            (row,) = self.connection.ask(request, 12).topics
            if not row.error_code and all(not each.error_code for each in row.partitions):
                break
            time.sleep(0.02)
        # The coordinator learns of it a little later.
        time.sleep(_LEARNS_S)
        self.topic_ids[topic] = row.topic_id

    def values(self, answer, ids):
        """An answer as plain values: topic ids by name, random member ids by order, no times."""
        names = {topic_id: name for name, topic_id in self.topic_ids.items()}

        def value(key, found):
            if key == "throttle_time_ms":
                return 0
            if key in ("topic_id",):
                return names.get(found, str(found))
            if key in ("member_id", "leader") and isinstance(found, str) and len(found) > 20:
                return ids.setdefault(found, f"id{len(ids)}")
            if key == "error_message" and isinstance(found, str):
                for each, short in ids.items():
                    found = found.replace(each, short)
                return found
            if key == "assignment" and type(answer).__name__ == "SyncGroupResponse":
                return None
            if isinstance(found, list):
                rows = [value("", each) for each in found]
                return (
                    sorted(rows, key=str)
                    if key in ("members", "groups", "topic_partitions")
                    else rows
                )
            if hasattr(type(found), "__slots__") and hasattr(found, "unknown_tagged_fields"):
                return {
                    name: value(name, getattr(found, name))
                    for name in type(found).__slots__
                    if name != "unknown_tagged_fields"
                }
            if isinstance(found, bytes):
                return bytes(found).hex()
            return found

        row = value("", answer)
        kind = type(answer).__name__
        if kind == "ConsumerGroupHeartbeatResponse":
            given = row["assignment"]
            row["assignment"] = given and {
                each["topic_id"]: sorted(each["partitions"]) for each in given["topic_partitions"]
            }
        if kind == "SyncGroupResponse":
            data = bytes(answer.assignment)
            found = assignment_of(data).assigned_partitions if data else []
            row["partitions"] = sorted(index for each in found for index in each.partitions)
        if kind == "ConsumerGroupDescribeResponse":
            for group in row["groups"]:
                for member in group["members"]:
                    for each in (member["assignment"], member["target_assignment"]):
                        for topic in each["topic_partitions"]:
                            topic["partitions"].sort()
                    member["subscribed_topic_names"].sort()
        return row


def play(seed, servers, topic, partitions):
    """Play one sequence; the text of the first difference, or None."""
    sequence = Sequence(random.Random(f"groups/{seed}"), str(seed), {topic: partitions})
    ids = [{}, {}]
    for server in servers:
        server.ids = {}
    told = []
    count = 0
    steps = [sequence.step] * STEPS + [lambda each=each: each for each in sequence.last()]
    for draw in steps:
        step = draw()
        rows, real = [], []
        for server, own in zip(servers, ids, strict=True):
            answer = server.connection.ask(step.build(server), step.version)
            real.append(answer)
            rows.append(server.values(answer, own))
        count += 1
        if step.text == "list":
            for row in rows:
                row["groups"] = [
                    each for each in row["groups"] if each["group_id"] == sequence.group
                ]
        told.append(f"{step.text}\n    {rows[0]}")
        if rows[0] != rows[1]:
            told.append(f"  Apache Kafka:\n    {rows[1]}")
            for server, own in zip(servers, ids, strict=True):
                answer = server.connection.ask(sequence.describe().build(server), 1)
                told += ["  after it:", *_members(server.values(answer, own))]
            return count, "\n".join([f"seed {seed}", *told])
        if step.text.startswith("classic join") and not rows[0]["error_code"]:
            for server, answer in zip(servers, real, strict=True):
                server.ids[step.member.name] = answer.member_id
        sequence.learn(step, rows[0])
        if sequence.with_patterns:
            time.sleep(_PATTERN_S)
    return count, None


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


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.compare_groups")
    parser.add_argument("--sequences", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--base-port", type=int, default=21_300)
    parser.add_argument("--keep-going", action="store_true")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with (
        Cluster(1, config=CONFIG, kafka_defaults=True) as ours,
        KafkaNodes(1, config=CONFIG, base_port=options.base_port) as theirs,
    ):
        servers = [Server(ours.bootstrap_servers), Server(theirs.bootstrap_servers)]
        requests = differences = 0
        begun_s = time.monotonic()
        for number in range(options.sequences):
            seed = options.seed + number
            topic, partitions = f"t{seed}-0", random.Random(seed).choice((1, 3, 6))
            for server in servers:
                server.create(topic, partitions)
            count, difference = play(seed, servers, topic, partitions)
            requests += count
            if difference:
                differences += 1
                print(difference, flush=True)
                if not options.keep_going:
                    break
        took_s = time.monotonic() - begun_s
        print(
            f"{number + 1} sequences, {requests} requests, {differences} differences, {took_s:.0f} s"
        )
        return int(bool(differences))


if __name__ == "__main__":
    sys.exit(main())
