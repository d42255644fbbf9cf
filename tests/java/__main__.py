"""Java clients: what they see of transactions and groups, and exactly-once processing.

    python -m tests.java checks                                what clients see, on both
    python -m tests.java groups                                consumer groups, on both
    python -m tests.java faults                                each kind of fault once, with its hits
    python -m tests.java assignments [--record]                who gets which partitions
    python -m tests.java copier|streams [--kills N] [--on minikafka|kafka] [--seed S]

A developer's check, not a test of the default run: it needs Java, and MINIKAFKA_ORACLE, which names
the folder of Kafka's tools; `streams` needs Maven, too. `checks` runs TransactionChecks.java against
one node of minikafka and one of Apache Kafka, with transaction.version 2, 1 and 0, and compares the
outcomes. `groups` does the same with ConsumerGroupChecks.java, group.protocol=consumer and three
nodes, the coordinator of which is killed. `assignments` divides random groups by the assignors of
both. `faults` lets the client work while a fault is active. `copier` copies records with their
offsets in transactions, and `streams` counts words with exactly_once_v2, on three nodes that are
killed in turn N times (20). Exit status 1 if something differs, or if the output does not have
everything once and in order.
"""

import argparse
import random
import sys

from minikafka.testing import Cluster
from tests.golden.kafka_nodes import KafkaNodes
from tests.java import assignments, exactly_once, faults, groups, outcomes
from tests.java.programs import ProgramError, Programs

ONE_NODE = {
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": "2",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.num.partitions": "2",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
}
VERSIONS = (2, 1, 0)
SEEDS = 800


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.java")
    parser.add_argument(
        "what", choices=["checks", "groups", "assignments", "faults", "copier", "streams"]
    )
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--on", choices=["minikafka", "kafka"], default="minikafka")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    with Programs(streams=options.what == "streams") as programs:
        if options.what == "checks":
            return compare_checks(programs)
        if options.what == "groups":
            return groups.compare(programs)
        if options.what == "assignments":
            return assignments.compare(programs, most=SEEDS, record=options.record)
        if options.what == "faults":
            return faults.compare(programs)
        print(f"{options.what} on {options.on}, seed {options.seed}", flush=True)
        return process(programs, options)


def compare_checks(programs):
    """Run the checks on both, and print what differs."""
    with Cluster(1, config=ONE_NODE, kafka_defaults=True) as ours:
        found = checked(programs, ours)
    with KafkaNodes(1, config=ONE_NODE) as theirs:
        wanted = checked(programs, theirs)
    return outcomes.report(found, wanted)


def checked(programs, cluster):
    """The outcomes of the checks, by transaction version and name."""
    found = {}
    for version in VERSIONS:
        output = programs.run("TransactionChecks", cluster.bootstrap_servers, version)
        for line in output.splitlines():
            name, colon, outcome = line.partition(": ")
            # The client logs to standard output, too.
            if colon and name.startswith("check "):
                found[f"transaction.version {version}, {name.removeprefix('check ')}"] = outcome
    return found


def process(programs, options):
    """Run one test of exactly-once processing."""
    kind = Cluster if options.on == "minikafka" else KafkaNodes
    with kind(exactly_once.NODES, config=exactly_once.CONFIG) as cluster:
        try:
            outcome = exactly_once.check(
                cluster, programs, options.what, kills=options.kills, seed=options.seed,
                kill_nodes=cluster.kill, start_nodes=cluster.start,
            )  # fmt: skip
        except ProgramError as error:
            print(f"failed: {error}")
            return 1
    print(outcome)
    return 0


if __name__ == "__main__":
    sys.exit(main())
