"""A log of Apache Kafka 4.3.1, cleaned by itself and by minikafka.

A developer's check, not a test of the default run: MINIKAFKA_ORACLE=DIR python -m
tests.conformance.compare_cleaning [--base-port P] [--records N] [--seed S], where DIR has
kafka-cluster. Kafka writes a compacted topic, with every codec, tombstones, idempotent producers
and transactions, and cleans it. A copy of the log from before is cleaned here. Both must have the
same batches and records, and Kafka must read ours as its own. Exit status 1 if they differ.
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewTopic,
    ResourceType,
)

from minikafka.common import ids
from minikafka.common.clock import Now
from minikafka.log.cleaner.cleaning import Cleaning, Computation, Sync
from minikafka.log.config import LogConfig
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.batch import DELETE_HORIZON
from minikafka.records.offset_map import OffsetMap
from minikafka.records.reader import read_batch
from minikafka.records.scan import check_crc, split_batches
from minikafka.server.os_disk import OsDisk
from tests.golden.kafka_nodes import KafkaNodes

TOPIC = "compacted"
SEGMENT_BYTES = 1 << 20
CHECKPOINT = "cleaner-offset-checkpoint"
CONFIG = {
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "log.cleaner.backoff.ms": "200",
}
LEVELS = ("read_uncommitted", "read_committed")
NEVER, ALWAYS = "1.0", "0.0"
"""Values of `min.cleanable.dirty.ratio`."""


def write(servers, records, rng):
    """Write through many producers, until the topic has several segments."""
    codecs = ("none", "gzip", "snappy", "lz4", "zstd")
    plain = [
        Producer({
            "bootstrap.servers": servers, "linger.ms": 5, "compression.type": codec,
            "enable.idempotence": number % 2 == 0,
        }) for number, codec in enumerate(codecs)
    ]  # fmt: skip
    transactional = []
    for number in range(4):
        producer = Producer({
            "bootstrap.servers": servers, "transactional.id": f"t{number}", "linger.ms": 5,
            "compression.type": codecs[number],
        })  # fmt: skip
        producer.init_transactions(30)
        transactional.append(producer)
    written = 0
    while written < records:
        producer = rng.choice(plain + transactional)
        in_transaction = producer in transactional
        if in_transaction:
            producer.begin_transaction()
        for _ in range(rng.choice((1, 5, 60))):
            key = b"key-%d" % rng.randrange(300)
            value = None if rng.random() < 0.1 else rng.randbytes(rng.choice((0, 30, 300)))
            headers = [("h", rng.randbytes(3)), ("n", None)] if rng.random() < 0.1 else None
            producer.produce(TOPIC, value, key, headers=headers)
            written += 1
        if not in_transaction:
            assert producer.flush(30) == 0
        elif rng.random() < 0.3:
            producer.flush(30)
            producer.abort_transaction(30)
        else:
            producer.commit_transaction(30)


def read(servers, isolation):
    consumer = Consumer({
        "bootstrap.servers": servers, "group.id": "none", "isolation.level": isolation,
        "enable.partition.eof": True,
    })  # fmt: skip
    consumer.assign([TopicPartition(TOPIC, 0, 0)])
    found = []
    while True:
        for message in consumer.consume(1000, 5):
            if message.error() is not None:
                consumer.close()
                return found
            found.append(
                (
                    message.offset(),
                    message.timestamp(),
                    message.key(),
                    message.value(),
                    message.headers(),
                )
            )


def checkpointed(directory):
    file = directory / CHECKPOINT
    if not file.exists():
        return -1
    rows = [line.split() for line in file.read_text().splitlines()[2:]]
    return next((int(offset) for topic, _, offset in rows if topic == TOPIC), -1)


def clean(directory, end):
    """Clean a copy of the log up to `end`, in this process."""
    disk = OsDisk(str(directory))
    now = Now(0, int(time.time() * 1000))
    log = UnifiedLog.open(
        disk, f"{TOPIC}-0", ids.TopicPartition(TOPIC, 0),
        config=LogConfig(compacted=True, deletes=False, segment_bytes=SEGMENT_BYTES),
        checkpointed=CheckpointedOffsets(clean=True, recovery_point=0), now=now, rng=Random(1),
    )  # fmt: skip
    log.update_high_watermark(log.log_end_offset)
    cleaning = Cleaning(log, 0, end, OffsetMap(1 << 20, bytes(16)), now)
    steps, result = cleaning.run(), None
    try:
        while True:
            task = steps.send(result)
            result = task.function() if isinstance(task, Computation) else None
            if isinstance(task, Sync):
                task.target.run()
    except StopIteration:
        log.close()
        return cleaning.stats


def batches(directory):
    """Everything of the batches that both must agree about, and the records."""
    found = []
    for path in sorted((directory / f"{TOPIC}-0").glob("*.log")):
        data = path.read_bytes()
        for at, header in split_batches(data):
            check_crc(data, at, header)
            fields = header._replace(
                batch_length=0, crc=0,
                # The horizon is the time of the cleaning.
                base_timestamp=0 if header.attributes & DELETE_HORIZON else header.base_timestamp,
            )  # fmt: skip
            found.append((path.name, fields, list(read_batch(data, at, header))))
    return found


def compare(name, ours, theirs):
    """Print the first difference; return whether there is one."""
    for index, (own, other) in enumerate(zip(ours, theirs, strict=False)):
        if own != other:
            print(f"{name} {index} differs:\n  minikafka: {own}\n  Apache Kafka: {other}")
            return True
    if len(ours) != len(theirs):
        print(f"{name}: {len(ours)} here, {len(theirs)} in Apache Kafka")
        return True
    print(f"{name}: {len(ours)} are the same")
    return False


def set_ratio(admin, ratio):
    entry = ConfigEntry(
        "min.cleanable.dirty.ratio", ratio, incremental_operation=AlterConfigOpType.SET
    )
    change = ConfigResource(ResourceType.TOPIC, TOPIC, incremental_configs=[entry])
    admin.incremental_alter_configs([change])[change].result(30)


def await_cleaning(directory, end):
    deadline = time.monotonic() + 60
    while checkpointed(directory) < end:
        assert time.monotonic() < deadline, "Apache Kafka does not clean the log"
        time.sleep(0.2)


def run(home, given):
    kafka = KafkaNodes(1, config=CONFIG, base_port=given.base_port, directory=home / "kafka")
    data = home / "kafka" / "node-1" / "data"
    with kafka:
        admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
        topic = NewTopic(TOPIC, 1, 1, config={
            "cleanup.policy": "compact", "segment.bytes": str(SEGMENT_BYTES),
            "min.cleanable.dirty.ratio": NEVER,
        })  # fmt: skip
        admin.create_topics([topic])[TOPIC].result(30)
        write(kafka.bootstrap_servers, given.records, random.Random(given.seed))
        everything = read(kafka.bootstrap_servers, "read_committed")
        ours = home / "ours"
        shutil.copytree(data / f"{TOPIC}-0", ours / f"{TOPIC}-0")
        end = max(int(path.stem) for path in (ours / f"{TOPIC}-0").glob("*.log"))
        set_ratio(admin, ALWAYS)
        await_cleaning(data, end)
        set_ratio(admin, NEVER)
        theirs = {level: read(kafka.bootstrap_servers, level) for level in LEVELS}
        kafka.stop(1)
        shutil.copytree(data / f"{TOPIC}-0", home / "theirs" / f"{TOPIC}-0")
        print(clean(ours, end))
        differs = compare("batch", batches(ours), batches(home / "theirs"))
        # Apache Kafka reads what was cleaned here.
        shutil.rmtree(data / f"{TOPIC}-0")
        shutil.copytree(ours / f"{TOPIC}-0", data / f"{TOPIC}-0")
        kafka.start(1)
        for level in LEVELS:
            found = read(kafka.bootstrap_servers, level)
            differs |= compare(f"record ({level})", found, theirs[level])
        differs |= compare("value", state(found), state(everything))
    return 1 if differs else 0


def state(records):
    """The latest value of each key."""
    found = {key: value for _, _, key, value, _ in records}
    return sorted((key, value) for key, value in found.items() if value is not None)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base-port", type=int, default=24500)
    parser.add_argument("--records", type=int, default=40_000)
    parser.add_argument("--seed", type=int, default=1)
    with tempfile.TemporaryDirectory() as folder:
        return run(Path(folder), parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
