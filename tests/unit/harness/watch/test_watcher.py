from concurrent.futures import Future
from types import SimpleNamespace

import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import NewTopic

from minikafka.harness.lines import EventLog, Tail
from minikafka.harness.plan.settings import HarnessError
from minikafka.harness.watch.describer import PartitionView, UnsupportedError
from minikafka.harness.watch.watcher import ClusterWatcher


def done(value):
    future = Future()
    if isinstance(value, Exception):
        future.set_exception(value)
    else:
        future.set_result(value)
    return future


class Admin:
    """Responds as librdkafka's admin client does, with a test's values."""

    def __init__(self):
        self.leaders = {0: (1, [1, 2, 3]), 1: (2, [3, 2, 1])}
        self.ends = {0: 5, 1: 6}
        self.topic_id = "AAAA"
        self.partition_count = 2
        self.created = []
        self.refreshed = 0

    def list_topics(self, topic=None, timeout=0):
        if topic is None:
            self.refreshed += 1
            return None
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
        if not isinstance(value, Exception):
            value = SimpleNamespace(topic_id=value, partitions=[0] * self.partition_count)
        return {"t": done(value)}

    def create_topics(self, topics, request_timeout):
        return {"t": done(self.created.pop(0) if self.created else None)}


def error(code):
    return KafkaException(KafkaError(code))


UNKNOWN = error(KafkaError.UNKNOWN_TOPIC_OR_PART)


@pytest.fixture
def admin():
    return Admin()


@pytest.fixture
def watcher(tmp_path, admin):
    made = ClusterWatcher("127.0.0.1:1", "t", EventLog(tmp_path / "e"))
    made.width = 2
    made._admin = admin
    made.describer = None
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
    assert admin.refreshed == 1  # where there was no leader
    assert watcher.high_watermarks == {0: 5, 1: 9}


def test_a_topic_that_is_gone_has_no_id(watcher, admin):
    assert watcher.topic_id(0) == "AAAA"
    admin.topic_id = KafkaException(KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART))
    assert watcher.topic_id(0) == ""
    admin.topic_id = KafkaException(KafkaError(KafkaError._TIMED_OUT))
    with pytest.raises(HarnessError, match="topic t could not be described"):
        watcher.topic_id(0)


@pytest.mark.parametrize(
    ("code", "refreshed"),
    [(KafkaError.UNKNOWN_TOPIC_OR_PART, 0), (KafkaError._TIMED_OUT, 1)],
    ids=["broker without the topic", "dead controller in the client's metadata"],
)
def test_a_topic_that_is_not_described_at_once_is_asked_for_again(
    watcher, admin, monkeypatch, code, refreshed
):
    answers = ["AAAA", KafkaException(KafkaError(code))]

    def describe(_topics, request_timeout):
        answer = answers.pop()
        is_error = isinstance(answer, Exception)
        return {"t": done(answer if is_error else SimpleNamespace(topic_id=answer))}

    monkeypatch.setattr(admin, "describe_topics", describe, raising=False)
    watcher._stop.set()  # nothing to wait for here
    assert watcher.topic_id(60) == "AAAA"
    assert answers == []
    assert admin.refreshed == refreshed


def test_a_topic_that_cannot_be_created_ends_the_run(watcher, admin):
    admin.topic_id = UNKNOWN
    admin.created = [error(KafkaError.INVALID_PARTITIONS)]
    with pytest.raises(HarnessError, match="topic t could not be created"):
        watcher.create_topic(2, 3, 2)


def test_too_few_brokers_for_the_run_name_the_option(watcher, admin):
    admin.topic_id = UNKNOWN
    admin.created = [error(KafkaError.INVALID_REPLICATION_FACTOR)]
    watcher._stop.set()  # nothing to wait for here
    with pytest.raises(HarnessError, match="has 3 brokers; give its number by --nodes"):
        watcher.create_topic(2, 3, 2)


def test_transient_errors_are_retried_and_a_creation_without_a_response_counts(
    watcher, admin, monkeypatch
):
    """The client drops a broker that one answer did not list, and with it the request."""
    admin.topic_id = UNKNOWN
    admin.created = [
        error(KafkaError._DESTROY_BROKER),
        error(KafkaError._TIMED_OUT),
        error(KafkaError.TOPIC_ALREADY_EXISTS),
    ]
    waits = []
    monkeypatch.setattr(watcher, "_stop", SimpleNamespace(wait=waits.append))
    watcher._create(NewTopic("t", 2, 3))
    assert waits == [0.5, 0.5]
    assert admin.created == []


def test_a_topic_that_is_there_and_empty_is_taken(watcher, admin):
    admin.ends = {0: 7, 1: 7}
    admin.created = [error(KafkaError.TOPIC_ALREADY_EXISTS)]
    assert watcher.create_topic(2, 3, 2) == "AAAA"
    assert len(admin.created) == 1


def test_a_topic_that_does_not_fit_is_refused_with_the_remedy(watcher, admin, monkeypatch):
    with pytest.raises(
        HarnessError, match=r"the number of partitions is 2, expected 6; give --part"
    ):
        watcher.require_fitting("t", 6)
    ends = iter([{0: 0, 1: 0}, {0: 0, 1: 3}])

    def list_offsets(asked, request_timeout):
        found = next(ends)
        return {it: done(SimpleNamespace(offset=found[it.partition])) for it in asked}

    monkeypatch.setattr(admin, "list_offsets", list_offsets, raising=False)
    with pytest.raises(HarnessError, match=r"already has records.*--topic"):
        watcher.require_fitting("t", 2)


def test_partitions_of_all_topics_are_numbered_consecutively(tmp_path, admin):
    made = ClusterWatcher("127.0.0.1:1", "t,u", EventLog(tmp_path / "e"), width=2)
    made._admin, made.describer = admin, None
    admin.ends = {0: 5, 1: 6}
    assert made.wait_whole(0)
    made.look_at_ends()
    assert sorted(made.partitions) == [0, 1, 2, 3]
    assert made.high_watermarks == {0: 5, 1: 6, 2: 5, 3: 6}


def test_elr_is_reported_if_the_cluster_describes_it(watcher, tmp_path):
    """D1."""
    seen = PartitionView(leader=1, replicas=(1, 2), isr=(1,), elr=(2,), last_known_elr=())
    watcher.describer = SimpleNamespace(ask=lambda width: {width - 1: seen})
    assert watcher.look()
    [event] = events(tmp_path, "partition")
    del event["at_ms"], event["event"]
    assert event == {"partition": 1, "leader": 1, "isr": [1], "elr": [2], "last_known_elr": []}


def test_a_cluster_without_elr_is_asked_in_the_old_way(watcher, tmp_path):
    def ask(_width):
        raise UnsupportedError("no such request")

    watcher.describer = SimpleNamespace(ask=ask)
    assert watcher.look()
    assert watcher.describer is None
    assert "elr" not in events(tmp_path, "partition")[0]
