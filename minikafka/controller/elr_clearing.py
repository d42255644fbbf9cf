"""E10, E12: when an ELR goes though its partition does not change.

A min.insync.replicas that an ISR fulfils makes the ELR superfluous; one that is left from before
ELR was switched off says nothing any more.

Source: `ConfigurationControlManager`, `ClearElrRecord`, KIP-966; SPEC E10, 13.
"""

from collections.abc import Sequence

from minikafka.config.topic import MIN_INSYNC_REPLICAS
from minikafka.controller.view import View
from minikafka.messages.metadata_records.clear_elr_record import ClearElrRecord
from minikafka.messages.metadata_records.config_record import ConfigRecord
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.metadata.image import RESOURCE_BROKER, RESOURCE_TOPIC, TopicImage
from minikafka.metadata.serde import MetadataRecord

_EVERY_TOPIC = ""


def leftover_records(view: View) -> list[MetadataRecord]:
    """E12: what forgets every ELR that is left from when it was kept before.

    Nobody has looked after it since: its members may lack what was committed meanwhile. Unlike
    Kafka, where they may lead again once ELR is switched on.
    """
    if any(_with_elr(topic) for topic in view.image.topics.values()):
        return [ClearElrRecord(topic_name=_EVERY_TOPIC)]
    return []


def clearing_records(view: View, changes: Sequence[ConfigRecord]) -> list[MetadataRecord]:
    """What follows for the ELR from changed configuration; empty where min ISR is not in it.

    Unlike Kafka: an ELR is cleared only where the ISR has the new number of members (SPEC 13).
    """
    relevant = [record for record in changes if record.name == MIN_INSYNC_REPLICAS.name]
    if not view.elr_enabled or not relevant:
        return []
    after = view.after(changes)
    if any(record.resource_type == RESOURCE_BROKER for record in relevant):
        return _for_every_topic(after)
    records: list[MetadataRecord] = []
    for record in relevant:
        assert record.resource_type == RESOURCE_TOPIC
        topic = view.image.topic(record.resource_name)
        assert topic is not None
        records += _for_topic(after, topic)
    return records


def _for_every_topic(after: View) -> list[MetadataRecord]:
    topics = list(after.image.topics.values())
    if all(_all_fulfil(after, topic) for topic in topics):
        return [ClearElrRecord(topic_name=_EVERY_TOPIC)]
    records: list[MetadataRecord] = []
    for topic in topics:
        if _with_elr(topic):
            records += _for_topic(after, topic)
    return records


def _for_topic(after: View, topic: TopicImage) -> list[MetadataRecord]:
    if _all_fulfil(after, topic):
        return [ClearElrRecord(topic_name=topic.name)]
    return [
        PartitionChangeRecord(
            partition_id=index,
            topic_id=topic.topic_id,
            eligible_leader_replicas=[],
            last_known_elr=[],
        )
        for index in _with_elr(topic)
        if _fulfils(after, topic, index)
    ]


def _with_elr(topic: TopicImage) -> list[int]:
    return [
        index
        for index, registration in topic.partitions.items()
        if registration.elr or registration.last_known_elr
    ]


def _fulfils(after: View, topic: TopicImage, index: int) -> bool:
    registration = topic.partitions[index]
    return len(registration.isr) >= after.min_isr(topic.name, registration)


def _all_fulfil(after: View, topic: TopicImage) -> bool:
    return all(_fulfils(after, topic, index) for index in _with_elr(topic))
