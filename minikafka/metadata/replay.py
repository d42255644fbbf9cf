"""The effect of each metadata record on an image: the only replay, for controllers and brokers.

Records of subsystems that do not exist here (quotas, ACLs, SCRAM, delegation tokens) are kept by
`metadata/carried.py`. Transaction records are handled by `metadata/loader.py`. As Kafka: no-op
records, and those for a migration from ZooKeeper, change nothing. Rules: R1, E12.

Source: `MetadataDelta.replay`, `ReplicationControlManager.replay`.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from minikafka.common.faults import InvariantViolation
from minikafka.messages.metadata_records.broker_registration_change_record import (
    BrokerRegistrationChangeRecord,
)
from minikafka.messages.metadata_records.clear_elr_record import ClearElrRecord
from minikafka.messages.metadata_records.config_record import ConfigRecord
from minikafka.messages.metadata_records.feature_level_record import FeatureLevelRecord
from minikafka.messages.metadata_records.fence_broker_record import FenceBrokerRecord
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
from minikafka.metadata.broker_registration import BrokerRegistration, ControllerRegistration
from minikafka.metadata.carried import carried_change
from minikafka.metadata.image import ImageBuilder
from minikafka.metadata.partition_registration import PartitionRegistration
from minikafka.metadata.serde import MetadataRecord


def replay(builder: ImageBuilder, record: MetadataRecord, offset: int) -> None:
    """Apply the record at `offset`.

    Raises:
        InvariantViolation: for a record that does not fit the image (an unknown topic, broker or
            partition, a wrong broker epoch): the metadata log and this code disagree.
    """
    handler = _REPLAY.get(type(record))
    if handler is not None:
        handler(builder, record, offset)
        return
    change = carried_change(record)
    if change is not None:
        builder.set_carried(change)


def _topic(builder: ImageBuilder, record: TopicRecord, _: int) -> None:
    if record.name in builder.topic_ids:
        raise InvariantViolation(f"topic {record.name} is created twice")
    if record.topic_id in builder.topics:
        raise InvariantViolation(f"topic {record.name} has the id of another, {record.topic_id}")
    builder.put_topic(record.name, record.topic_id)


def _partition(builder: ImageBuilder, record: PartitionRecord, _: int) -> None:
    if record.topic_id not in builder.topics:
        raise InvariantViolation(f"partition {record.partition_id} of unknown {record.topic_id}")
    registration = PartitionRegistration.from_record(record, builder.known_registrations)
    builder.put_partition(record.topic_id, record.partition_id, registration)


def _partition_change(builder: ImageBuilder, record: PartitionChangeRecord, _: int) -> None:
    topic = builder.topics.get(record.topic_id)
    current = None if topic is None else topic.partitions.get(record.partition_id)
    if current is None:
        raise InvariantViolation(
            f"change of unknown partition {record.topic_id}:{record.partition_id}"
        )
    builder.put_partition(record.topic_id, record.partition_id, current.merge(record))


def _remove_topic(builder: ImageBuilder, record: RemoveTopicRecord, _: int) -> None:
    if record.topic_id not in builder.topics:
        raise InvariantViolation(f"removal of unknown topic {record.topic_id}")
    builder.remove_topic(record.topic_id)


def _clear_elr(builder: ImageBuilder, record: ClearElrRecord, _: int) -> None:
    """Clear the ELR of a topic; of all topics if the name is empty.

    Released Kafka writes the empty name for a cluster-wide change.
    """
    if record.topic_name and record.topic_name not in builder.topic_ids:
        raise InvariantViolation(f"the ELR of unknown topic {record.topic_name} is cleared")
    names = [record.topic_name] if record.topic_name else list(builder.topic_ids)
    for name in names:
        topic = builder.topics[builder.topic_ids[name]]
        for index, registration in list(topic.partitions.items()):
            if registration.elr or registration.last_known_elr:
                builder.put_partition(topic.topic_id, index, registration.without_elr())


def _register_broker(builder: ImageBuilder, record: RegisterBrokerRecord, offset: int) -> None:
    builder.put_broker(BrokerRegistration.from_record(record, offset))


def _unregister_broker(builder: ImageBuilder, record: UnregisterBrokerRecord, _: int) -> None:
    _broker(builder, record.broker_id, record.broker_epoch)
    builder.remove_broker(record.broker_id)


def _broker_change(builder: ImageBuilder, record: BrokerRegistrationChangeRecord, _: int) -> None:
    broker = _broker(builder, record.broker_id, record.broker_epoch)
    if record.fenced:
        broker = replace(broker, fenced=record.fenced > 0)
    if record.in_controlled_shutdown:
        broker = replace(broker, in_controlled_shutdown=record.in_controlled_shutdown > 0)
    if record.log_dirs:
        broker = replace(broker, log_dirs=tuple(record.log_dirs))
    if record.cordoned_log_dirs is not None:
        broker = replace(broker, cordoned_log_dirs=tuple(record.cordoned_log_dirs))
    builder.put_broker(broker)


def _fence(builder: ImageBuilder, record: FenceBrokerRecord, _: int) -> None:
    builder.put_broker(replace(_broker(builder, record.id, record.epoch), fenced=True))


def _unfence(builder: ImageBuilder, record: UnfenceBrokerRecord, _: int) -> None:
    builder.put_broker(replace(_broker(builder, record.id, record.epoch), fenced=False))


def _broker(builder: ImageBuilder, broker_id: int, epoch: int) -> BrokerRegistration:
    broker = builder.brokers.get(broker_id)
    if broker is None:
        raise InvariantViolation(f"change of broker {broker_id}, which is not registered")
    if broker.epoch != epoch:
        raise InvariantViolation(
            f"change of broker {broker_id} at epoch {epoch}; it is registered at {broker.epoch}"
        )
    return broker


def _register_controller(builder: ImageBuilder, record: RegisterControllerRecord, _: int) -> None:
    builder.put_controller(ControllerRegistration.from_record(record))


def _unregister_controller(
    builder: ImageBuilder, record: UnregisterControllerRecord, _: int
) -> None:
    builder.remove_controller(record.controller_id)


def _config(builder: ImageBuilder, record: ConfigRecord, _: int) -> None:
    builder.set_config(record.resource_type, record.resource_name, record.name, record.value)


def _feature(builder: ImageBuilder, record: FeatureLevelRecord, _: int) -> None:
    builder.set_feature(record.name, record.feature_level)


def _producer_ids(builder: ImageBuilder, record: ProducerIdsRecord, _: int) -> None:
    builder.set_next_producer_id(record.next_producer_id)


_REPLAY: dict[type, Callable[[ImageBuilder, Any, int], None]] = {
    TopicRecord: _topic,
    PartitionRecord: _partition,
    PartitionChangeRecord: _partition_change,
    RemoveTopicRecord: _remove_topic,
    ClearElrRecord: _clear_elr,
    RegisterBrokerRecord: _register_broker,
    UnregisterBrokerRecord: _unregister_broker,
    BrokerRegistrationChangeRecord: _broker_change,
    FenceBrokerRecord: _fence,
    UnfenceBrokerRecord: _unfence,
    RegisterControllerRecord: _register_controller,
    UnregisterControllerRecord: _unregister_controller,
    ConfigRecord: _config,
    FeatureLevelRecord: _feature,
    ProducerIdsRecord: _producer_ids,
}
