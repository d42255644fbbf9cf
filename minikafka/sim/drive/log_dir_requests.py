"""The requests with which operators move replicas between the log directories of a broker."""

from random import Random

from minikafka.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from minikafka.sim.world.sim_node import SimNode

_OFFSETS_TOPIC = "__consumer_offsets"
_ONE_TARGET_SHARE = 0.3


def moves_of(node: SimNode, topic: str, partitions: int, rng: Random) -> AlterReplicaLogDirsRequest:
    """Draw a directory of a node for each partition of a topic, and for one of the offsets topic.

    Some are there already, and some have no replica on the node yet.
    """
    paths = list(node.disks)
    if rng.random() < _ONE_TARGET_SHARE:
        paths = [rng.choice(paths)]
    dirs = {path: AlterReplicaLogDir(path) for path in paths}
    for name, count in ((topic, partitions), (_OFFSETS_TOPIC, 1)):
        chosen: dict[str, list[int]] = {}
        for index in range(count):
            chosen.setdefault(rng.choice(paths), []).append(index)
        for path, indexes in chosen.items():
            dirs[path].topics.append(AlterReplicaLogDirTopic(name, indexes))
    return AlterReplicaLogDirsRequest(dirs=[each for each in dirs.values() if each.topics])


def described(request: AlterReplicaLogDirsRequest) -> str:
    """Return a request in words."""
    return "; ".join(
        f"to {home.path}: "
        + ", ".join(f"{topic.name}-{index}" for topic in home.topics for index in topic.partitions)
        for home in request.dirs
    )
