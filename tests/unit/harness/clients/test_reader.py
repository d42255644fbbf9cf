"""S2: what a member of the group does with a consumer, with one that is played here."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from minikafka.harness.clients import reader
from minikafka.harness.clients.ledger import Entries, FrameWriter
from minikafka.harness.clients.poll_log import (
    ASSIGNED,
    COMMITTED,
    POLLED,
    REFUSED,
    REVOKED,
    PollLog,
)
from minikafka.harness.clients.reader import ReaderMember, ReaderTask, changes
from minikafka.harness.lines import EventLog, Tail


@pytest.fixture
def task(tmp_path):
    return ReaderTask(
        run="r", bootstrap_servers="127.0.0.1:1", topic="t,u", width=2, protocol="eager", seed=5,
        seconds=100, log=str(tmp_path / "l"), events=str(tmp_path / "e"), offsets_min_isr=2,
    )  # fmt: skip


class Played:
    """Gives a test's records; answers commits."""

    def __init__(self):
        self.messages = []
        self.commit_error = None
        self.failing = {}

    def poll(self, _timeout):
        while self.messages:
            given = self.messages.pop(0)
            if not callable(given):
                return given
            given()  # as a callback, in the middle of a poll
        return None

    def commit(self, offsets, asynchronous):
        assert not asynchronous
        if self.commit_error:
            raise self.commit_error
        return [SimpleNamespace(topic=it.topic, partition=it.partition, offset=it.offset,
                                error=self.failing.get(it.partition)) for it in offsets]  # fmt: skip


def message(topic, partition, offset, code=None):
    return SimpleNamespace(
        topic=lambda: topic,
        partition=lambda: partition,
        offset=lambda: offset,
        error=lambda: None if code is None else SimpleNamespace(code=lambda: code),
    )


@pytest.fixture
def member(task, tmp_path):
    made = ReaderMember(task, 1, PollLog(FrameWriter(tmp_path / "l")))
    made._consumer = Played()
    return made


def entries(tmp_path, *tags):
    return [[it[0], *it[2:]] for it in Entries(tmp_path / "l") if it[0] in tags]


def test_a_task_crosses_a_command_line(task):
    assert ReaderTask(**json.loads(task.to_json())) == task


def test_partitions_of_the_topics_are_numbered_consecutively(task):
    assert task.number(TopicPartition("u", 1)) == 3
    assert task.place(3, 7) == TopicPartition("u", 1, 7)


def test_a_member_leaves_and_another_joins_at_times_of_the_seed(task):
    (left_s, leave), (joined_s, join) = changes(task)
    assert (leave, join) == ("leave", "join")
    assert 25 <= left_s < joined_s <= 65
    assert changes(task) == changes(task)


def test_every_poll_and_confirmed_commit_is_logged(member, tmp_path):
    member._on_assign(None, [TopicPartition("t", 1), TopicPartition("u", 0)])
    member._consumer.messages = [
        message("t", 1, 4), message("t", 1, 5), message("u", 0, 0),
        message("u", 0, 3, KafkaError._PARTITION_EOF), message("t", 1, 9, KafkaError._TRANSPORT),
    ]  # fmt: skip
    member._poll()
    member._commit([1, 2, 3])
    member._commit([1, 2, 3])  # nothing new
    assert entries(tmp_path, POLLED, COMMITTED) == [
        [POLLED, 1, [1, 2], [1, 1], [4, 0], [5, 0]],
        [COMMITTED, 1, [1, 2], [6, 1]],
    ]
    assert member.log.reached == {1: 6, 2: 3}


def test_a_refused_commit_is_retried_with_later_offsets(member, tmp_path):
    member._on_assign(None, [TopicPartition("t", 0)])
    member._consumer.messages = [message("t", 0, 0)]
    member._poll()
    member._consumer.commit_error = KafkaException(KafkaError(KafkaError.NOT_COORDINATOR))
    member._commit([0])
    member._consumer.commit_error = None
    member._commit([0])
    assert entries(tmp_path, REFUSED, COMMITTED) == [
        [REFUSED, 1, "NOT_COORDINATOR"],
        [COMMITTED, 1, [0], [1]],
    ]


def test_a_partition_whose_commit_fails_is_committed_again(member, tmp_path):
    member._on_assign(None, [TopicPartition("t", 0), TopicPartition("t", 1)])
    member._consumer.messages = [message("t", 0, 4), message("t", 1, 7)]
    member._poll()
    member._consumer.failing = {1: KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART)}
    member._commit([0, 1])
    member._consumer.failing = {}
    member._commit([0, 1])
    assert entries(tmp_path, REFUSED, COMMITTED) == [
        [REFUSED, 1, "UNKNOWN_TOPIC_OR_PART"],
        [COMMITTED, 1, [0], [5]],
        [COMMITTED, 1, [1], [8]],
    ]


def test_revoked_partitions_are_committed_first_and_lost_ones_are_not(member, tmp_path):
    partitions = [TopicPartition("t", 0), TopicPartition("t", 1)]
    member._on_assign(None, partitions)
    member._consumer.messages = [message("t", 0, 0), message("t", 1, 0)]
    member._poll()
    member._on_revoke(None, partitions[:1])
    member._on_lost(None, partitions[1:])
    member._commit([0, 1])
    assert entries(tmp_path, COMMITTED, REVOKED) == [
        [COMMITTED, 1, [0], [1]],
        [REVOKED, 1, [0], False],
        [REVOKED, 1, [1], True],
    ]


def test_records_polled_before_a_rebalance_precede_it_in_the_log(member, tmp_path):
    member._on_assign(None, [TopicPartition("t", 0)])

    member._consumer.messages = [
        message("t", 0, 0), lambda: member._on_assign(None, []), message("t", 0, 0), message("t", 0, 1),
        lambda: member._on_revoke(None, [TopicPartition("t", 0)]),
    ]  # fmt: skip
    member._poll()
    assert entries(tmp_path, ASSIGNED, POLLED, COMMITTED, REVOKED) == [
        [ASSIGNED, 1, [0], [1]],
        [POLLED, 1, [0], [1], [0], [0]],
        [ASSIGNED, 1, [], []],
        [POLLED, 1, [0], [1], [0], [1]],
        [COMMITTED, 1, [0], [2]],
        [REVOKED, 1, [0], False],
    ]


@pytest.mark.parametrize(
    ("ends", "note"),
    [
        ({0: 5, 1: 3}, "The consumer group read t-0 to 4 of 5 within 60 s."),
        ({}, "The consumer group could not learn the ends of the partitions within 60 s."),
    ],
)
def test_partitions_that_were_not_read_to_their_ends_are_named(
    task, tmp_path, monkeypatch, ends, note
):
    clock = iter(range(100))
    monkeypatch.setattr(reader, "time", SimpleNamespace(
        monotonic=lambda: next(clock), sleep=lambda _: None
    ))  # fmt: skip
    monkeypatch.setattr(reader, "_ends", lambda *_: ends)
    log = PollLog(FrameWriter(tmp_path / "l"))
    log.reach(0, 4)
    log.reach(1, 3)
    task = replace(task, topic="t", width=2, bootstrap_servers="127.0.0.1:1")
    events = EventLog(tmp_path / "events")
    assert reader._drain(task, log, events) == {}
    (event,) = Tail(tmp_path / "events").read()
    assert (event["event"], event["note"]) == ("reader_note", note)
