"""Record which configuration values of a topic Apache Kafka accepts, and how it describes them.

A developer's tool, not a test: python -m tests.conformance.record_config_values HOST:PORT, where an
Apache Kafka of one node listens. Replaces tests/conformance/data/config_values.json. With --compare
nothing is replaced: it says what differs from the recorded rows.
"""

import argparse
import json
import os

from minikafka.admin.client import AdminClient
from minikafka.admin.topics import create_topic
from minikafka.messages import describe_configs as describing
from minikafka.messages import incremental_alter_configs as altering
from minikafka.metadata.image import RESOURCE_TOPIC
from tests.conformance.config_values import DATA, cases, load

TOPIC = f"config-values-{os.getpid()}"
SET, DELETE = 0, 1


def alter(client, name, operation, value):
    config = altering.AlterableConfig(name, operation, value)
    resource = altering.AlterConfigsResource(RESOURCE_TOPIC, TOPIC, [config])
    response = client.ask(altering.IncrementalAlterConfigsRequest([resource]))
    return int(response.responses[0].error_code)


def described(client, name):
    resource = describing.DescribeConfigsResource(RESOURCE_TOPIC, TOPIC, [name])
    response = client.ask(describing.DescribeConfigsRequest([resource]))
    (row,) = response.results[0].configs
    return row.value, row.config_source


def wait_for(client, name, source):
    while True:
        value, found = described(client, name)
        if (found == RESOURCE_SOURCE) == source:
            return value


RESOURCE_SOURCE = 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("servers")
    parser.add_argument("--compare", action="store_true")
    args = parser.parse_args()
    rows = []
    with AdminClient(args.servers, client_id="record") as client:
        create_topic(client, TOPIC, assignment=[[1]])
        for name, text in cases():
            code = alter(client, name, SET, text)
            shown = None
            if not code:
                shown = wait_for(client, name, source=True)
                alter(client, name, DELETE, None)
                wait_for(client, name, source=False)
            rows.append([name, text, code, shown])
    if not args.compare:
        lines = ",\n".join(json.dumps(row) for row in rows)
        DATA.write_text(f"[\n{lines}\n]\n")
        return
    for recorded, row in zip(load(), rows, strict=True):
        if recorded != row:
            print(f"recorded {recorded}, found {row}")


if __name__ == "__main__":
    main()
