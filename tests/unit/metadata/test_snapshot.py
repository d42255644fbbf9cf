import pytest

from minikafka.controller.result import ControllerResult
from minikafka.messages.metadata_records.feature_level_record import FeatureLevelRecord
from minikafka.metadata.features import ELIGIBLE_LEADER_REPLICAS_VERSION, METADATA_VERSION
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.loader import MetadataLoader
from minikafka.metadata.serde import decode_record, encode_record, record_version
from minikafka.metadata.snapshot import snapshot_records
from tests.worlds.quorum_world import QuorumWorld, formatted_disk


def cluster():
    world = QuorumWorld.started()
    world.join(1, 2, 3)
    world.create(configs={"min.insync.replicas": "2"})
    world.create("u", assignment=((2, 1), (3, 2)))
    world.propose(1, [1])
    world.fence(3)
    return world


def test_a_snapshot_rebuilds_its_image():
    image = cluster().loader.image
    again = MetadataLoader().load_snapshot(
        snapshot_records(image), last_offset=image.offset, epoch=image.epoch
    )
    brokers = {broker.broker_id: broker.to_record() for broker in image.brokers.values()}
    assert {x.broker_id: x.to_record() for x in again.brokers.values()} == brokers
    for part in ("topics", "topic_ids", "controllers", "configs", "features", "next_producer_id"):
        assert getattr(again, part) == getattr(image, part)


def test_metadata_version_comes_first_then_the_other_features_by_name():
    features = {"b": 1, "metadata.version": 30, "a": 2}
    records = list(snapshot_records(MetadataImage(features=features)))
    assert [record.name for record in records] == ["metadata.version", "a", "b"]


def test_nothing_is_written_of_an_empty_image():
    assert list(snapshot_records(MetadataImage())) == []


@pytest.mark.parametrize("is_off", [False, True])
@pytest.mark.parametrize("level", range(23, 31))
def test_a_snapshot_keeps_an_elr_at_each_level_e12(level, is_off):
    """KAFKA-18634: neither metadata.version nor the feature decides what an image has."""
    levels = {METADATA_VERSION: level, ELIGIBLE_LEADER_REPLICAS_VERSION: 1}
    world = QuorumWorld.started(formatted_disk(levels))
    world.join(1, 2, 3)
    world.create(configs={"min.insync.replicas": "2"})
    world.propose(1, [1])
    for broker in (1, 2, 3):
        world.fence(broker)
    world.register(2)
    if is_off:
        world.apply(
            ControllerResult([FeatureLevelRecord(ELIGIBLE_LEADER_REPLICAS_VERSION, 0)], None)
        )
    image = world.loader.image
    partition = image.partition("t", 0)
    assert (partition.elr, partition.last_known_elr) == ((1, 3), (3,))
    written = [
        decode_record(encode_record(record, record_version(record, level)))
        for record in snapshot_records(image)
    ]
    again = MetadataLoader().load_snapshot(written, last_offset=image.offset, epoch=image.epoch)
    assert again.partition("t", 0) == partition
