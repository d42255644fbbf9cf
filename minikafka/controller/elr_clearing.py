"""Clear ELRs after a change of configuration or of the ELR feature level (E10, E12).

An ISR with at least the new min.insync.replicas members needs no ELR. An ELR that is left from
before the feature was disabled is stale: it was not updated since.

Source: `ConfigurationControlManager`, `ClearElrRecord`, KIP-966; docs/rules.md E10, E12.
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
    """Return the record that clears every stale ELR when the feature is enabled again (E12).

    A stale ELR was not updated while the feature was disabled: its members may lack records that
    were committed meanwhile. Unlike Kafka (row I4), where such members may be elected.
    """
    if any(_with_elr(topic) for topic in view.image.topics.values()):
        return [ClearElrRecord(topic_name=_EVERY_TOPIC)]
    return []


def clearing_records(view: View, changes: Sequence[ConfigRecord]) -> list[MetadataRecord]:
    """Return the records that clear ELRs after changes of min ISR; empty for other changes.

    Unlike Kafka (row I3): an ELR is cleared only if the ISR has at least the new min ISR members.
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
