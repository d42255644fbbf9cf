"""Log directories on simulated disks, and a manager of their logs."""

from random import Random

from minikafka.common.clock import Now
from minikafka.common.ids import DIRECTORY_UNASSIGNED, TopicPartition, Uuid
from minikafka.log.checkpoints import MetaProperties, write_meta_properties
from minikafka.log.config import LogConfig
from minikafka.log.directories.log_manager import LogManager
from minikafka.log.directories.settling import AssignedReplica, settle
from minikafka.records.builder import NewRecord, build_batch
from minikafka.sim.world.sim_disk import SimDisk

NOW = Now(0, 50_000)
TP = TopicPartition("t", 0)
ID = Uuid.of(5, 6)
CONFIG = LogConfig(file_delete_delay_ms=60, retention_ms=1_000, segment_bytes=300)


def formatted(root, directory_id=None, node_id=1):
    disk = SimDisk(root)
    write_meta_properties(disk, MetaProperties("c", node_id, directory_id))
    return disk


def start(disks):
    manager = LogManager.open(disks, cluster_id="c", node_id=1, rng=Random(3))
    assert manager.load(lambda _: CONFIG, NOW) == []
    return manager


def append(log, timestamp=50_000):
    batch = build_batch([NewRecord(timestamp, b"k", b"v" * 100)])
    log.append_as_leader(memoryview(batch), leader_epoch=0, now=NOW)


def stopped(disks, epoch=42):
    """One record in the first directory; then a clean shutdown."""
    manager = start(disks)
    append(manager.create(TP, ID, CONFIG, NOW, Uuid.of(1, 1)))
    assert manager.shutdown(epoch) == []
    for disk in disks:
        disk.crash()


def delete(manager, at=TP):
    """Remove a replica and its log."""
    manager.drop([at])
    assert manager.retire(NOW, 9) == ([], False)


def set_aside(manager, at=TP):
    """Learn that the broker has only the other replicas, and keep the files of this one."""
    assert (
        retire_strays(
            manager, {each: log.topic_id for each, log in manager.logs.items() if each != at}
        )
        == []
    )


def set_damaged_aside(manager, at=TP):
    manager.set_damaged_aside(at)


def retire_strays(manager, topic_ids):
    """Learn the replicas of the broker; return the faults of what cannot be set aside."""
    replicas = {at: AssignedReplica(each, DIRECTORY_UNASSIGNED) for at, each in topic_ids.items()}
    _, _, faults = manager.settle(replicas)
    return faults + manager.retire(NOW, 9)[0]


def cause(manager, topic_id, directory_id):
    """Why a replica in that directory could not be used; None if it could, or may be created."""
    places = [
        home.place(TP, has_empty_folder=home.is_online and TP in home.empty_folders())
        for home in manager.directories
    ]
    missing = settle(places, AssignedReplica(topic_id, directory_id)).missing
    return None if missing is None else missing.cause
