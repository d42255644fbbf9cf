"""Clients that use a cluster while its nodes fail: a producer, transactions, and a consumer."""

import threading
import time

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

from minikafka.admin.topics import create_topic
from tests.mixed.ledger import Ledger, Transactions
from tests.mixed.nodes import MixedError

TOPIC, TRANSACTIONS = "records", "transactions"
PARTITIONS = 3
_RATE_HZ = 200
_RECORDS_OF_A_TRANSACTION = 6
_ABORTED_EACH = 5
_TIMEOUT_S = 60


class Load:
    """A producer with acks=all, a transactional producer and a consumer group, until `finish`."""

    def __init__(self, nodes):
        self.nodes = nodes
        self.ledger = Ledger()
        self.transactions = Transactions()
        self.delivered = {partition: [] for partition in range(PARTITIONS)}
        self._stop = threading.Event()
        self._is_read = threading.Event()
        self._errors = []
        self._threads = []

    def __enter__(self):
        for topic in (TOPIC, TRANSACTIONS):
            create_topic(
                self.nodes.admin(), topic, partitions=PARTITIONS, replication_factor=3,
                configs={"min.insync.replicas": "2"},
            )  # fmt: skip
        for work in (self._produce, self._transact, self._consume):
            thread = threading.Thread(target=self._guarded, args=(work,), daemon=True)
            self._threads.append(thread)
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._is_read.set()
        for thread in self._threads:
            thread.join()

    def _guarded(self, work):
        try:
            work()
        except Exception as error:
            self._errors.append(f"{work.__name__}: {error!r}")

    def await_progress(self):
        """Wait until further records were acknowledged and a further transaction was committed."""
        records, transactions = len(self.ledger.acknowledged), len(self.transactions.committed)

        def is_further():
            if self._errors:
                raise MixedError("; ".join(self._errors))
            return (
                len(self.ledger.acknowledged) > records + _RATE_HZ // 2
                and len(self.transactions.committed) > transactions + 1
            )

        self.nodes.await_true(is_further, "clients make progress", _TIMEOUT_S)

    def finish(self):
        """Stop the producers, let the consumer read to the end, and return what is wrong."""
        self._stop.set()
        for thread in self._threads[:2]:
            thread.join()
        read = read_all(self.nodes.bootstrap_servers, TOPIC)
        transactional = read_all(self.nodes.bootstrap_servers, TRANSACTIONS)
        try:
            self.nodes.await_true(
                self._is_delivered, "the consumer group reads to the end", _TIMEOUT_S
            )
        except MixedError as error:
            raise MixedError(f"{error}; {self._undelivered()}") from None
        finally:
            self._is_read.set()
            self._threads[2].join()
        values = [value for rows in transactional.values() for _, value in rows]
        return [
            *self._errors,
            *self.ledger.problems(read, self.delivered),
            *self.transactions.problems(values),
        ]

    def _is_delivered(self):
        return not self._undelivered()

    def _undelivered(self):
        """Return the first acknowledged offset that the consumer did not get, and their number."""
        missing = {}
        for partition, rows in self.delivered.items():
            got = {offset for offset, _ in list(rows)}
            offsets = [
                at[1] for at in self.ledger.acknowledged if at[0] == partition and at[1] not in got
            ]
            if offsets:
                missing[partition] = (
                    f"{len(offsets)} from {min(offsets)}, last {max(got, default=None)}"
                )
        values = {value for rows in self.delivered.values() for _, value in list(rows)}
        if lacking := [value for value in self.ledger.unplaced if value not in values]:
            missing["without an offset"] = lacking
        return missing

    def _client(self, **options):
        return {"bootstrap.servers": self.nodes.bootstrap_servers, "log_level": 2, **options}

    def _produce(self):
        ledger = self.ledger

        def done(error, message):
            if error:
                ledger.failed.append((message.value(), str(error)))
            elif message.offset() is None:
                ledger.unplaced.append(message.value())
            else:
                ledger.acknowledged[message.partition(), message.offset()] = message.value()

        options = {
            "acks": "all",
            "enable.idempotence": True,
            "linger.ms": 5,
            "message.timeout.ms": 120_000,
        }
        producer = Producer(self._client(**options))
        while not self._stop.wait(1 / _RATE_HZ):
            number = len(ledger.sent)
            partition, value = number % PARTITIONS, b"%08d %s" % (number, b"x" * (number % 300))
            ledger.sent.append((partition, value))
            producer.produce(TOPIC, value, partition=partition, on_delivery=done)
            producer.poll(0)
        if left := producer.flush(_TIMEOUT_S):
            raise MixedError(f"{left} records were not acknowledged within {_TIMEOUT_S} s")

    def _transact(self):
        number = 0
        while not self._stop.is_set():
            producer = Producer(
                self._client(**{"transactional.id": "mixed", "transaction.timeout.ms": 30_000})
            )
            number = self._transact_with(producer, number)

    def _transact_with(self, producer, number):
        """Run transactions until the end, or until one has failed; return the next number."""
        values = []
        try:
            producer.init_transactions(_TIMEOUT_S)
            while not self._stop.wait(0.05):
                producer.begin_transaction()
                values = [b"%d-%d" % (number, at) for at in range(_RECORDS_OF_A_TRANSACTION)]
                for at, value in enumerate(values):
                    producer.produce(TRANSACTIONS, value, partition=at % PARTITIONS)
                if number % _ABORTED_EACH == 0:
                    producer.abort_transaction(_TIMEOUT_S)
                    self.transactions.aborted[number] = values
                else:
                    producer.commit_transaction(_TIMEOUT_S)
                    self.transactions.committed[number] = values
                number, values = number + 1, []
        except KafkaException:
            # Another producer takes over the transactional id; it aborts what was not committed.
            if values:
                self.transactions.unknown[number] = values
                number += 1
        return number

    def _consume(self):
        options = {
            "group.id": "mixed",
            "auto.offset.reset": "earliest",
            "isolation.level": "read_committed",
        }
        consumer = Consumer(self._client(**options))
        consumer.subscribe([TOPIC])
        try:
            while not self._is_read.is_set():
                for message in consumer.consume(500, timeout=0.2):
                    if not message.error():
                        self.delivered[message.partition()].append(
                            (message.offset(), message.value())
                        )
        finally:
            consumer.close()


def read_all(bootstrap_servers, topic):
    """Return (offset, value) of all committed records, by partition."""
    options = {
        "group.id": "unused",
        "enable.auto.commit": False,
        "isolation.level": "read_committed",
    }
    options |= {
        "bootstrap.servers": bootstrap_servers,
        "log_level": 2,
        "enable.partition.eof": True,
    }
    consumer = Consumer(options)
    found = {}
    try:
        for partition in consumer.list_topics(topic, timeout=_TIMEOUT_S).topics[topic].partitions:
            found[partition] = _read_partition(consumer, TopicPartition(topic, partition, 0))
    finally:
        consumer.close()
    return found


def _read_partition(consumer, at):
    consumer.assign([at])
    rows = []
    deadline_s = time.monotonic() + _TIMEOUT_S
    while time.monotonic() < deadline_s:
        for message in consumer.consume(1000, timeout=0.5):
            if not message.error():
                rows.append((message.offset(), message.value()))
            elif message.error().name() == "_PARTITION_EOF":
                return rows
    raise MixedError(f"{at.topic}-{at.partition} was not read to the end within {_TIMEOUT_S} s")
