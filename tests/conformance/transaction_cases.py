"""Requests to a transaction coordinator, in every version and in every state of a transaction.

`play` sends them through `ask(request, version)` and returns what was answered, with producer ids
as numbers relative to the first one of the case. The answers of Apache Kafka are recorded by
record_transaction_cases.py; test_transaction_cases.py compares.
"""

from typing import NamedTuple

from minikafka.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from minikafka.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from minikafka.messages.describe_transactions import DescribeTransactionsRequest
from minikafka.messages.end_txn import EndTxnRequest
from minikafka.messages.init_producer_id import InitProducerIdRequest
from minikafka.messages.list_transactions import ListTransactionsRequest

CONCURRENT_TRANSACTIONS = 51
TOPIC = "t"
STATES = (
    "unknown", "empty", "ongoing", "ongoing-2", "committed", "aborted", "committed-2", "aborted-2",
    "fenced",
)  # fmt: skip
TIMEOUT_MS = 60_000


class Producer(NamedTuple):
    """A producer id and its epoch; the id is -1 before there is one."""

    producer_id: int = -1
    epoch: int = -1


def init(name, producer=None, timeout_ms=TIMEOUT_MS):
    request = InitProducerIdRequest(transactional_id=name, transaction_timeout_ms=timeout_ms)
    if producer is not None:
        request.producer_id, request.producer_epoch = producer
    return request


def add(name, producer, partitions, version, verify=False):
    topics: dict[str, list[int]] = {}
    for topic, index in partitions:
        topics.setdefault(topic, []).append(index)
    rows = [AddPartitionsToTxnTopic(topic, indexes) for topic, indexes in topics.items()]
    if version < 4:
        return AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=name,
            v3_and_below_producer_id=producer.producer_id,
            v3_and_below_producer_epoch=producer.epoch,
            v3_and_below_topics=rows,
        )
    return AddPartitionsToTxnRequest(
        transactions=[
            AddPartitionsToTxnTransaction(name, producer.producer_id, producer.epoch, verify, rows)
        ]
    )


def codes_of(response):
    """The codes of an AddPartitionsToTxn response by partition, and its own code."""
    topics = list(response.results_by_topic_v3_and_below)
    for row in response.results_by_transaction:
        topics += row.topic_results
    return sorted(
        [topic.name, row.partition_index, row.partition_error_code]
        for topic in topics
        for row in topic.results_by_partition
    ), response.error_code


class Player:
    """One case: one transactional id, from its first request to the description at its end."""

    def __init__(self, ask, name):
        self.ask = ask
        self.name = name
        self.producer = Producer()
        self.first_id = -1

    def masked(self, producer_id):
        return producer_id if producer_id < 0 else producer_id - self.first_id

    def until_done(self, request, version):
        while True:
            response = self.ask(request, version)
            if response.error_code != CONCURRENT_TRANSACTIONS:
                return response

    def initialize(self):
        response = self.until_done(init(self.name), 4)
        assert response.error_code == 0, response
        if self.first_id < 0:
            self.first_id = response.producer_id
        self.producer = Producer(response.producer_id, response.producer_epoch)

    def begin(self, version):
        while True:
            response = self.ask(add(self.name, self.producer, [(TOPIC, 0)], version), version)
            rows, _ = codes_of(response)
            if rows[0][2] != CONCURRENT_TRANSACTIONS:
                assert rows == [[TOPIC, 0, 0]], rows
                return

    def end(self, commit, version):
        request = EndTxnRequest(self.name, *self.producer, commit)
        response = self.until_done(request, version)
        assert response.error_code == 0, response
        if version >= 5:
            self.producer = Producer(response.producer_id, response.producer_epoch)
        self.described()

    def enter(self, state):
        if state == "unknown":
            self.producer = Producer(10**9, 0)
            return
        self.initialize()
        if state == "empty":
            return
        is_second = state.endswith("-2")
        self.begin(5 if is_second else 3)
        if state == "fenced":
            assert self.ask(init(self.name), 4).error_code == CONCURRENT_TRANSACTIONS
            self.described()
        elif not state.startswith("ongoing"):
            self.end(state.startswith("committed"), 5 if is_second else 4)

    def described(self):
        """The state when the coordinator has ended what it is doing."""
        while True:
            response = self.ask(DescribeTransactionsRequest([self.name]), 0)
            (row,) = response.transaction_states
            if not row.transaction_state.startswith("Prepare"):
                return [
                    row.error_code, row.transaction_state, row.transaction_timeout_ms,
                    self.masked(row.producer_id) if row.error_code == 0 else row.producer_id,
                    row.producer_epoch,
                    sorted([topic.topic, sorted(topic.partitions)] for topic in row.topics),
                ]  # fmt: skip

    def answer(self, kind, version, producer):
        """What is answered to one request, as plain values."""
        if kind in ("commit", "abort"):
            request = EndTxnRequest(self.name, *producer, kind == "commit")
            response = self.ask(request, version)
            new = [self.masked(response.producer_id), response.producer_epoch]
            return [response.error_code, *(new if version >= 5 else [])]
        if kind == "offsets":
            return [self.ask(AddOffsetsToTxnRequest(self.name, *producer, "g"), version).error_code]
        if kind == "init":
            response = self.ask(init(self.name), version)
        elif kind == "again":
            response = self.ask(init(self.name, producer), version)
        else:
            partitions = PARTITIONS[kind.removeprefix("verify ")]
            request = add(self.name, producer, partitions, version, kind.startswith("verify"))
            return list(codes_of(self.ask(request, version)))
        if self.first_id < 0 and response.error_code == 0:
            self.first_id = response.producer_id
        return [response.error_code, self.masked(response.producer_id), response.producer_epoch]


