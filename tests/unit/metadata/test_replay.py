import pytest

from minikafka.common.faults import InvariantViolation
from minikafka.common.ids import Uuid
from minikafka.messages.metadata_records.broker_registration_change_record import (
    BrokerRegistrationChangeRecord,
)
from minikafka.messages.metadata_records.clear_elr_record import ClearElrRecord
from minikafka.messages.metadata_records.client_quota_record import ClientQuotaRecord
from minikafka.messages.metadata_records.config_record import ConfigRecord
from minikafka.messages.metadata_records.feature_level_record import FeatureLevelRecord
from minikafka.messages.metadata_records.fence_broker_record import FenceBrokerRecord
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.messages.metadata_records.partition_record import PartitionRecord
from minikafka.messages.metadata_records.producer_ids_record import ProducerIdsRecord
from minikafka.messages.metadata_records.register_broker_record import RegisterBrokerRecord
from minikafka.messages.metadata_records.register_controller_record import RegisterControllerRecord
from minikafka.messages.metadata_records.remove_topic_record import RemoveTopicRecord
from minikafka.messages.metadata_records.topic_record import TopicRecord
from minikafka.messages.metadata_records.unfence_broker_record import UnfenceBrokerRecord
from minikafka.messages.metadata_records.unregister_broker_record import UnregisterBrokerRecord
from minikafka.messages.metadata_records.unregister_controller_record import (
    UnregisterControllerRecord,
)
from minikafka.messages.metadata_records.zk_migration_state_record import ZkMigrationStateRecord
from minikafka.metadata.image import RESOURCE_TOPIC, ImageBuilder, MetadataImage
from minikafka.metadata.replay import replay

TOPIC, OTHER = Uuid.of(1, 1), Uuid.of(1, 2)
HOME = Uuid.of(3, 3)


def replayed(*records, image=None):
    builder = ImageBuilder(image or MetadataImage())
    for offset, record in enumerate(records):
        replay(builder, record, offset)
    return builder.build(len(records), 1)


def topic_with_elr(name="t", topic_id=TOPIC, elr=(2,)):
    return (
        TopicRecord(name=name, topic_id=topic_id),
        PartitionRecord(
            partition_id=0,
            topic_id=topic_id,
            replicas=[1, 2],
            isr=[1],
            leader=1,
            leader_epoch=0,
            partition_epoch=0,
            directories=[HOME, HOME],
            eligible_leader_replicas=list(elr) or None,
        ),
    )


def broker(**changes):
    return RegisterBrokerRecord(broker_id=1, broker_epoch=7, log_dirs=[HOME], **changes)


def test_a_topic_its_partitions_and_their_changes():
    image = replayed(
        *topic_with_elr(),
        PartitionChangeRecord(partition_id=0, topic_id=TOPIC, isr=[1, 2]),
    )
    assert image.partition("t", 0).isr == (1, 2)
    assert image.partition("t", 0).partition_epoch == 1
    assert replayed(RemoveTopicRecord(topic_id=TOPIC), image=image).topics == {}


def test_clearing_the_elr_of_one_topic():
    image = replayed(*topic_with_elr(), *topic_with_elr("u", OTHER), ClearElrRecord(topic_name="t"))
    assert image.partition("t", 0).elr == ()
    assert image.partition("u", 0).elr == (2,)


def test_clearing_every_elr_touches_only_partitions_that_have_one():
    image = replayed(
        *topic_with_elr(), *topic_with_elr("u", OTHER, elr=()), ClearElrRecord(topic_name="")
    )
    assert image.partition("t", 0).elr == ()
    assert image.partition("t", 0).partition_epoch == 1
    assert image.partition("u", 0).partition_epoch == 0


