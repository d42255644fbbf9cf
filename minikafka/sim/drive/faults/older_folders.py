"""An operator who moves away the older folder of a partition that is in two log directories.

A directory fails, the replica leaves the broker and is assigned to it again: its new log is in
another directory. Or the directory is taken out of `log.dirs`, and the replica is copied. With both
directories the broker does not start, as in Apache Kafka. If the replica was online in the last
process with replicas, then its older folder is in a directory that this process ran without. If
not, then the newer folder is the one that the metadata names, or the one with the last record.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import Final

from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.checkpoints import read_meta_properties
from minikafka.log.file_names import LOG_SUFFIX, parse_folder
from minikafka.metadata.image import MetadataImage
from minikafka.sim.drive.faults.fault_context import START_AGAIN_MS
from minikafka.sim.drive.faults.rot import batches
from minikafka.sim.world.sim_cluster import SimCluster
from minikafka.sim.world.sim_disk import SimDisk
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.world import US_PER_MS

_SAYS: Final = " is in both "


@dataclass(slots=True)
class OlderFolders:
    """Finds and moves the older folders of brokers that do not start because of them."""

    cluster: SimCluster
    _waiting: dict[int, tuple[str, list[SimDisk]]] = field(default_factory=dict)
    """The folder and its disks by node id, until an operator moves it away."""

    def move_later(self, node: SimNode, fault: StorageFault, image: MetadataImage) -> int:
        """Schedule the move of older folders and a start; return the number of the folders.

        It is 0 if the node stopped for another reason, or if it is unknown which folder is older.
        """
        name, says, _ = fault.reason.partition(_SAYS)
        at = parse_folder(name) if says else None
        older = [] if at is None else _older(node, at, image)
        if older:
            self._waiting[node.config.node_id] = name, older
            start = partial(self._move_and_start, node)
            self.cluster.world.after(START_AGAIN_MS * US_PER_MS, start)
        return len(older)

    def _move_and_start(self, node: SimNode) -> None:
        if self.move(node) and not node.alive:
            node.start()

    def move(self, node: SimNode) -> bool:
        """Move away the older folders that wait for it; False if there are none."""
        folder, older = self._waiting.pop(node.config.node_id, ("", []))
        if node.alive:
            return False
        for disk in older:
            if disk.broken is None and disk.exists(folder):
                self.cluster.world.note(
                    "operator", f"removes the older {folder} in {disk.root} from {node.host}"
                )
                disk.remove(folder)
                disk.sync_names()
        return bool(older)


def _older(node: SimNode, at: TopicPartition, image: MetadataImage) -> list[SimDisk]:
    """The disks with an older folder of a partition; none if no directory has failed."""
    disks = [disk for disk in node.disks.values() if disk.exists(str(at))]
    failed = [disk for disk in disks if disk.root in node.failed_directories]
    if at in node.replicas_online and len(failed) < len(disks):
        return failed
    named = _named_directory(node, at, image)
    newest = max(disks, key=lambda disk: (_directory_id(disk) == named, _end(disk, str(at))))
    return [disk for disk in disks if failed and disk is not newest]


def _end(disk: SimDisk, folder: str) -> tuple[int, int]:
    """Leader epoch and offset at the end of a log."""
    segments = [name for name in disk.list(folder) if name.endswith(LOG_SUFFIX)]
    headers = [header for name in segments for _, header in batches(disk, f"{folder}/{name}")]
    return max(((x.leader_epoch, x.next_offset) for x in headers), default=(-1, 0))


def _named_directory(node: SimNode, at: TopicPartition, image: MetadataImage) -> Uuid | None:
    """The directory in which the metadata has the replica of a node; None without a replica."""
    now = image.partition(at.topic, at.partition)
    node_id = node.config.node_id
    return None if now is None or node_id not in now.replicas else now.directory(node_id)


def _directory_id(disk: SimDisk) -> Uuid | None:
    properties = read_meta_properties(disk)
    return None if properties is None else properties.directory_id
