"""A log of Apache Kafka 4.3.1, cleaned by itself and by minikafka.

A developer's check, not a test of the default run: MINIKAFKA_ORACLE=DIR python -m
tests.conformance.compare_cleaning [--base-port P] [--records N] [--seed S] [--policy P], where DIR
has kafka-cluster. Kafka writes a compacted topic, with every codec, tombstones, idempotent producers
and transactions, and cleans it, three times: in the later rounds tombstones and markers go. Each
time a copy of the log from before is cleaned here, with the clock of Kafka's cleaning. Both must
have the same batches and records, to the byte if they are not compressed, and Kafka must read ours
as its own. With compact,delete, both then delete segments by size. Exit status 1 if they differ.
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
from minikafka.records.offset_map import OffsetMap
from minikafka.records.reader import read_batch
from minikafka.records.scan import check_crc, split_batches
from minikafka.server.os_disk import OsDisk
from tests.golden.kafka_nodes import KafkaNodes

TOPIC = "compacted"
SEGMENT_BYTES = 1 << 18
DELETE_RETENTION_MS = 1_000
ROUNDS = 3
CHECKPOINT = "cleaner-offset-checkpoint"
CONFIG = {
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "log.cleaner.backoff.ms": "200",
    "log.retention.check.interval.ms": "500",
    "log.initial.task.delay.ms": "500",
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


def open_log(directory, retention_bytes=-1):
    """Open a copy of the log in this process."""
    config = LogConfig(
        compacted=True, deletes=retention_bytes >= 0, segment_bytes=SEGMENT_BYTES,
        retention_bytes=retention_bytes, retention_ms=-1, delete_retention_ms=DELETE_RETENTION_MS,
    )  # fmt: skip
    log = UnifiedLog.open(
        OsDisk(str(directory)), f"{TOPIC}-0", ids.TopicPartition(TOPIC, 0), config=config,
        checkpointed=CheckpointedOffsets(clean=True, recovery_point=0), now=now_at(time.time()),
        rng=Random(1),
    )  # fmt: skip
    log.update_high_watermark(log.log_end_offset)
    return log


def now_at(seconds):
    return Now(0, int(seconds * 1000))


def clean(directory, first, end, now):
    """Clean a copy of the log from `first` up to `end`."""
    log = open_log(directory)
    cleaning = Cleaning(log, first, end, OffsetMap(1 << 20, bytes(16)), now)
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


def stored(directory):
    """The name of the file, header and bytes of each batch."""
    for path in sorted((directory / f"{TOPIC}-0").glob("*.log")):
        data = path.read_bytes()
        for at, header in split_batches(data):
            check_crc(data, at, header)
            yield path.name, header, data[at : at + header.size]


def batches(directory):
    """Everything of the batches that both must agree about, and the records."""
    found = []
    for name, header, data in stored(directory):
        # Two libraries compress the same records to different bytes.
        fields = header._replace(batch_length=0, crc=0) if header.codec else data
        found.append((name, header.codec or header, fields, list(read_batch(data, 0, header))))
    return found


def horizons(directory):
    return {each.delete_horizon for _, each, _ in stored(directory)} - {None}


def counts(directory):
    """What of interest a log has: the comparison must not be one of nothing."""
    headers = [header for _, header, _ in stored(directory)]
    return {
        "batches": len(headers),
        "empty": sum(not each.record_count for each in headers),
        "control": sum(each.is_control for each in headers),
        "with a horizon": sum(each.delete_horizon is not None for each in headers),
        "horizons": len(horizons(directory)),
    }


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


def configure(admin, name, value):
    entry = ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
    change = ConfigResource(ResourceType.TOPIC, TOPIC, incremental_configs=[entry])
    admin.incremental_alter_configs([change])[change].result(30)


def wait_for(condition, what):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.2)


def compare_round(home, admin, data):
    """Let Apache Kafka clean its log, and clean a copy here; return whether they differ."""
    folder = f"{TOPIC}-0"
    ours, theirs = home / "ours", home / "theirs"
    for each in (ours, theirs):
        shutil.rmtree(each, ignore_errors=True)
    shutil.copytree(data / folder, ours / folder)
    first = max(checkpointed(data), 0)
    end = max(int(path.stem) for path in (ours / folder).glob("*.log"))
    known = horizons(ours)
    configure(admin, "min.cleanable.dirty.ratio", ALWAYS)
    wait_for(lambda: checkpointed(data) >= end, "Apache Kafka does not clean the log")
    configure(admin, "min.cleanable.dirty.ratio", NEVER)
    shutil.copytree(data / folder, theirs / folder)
    # All that a cleaning sets are the same.
    new = horizons(theirs) - known
    assert len(new) <= 1, new
    now_ms = new.pop() - DELETE_RETENTION_MS if new else int(time.time() * 1000)
    print(clean(ours, first, end, Now(0, now_ms)))
    print(counts(theirs))
    return compare("batch", batches(ours), batches(theirs))


def compare_retention(home, admin, data):
    """Let both delete segments by size; return whether they differ."""
    names = sorted(path.name for path in (data / f"{TOPIC}-0").glob("*.log"))
    limit = sum((data / f"{TOPIC}-0" / name).stat().st_size for name in names[2:])
    ours = home / "retained"
    shutil.copytree(data / f"{TOPIC}-0", ours / f"{TOPIC}-0")
    configure(admin, "retention.bytes", str(limit))
    wait_for(lambda: not (data / f"{TOPIC}-0" / names[0]).exists(), "segments are not deleted")
    time.sleep(1)
    log = open_log(ours, limit)
    deleted = log.delete_old_segments(now_at(time.time()))
    log.close()
    print(f"deleted segments: {deleted} of {len(names)}")
    return compare("batch after deletions", batches(ours), batches(data))


def run(home, given):
    kafka = KafkaNodes(1, config=CONFIG, base_port=given.base_port, directory=home / "kafka")
    data = home / "kafka" / "node-1" / "data"
    rng, servers, everything, differs = (
        random.Random(given.seed),
        kafka.bootstrap_servers,
        [],
        False,
    )
    with kafka:
        admin = AdminClient({"bootstrap.servers": servers})
        topic = NewTopic(TOPIC, 1, 1, config={
            "cleanup.policy": given.policy, "retention.ms": "-1",
            "internal.segment.bytes": str(SEGMENT_BYTES), "min.cleanable.dirty.ratio": NEVER,
            "delete.retention.ms": str(DELETE_RETENTION_MS),
        })  # fmt: skip
        admin.create_topics([topic])[TOPIC].result(30)
        for number in range(ROUNDS):
            write(servers, given.records // (1 + 2 * number), rng)
            everything += read(servers, "read_committed")
            time.sleep(DELETE_RETENTION_MS / 1000)
            differs |= compare_round(home, admin, data)
        if "delete" in given.policy:
            differs |= compare_retention(home, admin, data)
            return 1 if differs else 0
        theirs = {level: read(servers, level) for level in LEVELS}
        kafka.stop(1)
        # Apache Kafka reads what was cleaned here.
        shutil.rmtree(data / f"{TOPIC}-0")
        shutil.copytree(home / "ours" / f"{TOPIC}-0", data / f"{TOPIC}-0")
        kafka.start(1)
        for level in LEVELS:
            found = read(servers, level)
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
    parser.add_argument("--policy", choices=("compact", "compact,delete"), default="compact")
    with tempfile.TemporaryDirectory() as folder:
        return run(Path(folder), parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
