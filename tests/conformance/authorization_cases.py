"""Every API, and the rights that it requires: requests of a client that has some of them.

User:mallory sends each request once without any right, once with each of the case's rights alone,
once with all of them, and once for each right with every other right there is. `RECORDED` are
the answers of Apache Kafka: see `record_authorization`.
"""

from typing import Any, NamedTuple

from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.messages import add_partitions_to_txn as adding
from minikafka.messages import alter_configs as replacing
from minikafka.messages import alter_replica_log_dirs as moving
from minikafka.messages import consumer_group_heartbeat as beating
from minikafka.messages import (
    create_acls,
    delete_acls,
    describe_acls,
    describe_quorum,
    describe_topic_partitions,
    elect_leaders,
)
from minikafka.messages import create_partitions as growing
from minikafka.messages import create_topics as creating
from minikafka.messages import delete_records as trimming
from minikafka.messages import delete_topics as deleting
from minikafka.messages import describe_configs as describing
from minikafka.messages import describe_producers as producing
from minikafka.messages import fetch as fetching
from minikafka.messages import incremental_alter_configs as altering
from minikafka.messages import list_offsets as listing
from minikafka.messages import metadata as naming
from minikafka.messages import offset_commit as committing
from minikafka.messages import offset_delete as forgetting
from minikafka.messages import offset_fetch as remembering
from minikafka.messages import offset_for_leader_epoch as comparing
from minikafka.messages import produce as appending
from minikafka.messages import txn_offset_commit as promising
from minikafka.messages import write_txn_markers as marking
from minikafka.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from minikafka.messages.add_raft_voter import AddRaftVoterRequest
from minikafka.messages.allocate_producer_ids import AllocateProducerIdsRequest
from minikafka.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionRequestTopicData,
)
from minikafka.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from minikafka.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
)
from minikafka.messages.assign_replicas_to_dirs import AssignReplicasToDirsRequest
from minikafka.messages.begin_quorum_epoch import BeginQuorumEpochRequest
from minikafka.messages.broker_heartbeat import BrokerHeartbeatRequest
from minikafka.messages.broker_registration import BrokerRegistrationRequest
from minikafka.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from minikafka.messages.controller_registration import ControllerRegistrationRequest
from minikafka.messages.delete_groups import DeleteGroupsRequest
from minikafka.messages.describe_client_quotas import ComponentData, DescribeClientQuotasRequest
from minikafka.messages.describe_cluster import DescribeClusterRequest
from minikafka.messages.describe_groups import DescribeGroupsRequest
from minikafka.messages.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from minikafka.messages.describe_transactions import DescribeTransactionsRequest
from minikafka.messages.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    UserName,
)
from minikafka.messages.end_quorum_epoch import EndQuorumEpochRequest
from minikafka.messages.end_txn import EndTxnRequest
from minikafka.messages.envelope import EnvelopeRequest
from minikafka.messages.fetch_snapshot import FetchSnapshotRequest
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from minikafka.messages.heartbeat import HeartbeatRequest
from minikafka.messages.init_producer_id import InitProducerIdRequest
from minikafka.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from minikafka.messages.leave_group import LeaveGroupRequest, MemberIdentity
from minikafka.messages.list_config_resources import ListConfigResourcesRequest
from minikafka.messages.list_groups import ListGroupsRequest
from minikafka.messages.list_partition_reassignments import ListPartitionReassignmentsRequest
from minikafka.messages.list_transactions import ListTransactionsRequest
from minikafka.messages.remove_raft_voter import RemoveRaftVoterRequest
from minikafka.messages.sync_group import SyncGroupRequest
from minikafka.messages.unregister_broker import UnregisterBrokerRequest
from minikafka.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest
from minikafka.messages.update_raft_voter import UpdateRaftVoterRequest
from minikafka.messages.vote import VoteRequest
from minikafka.security.acl import AclOperation, AclResourceType
from tests.worlds.sim_world import batch

OP = AclOperation
ID_OF_T = Uuid.of(7, 7)
"""In a request: the id of topic t."""
OTHER_CLUSTER = "AAAAAAAAAAAAAAAAAAAAAA"
PRODUCER = {"producer_id": 4321, "producer_epoch": 0}


class Right(NamedTuple):
    """An operation on a resource."""

    resource_type: int
    name: str
    operation: int

    def __str__(self) -> str:
        return f"{OP(self.operation).name} {AclResourceType(self.resource_type).name} {self.name}"


