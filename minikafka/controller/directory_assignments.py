"""AssignReplicasToDirs: a broker reports which of its log directories hold its replicas.

Source: `ReplicationControlManager.handleAssignReplicasToDirs`, KIP-858.
"""

from minikafka.common.errors import ErrorCode, UnsupportedVersionError
from minikafka.common.ids import DIRECTORY_LOST, Uuid
from minikafka.controller.cluster_checks import check_broker_epoch
from minikafka.controller.partition_change import Target
from minikafka.controller.replica_index import IndexedPartition
from minikafka.controller.result import ControllerResult
from minikafka.controller.view import View, is_online
from minikafka.messages import assign_replicas_to_dirs as messages
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.metadata.broker_registration import BrokerRegistration
from minikafka.metadata.features import DIRECTORIES_FROM
from minikafka.metadata.image import TopicImage
from minikafka.metadata.partition_registration import NO_LEADER
from minikafka.metadata.serde import MetadataRecord


def assign_replicas_to_dirs(
    view: View, request: messages.AssignReplicasToDirsRequest
) -> ControllerResult[messages.AssignReplicasToDirsResponse]:
    """Record the directories; each partition succeeds or fails separately.

    Raises:
        UnsupportedVersionError: the cluster's metadata.version has no directory assignments.
        StaleBrokerEpochError: the request is not from the registered incarnation of the broker.
    """
    if view.metadata_version < DIRECTORIES_FROM:
        raise UnsupportedVersionError(
            f"directory assignment needs metadata.version {DIRECTORIES_FROM} or higher"
        )
    broker = check_broker_epoch(view.image, request.broker_id, request.broker_epoch)
    records: list[MetadataRecord] = []
    directories = []
    for directory in request.directories:
        topics = []
        for topic in directory.topics:
            known = view.image.topics.get(topic.topic_id)
            answers = []
            for data in topic.partitions:
                error, changes = _assign(view, broker, directory.id, known, data.partition_index)
                records += changes
                answers.append(
                    messages.AssignReplicasToDirsResponsePartitionData(data.partition_index, error)
                )
            topics.append(messages.AssignReplicasToDirsResponseTopicData(topic.topic_id, answers))
        directories.append(messages.AssignReplicasToDirsResponseDirectoryData(directory.id, topics))
    return ControllerResult(records, messages.AssignReplicasToDirsResponse(directories=directories))


def _assign(
    view: View, broker: BrokerRegistration, directory: Uuid, topic: TopicImage | None, index: int
) -> tuple[ErrorCode, list[PartitionChangeRecord]]:
    if topic is None:
        return ErrorCode.UNKNOWN_TOPIC_ID, []
    found = view.find(topic, index)
    if found is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, []
    if broker.broker_id not in found.registration.replicas:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER, []
    record = _change(view, broker, directory, found)
    was_online = is_online(found.registration.directory(broker.broker_id), broker.log_dirs)
    if record is None or was_online:
        return ErrorCode.NONE, [] if record is None else [record]
    return ErrorCode.NONE, [record, *_election(view, record, found)]


def _change(
    view: View, broker: BrokerRegistration, directory: Uuid, found: IndexedPartition
) -> PartitionChangeRecord | None:
    broker_id, current = broker.broker_id, found.registration
    directories = {broker_id: directory}
    remaining = tuple(member for member in current.isr if member != broker_id)
    restarted_empty = Target(isr=remaining, directories=directories, unclean_shutdown=(broker_id,))
    if directory == DIRECTORY_LOST:
        # Unlike Kafka (row F5): the log is lost, so the replica leaves ISR and ELR as after an
        # unclean shutdown (E7).
        return view.change(found, restarted_empty, without=broker_id)
    if not is_online(directory, broker.log_dirs):
        # The directory failed before the broker reported that it holds the replica.
        return view.change(found, Target(isr=remaining, directories=directories), without=broker_id)
    if not is_online(current.directory(broker_id), broker.log_dirs):
        # Unlike Kafka (row F5): the replica was in a directory that went offline, so it started
        # again with an empty log. It leaves ISR and ELR as after an unclean shutdown (E2, E7).
        return view.change(found, restarted_empty, without=broker_id)
    return view.change(found, Target(directories=directories))


def _election(
    view: View, record: PartitionChangeRecord, found: IndexedPartition
) -> list[PartitionChangeRecord]:
    """Elect a leader after a replica moved from an offline or lost directory to an online one.

    The broker may be unfenced already, so no later unfencing would start this election (L1, L6).
    `record` is the change of the directory, which is not in the view.
    """
    changed = found._replace(registration=found.registration.merge(record))
    if changed.registration.leader != NO_LEADER:
        return []
    election = view.change(changed, Target())
    return [] if election is None else [election]
