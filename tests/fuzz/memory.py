"""The memory that a node holds, counted by object: the same in each run of a seed."""

import gc
import sys
from logging import Logger
from types import BuiltinFunctionType, FunctionType, ModuleType

from minikafka.sim.world.network import SimNetwork
from minikafka.sim.world.sim_disk import SimDisk, SimFile
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.world import World
from tests.fuzz.answers import FaultFoundError
from tests.fuzz.guide import Function, Guide
from tests.fuzz.watched_node import WatchedNode

MAX_KEPT_BYTES = 256 << 10
MAX_KEPT_PER_FRAME = 256
MAX_KEPT_PER_PARTITION = 8 << 10
"""The memory that a node may keep: producers, groups, configurations, topics of frames."""
_OUTSIDE = (SimNode, SimDisk, SimFile, SimNetwork, World, WatchedNode, Guide, Function)
"""Objects that a node reaches and that are not its memory."""
_SHARED = (type, ModuleType, BuiltinFunctionType, Logger)


class Memory:
    """The memory of the nodes of a cluster before the first frame."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.before = self._held()

    def check(self, frames):
        """Compare with what is held now that all clients are gone; returns the greatest growth."""
        image = self.cluster.nodes[self.cluster.controller_id].node.loader.image
        most = (
            MAX_KEPT_BYTES
            + MAX_KEPT_PER_FRAME * frames
            + MAX_KEPT_PER_PARTITION * sum(len(each.partitions) for each in image.topics.values())
        )
        growth = 0
        for node_id, held in self._held().items():
            more = held - self.before[node_id]
            if more > most:
                raise FaultFoundError(f"n{node_id} keeps {more} bytes after all clients are gone")
            growth = max(growth, more)
        return growth

    def _held(self):
        return {node_id: held_bytes(node.node.node) for node_id, node in self.cluster.nodes.items()}


def held_bytes(node):
    """The bytes of all objects that a node reaches, without its disk and its network."""
    seen = {}
    left = [node]
    total = 0
    while left:
        found = left.pop()
        if id(found) in seen or isinstance(found, (*_SHARED, *_OUTSIDE)):
            continue
        # Kept, so that no other object gets its address meanwhile.
        seen[id(found)] = found
        if isinstance(found, FunctionType):
            # A closure belongs to its function; a module is shared by all nodes.
            left += found.__closure__ or ()
            continue
        total += sys.getsizeof(found)
        if isinstance(found, memoryview):
            total += found.nbytes
        left += gc.get_referents(found)
    return total