class Case(NamedTuple):
    """One request, and the rights that may matter."""

    name: str
    request: Any
    version: int
    rights: tuple[Right, ...]
    to_controller: bool = False


def topic(operation, name="t"):
    return Right(AclResourceType.TOPIC, name, operation)


def group(operation, name="g"):
    return Right(AclResourceType.GROUP, name, operation)


def cluster(operation):
    return Right(AclResourceType.CLUSTER, "kafka-cluster", operation)


def txn(operation, name="x"):
    return Right(AclResourceType.TRANSACTIONAL_ID, name, operation)


def produce(name, records, version, *rights, transactional_id=None):
    by_id = version >= 13
    data = appending.TopicProduceData(
        "" if by_id else "t", ID_OF_T if by_id else ZERO_UUID,
        [appending.PartitionProduceData(0, records)],
    )  # fmt: skip
    request = appending.ProduceRequest(transactional_id, -1, 9_000, [data])
    return Case(name, request, version, rights)


def fetch(name, version, right, replica_id=-1):
    wanted = fetching.FetchPartition(
        partition=0, current_leader_epoch=-1, partition_max_bytes=1 << 20
    )
    by_id = version >= 13
    topics = [fetching.FetchTopic("" if by_id else "t", ID_OF_T if by_id else ZERO_UUID, [wanted])]
    request = fetching.FetchRequest(
        replica_id=replica_id, max_wait_ms=0, min_bytes=1, max_bytes=1 << 20, session_epoch=-1,
        topics=topics,
    )  # fmt: skip
    return Case(name, request, version, (right,))


def metadata(name, version, *rights, topics=None, creates=False, told=False):
    rows = None if topics is None else [naming.MetadataRequestTopic(*row) for row in topics]
    request = naming.MetadataRequest(
        rows, creates, told and 8 <= version <= 10, told and version >= 8
    )
    return Case(f"metadata: {name}, v{version}", request, version, rights)


def commit(version):
    rows = [committing.OffsetCommitRequestPartition(0, 0, -1, "")]
    by_id = version >= 10
    topics = [
        committing.OffsetCommitRequestTopic(
            "" if by_id else "t", ID_OF_T if by_id else ZERO_UUID, rows
        )
    ]
    request = committing.OffsetCommitRequest("g", -1, "", topics=topics)
    return Case(f"offset commit v{version}", request, version, (group(OP.READ), topic(OP.READ)))


def committed(version, *, everything=False):
    rights = (group(OP.DESCRIBE), topic(OP.DESCRIBE))
    name = f"offset fetch v{version}{', all topics' if everything else ''}"
    if version < 8:
        topics = None if everything else [remembering.OffsetFetchRequestTopic("t", [0])]
        return Case(name, remembering.OffsetFetchRequest("g", topics), version, rights)
    by_id = version >= 10
    topics = (
        None
        if everything
        else [
            remembering.OffsetFetchRequestTopics(
                "" if by_id else "t", ID_OF_T if by_id else ZERO_UUID, [0]
            )
        ]
    )
    groups = [remembering.OffsetFetchRequestGroup("g", topics=topics)]
    return Case(name, remembering.OffsetFetchRequest(groups=groups), version, rights)


def configs(name, kind, of, right):
    """The three requests about a configuration."""
    value = {"t": ("retention.ms", "1000000"), "1": ("log.cleaner.threads", "1")}.get(
        of, ("consumer.session.timeout.ms", "45000")
    )
    see, change = right(OP.DESCRIBE_CONFIGS), right(OP.ALTER_CONFIGS)
    return (
        Case(f"describe configs of {name}", describing.DescribeConfigsRequest(
            [describing.DescribeConfigsResource(kind, of, [value[0]])]), 4, (see, change)),
        Case(f"alter configs of {name}", replacing.AlterConfigsRequest(
            [replacing.AlterConfigsResource(kind, of, [replacing.AlterableConfig(*value)])],
            validate_only=True), 2, (change,)),
        Case(f"incrementally alter configs of {name}", altering.IncrementalAlterConfigsRequest(
            [altering.AlterConfigsResource(
                kind, of, [altering.AlterableConfig(value[0], 0, value[1])])],
            validate_only=True), 1, (change,)),
    )  # fmt: skip


def new_topic(name, topic_name, version, *rights):
    request = creating.CreateTopicsRequest(
        [creating.CreatableTopic(topic_name, 1, 1)], 9_000, validate_only=True
    )
    return Case(name, request, version, rights)


