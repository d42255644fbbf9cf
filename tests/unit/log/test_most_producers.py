"""How many producers all logs of a node remember."""

from random import Random

from minikafka.common.clock import Now
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.checkpoints import MetaProperties, write_meta_properties
from minikafka.log.config import LogConfig
from minikafka.log.directories.log_manager import LogManager, LogManagerSettings
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.log_directories import delete

NOW = Now(0, 50_000)


def append_as(log, producer_id):
    options = BatchOptions(producer_id=producer_id, producer_epoch=0, base_sequence=0)
    batch = build_batch([NewRecord(50_000, b"k", b"v")], options)
    log.append_as_leader(memoryview(batch), leader_epoch=0, now=NOW)


def opened():
    disk = SimDisk("one")
    write_meta_properties(disk, MetaProperties("c", 1, Uuid.of(1, 1)))
    settings = LogManagerSettings(most_producers=10)
    manager = LogManager.open([disk], cluster_id="c", node_id=1, rng=Random(3), settings=settings)
    assert manager.load(lambda _: LogConfig(), NOW) == []
    return manager


def test_a_deleted_log_forgets_its_producers_at_once():
    """Its files stay for a minute, and no bound counted what it remembered meanwhile."""
    manager = opened()
    log = manager.create(TopicPartition("gone", 0), Uuid.of(5, 1), LogConfig(), NOW)
    append_as(log, 5)
    delete(manager, TopicPartition("gone", 0))
    assert not log.producers.producers


def test_logs_with_many_producers_make_room_and_say_so(caplog):
    manager = opened()
    crowded, quiet = (
        manager.create(TopicPartition(name, 0), Uuid.of(5, at), LogConfig(), NOW)
        for at, name in enumerate(("crowded", "quiet"))
    )
    for producer_id in range(12):
        append_as(crowded, producer_id)
    append_as(quiet, 5)
    manager.tick(NOW)
    assert list(crowded.producers.producers) == list(range(3, 12))
    assert list(quiet.producers.producers) == [5]
    manager.tick(NOW)
    manager.tick(NOW)
    (line,) = [one.getMessage() for one in caplog.records if "forgotten" in one.getMessage()]
    assert line.startswith("[crowded-0] 3 producers were forgotten"), line
