"""The end of a run with several log directories: assignments, moves, the loss of one directory.

When all faults have ended, the metadata has the directory of each replica, and no move goes on.
Then one directory of a broker fails: the broker goes on with the others, and what it led in that
directory gets another leader.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from minikafka.common.ids import TopicPartition
from minikafka.metadata.features import DIRECTORIES_FROM, METADATA_VERSION
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.partition_registration import NO_LEADER
from minikafka.serving.context import BrokerServices
from minikafka.sim.world.disk_errors import IO_ERROR
from minikafka.sim.world.sim_cluster import SimCluster
from minikafka.sim.world.sim_node import SimNode


@dataclass(slots=True)
class DirectoryHealing:
    """The conditions of a cluster without faults, and the loss of a directory."""

    cluster: SimCluster

    def wrong_assignments(self) -> Iterator[str]:
        """Yield the replicas whose directory is not the one that the metadata has."""
        image = self._image()
        if image.feature(METADATA_VERSION) < DIRECTORIES_FROM:
            return
        for where, _, registration in image.all_partitions():
            for node_id in registration.replicas:
                broker = self._broker(node_id)
                home = None if broker is None else broker.logs.directory_of(where)
                if home is None or home.directory_id != registration.directory(node_id):
                    yield f"{where} on {node_id}"

    def open_moves(self) -> Iterator[str]:
        """Yield the future logs whose moves have not ended."""
        for node_id in self.cluster.broker_ids:
            broker = self._broker(node_id)
            for where in () if broker is None else broker.logs.futures:
                yield f"{where} on {node_id}"

    def led_directory(self, topic: str) -> tuple[SimNode, str] | None:
        """Return a directory without the metadata log, from which a partition of a topic is led.

        Another member of its ISR can lead it.
        """
        for where, _, now in self._image().all_partitions():
            broker = None if now.leader == NO_LEADER else self._broker(now.leader)
            home = None if broker is None else broker.logs.directory_of(where)
            if where.topic != topic or len(now.isr) < 2 or home is None:
                continue
            node = self.cluster.nodes[now.leader]
            if home.disk.root != node.config.metadata_log_dir:
                return node, home.disk.root
        return None

    def lose(self, node: SimNode, path: str) -> list[TopicPartition]:
        """Break a directory; return the partitions led from it that others can lead."""
        self.cluster.world.note(node.host, f"has a failed disk {path}")
        node_id = node.config.node_id
        broker = self._broker(node_id)
        assert broker is not None
        led = []
        for where, _, now in self._image().all_partitions():
            home = broker.logs.directory_of(where)
            if (
                home is not None and home.disk.root == path and now.leader == node_id
                and len(now.isr) > 1
            ):  # fmt: skip
                led.append(where)
        node.disks[path].broken = IO_ERROR
        return led

    def has_moved_leaders(self, node: SimNode, led: list[TopicPartition]) -> bool:
        """True if others lead these partitions, and the broker serves without a directory."""
        image = self._image()
        leaders = [image.partition(where.topic, where.partition) for where in led]
        return (
            node.started
            and node.has_lost_directory
            and all(
                now is None or now.leader not in (NO_LEADER, node.config.node_id) for now in leaders
            )
        )

    def _image(self) -> MetadataImage:
        controller = self.cluster.nodes[self.cluster.controller_id].node
        return MetadataImage() if controller is None else controller.loader.image

    def _broker(self, node_id: int) -> BrokerServices | None:
        node = self.cluster.nodes[node_id].node
        return None if node is None else node.broker
