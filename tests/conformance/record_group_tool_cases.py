"""Record what Apache Kafka's tools for groups say, for test_group_tool_cases.py to compare with.

A developer's tool, not a test: MINIKAFKA_ORACLE=DIR python -m
tests.conformance.record_group_tool_cases, where DIR has kafka-cluster and kafka-run-class. Replaces
tests/conformance/data/group_tool_cases.json. With --cluster minikafka or --tools minikafka nothing
is replaced: it says what differs from the recorded lines.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from minikafka.admin.client import AdminClient, BrokerConnection
from minikafka.admin.topics import create_topic
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic
from minikafka.testing.nodes import Nodes
from tests.conformance.group_tool_cases import CONFIG, PLAY, TOPICS, Output, set_up
from tests.golden.kafka_nodes import KafkaNodes

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(__file__).parent / "data" / "group_tool_cases.json"
CLASSES = {
    "consumer-groups": "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
    "groups": "org.apache.kafka.tools.GroupsCommand",
}
TIMEOUT_S = 60


def prepare(port):
    """Create the topics, and the groups by one connection to the broker."""
    servers = f"127.0.0.1:{port}"
    with AdminClient(servers, client_id="record") as client:
        for topic, count in TOPICS.items():
            create_topic(client, topic, partitions=count, replication_factor=1)
        while True:
            wanted = [MetadataRequestTopic(name=topic) for topic in TOPICS]
            found = client.ask(MetadataRequest(topics=wanted)).topics
            if not any(topic.error_code or any(it.error_code for it in topic.partitions)
                       for topic in found):  # fmt: skip
                break
            time.sleep(0.1)
    connection = BrokerConnection("127.0.0.1", port, "app", 30)
    while connection.ask(FindCoordinatorRequest("x", 0), 3).error_code:
        time.sleep(0.1)
    set_up(connection.ask, {topic.name: topic.topic_id for topic in found})
    return servers


def run(case, tools, servers, folder):
    (folder / "file.csv").write_text(case.file)
    if tools == "minikafka":
        command = [sys.executable, ROOT / "bin" / f"kafka-{case.tool}.py"]
    else:
        command = [Path(os.environ["MINIKAFKA_ORACLE"]) / "kafka-run-class", CLASSES[case.tool]]
    done = subprocess.run(
        [*command, "--bootstrap-server", servers, *case.words.split()],
        capture_output=True, text=True, check=False, cwd=folder, timeout=TIMEOUT_S,
    )  # fmt: skip
    return Output.of(case, done.returncode, done.stdout, done.stderr)


def play(cluster, tools, base_port):
    make = KafkaNodes if cluster == "kafka" else Nodes
    with (
        make(1, config=CONFIG, base_port=base_port) as nodes,
        tempfile.TemporaryDirectory() as folder,
    ):
        servers = prepare(nodes.port(1))
        return [run(case, tools, servers, Path(folder)) for case in PLAY]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cluster", choices=("kafka", "minikafka"), default="kafka")
    parser.add_argument("--tools", choices=("kafka", "minikafka"), default="kafka")
    parser.add_argument("--base-port", type=int, default=21300)
    args = parser.parse_args()
    found = play(args.cluster, args.tools, args.base_port)
    rows = [
        {"tool": case.tool, "words": case.words, **output._asdict()}
        for case, output in zip(PLAY, found, strict=True)
    ]
    if args.cluster == args.tools == "kafka":
        DATA.write_text(json.dumps(rows, indent=1) + "\n")
        return
    recorded = json.loads(DATA.read_text())
    for old, new in zip(recorded, rows, strict=True):
        if old != new:
            print(f"{new['words']}:\n  {old}\n  {new}")


if __name__ == "__main__":
    main()
