"""Requests of operators while nodes fail, as a patient client sends them.

librdkafka sends CreateTopics to the broker that Metadata names as the controller, and waits for it
for a minute, also if that broker is paused or dead. And a request whose controller fails may be
sent again by a broker: then the topic exists already, as with Apache Kafka.
"""

import time

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient, NewTopic

_ATTEMPT_S = 5
_PATIENCE_S = 60


def create_through_failover(servers, name, replicas):
    """Create a topic with one partition; `name` is new."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        admin = AdminClient(
            {"bootstrap.servers": servers, "socket.timeout.ms": _ATTEMPT_S * 1000, "log_level": 0}
        )
        asked = admin.create_topics([NewTopic(name, 1, replicas)], request_timeout=_ATTEMPT_S)
        try:
            asked[name].result(_ATTEMPT_S + 1)
        except (KafkaException, TimeoutError) as error:
            code = error.args[0].code() if isinstance(error, KafkaException) else None
            if code == KafkaError.TOPIC_ALREADY_EXISTS:
                return
            if time.monotonic() > deadline:
                raise
        else:
            return
