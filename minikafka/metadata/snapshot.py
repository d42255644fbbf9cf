"""An image as records: the content of a metadata snapshot.

Source: `MetadataImage.write`: features first, then cluster, topics, configurations, quotas,
producer ids, ACLs, SCRAM credentials, delegation tokens.
"""

from collections.abc import Iterator

from minikafka.messages.metadata_records.config_record import ConfigRecord
from minikafka.messages.metadata_records.feature_level_record import FeatureLevelRecord
from minikafka.messages.metadata_records.producer_ids_record import ProducerIdsRecord
from minikafka.messages.metadata_records.topic_record import TopicRecord
from minikafka.metadata.carried import (
    ACCESS_CONTROL_ENTRY,
    CLIENT_QUOTA,
    DELEGATION_TOKEN,
    USER_SCRAM_CREDENTIAL,
    records_of,
)
from minikafka.metadata.features import METADATA_VERSION
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.serde import MetadataRecord


def snapshot_records(image: MetadataImage) -> Iterator[MetadataRecord]:
    """Yield the records that rebuild `image`; `metadata.version` comes before other features."""
    features = dict(image.features)
    level = features.pop(METADATA_VERSION, None)
    if level is not None:
        yield FeatureLevelRecord(name=METADATA_VERSION, feature_level=level)
    for name in sorted(features):
        yield FeatureLevelRecord(name=name, feature_level=features[name])
    for broker in image.brokers.values():
        yield broker.to_record()
    for controller in image.controllers.values():
        yield controller.to_record()
    for topic in image.topics.values():
        yield TopicRecord(name=topic.name, topic_id=topic.topic_id)
        for index, registration in topic.partitions.items():
            yield registration.to_record(topic.topic_id, index)
    for (resource_type, name), values in image.configs.items():
        for key, value in values.items():
            yield ConfigRecord(
                resource_type=resource_type, resource_name=name, name=key, value=value
            )
    yield from records_of(image.carried, CLIENT_QUOTA)
    if image.next_producer_id:
        yield ProducerIdsRecord(
            broker_id=-1, broker_epoch=-1, next_producer_id=image.next_producer_id
        )
    for record_type in (ACCESS_CONTROL_ENTRY, USER_SCRAM_CREDENTIAL, DELEGATION_TOKEN):
        yield from records_of(image.carried, record_type)
