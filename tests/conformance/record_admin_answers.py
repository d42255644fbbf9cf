"""Record how Apache Kafka answers requests of administrators, for test_admin_answers.py.

A developer's tool, not a test: MINIKAFKA_ORACLE=DIR python -m
tests.conformance.record_admin_answers, where DIR has kafka-cluster. Replaces
tests/conformance/data/admin_answers.json.
"""

import argparse
import json
import re
import time

from minikafka.admin.client import AdminClient, BrokerConnection
from minikafka.admin.topics import create_topic
from minikafka.testing.nodes import CONTROLLER
from tests.conformance.admin_answers import DATA, SIMULATED_CONTROLLER, answers, prepared
from tests.conformance.admin_cases import OF_OLD_METADATA, OLD_METADATA, PLAY, STOPPED, TOPICS
from tests.golden.kafka_nodes import KafkaNodes

HOST = "127.0.0.1"
FENCED_AFTER_S = 6
SETTLE_S = 0.3


def with_a_stopped_broker(nodes):
    with AdminClient(f"{HOST}:{nodes.port(1)}", client_id="record") as client:
        for name, replicas in TOPICS.items():
            create_topic(client, name, assignment=replicas)
    nodes.kill(STOPPED)
    time.sleep(FENCED_AFTER_S)
    return play(nodes, PLAY)


def play(nodes, cases):
    found = {}
    for case in cases:
        port = nodes.port(CONTROLLER if case.to_controller else 1)
        connection = BrokerConnection(HOST, port, "record", 30.0)
        time.sleep(SETTLE_S if case.waits else 0)
        rows = answers(connection.ask(prepared(case.request, CONTROLLER), case.version))
        connection.close()
        # The controllers of simulated clusters have other ids.
        found[case.name] = json.loads(
            re.sub(rf"\b{CONTROLLER}\b", str(SIMULATED_CONTROLLER), json.dumps(rows))
        )
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base-port", type=int, default=21300)
    args = parser.parse_args()
    config = {"broker.session.timeout.ms": "3000"}
    with KafkaNodes(3, config=config, base_port=args.base_port) as nodes:
        found = with_a_stopped_broker(nodes)
    features = {"metadata.version": OLD_METADATA}
    with KafkaNodes(1, features=features, base_port=args.base_port) as nodes:
        found |= play(nodes, OF_OLD_METADATA)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(rows)}" for name, rows in found.items())
    DATA.write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
