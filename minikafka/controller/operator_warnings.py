"""WARN log lines about records that the controller writes and an operator must know.

An unclean election may lose acknowledged records, whether it was requested or not. Unlike Kafka
(row I8), which logs both clean and unclean elections at INFO.
"""

import logging
from collections.abc import Sequence

from minikafka.common.summed_lines import SummedLines
from minikafka.controller.partition_change import known_leader
from minikafka.controller.recovery_lines import ELECTS, recovery_lines
from minikafka.controller.view import View
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.metadata.partition_registration import NO_LEADER, PartitionRegistration
from minikafka.metadata.serde import MetadataRecord

_log = logging.getLogger("minikafka.controller")


def log_warnings(view: View, records: Sequence[MetadataRecord], requested: str) -> None:
    """Log the unclean elections in `records`, decided from `view`.

    `requested` names the request that asked for an election; empty if no request did.
    """
    elections = recovery_lines(_log)
    for record in records:
        if isinstance(record, PartitionChangeRecord):
            _note_unclean_election(view, record, requested, elections)
    elections.flush()


def described_election(former: PartitionRegistration, after: PartitionRegistration) -> str:
    """Describe an unclean election: the new leader, and the changes of ISR and ELR."""
    return (
        f"broker {after.leader} leads epoch {after.leader_epoch} after "
        f"{'no leader' if former.leader == NO_LEADER else f'broker {former.leader}'} in epoch "
        f"{former.leader_epoch}; ISR {list(former.isr)} -> {list(after.isr)}, ELR "
        f"{list(former.elr)} -> {list(after.elr)}, last known ELR {list(former.last_known_elr)}; "
        "acknowledged records may be lost"
    )


def _note_unclean_election(
    view: View, record: PartitionChangeRecord, requested: str, lines: SummedLines
) -> None:
    topic = view.image.topics.get(record.topic_id)
    former = None if topic is None else topic.partitions.get(record.partition_id)
    if topic is None or former is None:
        return
    after = former.merge(record)
    if not after.was_elected_uncleanly(former):
        return
    reason = requested or _reason(view, topic.name, former, after)
    lines.add(
        ELECTS,
        f"{topic.name}-{record.partition_id}",
        f"{described_election(former, after)}; reason: {reason}",
    )


def _reason(
    view: View, topic: str, former: PartitionRegistration, after: PartitionRegistration
) -> str:
    """Return the reason for an election without a request."""
    if former.leader == NO_LEADER and after.leader == known_leader(former):
        return "ISR and ELR are empty, and the broker is the last known leader"
    if view.unclean_allowed(topic):
        return "unclean.leader.election.enable=true"
    return "no other replica may lead"
