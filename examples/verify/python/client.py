"""A client for `minikafka verify --client-command`: confluent-kafka; see docs/any-client.md."""

import base64
import json
import sys
import threading

from confluent_kafka import Producer

settings = json.loads(sys.stdin.readline())
producer = Producer({**settings["properties"], "linger.ms": 5})


def write_outcome(number, error, message):
    outcome = {"id": number, "offset": message.offset(), "timestamp": message.timestamp()[1]}
    print(json.dumps({"id": number, "error": str(error)} if error else outcome), flush=True)


def serve_callbacks():
    while True:
        producer.poll(0.1)


threading.Thread(target=serve_callbacks, daemon=True).start()
for line in sys.stdin:
    record = json.loads(line)
    producer.produce(
        record["topic"],
        value=base64.b64decode(record["value"]),
        key=base64.b64decode(record["key"]),
        partition=record["partition"],
        timestamp=record["timestamp"],
        headers=[(name, base64.b64decode(value)) for name, value in record["headers"]],
        on_delivery=lambda error, done, number=record["id"]: write_outcome(number, error, done),
    )
producer.flush()
