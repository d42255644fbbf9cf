"""Apache Kafka's nodes, by the tools in the folder that `MINIKAFKA_ORACLE` names."""

import os
from pathlib import Path

from minikafka.testing import kafka_nodes


class KafkaNodes(kafka_nodes.KafkaNodes):
    def __init__(self, *arguments, **options):
        super().__init__(Path(os.environ["MINIKAFKA_ORACLE"]), *arguments, **options)