def test_a_broker_and_its_changes():
    def change(**values):
        values = {"log_dirs": [], **values}
        return BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=7, **values)

    image = replayed(NoOpRecord(), broker())
    assert image.brokers[1].registered_at == 1
    assert image.brokers[1].fenced
    image = replayed(change(fenced=-1), image=image)
    assert not image.brokers[1].fenced
    image = replayed(change(in_controlled_shutdown=1), image=image)
    assert image.brokers[1].in_controlled_shutdown
    assert not image.brokers[1].fenced
    image = replayed(change(fenced=1, cordoned_log_dirs=[HOME]), image=image)
    assert image.brokers[1].fenced
    assert image.brokers[1].cordoned_log_dirs == (HOME,)
    assert image.brokers[1].log_dirs == (HOME,)
    image = replayed(change(log_dirs=[Uuid.of(4, 4)]), image=image)
    assert image.brokers[1].log_dirs == (Uuid.of(4, 4),)
    image = replayed(UnregisterBrokerRecord(broker_id=1, broker_epoch=7), image=image)
    assert image.brokers == {}


def test_the_older_records_for_fencing():
    image = replayed(broker(), UnfenceBrokerRecord(id=1, epoch=7))
    assert image.broker_is_active(1)
    assert not replayed(FenceBrokerRecord(id=1, epoch=7), image=image).broker_is_active(1)


def test_controllers_register_and_unregister():
    image = replayed(RegisterControllerRecord(controller_id=100))
    assert list(image.controllers) == [100]
    gone = UnregisterControllerRecord(controller_id=100)
    assert replayed(gone, gone, image=image).controllers == {}


def test_configuration_features_and_producer_ids():
    def config(value):
        return ConfigRecord(
            resource_type=RESOURCE_TOPIC, resource_name="t", name="retention.ms", value=value
        )

    image = replayed(
        config("1"),
        FeatureLevelRecord(name="metadata.version", feature_level=30),
        ProducerIdsRecord(next_producer_id=2000),
    )
    assert image.config(RESOURCE_TOPIC, "t") == {"retention.ms": "1"}
    assert image.feature("metadata.version") == 30
    assert image.next_producer_id == 2000
    assert replayed(config(None), image=image).configs == {}


def test_records_of_unsupported_features_are_carried_along():
    quota = ClientQuotaRecord(key="rate")
    assert list(replayed(quota, NoOpRecord()).carried.values()) == [quota]


def test_records_that_do_nothing_change_nothing():
    assert replayed(ZkMigrationStateRecord(), NoOpRecord()) == replayed(NoOpRecord(), NoOpRecord())


@pytest.mark.parametrize(
    "records",
    [
        (*topic_with_elr(), TopicRecord(name="t", topic_id=OTHER)),
        (*topic_with_elr(), TopicRecord(name="u", topic_id=TOPIC)),
        (PartitionRecord(partition_id=0, topic_id=TOPIC),),
        (PartitionChangeRecord(partition_id=0, topic_id=TOPIC),),
        (*topic_with_elr(), PartitionChangeRecord(partition_id=1, topic_id=TOPIC)),
        (RemoveTopicRecord(topic_id=TOPIC),),
        (ClearElrRecord(topic_name="t"),),
        (UnregisterBrokerRecord(broker_id=1, broker_epoch=7),),
        (broker(), BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=6, fenced=1)),
        (FenceBrokerRecord(id=1, epoch=7),),
    ],
)
def test_records_that_do_not_fit_are_violations(records):
    with pytest.raises(InvariantViolation):
        replayed(*records)


def test_new_partitions_that_are_alike_share_a_registration():
    """A topic of thousands has a few kinds; a change gives a partition its own."""

    def partition(index, leader=1):
        return PartitionRecord(
            partition_id=index, topic_id=TOPIC, replicas=[1, 2], isr=[1, 2], leader=leader,
            leader_epoch=0, partition_epoch=0, directories=[HOME, HOME],
        )  # fmt: skip

    image = replayed(
        TopicRecord(name="t", topic_id=TOPIC), partition(0), partition(1), partition(2, leader=2)
    )
    partitions = image.topic("t").partitions
    assert partitions[0] is partitions[1]
    assert (partitions[2].leader, partitions[0].leader) == (2, 1)
    change = PartitionChangeRecord(partition_id=0, topic_id=TOPIC, leader=2)
    changed = replayed(change, image=image).topic("t").partitions
    assert (changed[0].leader, changed[1].leader) == (2, 1)
