from minikafka.metadata.image import MetadataImage
from minikafka.metadata.loader import MetadataLoader
from minikafka.metadata.snapshot import snapshot_records
from tests.worlds.quorum_world import QuorumWorld


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
