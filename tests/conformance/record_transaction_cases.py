"""Record what Apache Kafka answers to the requests of transaction_cases.py.

A developer's tool, not a test: MINIKAFKA_ORACLE=DIR python -m
tests.conformance.record_transaction_cases, where DIR has kafka-cluster. Replaces
transaction_cases.json and pending_transactions.json in tests/conformance/data. With --server host:port nothing is replaced: it says
what a running cluster, which must be new, answers differently.
"""

import argparse
import json
import sys
import time
from pathlib import Path

from minikafka.admin.client import AdminClient, BrokerConnection
from minikafka.admin.topics import create_topic
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from tests.conformance.transaction_cases import (
    PENDING,
    TOPIC,
    cases,
    init,
    play,
    play_others,
    play_pending,
    text_of,
)
from tests.golden.kafka_nodes import KafkaNodes

DATA = Path(__file__).parent / "data" / "transaction_cases.json"
PENDING_DATA = DATA.with_name("pending_transactions.json")
CONFIG = {
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "transaction.state.log.num.partitions": 1,
    "offsets.topic.replication.factor": 1,
    "offsets.topic.num.partitions": 1,
}


def recorded(server):
    with AdminClient(server, client_id="record") as client:
        create_topic(client, TOPIC, partitions=2, replication_factor=1)
    connection = connected(int(server.split(":")[1]))
    for kind in (0, 1):
        while connection.ask(FindCoordinatorRequest("x", kind), 3).error_code:
            time.sleep(0.1)
    # A new broker has no producer ids at first, and answers COORDINATOR_LOAD_IN_PROGRESS.
    while connection.ask(init("warm"), 4).error_code:
        time.sleep(0.1)
    found = play_others(connection.ask)
    for number, case in enumerate(cases()):
        found[text_of(case)] = play(connection.ask, case, f"case {number}")
    return found


def recorded_pending(nodes):
    """The answers of one broker while the other one, which leads the topic, is gone."""
    first = connected(nodes.port(1))
    while (found := first.ask(FindCoordinatorRequest("x", 1), 3)).error_code:
        time.sleep(0.1)
    first.close()
    coordinator = found.node_id
    other = 3 - coordinator
    with AdminClient(f"127.0.0.1:{nodes.port(coordinator)}", client_id="record") as client:
        create_topic(client, TOPIC, assignment=[[other], [other]])
    connection = connected(nodes.port(coordinator))
    while connection.ask(init("warm"), 4).error_code:
        time.sleep(0.1)

    def no_leader():
        if nodes.is_alive(other):
            nodes.kill(other)

    rows = {name: play_pending(connection.ask, name, no_leader) for name in PENDING}
    connection.close()
    return rows


def connected(port):
    return BrokerConnection("127.0.0.1", port, "record", 30.0)


def write(path, rows):
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in rows.items())
    path.write_text(f"{{\n{lines}\n}}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", help="compare this cluster")
    options = parser.parse_args()
    if options.server:
        found = json.loads(json.dumps(recorded(options.server)))
        wanted = json.loads(DATA.read_text())
        for key, value in found.items():
            if value != wanted.get(key):
                print(f"{key}\n  Apache Kafka {wanted.get(key)}\n  {options.server} {value}")
        return 0
    with KafkaNodes(1, config=CONFIG) as nodes:
        write(DATA, recorded(nodes.bootstrap_servers))
    with KafkaNodes(2, config=CONFIG) as nodes:
        write(PENDING_DATA, recorded_pending(nodes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
