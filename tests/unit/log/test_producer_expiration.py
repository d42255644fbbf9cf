"""When the producers of a log expire."""

from dataclasses import replace
from random import Random

from minikafka.common.clock import Now
from minikafka.log.directories.log_manager import LogManager, LogManagerSettings
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from tests.worlds.log_directories import CONFIG, ID, NOW, TP


def test_producers_expire_after_the_interval_of_their_check_only(disks):
    settings = LogManagerSettings(producer_id_expiration_check_interval_ms=2_000)
    manager = LogManager.open(disks, cluster_id="c", node_id=1, rng=Random(3), settings=settings)
    assert manager.load(lambda _: CONFIG, NOW) == []
    config = replace(CONFIG, producer_id_expiration_ms=1_000)
    log = manager.create(TP, ID, config, NOW)
    options = BatchOptions(producer_id=7, producer_epoch=0, base_sequence=0)
    records = build_batch([NewRecord(50_000, b"k", b"v")], options)
    log.append_as_leader(memoryview(records), leader_epoch=0, now=NOW)
    manager.tick(Now(NOW.monotonic_ms + 1_999, NOW.wall_ms))
    assert list(log.producers.producers) == [7]
    manager.tick(Now(NOW.monotonic_ms + 2_000, NOW.wall_ms))
    assert list(log.producers.producers) == []
