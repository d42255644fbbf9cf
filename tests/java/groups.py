"""What the Java client sees of consumer groups (KIP-848), on three nodes of each."""

import subprocess

from minikafka.testing import Cluster
from tests.golden.kafka_nodes import KafkaNodes
from tests.java import outcomes

NODES = 3
CONFIG = {
    "auto.create.topics.enable": "false",
    "default.replication.factor": "3",
    "group.initial.rebalance.delay.ms": "0",
    "group.consumer.min.heartbeat.interval.ms": "200",
    "group.consumer.heartbeat.interval.ms": "200",
    "group.consumer.min.session.timeout.ms": "6000",
    "group.consumer.session.timeout.ms": "20000",
    "group.consumer.assignment.interval.ms": "0",
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "3",
    "min.insync.replicas": "2",
}


def compare(programs):
    """Run the checks on both, and print what differs."""
    with Cluster(NODES, config=CONFIG) as ours:
        found = checked(programs, ours)
    with KafkaNodes(NODES, config=CONFIG) as theirs:
        wanted = checked(programs, theirs)
    return outcomes.report(found, wanted)


def checked(programs, cluster):
    """The outcomes of the checks, by name. The coordinator that the program names is killed."""
    found = {}
    command = programs.command("ConsumerGroupChecks", cluster.bootstrap_servers)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        for line in process.stdout:
            name, _, outcome = line.strip().partition(": ")
            # The client logs to standard output, too.
            if name.startswith("check "):
                found[name.removeprefix("check ")] = outcome
            elif line.startswith("coordinator "):
                cluster.kill(int(line.split()[1]))
                print("the coordinator is gone", file=process.stdin, flush=True)
    assert process.returncode == 0, f"the program ended with status {process.returncode}"
    return found
