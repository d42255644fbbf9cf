"""Comparisons of the files of nodes find any other byte."""

import struct
from pathlib import Path
from types import SimpleNamespace

from tests.mixed.replicas import METADATA_FOLDER, batches, different_logs, different_metadata


def batch(offset, body):
    return struct.pack(">qi", offset, len(body)) + body


def nodes_of(root: Path, contents, *, topics=()):
    """Nodes 1, 2, … whose files have these bytes: by folder and name."""
    nodes = {}
    for number, files in enumerate(contents, 1):
        data = root / str(number)
        for name, content in files.items():
            (data / name).parent.mkdir(parents=True, exist_ok=True)
            (data / name).write_bytes(content)
        nodes[number] = SimpleNamespace(data=data)
    return SimpleNamespace(nodes=nodes, name=str, topics=lambda: topics)


def topic(*replicas):
    return SimpleNamespace(
        name="t", partitions=[SimpleNamespace(partition=0, replicas=list(replicas))]
    )


def test_equal_replicas_may_have_other_segments(tmp_path):
    contents = [{"t-0/0.log": b"abcd"}, {"t-0/0.log": b"ab", "t-0/2.log": b"cd"}]
    assert different_logs(nodes_of(tmp_path, contents, topics=[topic(1, 2)])) == ([], 4)


def test_a_shorter_replica_is_named(tmp_path):
    contents = [{"t-0/0.log": b"abcd"}, {"t-0/0.log": b"ab"}]
    (wrong,), _ = different_logs(nodes_of(tmp_path, contents, topics=[topic(1, 2)]))
    assert wrong.startswith("t-0: replicas differ")


def test_metadata_is_compared_where_nodes_have_the_same_batches(tmp_path):
    name = f"{METADATA_FOLDER}/0.log"
    contents = [
        {name: batch(0, b"x") + batch(1, b"y") + batch(2, b"z")},
        # Older batches were deleted, and the last one is being written; the rest is preallocated.
        {name: batch(1, b"y") + batch(2, b"z")[:-1]},
        {name: batch(0, b"x") + batch(1, b"y") + bytes(100)},
    ]
    assert different_metadata(nodes_of(tmp_path, contents)) == ([], 1)


def test_another_batch_of_metadata_is_named_though_the_first_node_lacks_it(tmp_path):
    name = f"{METADATA_FOLDER}/0.log"
    both = batch(0, b"x")
    contents = [{name: both}, {name: both + batch(1, b"y")}, {name: both + batch(1, b"z")}]
    wrong, _ = different_metadata(nodes_of(tmp_path, contents))
    assert wrong == ["metadata log: batch 1 differs between nodes [2, 3]"]


def test_nodes_without_a_common_batch_are_named(tmp_path):
    name = f"{METADATA_FOLDER}/0.log"
    wrong, _ = different_metadata(
        nodes_of(tmp_path, [{name: batch(0, b"x")}, {name: batch(5, b"y")}])
    )
    assert wrong == ["metadata log: the nodes have no batch in common"]


def test_batches_end_at_the_first_one_that_is_not_whole():
    assert batches(batch(3, b"abc") + batch(4, b"d")[:5]) == {3: batch(3, b"abc")}
