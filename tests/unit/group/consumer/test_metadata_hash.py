"""The hash of what targets depend on is the one that Apache Kafka 4.3.1 computes."""

from minikafka.common.ids import Uuid
from minikafka.group.consumer.metadata_hash import TopicHashes, topic_hash
from minikafka.metadata.broker_registration import BrokerRegistration
from minikafka.metadata.image import ImageBuilder, MetadataImage
from minikafka.metadata.partition_registration import PartitionRegistration

TOPIC_ID = Uuid.of(0x0102030405060708, (1 << 64) - 5)
RACKS = {1: "a", 2: "b", 3: None, 4: "a"}
REPLICAS = ((2, 1), (3,), (4, 1))
# From its own hash library, with these fields in its order.
OF_TOPIC = -7059173475831810985
OF_GROUP = -8031359861528231506


def partition(*replicas):
    return PartitionRegistration(
        replicas=replicas, directories=(Uuid.of(0, 1),) * len(replicas), isr=replicas,
        leader=replicas[0], leader_epoch=0, partition_epoch=0,
    )  # fmt: skip


def image_of(racks=RACKS):
    builder = ImageBuilder(MetadataImage())
    builder.put_topic("topicä", TOPIC_ID)
    for index, replicas in enumerate(REPLICAS):
        builder.put_partition(TOPIC_ID, index, partition(*replicas))
    for broker_id, rack in racks.items():
        builder.put_broker(
            BrokerRegistration(
                broker_id=broker_id, epoch=1, incarnation_id=Uuid.of(1, 1), endpoints=(),
                features={}, rack=rack, fenced=False, in_controlled_shutdown=False, log_dirs=(),
                cordoned_log_dirs=None, registered_at=1,
            )
        )  # fmt: skip
    return builder.build(1, 1)


def test_a_topic():
    assert topic_hash(image_of().topics[TOPIC_ID], RACKS) == OF_TOPIC


def test_a_group():
    hashes = TopicHashes()
    image = image_of()
    assert hashes.of_group(["topicä", "missing"], image) == OF_GROUP
    assert hashes.of_group(["topicä"], image) == OF_GROUP
    assert hashes.of_group(["missing"], image) == 0


def test_a_hash_follows_racks_and_partitions():
    hashes = TopicHashes()
    seen = {hashes.of_group(["topicä"], image_of(racks)) for racks in (RACKS, {1: "z"}, {})}
    builder = ImageBuilder(image_of())
    builder.put_partition(TOPIC_ID, 3, partition(1))
    seen.add(hashes.of_group(["topicä"], builder.build(2, 1)))
    assert len(seen) == 4
