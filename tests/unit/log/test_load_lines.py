"""Log lines of a start about the logs that it loaded."""

from random import Random

from minikafka.common.clock import Now
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.config import LogConfig
from minikafka.log.directories.log_manager import LogManager
from minikafka.raft.storage import format_directory
from minikafka.records.builder import NewRecord, build_batch
from minikafka.sim.world.sim_disk import SimDisk

NOW = Now(1_000, 60_000)


def start(disk):
    manager = LogManager.open([disk], cluster_id="c", node_id=1, rng=Random(1))
    assert manager.load(lambda _: LogConfig(), NOW) == []
    return manager


def test_a_start_reports_the_loaded_logs_in_one_line(caplog):
    """A line for each log: 10,000 of them were what a restart had to say."""
    disk = SimDisk("one")
    format_directory(disk, cluster_id="c", node_id=1, directory_id=Uuid.of(1, 1))
    manager = start(disk)
    logs = [
        manager.create(TopicPartition("t", partition), Uuid.of(0, 2), LogConfig(), NOW)
        for partition in range(4)
    ]
    for log in logs[:3]:
        batch = memoryview(build_batch([NewRecord(50_000, b"k", b"v")]))
        log.append_as_leader(batch, leader_epoch=0, now=NOW)
    assert manager.shutdown(7) == []
    disk.crash()
    with caplog.at_level("INFO", "minikafka.log"):
        start(disk)
    lines = [each.getMessage() for each in caplog.records if "loaded" in each.getMessage()]
    assert lines == ["loaded the logs of one: 4, with records: 3"]