PARTITIONS = {
    "one": [(TOPIC, 0)],
    "other": [(TOPIC, 1)],
    "both": [(TOPIC, 0), (TOPIC, 1)],
    "unknown": [(TOPIC, 0), ("missing", 0), (TOPIC, 9)],
    "none": [],
}
PRODUCERS = {
    "current": lambda it: it,
    "previous epoch": lambda it: it._replace(epoch=it.epoch - 1),
    "next epoch": lambda it: it._replace(epoch=it.epoch + 1),
    "two epochs ahead": lambda it: it._replace(epoch=it.epoch + 2),
    "other id": lambda it: it._replace(producer_id=it.producer_id + 10**6),
}


class Case(NamedTuple):
    """One request of a kind, in a version, by a producer, to an id in a state."""

    state: str
    kind: str
    version: int
    producer: str


def cases():
    """All of them."""
    found = []
    for state in STATES:
        for producer in PRODUCERS:
            for version in range(6):
                found += [Case(state, kind, version, producer) for kind in ("commit", "abort")]
                found.append(Case(state, "other", version, producer))
            found += [Case(state, "offsets", version, producer) for version in range(5)]
            for version in (3, 4, 5):
                if not (producer == "previous epoch" and state in ("unknown", "empty")):
                    found.append(Case(state, "again", version, producer))
            found += [
                Case(state, f"verify {kind}", version, producer)
                for version in (4, 5)
                for kind in ("one", "both")
            ]
        found += [Case(state, "init", version, "current") for version in range(6)]
        for kind in ("one", "both", "unknown", "none"):
            found += [Case(state, kind, version, "current") for version in (0, 3, 4, 5)]
        found += [Case(state, "verify unknown", version, "current") for version in (4, 5)]
    return found


def text_of(case):
    return f"{case.state}: {case.kind} v{case.version} by {case.producer}"


def play(ask, case, name):
    """The answer to the case's request, to the same request again, and the state at the end."""
    player = Player(ask, name)
    player.enter(case.state)
    producer = PRODUCERS[case.producer](player.producer)
    first = player.answer(case.kind, case.version, producer)
    after = player.described()
    second = player.answer(case.kind, case.version, producer)
    return [first, after, second, player.described()]


