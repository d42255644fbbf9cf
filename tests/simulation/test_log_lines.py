"""A reason that many partitions share is one line of the log."""

import logging

import pytest

from minikafka.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
)
from tests.worlds.sim_world import create_topic, started_cluster

PARTITIONS = 60
FEW = 12


@pytest.mark.parametrize("separate_controller", [False, True])
def test_warnings_after_an_unclean_end_do_not_grow_with_partitions(caplog, separate_controller):
    """L8: the last known leader leads again, and may lack records."""
    cluster = started_cluster(1, separate_controller=separate_controller)
    create_topic(cluster, "t", partitions=PARTITIONS)
    for node in cluster.nodes.values():
        node.kill()
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        cluster.start()
        cluster.world.run(10_000)
    assert len(caplog.messages) <= FEW, caplog.messages
    assert any(line.startswith("unclean leadership of 60 partitions") for line in caplog.messages)


def test_lines_of_topics_that_are_made_by_their_first_use_do_not_grow_with_them(caplog):
    """A client that asks for 100,000 names must not fill a disk with lines."""
    cluster = started_cluster(1)
    names = [f"made-by-a-look-{number}" for number in range(PARTITIONS)]
    request = MetadataRequest(
        topics=[MetadataRequestTopic(name=name) for name in names], allow_auto_topic_creation=True
    )
    caplog.clear()
    with caplog.at_level(logging.INFO):
        cluster.client().ask(request, MetadataResponse)
        cluster.world.run(10_000)
    node = cluster.nodes[1].node
    assert all(name in node.loader.image.topic_ids for name in names)
    assert len(caplog.messages) <= FEW, caplog.messages
