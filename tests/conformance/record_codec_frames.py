"""Record which compressed record sections Apache Kafka accepts, for test_codec_frames.py.

A developer's tool, not a test: python -m tests.conformance.record_codec_frames HOST:PORT, where an
Apache Kafka of one node listens. Replaces tests/conformance/data/codec_frames.json. With --compare
nothing is replaced: it says what differs from the recorded codes.
"""

import argparse
import base64
import json
import os
import zlib

from minikafka.admin.client import AdminClient, BrokerConnection
from minikafka.admin.topics import create_topic
from minikafka.common.errors import ErrorCode
from minikafka.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tests.conformance.codec_frames import DATA, batch_of, frames, load

TOPIC = f"codec-frames-{os.getpid()}"
TIMEOUT_MS = 10_000


def code_of(connection, batch):
    partition = PartitionProduceData(0, memoryview(batch))
    request = ProduceRequest(
        acks=1,
        timeout_ms=TIMEOUT_MS,
        topic_data=[TopicProduceData(TOPIC, partition_data=[partition])],
    )
    while True:
        response = connection.ask(request, version=9)
        code = int(response.responses[0].partition_responses[0].error_code)
        # A new topic may not be known to its leader yet.
        if code not in (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.NOT_LEADER_OR_FOLLOWER):
            return code


def packed(section):
    return base64.b64encode(zlib.compress(section, 9)).decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("servers")
    parser.add_argument("--compare", action="store_true")
    args = parser.parse_args()
    rows = {}
    cases = [row[:4] for row in load()] if args.compare else list(frames())
    with AdminClient(args.servers, client_id="record") as client:
        create_topic(client, TOPIC, assignment=[[1]])
        (host, port), *_ = client.brokers().values()
    connection = BrokerConnection(host, port, "record", TIMEOUT_MS / 1000)
    for name, codec, plain, section in cases:
        assert name not in rows, name
        code = code_of(connection, batch_of(codec, section, plain))
        rows[name] = [name, int(codec), plain, packed(section), code]
    connection.close()
    if not args.compare:
        lines = ",\n".join(json.dumps(row) for row in rows.values())
        DATA.write_text(f"[\n{lines}\n]\n")
        return
    for *case, code in load():
        if code != rows[case[0]][4]:
            print(f"{case[0]}: recorded {code}, found {rows[case[0]][4]}")


if __name__ == "__main__":
    main()
