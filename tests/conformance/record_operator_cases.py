"""Record what Apache Kafka's tools for operators say, for test_operator_cases.py to compare with.

A developer's tool, not a test: MINIKAFKA_ORACLE=DIR python -m
tests.conformance.record_operator_cases, where DIR has kafka-cluster and kafka-run-class. Replaces
tests/conformance/data/operator_cases.json. With --cluster minikafka or --tools minikafka nothing is
replaced: it says what differs from the recorded lines.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.topics import create_topic, describe_topics
from minikafka.testing.nodes import Nodes
from tests.conformance.operator_cases import CONFIG, PLAY, TOPICS, Output, Step, text_of
from tests.golden.kafka_nodes import KafkaNodes

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(__file__).parent / "data" / "operator_cases.json"
CLASSES = {
    "topics": "org.apache.kafka.tools.TopicCommand",
    "leader-election": "org.apache.kafka.tools.LeaderElectionCommand",
}
TIMEOUT_S = 60


def wait_for(nodes, step):
    """Wait until every running broker has the metadata that the step leads to."""
    names = list(dict.fromkeys(topic for topic, _ in (*step.isr, *step.leader)))
    deadline_s = time.monotonic() + TIMEOUT_S
    for node in nodes.running:
        if node not in nodes.brokers:
            continue
        with AdminClient(f"127.0.0.1:{nodes.port(node)}", client_id="record") as client:
            while not is_there(client, names, step):
                if time.monotonic() > deadline_s:
                    sys.exit(f"{step}: {describe_topics(client, names, 2000)}")
                time.sleep(0.1)


def is_there(client, names, step):
    try:
        found = {
            (topic.name, it.partition): it
            for topic in describe_topics(client, names, 2000)
            for it in topic.partitions
        }
    except AdminError:
        return False
    return all(sorted(found[at].isr) == isr for at, isr in step.isr.items()) and all(
        (-1 if found[at].leader is None else found[at].leader) == leader
        for at, leader in step.leader.items()
    )


def run(case, tools, servers, folder):
    file = folder / "file.json"
    file.write_text(text_of(case))
    words = [str(file) if word == "FILE" else word for word in case.words.split()]
    if tools == "minikafka":
        command = [sys.executable, ROOT / "bin" / f"kafka-{case.tool}.py"]
    else:
        command = [Path(os.environ["MINIKAFKA_ORACLE"]) / "kafka-run-class", CLASSES[case.tool]]
    done = subprocess.run(
        [*command, "--bootstrap-server", servers, *words],
        capture_output=True, text=True, check=False, cwd=folder, timeout=TIMEOUT_S,
    )  # fmt: skip
    return Output.of(done.returncode, done.stdout, done.stderr)


def play(cluster, tools, base_port):
    make = KafkaNodes if cluster == "kafka" else Nodes
    found = {}
    with (
        make(3, config=CONFIG, base_port=base_port) as nodes,
        tempfile.TemporaryDirectory() as folder,
    ):
        servers = f"127.0.0.1:{nodes.port(1)}"
        with AdminClient(servers, client_id="record") as client:
            for name, (replicas, configs) in TOPICS.items():
                create_topic(client, name, assignment=replicas, configs=configs)
        at_first = {(name, i): sorted(row) for name in TOPICS
                    for i, row in enumerate(TOPICS[name][0])}  # fmt: skip
        wait_for(nodes, Step("", 0, at_first, {}))
        for item in PLAY:
            if isinstance(item, Step):
                if item.action:
                    getattr(nodes, item.action)(item.node)
                wait_for(nodes, item)
            else:
                found[item.name] = run(item, tools, servers, Path(folder))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cluster", choices=("kafka", "minikafka"), default="kafka")
    parser.add_argument("--tools", choices=("kafka", "minikafka"), default="kafka")
    parser.add_argument("--base-port", type=int, default=21300)
    args = parser.parse_args()
    found = play(args.cluster, args.tools, args.base_port)
    if args.cluster == args.tools == "kafka":
        rows = {name: output._asdict() for name, output in found.items()}
        DATA.write_text(json.dumps(rows, indent=1) + "\n")
        return
    recorded = json.loads(DATA.read_text())
    for name, output in found.items():
        if output._asdict() != recorded[name]:
            print(f"{name}:\n  {Output(**recorded[name])}\n  {output}")


if __name__ == "__main__":
    main()
