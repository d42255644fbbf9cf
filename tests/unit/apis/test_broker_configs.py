"""Changes of brokers' configurations that a broker refuses before it forwards the others."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.messages import alter_configs as replacing
from minikafka.messages import incremental_alter_configs as altering
from minikafka.metadata.image import RESOURCE_BROKER, RESOURCE_TOPIC
from tests.worlds.authorized_cluster import AuthorizedCluster
from tests.worlds.sim_world import create_topic

LOCATION = "listener.name.tls.ssl.keystore.location"
OTHER = "log.cleaner.threads"
SET, DELETE = 0, 1
BAD = "/bad"


class _Keys:
    """Refuses one file, and notes what it is asked."""

    def __init__(self):
        self.asked = []

    def problem(self, values):
        self.asked.append(dict(values))
        return "the file is bad" if values.get(LOCATION) == BAD else ""


@pytest.fixture
def secured():
    return AuthorizedCluster()


@pytest.fixture
def keys(secured):
    keys = secured.cluster.nodes[1].node.broker.keys = _Keys()
    return keys


def alter(client, *resources, dry=False):
    rows = [
        altering.AlterConfigsResource(kind, name, [
            altering.AlterableConfig(key, DELETE if text is None else SET, text)
            for key, text in values.items()
        ])
        for kind, name, values in resources
    ]  # fmt: skip
    request = altering.IncrementalAlterConfigsRequest(rows, dry)
    return _answers(client.ask(request, altering.IncrementalAlterConfigsResponse))


def replace(client, *resources):
    rows = [
        replacing.AlterConfigsResource(
            kind, name, [replacing.AlterableConfig(*pair) for pair in values.items()]
        )
        for kind, name, values in resources
    ]
    return _answers(client.ask(replacing.AlterConfigsRequest(rows), replacing.AlterConfigsResponse))


def _answers(response):
    return [
        (row.resource_type, row.resource_name, row.error_code, row.error_message)
        for row in response.responses
    ]


def stored(secured, kind=RESOURCE_BROKER, name="1"):
    secured.settle()
    return secured.cluster.nodes[1].node.loader.image.config(kind, name)


REFUSED = (RESOURCE_BROKER, "1", ErrorCode.INVALID_REQUEST, "the file is bad")


@pytest.mark.parametrize("change", [alter, replace])
def test_keys_that_cannot_be_used_are_refused_beside_others(secured, keys, change):
    client = secured.admin()
    create_topic(secured.cluster, "t")
    assert change(client, (RESOURCE_BROKER, "1", {LOCATION: BAD})) == [REFUSED]
    assert stored(secured) == {}
    found = change(
        client,
        (RESOURCE_TOPIC, "t", {"retention.ms": "7"}),
        (RESOURCE_BROKER, "1", {LOCATION: BAD, OTHER: "2"}),
    )
    assert sorted(found) == [
        (RESOURCE_TOPIC, "t", ErrorCode.NONE, None),
        REFUSED,
    ]
    assert stored(secured) == {}
    assert stored(secured, RESOURCE_TOPIC, "t") == {"retention.ms": "7"}


def test_good_keys_are_forwarded(secured, keys):
    client = secured.admin()
    assert alter(client, (RESOURCE_BROKER, "1", {LOCATION: "/good"}))[0][2] == ErrorCode.NONE
    assert stored(secured) == {LOCATION: "/good"}
    assert alter(client, (RESOURCE_BROKER, "1", {LOCATION: BAD}), dry=True) == [REFUSED]
    assert alter(client, (RESOURCE_BROKER, "1", {OTHER: "2"}))[0][2] == ErrorCode.NONE
    assert alter(client, (RESOURCE_BROKER, "1", {LOCATION: None}))[0][2] == ErrorCode.NONE
    assert stored(secured) == {OTHER: "2"}
    # A change of other keys needs no check.
    assert [each.get(LOCATION) for each in keys.asked] == ["/good", BAD, None]


def test_a_replacement_removes_keys(secured, keys):
    client = secured.admin()
    assert replace(client, (RESOURCE_BROKER, "1", {LOCATION: "/good"}))[0][2] == ErrorCode.NONE
    assert stored(secured) == {LOCATION: "/good"}
    assert replace(client, (RESOURCE_BROKER, "1", {OTHER: "2"}))[0][2] == ErrorCode.NONE
    assert stored(secured) == {OTHER: "2"}
    assert [each.get(LOCATION) for each in keys.asked] == ["/good", None]


@pytest.mark.parametrize("change", [alter, replace])
def test_changes_of_another_broker_are_refused(secured, change):
    found = change(secured.admin(), (RESOURCE_BROKER, "2", {OTHER: "2"}))
    text = "Unexpected broker id, expected 1, but received 2"
    assert found == [(RESOURCE_BROKER, "2", ErrorCode.INVALID_REQUEST, text)]


@pytest.mark.parametrize("change", [alter, replace])
def test_a_broker_that_is_named_twice(secured, keys, change):
    rows = [(RESOURCE_BROKER, "1", {LOCATION: BAD}), (RESOURCE_BROKER, "1", {OTHER: "2"})]
    text = "Each resource must appear at most once."
    assert change(secured.admin(), *rows) == [
        (RESOURCE_BROKER, "1", ErrorCode.INVALID_REQUEST, text) for _ in rows
    ]
    assert keys.asked == []


def test_who_has_no_right_learns_nothing_about_files(secured, keys):
    (row,) = alter(secured.client(), (RESOURCE_BROKER, "1", {LOCATION: BAD}))
    assert row[2] == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    assert keys.asked == []
