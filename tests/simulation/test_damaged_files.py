"""No small file that is damaged after a clean shutdown goes unmentioned (C2)."""

import logging
from functools import cache

import pytest

from minikafka.log.checkpoints import BadMetaPropertiesError
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.disk import read_file, write_file
from tests.worlds.sim_world import create_topic, leader_client, produce, started_cluster

CHECKED_ELSEWHERE = (".log", ".index", ".timeindex", ".txnindex", ".snapshot")
"""Logs and their indexes: recovery and lookups check them (test_log_loader.py, test_segment.py)."""


def stopped_cluster():
    """One broker and its controller, both stopped in order; the log of t-0 holds a record."""
    cluster = started_cluster(1, separate_controller=True)
    create_topic(cluster, "t", replicas=[[1]])
    create_topic(cluster, "empty", replicas=[[1]])
    assert produce(leader_client(cluster, "t"), "t", b"v").error_code == 0
    cluster.world.run(6_000)
    for node_id in (1, 100):
        node = cluster.nodes[node_id]
        node.shut_down()
        cluster.world.run_until(lambda n=node: not n.alive, 60_000, "the node stops")
        assert node.exit_code == 0
    return cluster


@cache
def small_files():
    """(node id, path) of every small file that both nodes leave."""
    found = []
    for node_id, node in stopped_cluster().nodes.items():
        (disk,) = node.disks.values()
        for name in disk.list(""):
            inside = [f"{name}/{each}" for each in disk.list(name)]
            found += [(node_id, path) for path in inside or [name] if read_file(disk, path)]
    return [(node, path) for node, path in found if not path.endswith(CHECKED_ELSEWHERE)]


def test_every_kind_of_small_file_is_damaged():
    names = {path for _, path in small_files()}
    assert names >= {
        "recovery-point-offset-checkpoint",
        "replication-offset-checkpoint",
        "meta.properties",
        "t-0/partition.metadata",
        "t-0/leader-epoch-checkpoint",
        "empty-0/partition.metadata",
        f"{METADATA_FOLDER}/recovery-point-offset-checkpoint",
        f"{METADATA_FOLDER}/quorum-state",
    }


EMPTY_IN_KAFKA = (
    "leader-epoch-checkpoint", "log-start-offset-checkpoint", "replication-offset-checkpoint",
)  # fmt: skip
"""Apache Kafka leaves these files without bytes until there is something to write."""


def is_damage(path, content):
    return bool(content) or not path.endswith(EMPTY_IN_KAFKA)


def damaged_small_files():
    contents = {"empty": b"", "zeros": bytes(40), "text": b"nonsense"}
    return [
        pytest.param(node_id, path, content, id=f"{node_id}-{path}-{name}")
        for node_id, path in small_files()
        for name, content in contents.items()
        if is_damage(path, content)
    ]


@pytest.mark.parametrize(
    ("node_id", "path"),
    [each for each in small_files() if each[1].endswith(EMPTY_IN_KAFKA)],
)
def test_a_checkpoint_without_bytes_costs_nothing(caplog, node_id, path):
    cluster = stopped_cluster()
    (disk,) = cluster.nodes[node_id].disks.values()
    write_file(disk, path, b"")
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        for node in cluster.nodes.values():
            node.start()
        cluster.world.run(20_000)
    assert cluster.all_started()
    assert not any("is damaged" in record.getMessage() for record in caplog.records)


@pytest.mark.parametrize(("node_id", "path", "content"), damaged_small_files())
def test_a_damaged_small_file_is_named(caplog, node_id, path, content):
    cluster = stopped_cluster()
    lines = []
    cluster.world.on_line = lines.append
    (disk,) = cluster.nodes[node_id].disks.values()
    write_file(disk, path, content)
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        for node in cluster.nodes.values():
            try:
                node.start()
            except BadMetaPropertiesError as error:
                lines.append(str(error))
        cluster.world.run(20_000)
    lines += [record.getMessage() for record in caplog.records]
    name = path.rpartition("/")[2]
    assert any(name in line and "is damaged" in line for line in lines), lines
