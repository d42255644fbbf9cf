from concurrent.futures import Future
from types import SimpleNamespace

import pytest
from confluent_kafka import KafkaError, KafkaException

from minikafka.harness.lines import EventLog, Tail
from minikafka.harness.settings import HarnessError
from minikafka.harness.watcher import Watcher


def done(value):
    future = Future()
    if isinstance(value, Exception):
        future.set_exception(value)
    else:
        future.set_result(value)
    return future


class Admin:
    """Answers as librdkafka's admin client does, from what a test puts in."""

    def __init__(self):
        self.leaders = {0: (1, [1, 2, 3]), 1: (2, [3, 2, 1])}
        self.ends = {0: 5, 1: 6}
        self.topic_id = "AAAA"
        self.created = None

    def list_topics(self, topic, timeout):
        if self.leaders is None:
            raise KafkaException(KafkaError(KafkaError._TRANSPORT))
        partitions = {
            number: SimpleNamespace(leader=leader, replicas=[1, 2, 3], isrs=isr)
            for number, (leader, isr) in self.leaders.items()
        }
        return SimpleNamespace(topics={topic: SimpleNamespace(partitions=partitions)})

    def list_offsets(self, asked, request_timeout):
        return {
            partition: done(
                end
                if isinstance(end := self.ends[partition.partition], Exception)
                else SimpleNamespace(offset=end)
            )
            for partition in asked
        }

    def describe_topics(self, _topics, request_timeout):
        value = self.topic_id
        return {
            "t": done(value if isinstance(value, Exception) else SimpleNamespace(topic_id=value))
        }

    def create_topics(self, topics, request_timeout):
        return {"t": done(self.created)}


@pytest.fixture
def admin():
    return Admin()


@pytest.fixture
def watcher(tmp_path, admin):
    made = Watcher("127.0.0.1:1", "t", EventLog(tmp_path / "e"))
    made._admin = admin
    return made


def events(tmp_path, name):
    return [event for event in Tail(tmp_path / "e").read() if event["event"] == name]


def test_only_changes_of_leader_and_isr_become_events(watcher, admin, tmp_path):
    assert watcher.look()
    assert watcher.look()
    assert [event["leader"] for event in events(tmp_path, "partition")] == [1, 2]
    admin.leaders[1] = (-1, [])
    assert watcher.look()
    last = events(tmp_path, "partition")[-1]
    assert (last["partition"], last["leader"], last["isr"]) == (1, None, [])
    assert (watcher.leader_of(0), watcher.leader_of(1), watcher.leader_of(9)) == (1, None, None)


def test_a_cluster_that_does_not_answer_is_not_an_error(watcher, admin):
    admin.leaders = None
    assert not watcher.look()
    assert not watcher.wait_whole(0)


def test_a_replica_out_of_sync_is_waited_for(watcher, admin):
    assert watcher.wait_whole(0)
    admin.leaders[0] = (1, [1, 2])
    assert not watcher.wait_whole(0)


def test_offsets_that_a_broker_did_not_name_are_left_out(watcher, admin, tmp_path):
    watcher.look()
    watcher.look_at_ends()
    admin.ends = {0: -1001, 1: KafkaException(KafkaError(KafkaError.LEADER_NOT_AVAILABLE))}
    watcher.look_at_ends()
    admin.ends = {0: -1001, 1: 9}
    watcher.look_at_ends()
    seen = [event["ends"] for event in events(tmp_path, "high_watermarks")]
    assert seen == [{"0": 5, "1": 6}, {"1": 9}]
    assert watcher.high_watermarks == {0: 5, 1: 9}


def test_a_topic_that_is_gone_has_no_id(watcher, admin):
    assert watcher.topic_id(0) == "AAAA"
    admin.topic_id = KafkaException(KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART))
    assert watcher.topic_id(0) == ""
    admin.topic_id = KafkaException(KafkaError(KafkaError._TIMED_OUT))
    with pytest.raises(HarnessError, match="topic t could not be described"):
        watcher.topic_id(0)


def test_a_broker_that_does_not_know_the_topic_yet_is_asked_again(watcher, admin, monkeypatch):
    answers = ["AAAA", KafkaException(KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART))]

    def describe(_topics, request_timeout):
        answer = answers.pop()
        is_error = isinstance(answer, Exception)
        return {"t": done(answer if is_error else SimpleNamespace(topic_id=answer))}

    monkeypatch.setattr(admin, "describe_topics", describe, raising=False)
    watcher._stop.set()  # nothing to wait for here
    assert watcher.topic_id(60) == "AAAA"
    assert answers == []


def test_a_topic_that_cannot_be_created_ends_the_run(watcher, admin):
    assert watcher.create_topic(2, 3, 2) == "AAAA"
    admin.created = KafkaException(KafkaError(KafkaError.INVALID_REPLICATION_FACTOR))
    with pytest.raises(HarnessError, match="topic t could not be created"):
        watcher.create_topic(2, 3, 2)
