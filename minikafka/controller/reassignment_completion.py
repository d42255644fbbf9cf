"""Complete reassignments that were waiting for min ISR only, when it is lowered (E11).

The next ISR change would complete them too, but none may follow if all live replicas are in sync
already. In Apache Kafka no reassignment waits for min ISR, so it needs no such step.
"""

from collections.abc import Iterator, Sequence

from minikafka.config.topic import MIN_INSYNC_REPLICAS
from minikafka.controller.partition_change import Target
from minikafka.controller.view import View
from minikafka.messages.metadata_records.config_record import ConfigRecord
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.metadata.image import RESOURCE_TOPIC, TopicImage


def completing_records(after: View, changes: Sequence[ConfigRecord]) -> list[PartitionChangeRecord]:
    """Return the records that complete reassignments; `after` is the view after `changes`."""
    records = []
    for topic in _affected(after, changes):
        for index, registration in topic.partitions.items():
            if not registration.is_reassigning:
                continue
            found = after.find(topic, index)
            assert found is not None
            record = after.change(found, Target())
            if record is not None and _completes(record):
                records.append(record)
    return records


def _affected(after: View, changes: Sequence[ConfigRecord]) -> Iterator[TopicImage]:
    relevant = [record for record in changes if record.name == MIN_INSYNC_REPLICAS.name]
    if any(record.resource_type != RESOURCE_TOPIC for record in relevant):
        yield from after.image.topics.values()
        return
    for record in relevant:
        topic = after.image.topic(record.resource_name)
        assert topic is not None
        yield topic


def _completes(record: PartitionChangeRecord) -> bool:
    return record.adding_replicas == [] or record.removing_replicas == []