def by_broker(name, request, version, operation=OP.CLUSTER_ACTION):
    return Case(name, request, version, (cluster(operation),), to_controller=True)


def of_group(name, request, version, operation=OP.READ):
    return Case(name, request, version, (group(operation),))


TRANSACTIONAL = batch(
    b"v", producer_id=4321, producer_epoch=0, base_sequence=0, is_transactional=True
)
_ADDED = [adding.AddPartitionsToTxnTopic("t", [0])]

CASES = [
    # Records
    produce("produce by name", batch(b"v"), 9, topic(OP.WRITE)),
    produce("produce by id", batch(b"v"), 13, topic(OP.WRITE)),
    produce("produce in a transaction", TRANSACTIONAL, 9, txn(OP.WRITE), topic(OP.WRITE),
            transactional_id="x"),
    fetch("fetch by name", 12, topic(OP.READ)),
    fetch("fetch by id", 13, topic(OP.READ)),
    fetch("fetch as a follower", 12, cluster(OP.CLUSTER_ACTION), replica_id=1),
    Case("list offsets", listing.ListOffsetsRequest(-1, 0, [listing.ListOffsetsTopic(
        "t", [listing.ListOffsetsPartition(0, -1, -1)])]), 7, (topic(OP.DESCRIBE),)),
    Case("offset for leader epoch", comparing.OffsetForLeaderEpochRequest(-1, [
        comparing.OffsetForLeaderTopic("t", [comparing.OffsetForLeaderPartition(0, -1, 0)])]), 4,
        (topic(OP.DESCRIBE), cluster(OP.CLUSTER_ACTION))),
    Case("delete records", trimming.DeleteRecordsRequest([trimming.DeleteRecordsTopic(
        "t", [trimming.DeleteRecordsPartition(0, 0)])], 9_000), 2, (topic(OP.DELETE),)),
    Case("describe producers", producing.DescribeProducersRequest(
        [producing.TopicRequest("t", [0])]), 0, (topic(OP.READ),)),
    # Topics
    metadata("all topics", 9, topic(OP.DESCRIBE)),
    metadata("all topics", 12, topic(OP.READ)),
    metadata("a topic", 9, topic(OP.DESCRIBE), topics=[(ZERO_UUID, "t")]),
    metadata("a topic by id", 12, topic(OP.DESCRIBE), topics=[(ID_OF_T, None)]),
    metadata("an unknown id", 12, topic(OP.DESCRIBE), topics=[(Uuid.of(9, 9), None)]),
    metadata("a topic that does not exist", 9, topic(OP.DESCRIBE, "m"), topics=[(ZERO_UUID, "m")]),
    metadata("a topic to create", 9, topic(OP.DESCRIBE, "m2"), topic(OP.CREATE, "m2"),
             topics=[(ZERO_UUID, "m2")], creates=True),
    metadata("a topic to create on the cluster", 9, topic(OP.DESCRIBE, "m3"), cluster(OP.CREATE),
             topics=[(ZERO_UUID, "m3")], creates=True),
    metadata("operations", 10, topic(OP.DESCRIBE), topic(OP.WRITE), cluster(OP.DESCRIBE),
             topics=[(ZERO_UUID, "t")], told=True),
    Case("describe topic partitions", describe_topic_partitions.DescribeTopicPartitionsRequest(
        [describe_topic_partitions.TopicRequest(name) for name in ("m", "t")]), 0,
        (topic(OP.DESCRIBE), topic(OP.DESCRIBE, "m"))),
    Case("describe the partitions of all topics",
         describe_topic_partitions.DescribeTopicPartitionsRequest(), 0, (topic(OP.DESCRIBE),)),
    new_topic("create a topic", "new", 7, topic(OP.CREATE, "new"), cluster(OP.CREATE),
              topic(OP.DESCRIBE_CONFIGS, "new")),
    new_topic("create a topic that exists", "t", 5, topic(OP.CREATE)),
    Case("create partitions", growing.CreatePartitionsRequest(
        [growing.CreatePartitionsTopic("t", 5, None)], 9_000, True), 3, (topic(OP.ALTER),)),
    Case("create partitions of no topic", growing.CreatePartitionsRequest(
        [growing.CreatePartitionsTopic("m", 5, None)], 9_000, True), 3, (topic(OP.ALTER, "m"),)),
    Case("delete a topic by name", deleting.DeleteTopicsRequest(
        [], ["m"], 9_000), 5,
        (topic(OP.DELETE, "m"), topic(OP.DESCRIBE, "m"), cluster(OP.DELETE))),
    Case("delete a topic by name and id", deleting.DeleteTopicsRequest(
        [deleting.DeleteTopicState("t", ZERO_UUID), deleting.DeleteTopicState(None, ID_OF_T)],
        [], 9_000), 6,
        (topic(OP.DESCRIBE), topic(OP.DELETE), cluster(OP.DELETE))),
    # Groups
    Case("find the coordinator of a group, v3", FindCoordinatorRequest("g", 0), 3,
         (group(OP.DESCRIBE),)),
    Case("find the coordinator of a group", FindCoordinatorRequest("", 0, ["g"]), 4,
         (group(OP.DESCRIBE),)),
    Case("find the coordinator of a transactional id", FindCoordinatorRequest("", 1, ["x"]), 4,
         (txn(OP.DESCRIBE),)),
    Case("describe SCRAM users", DescribeUserScramCredentialsRequest([UserName("none")]), 0,
         (cluster(OP.DESCRIBE),)),
    Case("alter SCRAM users", AlterUserScramCredentialsRequest(
        deletions=[ScramCredentialDeletion("none", 1)]), 0, (cluster(OP.ALTER),)),
    of_group("join group", JoinGroupRequest("g", 10_000, 10_000, "none", None, "consumer",
             [JoinGroupRequestProtocol("range", b"")]), 9),
    of_group("sync group", SyncGroupRequest("g", 1, "m", None, "consumer", "range"), 5),
    of_group("heartbeat", HeartbeatRequest("g", 1, "m"), 4),
    of_group("leave group", LeaveGroupRequest("g", members=[MemberIdentity("m", None)]), 5),
    of_group("describe groups v5", DescribeGroupsRequest(["g"], True), 5, OP.DESCRIBE),
    of_group("describe groups v6", DescribeGroupsRequest(["g"], True), 6, OP.DESCRIBE),
    Case("list groups", ListGroupsRequest(), 5, (group(OP.DESCRIBE), cluster(OP.DESCRIBE))),
    of_group("delete groups", DeleteGroupsRequest(["none"]), 2, OP.DELETE)._replace(
        rights=(group(OP.DELETE, "none"),)),
    commit(8),
    commit(10),
    committed(5),
    committed(5, everything=True),
    committed(9),
    committed(9, everything=True),
    committed(10),
    committed(10, everything=True),
    Case("offset delete", forgetting.OffsetDeleteRequest("none", [
        forgetting.OffsetDeleteRequestTopic("t", [forgetting.OffsetDeleteRequestPartition(0)])]),
        0, (group(OP.DELETE, "none"), topic(OP.READ))),
    Case("offset delete of a group", forgetting.OffsetDeleteRequest("g", [
        forgetting.OffsetDeleteRequestTopic("t", [forgetting.OffsetDeleteRequestPartition(1)])]),
        0, (group(OP.DELETE), topic(OP.READ))),
    Case("consumer group heartbeat", beating.ConsumerGroupHeartbeatRequest(
        "h", "a-member", 5, None, None, 10_000, ["t"], None, None, []), 1,
        (group(OP.READ, "h"), topic(OP.DESCRIBE))),
    of_group("consumer group describe", ConsumerGroupDescribeRequest(["g"], True), 1, OP.DESCRIBE),
    # Transactions
    Case("init producer id", InitProducerIdRequest(None, 9_000, -1, -1), 4,
         (cluster(OP.IDEMPOTENT_WRITE), topic(OP.WRITE, "anything"))),
    Case("init producer id of a transactional id", InitProducerIdRequest("x", -5, -1, -1), 4,
         (txn(OP.WRITE),)),
    Case("add partitions to txn", adding.AddPartitionsToTxnRequest(
        v3_and_below_transactional_id="x", v3_and_below_producer_id=4321,
        v3_and_below_producer_epoch=0, v3_and_below_topics=_ADDED), 3,
        (txn(OP.WRITE), topic(OP.WRITE))),
    Case("add partitions to txn, by a broker", adding.AddPartitionsToTxnRequest(
        [adding.AddPartitionsToTxnTransaction("x", 4321, 0, True, _ADDED)]), 5,
        (cluster(OP.CLUSTER_ACTION),)),
    Case("add offsets to txn", AddOffsetsToTxnRequest("x", **PRODUCER, group_id="g"), 3,
         (txn(OP.WRITE), group(OP.READ))),
    Case("end txn", EndTxnRequest("x", **PRODUCER, committed=True), 3, (txn(OP.WRITE),)),
    Case("txn offset commit", promising.TxnOffsetCommitRequest(
        "x", "g", **PRODUCER, generation_id_or_member_epoch=-1, member_id="", topics=[
            promising.TxnOffsetCommitRequestTopic("t", partitions=[
                promising.TxnOffsetCommitRequestPartition(0, 0, -1, "")])]), 3,
        (txn(OP.WRITE), group(OP.READ), topic(OP.READ))),
    Case("write txn markers", marking.WriteTxnMarkersRequest([
        marking.WritableTxnMarker(4321, 0, True, [marking.WritableTxnMarkerTopic("m", [0])], 0)]),
        1, (cluster(OP.CLUSTER_ACTION), cluster(OP.ALTER))),
    Case("describe transactions", DescribeTransactionsRequest(["x"]), 0, (txn(OP.DESCRIBE),)),
    Case("list transactions", ListTransactionsRequest(), 1, (txn(OP.DESCRIBE),)),
    # Configuration and cluster
    *configs("a topic", 2, "t", topic),
    *configs("a broker", 4, "1", cluster),
    *configs("a group", 32, "g", group),
    Case("describe the levels of loggers", describing.DescribeConfigsRequest(
        [describing.DescribeConfigsResource(8, "1", ["none"])]), 4,
        (cluster(OP.DESCRIBE_CONFIGS),)),
    Case("alter the level of a logger", altering.IncrementalAlterConfigsRequest(
        [altering.AlterConfigsResource(8, "1", [altering.AlterableConfig("root", 0, "INFO")])],
        validate_only=True), 1, (cluster(OP.ALTER_CONFIGS),)),
    Case("list config resources", ListConfigResourcesRequest([16]), 1,
         (cluster(OP.DESCRIBE_CONFIGS),)),
    Case("describe client quotas", DescribeClientQuotasRequest([ComponentData("user", 0, "m")]), 1,
         (cluster(OP.DESCRIBE_CONFIGS), cluster(OP.DESCRIBE))),
    Case("describe cluster", DescribeClusterRequest(True, 1), 1,
         (cluster(OP.DESCRIBE), cluster(OP.ALTER))),
    Case("describe log dirs v2", DescribeLogDirsRequest([DescribableLogDirTopic("m", [0])]), 2,
         (cluster(OP.DESCRIBE),)),
    Case("describe log dirs v4", DescribeLogDirsRequest([DescribableLogDirTopic("m", [0])]), 4,
         (cluster(OP.DESCRIBE),)),
    Case("alter replica log dirs", moving.AlterReplicaLogDirsRequest([moving.AlterReplicaLogDir(
        "/none", [moving.AlterReplicaLogDirTopic("t", [0])])]), 2, (cluster(OP.ALTER),)),
    Case("elect leaders", elect_leaders.ElectLeadersRequest(
        0, [elect_leaders.TopicPartitions("m", [0])], 9_000), 2, (cluster(OP.ALTER),)),
    Case("alter partition reassignments", AlterPartitionReassignmentsRequest(9_000, topics=[
        ReassignableTopic("m", [ReassignablePartition(0, [1])])]), 0, (cluster(OP.ALTER),)),
    Case("list partition reassignments", ListPartitionReassignmentsRequest(9_000, None), 0,
         (cluster(OP.DESCRIBE),)),
    Case("unregister broker", UnregisterBrokerRequest(999), 0, (cluster(OP.ALTER),)),
    Case("update features", UpdateFeaturesRequest(
        9_000, [FeatureUpdateKey("none.version", 1, upgrade_type=1)], True), 1,
        (cluster(OP.ALTER),)),
    Case("describe quorum", describe_quorum.DescribeQuorumRequest([
        describe_quorum.DescribeQuorumRequestTopicData("m", [
            describe_quorum.DescribeQuorumRequestPartitionData(0)])]), 2, (cluster(OP.DESCRIBE),)),
    Case("add raft voter", AddRaftVoterRequest(OTHER_CLUSTER, 9_000, 9, Uuid.of(1, 1)), 0,
         (cluster(OP.ALTER),)),
    Case("remove raft voter", RemoveRaftVoterRequest(OTHER_CLUSTER, 9, Uuid.of(1, 1)), 0,
         (cluster(OP.ALTER),)),
    Case("describe acls", describe_acls.DescribeAclsRequest(2, "none", 3, None, None, 1, 1), 3,
         (cluster(OP.DESCRIBE), cluster(OP.ALTER))),
    Case("create acls", create_acls.CreateAclsRequest(
        [create_acls.AclCreation(2, "", 3, "User:a", "*", 3, 3)]), 3, (cluster(OP.ALTER),)),
    Case("delete acls", delete_acls.DeleteAclsRequest(
        [delete_acls.DeleteAclsFilter(2, "none", 3, None, None, 1, 1)]), 3, (cluster(OP.ALTER),)),
    # On the listener of controllers
    by_broker("vote", VoteRequest(OTHER_CLUSTER), 1),
    by_broker("begin quorum epoch", BeginQuorumEpochRequest(OTHER_CLUSTER), 1),
    by_broker("end quorum epoch", EndQuorumEpochRequest(OTHER_CLUSTER), 1),
    by_broker("fetch snapshot", FetchSnapshotRequest(OTHER_CLUSTER), 1),
    by_broker("fetch the metadata log", fetching.FetchRequest(OTHER_CLUSTER), 17),
    by_broker("alter partition", AlterPartitionRequest(1, -5, [AlterPartitionRequestTopicData(Uuid.of(9, 9), [])]), 3),
    by_broker("broker registration", BrokerRegistrationRequest(9, OTHER_CLUSTER, Uuid.of(1, 1)), 4),
    by_broker("broker heartbeat", BrokerHeartbeatRequest(9, -5), 1),
    by_broker("assign replicas to dirs", AssignReplicasToDirsRequest(9, -5), 0),
    by_broker("allocate producer ids", AllocateProducerIdsRequest(9, -5), 0),
    by_broker("update raft voter", UpdateRaftVoterRequest(OTHER_CLUSTER), 0),
    by_broker("envelope", EnvelopeRequest(b"", b"", bytes((127, 0, 0, 1))), 0),
    by_broker("describe controllers", DescribeClusterRequest(True, 2), 1, OP.ALTER),
    by_broker("alter the level of a controller's logger", altering.IncrementalAlterConfigsRequest(
        [altering.AlterConfigsResource(8, "1", [altering.AlterableConfig("root", 0, "INFO")])],
        validate_only=True), 1),
    by_broker("controller registration", ControllerRegistrationRequest(9, Uuid.of(1, 1)), 0),
]  # fmt: skip


