"""Topics of OffsetFetch that the client may not see, or that do not exist, are answered last."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.messages.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from minikafka.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
)
from minikafka.security.acl import AclOperation, AclResourceType
from tests.worlds.authorized_cluster import AuthorizedCluster
from tests.worlds.sim_world import create_topic

DENIED, UNKNOWN = ErrorCode.TOPIC_AUTHORIZATION_FAILED, ErrorCode.UNKNOWN_TOPIC_ID


@pytest.fixture(scope="module")
def world():
    """Group g and topics a, b and c, of which the client may see the group and b."""
    world = AuthorizedCluster()
    world.ids = {name: create_topic(world.cluster, name) for name in "abc"}
    request = FindCoordinatorRequest("g", 0)
    while world.admin().ask(request, FindCoordinatorResponse, version=3).error_code:
        world.cluster.world.run(100)
    world.allow(AclResourceType.GROUP, "g", AclOperation.DESCRIBE)
    world.allow(AclResourceType.TOPIC, "b", AclOperation.DESCRIBE)
    world.cluster.world.run(1_000)
    return world


def rows(topics, key):
    return [(key(each), each.partitions[0].error_code) for each in topics]


@pytest.mark.parametrize("version", [2, 5, 7])
def test_of_one_group(world, version):
    request = OffsetFetchRequest("g", [OffsetFetchRequestTopic(name, [0]) for name in "abc"])
    topics = world.client().ask(request, OffsetFetchResponse, version=version).topics
    assert rows(topics, lambda each: each.name) == [("b", 0), ("a", DENIED), ("c", DENIED)]


@pytest.mark.parametrize("version", [8, 9])
def test_of_several_groups(world, version):
    wanted = [OffsetFetchRequestTopics(name, partition_indexes=[0]) for name in "abc"]
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup("g", topics=wanted)])
    (group,) = world.client().ask(request, OffsetFetchResponse, version=version).groups
    assert rows(group.topics, lambda each: each.name) == [("b", 0), ("a", DENIED), ("c", DENIED)]


def test_of_topics_by_their_ids(world):
    ids = [Uuid.of(9, 9), world.ids["a"], world.ids["b"]]
    wanted = [OffsetFetchRequestTopics(topic_id=each, partition_indexes=[0]) for each in ids]
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup("g", topics=wanted)])
    (group,) = world.client().ask(request, OffsetFetchResponse, version=10).groups
    assert rows(group.topics, lambda each: each.topic_id) == [
        (world.ids["b"], 0), (Uuid.of(9, 9), UNKNOWN), (world.ids["a"], DENIED)
    ]  # fmt: skip
