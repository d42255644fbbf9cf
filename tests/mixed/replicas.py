"""Comparisons of the files of nodes: replicas of a log have the same bytes."""

import struct
from pathlib import Path

_HEAD = struct.Struct(">qi")
METADATA_FOLDER = "__cluster_metadata-0"


def log_bytes(folder: Path):
    """Return the bytes of all segments of a log."""
    return b"".join(path.read_bytes() for path in sorted(folder.glob("*.log")))


def batches(data):
    """Return the whole batches of a log by their base offsets."""
    found, at = {}, 0
    while at + _HEAD.size <= len(data):
        offset, length = _HEAD.unpack_from(data, at)
        end = at + _HEAD.size + length
        # A segment may be preallocated, and its last batch may be being written.
        if length <= 0 or end > len(data):
            break
        found[offset] = data[at:end]
        at = end
    return found


def different_logs(nodes):
    """Compare all replicas of all partitions; return differences, and the number of equal bytes."""
    wrong, total = [], 0
    for topic in nodes.topics():
        for it in topic.partitions:
            found = {
                number: log_bytes(nodes.nodes[number].data / f"{topic.name}-{it.partition}")
                for number in it.replicas
            }  # fmt: skip
            if len(set(found.values())) > 1:
                sizes = {nodes.name(number): len(data) for number, data in found.items()}
                wrong.append(f"{topic.name}-{it.partition}: replicas differ, bytes: {sizes}")
            total += max(map(len, found.values()))
    return wrong, total


def different_metadata(nodes):
    """Compare the batches of all nodes; return differences, and the number of common batches.

    A node may have deleted older batches, or may lack the last ones.
    """
    logs = {
        number: {
            offset: batch
            for path in (node.data / METADATA_FOLDER).glob("*.log")
            for offset, batch in batches(path.read_bytes()).items()
        }
        for number, node in nodes.nodes.items()
    }
    wrong, common = [], 0
    for offset in sorted({offset for log in logs.values() for offset in log}):
        holders = [number for number, log in logs.items() if offset in log]
        common += len(holders) == len(logs)
        if len({logs[number][offset] for number in holders}) > 1:
            wrong.append(f"metadata log: batch {offset} differs between nodes {holders}")
    if not common:
        wrong.append("metadata log: the nodes have no batch in common")
    return wrong, common
