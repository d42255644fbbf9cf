"""Record small log directories from a real Apache Kafka, for test_log_files.py to read.

A developer's tool, not a test: MINIKAFKA_ORACLE=DIR python tests/conformance/record_log_files.py
where DIR has the scripts kafka-cluster and kafka-run-class. Replaces tests/conformance/data/kafka.
"""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

ORACLE = Path(os.environ["MINIKAFKA_ORACLE"])
DATA = Path(__file__).parent / "data" / "kafka"
PORT = 29150
BOOTSTRAP = f"127.0.0.1:{PORT}"
START_MS = 1_700_000_000_000

FOREVER = {"retention.ms": "-1", "index.interval.bytes": "1024"}
TOPICS = {
    "codecs": {**FOREVER, "segment.ms": "60000"},
    "appendtime": {**FOREVER, "message.timestamp.type": "LogAppendTime"},
    "txn": FOREVER,
    "compacted": {
        **FOREVER,
        "segment.ms": "1000",
        "cleanup.policy": "compact",
        "min.cleanable.dirty.ratio": "0.01",
    },
}


def main() -> None:
    home = Path(tempfile.mkdtemp(prefix="oracle-"))
    cluster("start", "--dir", home, "--nodes", "1", "--base-port", PORT,
            "--config", "log.cleaner.backoff.ms=500",
            "--config", "metadata.log.max.snapshot.interval.ms=3000")  # fmt: skip
    try:
        admin = AdminClient({"bootstrap.servers": BOOTSTRAP})
        topics = [NewTopic(name, 1, 1, config=config) for name, config in TOPICS.items()]
        for future in admin.create_topics(topics).values():
            future.result()
        write_codecs()
        write_transactions()
        write_compacted()
        producer = Producer({"bootstrap.servers": BOOTSTRAP})
        send(producer, "appendtime", 0, 40)
        time.sleep(8)  # the cleaner and the snapshot generator run
        cluster("stop", "--dir", home)
        cluster("start", "--dir", home)
        send(Producer({"bootstrap.servers": BOOTSTRAP}), "codecs", 500, 30)
        cluster("stop", "--dir", home)
        copy(next(home.glob("node-*/data")))
    finally:
        cluster("delete", "--dir", home)


def cluster(*words: object) -> None:
    subprocess.run([ORACLE / "kafka-cluster", *map(str, words)], check=True)


def write_codecs() -> None:
    at = 0
    for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
        for idempotent in (False, True):
            producer = Producer({
                "bootstrap.servers": BOOTSTRAP, "compression.type": codec,
                "enable.idempotence": idempotent, "linger.ms": 20,
            })  # fmt: skip
            for _ in range(2):
                send(producer, "codecs", at, 20)
                at += 20


def send(producer: Producer, topic: str, start: int, count: int) -> None:
    for i in range(start, start + count):
        producer.produce(
            topic, key=f"key-{i % 7}", value=f"value {i} " + "x" * (i % 50),
            headers=[("n", str(i).encode()), ("null", None)] if i % 5 == 0 else [],
            timestamp=START_MS + i * 1000,
        )  # fmt: skip
    assert producer.flush(30) == 0


def write_transactions() -> None:
    def transactional(name: str) -> Producer:
        producer = Producer({"bootstrap.servers": BOOTSTRAP, "transactional.id": name})
        producer.init_transactions(30)
        return producer

    first, second, third = (transactional(name) for name in "abc")
    for at, commit in ((0, True), (10, False), (20, True), (30, False)):
        first.begin_transaction()
        second.begin_transaction()
        send(first, "txn", at, 3)
        send(second, "txn", at + 3, 3)
        send(first, "txn", at + 6, 2)
        first.commit_transaction(30) if commit else first.abort_transaction(30)
        second.abort_transaction(30) if commit else second.commit_transaction(30)
    third.begin_transaction()
    send(third, "txn", 90, 4)
    send(Producer({"bootstrap.servers": BOOTSTRAP}), "txn", 100, 3)


def write_compacted() -> None:
    producer = Producer({"bootstrap.servers": BOOTSTRAP, "enable.idempotence": True})
    for round_ in range(6):
        for key in range(5):
            value = None if key == 4 and round_ == 3 else f"round {round_} " + "y" * 30
            producer.produce(
                "compacted", key=f"key-{key}", value=value,
                timestamp=START_MS + round_ * 2000,
            )  # fmt: skip
        assert producer.flush(30) == 0


def copy(log_dir: Path) -> None:
    shutil.rmtree(DATA, ignore_errors=True)
    DATA.mkdir(parents=True)
    for name in ("meta.properties", ".kafka_cleanshutdown", "recovery-point-offset-checkpoint",
                 "replication-offset-checkpoint", "log-start-offset-checkpoint"):  # fmt: skip
        shutil.copy(log_dir / name, DATA / name)
    for name in (*(f"{topic}-0" for topic in TOPICS), "__cluster_metadata-0"):
        shutil.copytree(log_dir / name, DATA / name)
        for snapshot in sorted((DATA / name).glob("*.checkpoint"))[1:-1]:
            snapshot.unlink()
        for file in sorted((DATA / name).rglob("*")):
            if file.name.endswith((".log", ".checkpoint")) and file.stat().st_size:
                dump(file)


def dump(file: Path) -> None:
    words = ["--deep-iteration", "--print-data-log"]
    if file.parent.name.startswith("__cluster"):
        words = ["--cluster-metadata-decoder"]
    out = subprocess.run(
        [ORACLE / "kafka-run-class", "org.apache.kafka.tools.DumpLogSegments",
         *words, "--files", file.relative_to(DATA)],
        check=True, capture_output=True, text=True, cwd=DATA,
    ).stdout  # fmt: skip
    file.with_name(file.name + ".dump.txt").write_text(out)


if __name__ == "__main__":
    main()