def states(case):
    """The rights of each state, as rows of (name, (right, is allowed), …).

    `None` as the only row allows everything; a right that is not allowed is denied.
    """
    yield "without rights", []
    for right in case.rights:
        yield f"only {right}", [(right, True)]
    if len(case.rights) > 1:
        yield "with all of them", [(right, True) for right in case.rights]
    for right in case.rights:
        yield f"with every other right than {right}", [None, (right, False)]


_NAMES = (
    "name", "topic", "topic_name", "group_id", "transactional_id", "resource_name", "key",
    "partition_index", "index", "partition", "partition_id", "producer_id",
)  # fmt: skip


def comparable(message):
    """The names in a response, with every error code and the allowed operations."""
    return sorted(_rows(message, ()))


def _rows(message, path):
    names = [getattr(message, name, None) for name in _NAMES]
    path = (*path, *(str(name) for name in names if name not in (None, "", -1)))
    fields = [field for field in type(message).__slots__ if field != "unknown_tagged_fields"]
    values = {field: getattr(message, field) for field in fields}
    codes = [
        f"{field}={int(value)}"
        for field, value in values.items()
        if field.endswith(("error_code", "authorized_operations"))
    ]
    if path or codes:
        yield " ".join((*path, *codes))
    for field, value in values.items():
        if isinstance(value, list) and field not in ("brokers", "configs", "members", "nodes"):
            for each in value:
                if hasattr(type(each), "__slots__") and not isinstance(each, (str, bytes)):
                    yield from _rows(each, path)


def prepared(request, topic_id):
    """Replace the placeholder of the topic's id in a request."""
    for field in getattr(type(request), "__slots__", ()):
        value = getattr(request, field)
        if field == "topic_id" and value == ID_OF_T:
            setattr(request, field, topic_id)
        elif isinstance(value, list):
            for each in value:
                prepared(each, topic_id)
    return request
