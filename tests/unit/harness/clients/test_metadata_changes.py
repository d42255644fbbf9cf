"""Acknowledged changes of topics and configurations are not lost."""

from types import SimpleNamespace

import pytest

from minikafka.admin.client import AdminError
from minikafka.common.ids import Uuid
from minikafka.harness.clients import metadata_changes
from minikafka.harness.clients.metadata_changes import MetadataChanges
from minikafka.harness.lines import EventLog, Tail
from minikafka.messages.create_topics import CreateTopicsRequest


class Cluster:
    """The topics of a cluster; `fails` has the answer to the n-th change."""

    def __init__(self):
        self.ids = {}
        self.values = {}
        self.count = 0
        self.fails = {}
        self.servers = []
        self.answers = True

    def change(self, request):
        self.count += 1
        failure = self.fails.get(self.count)
        if isinstance(failure, Exception):
            raise failure
        result = SimpleNamespace(error_code=failure or 0, error_message="refused", topic_id=None)
        if isinstance(request, CreateTopicsRequest):
            [topic] = request.topics
            if not failure:
                result.topic_id = self.ids[topic.name] = Uuid(bytes([self.count] * 16))
            return SimpleNamespace(topics=[result])
        [resource] = request.resources
        if not failure:
            self.values[resource.resource_name] = resource.configs[0].value
        return SimpleNamespace(responses=[result])


@pytest.fixture
def cluster(monkeypatch):
    made = Cluster()

    class Connection:
        def __init__(self, *server):
            made.servers.append(server[:2])

        def ask(self, request):
            return made.change(request)

        def close(self):
            pass

    class Client:
        def __init__(self, *_, **__):
            if not made.answers:
                raise AdminError("no answer")

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def ask(self, request):
            return SimpleNamespace(
                topics=[
                    SimpleNamespace(
                        name=topic.name,
                        topic_id=made.ids.get(topic.name),
                        error_code=0 if topic.name in made.ids else 3,
                    )
                    for topic in request.topics
                ]
            )

    def describe(_, resources):
        default = "604800000"
        return {
            it: [SimpleNamespace(name="retention.ms", value=made.values.get(it.name, default))]
            for it in resources
        }

    monkeypatch.setattr(metadata_changes, "BrokerConnection", Connection)
    monkeypatch.setattr(metadata_changes, "AdminClient", Client)
    monkeypatch.setattr(metadata_changes, "describe_configs", describe)
    return made


@pytest.fixture
def changes(cluster, tmp_path):
    return MetadataChanges("a:1,b:2", "run-changes", EventLog(tmp_path / "events.jsonl"))


def make(changes, count):
    for _ in range(count):
        changes.change()


def lost(changes):
    waited = []
    changes.compare(waited.append)
    return changes.lost


def test_topics_are_created_and_their_configuration_changes(cluster, changes, tmp_path):
    make(changes, 6)
    assert list(cluster.ids) == ["run-changes-0", "run-changes-1"]
    assert cluster.values == {"run-changes-0": "1000000003", "run-changes-1": "1000000005"}
    assert cluster.servers[:3] == [("a", 1), ("b", 2), ("a", 1)]
    assert lost(changes) == []
    assert changes.as_json() == {
        "sent": 6, "acknowledged": 6, "unacknowledged": 0, "compared": True,
    }  # fmt: skip
    events = Tail(tmp_path / "events.jsonl").read()
    assert [event["outcome"] for event in events] == ["acknowledged"] * 6


def test_a_lost_topic_is_found(cluster, changes):
    make(changes, 6)
    del cluster.ids["run-changes-0"]
    [row] = lost(changes)
    assert row["topic"] == "run-changes-0"
    assert "was acknowledged, but it does not exist" in row["message"]


def test_another_topic_of_the_same_name_is_found(cluster, changes):
    make(changes, 1)
    cluster.ids["run-changes-0"] = Uuid(bytes([99] * 16))
    [row] = lost(changes)
    assert f"but its id is {Uuid(bytes([99] * 16))}" in row["message"]


def test_a_lost_configuration_change_is_found(cluster, changes):
    make(changes, 3)
    cluster.values["run-changes-0"] = "1000000001"
    [row] = lost(changes)
    assert "retention.ms is 1000000001, but must be 1000000002" in row["message"]


@pytest.mark.parametrize("failure", [OSError("reset"), 41])
def test_a_change_without_an_acknowledgement_may_be_made_or_not(cluster, changes, failure):
    cluster.fails[3] = failure
    make(changes, 3)
    assert changes.counts["unacknowledged"] == 1
    assert lost(changes) == []
    cluster.values["run-changes-0"] = "1000000002"
    assert lost(changes) == []
    cluster.values["run-changes-0"] = "1000000000"
    assert len(lost(changes)) == 1
    # It may be made later, so the topic is not changed again.
    make(changes, 1)
    assert list(cluster.ids) == ["run-changes-0", "run-changes-1"]


@pytest.mark.parametrize("failing", [1, 2])
def test_a_topic_without_an_acknowledged_change_has_no_expected_value(cluster, changes, failing):
    cluster.fails[failing] = OSError("reset")
    make(changes, failing)
    cluster.values["run-changes-0"] = "7"
    assert lost(changes) == []


def test_a_broker_that_lags_is_asked_again(cluster, changes):
    make(changes, 1)
    late = cluster.ids.pop("run-changes-0")
    changes.compare(lambda _: cluster.ids.setdefault("run-changes-0", late))
    assert changes.lost == []


def test_without_an_answer_nothing_is_compared(cluster, changes):
    make(changes, 1)
    cluster.answers = False
    assert lost(changes) is None
    assert changes.as_json()["compared"] is False


def test_the_thread_can_be_stopped_before_its_first_change(changes):
    changes.stop()
    changes.start()
    changes.stop()
    assert changes.counts["sent"] == 0