def play_others(ask):
    """Requests that no state matters for."""
    found = {}
    for timeout_ms in (-1, 0, 5_000, 900_000, 900_001):
        response = ask(init(f"timeout {timeout_ms}", timeout_ms=timeout_ms), 4)
        found[f"timeout {timeout_ms}"] = [response.error_code, response.producer_epoch]
    for version in range(6):
        response = ask(init(""), version)
        found[f"init without a name v{version}"] = [
            response.error_code, response.producer_id, response.producer_epoch
        ]  # fmt: skip
        producer = Producer(1, 0)
        response = ask(EndTxnRequest("", 1, 0, True), version)
        found[f"end without a name v{version}"] = [response.error_code]
        rows = codes_of(ask(add("", producer, [(TOPIC, 0)], version), version))
        found[f"add without a name v{version}"] = list(rows)
    for version in (4, 5):
        rows = codes_of(ask(add("", producer, [(TOPIC, 0)], version, verify=True), version))
        found[f"verify without a name v{version}"] = list(rows)
    for version in range(5):
        response = ask(AddOffsetsToTxnRequest("", 1, 0, "g"), version)
        found[f"offsets without a name v{version}"] = [response.error_code]
    for version in (3, 4, 5):
        for producer in (Producer(5, -1), Producer(-1, 5), Producer(5, 5)):
            response = ask(init(f"odd {version} {producer.epoch}", producer), version)
            found[f"init by {producer.producer_id}/{producer.epoch} v{version}"] = [
                response.error_code, response.producer_epoch
            ]  # fmt: skip
    response = ask(DescribeTransactionsRequest(["", "missing", "missing"]), 0)
    found["describe"] = sorted(
        {(row.error_code, row.transactional_id) for row in response.transaction_states}
    )
    response = ask(
        AddPartitionsToTxnRequest(
            transactions=[
                AddPartitionsToTxnTransaction(
                    name, 1, 0, False, [AddPartitionsToTxnTopic(TOPIC, [0, 1])]
                )
                for name in ("batch a", "batch b")
            ]
        ),
        5,
    )
    found["several"] = sorted(
        (row.transactional_id, topic.name, each.partition_index, each.partition_error_code)
        for row in response.results_by_transaction
        for topic in row.topic_results
        for each in topic.results_by_partition
    )
    return found | play_lists(ask)


def play_lists(ask):
    """ListTransactions, with every filter."""
    found = {}
    for number, name in enumerate(("list-a", "list-b", "list.c")):
        player = Player(ask, name)
        player.enter(("empty", "ongoing", "committed-2")[number])
    for version in range(3):
        for states in (
            (),
            ("Empty",),
            ("Ongoing", "CompleteCommit"),
            ("ongoing", "Odd"),
            ("Dead",),
        ):
            for duration_ms in (-1, 0, 10**5) if version else (-1,):
                for pattern in PATTERNS if version == 2 else (None,):
                    request = ListTransactionsRequest(list(states), [], duration_ms, pattern)
                    response = ask(request, version)
                    key = f"list v{version} {','.join(states)} {duration_ms} {pattern}"
                    found[key] = [
                        response.error_code,
                        sorted(response.unknown_state_filters),
                        sorted(
                            (row.transactional_id, row.transaction_state)
                            for row in response.transaction_states
                            if row.transactional_id.startswith("list")
                        ),
                    ]
    return found


PATTERNS = (
    None, "", "list.*", "list-[ab]", "list", ".*t-a", "^list-a$", "list\\.c", "(list-a|list.c)",
    "list.{2}", "[", "a**", "(", "*", "\\", "list-\\w", "(?i)LIST-A", "\\p{L}+-a", "list-a\\b", "[[:alpha:]]+-a",
)  # fmt: skip


PENDING = {
    "commit of version 2": (5, True),
    "abort of version 2": (5, False),
    "commit of version 1": (3, True),
    "abort of version 1": (3, False),
}
"""Transactions that end while no leader writes their markers: the version of their begin."""


def play_pending(ask, name, no_leader):
    """What is answered about a transaction whose markers cannot be written."""
    version, is_commit = PENDING[name]
    player = Player(ask, name)
    player.initialize()
    player.begin(version)
    no_leader()
    now = player.producer
    response = ask(EndTxnRequest(name, *now, is_commit), 5 if version == 5 else 4)
    assert response.error_code == 0
    producers = {
        "same": now,
        "next epoch": now._replace(epoch=now.epoch + 1),
        "two epochs ahead": now._replace(epoch=now.epoch + 2),
        "other id": now._replace(producer_id=now.producer_id + 10**6),
    }
    found = {}
    for who, producer in producers.items():
        for version in (1, 4, 5):
            for kind in ("commit", "abort", "one", "other"):
                found[f"{kind} v{version} by {who}"] = player.answer(kind, version, producer)
        for version in (3, 4, 5):
            found[f"again v{version} by {who}"] = player.answer("again", version, producer)
        for version in (4, 5):
            found[f"verify v{version} by {who}"] = player.answer("verify one", version, producer)
    found["init"] = player.answer("init", 4, now)
    (row,) = ask(DescribeTransactionsRequest([name]), 0).transaction_states
    topics = [[topic.topic, topic.partitions] for topic in row.topics]
    found["described"] = [row.error_code, row.transaction_state, row.producer_epoch, topics]
    return found
