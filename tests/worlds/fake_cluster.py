"""A cluster for the tools' tests: answers an AdminClient's requests from plain values."""

from dataclasses import dataclass, field

from minikafka.admin.client import AdminClient, AdminError
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.config.definition import ConfigSource
from minikafka.messages.add_raft_voter import AddRaftVoterRequest, AddRaftVoterResponse
from minikafka.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)
from minikafka.messages.alter_replica_log_dirs import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)
from minikafka.messages.api_versions import (
    ApiVersionsRequest,
    ApiVersionsResponse,
    FinalizedFeatureKey,
    SupportedFeatureKey,
)
from minikafka.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopicResult,
)
from minikafka.messages.create_topics import (
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from minikafka.messages.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
)
from minikafka.messages.describe_cluster import (
    DescribeClusterBroker,
    DescribeClusterRequest,
    DescribeClusterResponse,
)
from minikafka.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)
from minikafka.messages.describe_log_dirs import (
    DescribeLogDirsPartition,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)
from minikafka.messages.describe_quorum import (
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    DescribeQuorumResponsePartitionData,
    DescribeQuorumResponseTopicData,
    Listener,
    Node,
)
from minikafka.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponseCursor,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)
from minikafka.messages.incremental_alter_configs import (
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from minikafka.messages.list_groups import ListedGroup, ListGroupsRequest, ListGroupsResponse
from minikafka.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)
from minikafka.messages.metadata import (
    MetadataRequest,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from minikafka.messages.remove_raft_voter import RemoveRaftVoterRequest, RemoveRaftVoterResponse
from minikafka.messages.unregister_broker import UnregisterBrokerRequest, UnregisterBrokerResponse
from minikafka.messages.update_features import UpdateFeaturesRequest, UpdateFeaturesResponse
from tests.worlds.fake_transactions import TRANSACTION_ANSWERS


@dataclass
class FakePartition:
    """One partition."""

    leader: int
    replicas: list[int]
    isr: list[int]
    elr: list[int] = field(default_factory=list)
    last_known_elr: list[int] = field(default_factory=list)
    is_recovering: bool = False
    leader_epoch: int = 0


@dataclass
class FakeTopic:
    """One topic; `configs` are its own, over the default of min.insync.replicas."""

    topic_id: Uuid
    partitions: list[FakePartition]
    configs: dict[str, str] = field(default_factory=dict)
    is_internal: bool = False


class FakeCluster(AdminClient):
    """Takes the place of the client's connections; `asked` keeps every request."""

    def __init__(self) -> None:
        super().__init__("127.0.0.1:1", client_id="test", timeout_s=5.0)
        self.topics: dict[str, FakeTopic] = {}
        self.live = [1, 2, 3]
        self.fenced: list[int] = []
        self.groups: dict[int, list[str]] = {}
        self.moving: dict[tuple[str, int], OngoingPartitionReassignment] = {}
        self.features: dict[str, tuple[int, int, int]] = {}
        self.transactions = {}
        self.producers = {}
        self.quorum = DescribeQuorumResponsePartitionData()
        self.missing: set[type] = set()
        self.refusals: list[tuple[int, str | None]] = []
        self.asked: list[object] = []
        self.asked_of: list[int] = []
        self.homes: dict[tuple[int, str, int], tuple[str | None, str | None]] = {}
        """By broker, topic and partition: the directories of a replica and of its future one."""
        self.move_errors: list[int] = []
        """The errors of the next moves that are requested."""

    def add(self, name, *partitions, configs=None, is_internal=False):
        """A topic whose id follows from how many there are."""
        topic_id = Uuid(bytes([len(self.topics) + 1]) * 16)
        self.topics[name] = FakeTopic(topic_id, list(partitions), configs or {}, is_internal)
        return self

    def ask(self, request):
        self.asked.append(request)
        answer = _ANSWERS.get(type(request))
        if answer is None or type(request) in self.missing:
            raise AdminError("the server does not serve it", ErrorCode.UNSUPPORTED_VERSION)
        return answer(self, request)

    def ask_broker(self, broker_id, request):
        self.asked_of.append(broker_id)
        if isinstance(request, ListGroupsRequest):
            found = self.groups.get(broker_id, [])
            return ListGroupsResponse(groups=[ListedGroup(group_id=name) for name in found])
        if isinstance(request, DescribeLogDirsRequest) and type(request) not in self.missing:
            self.asked.append(request)
            return _describe_log_dirs(self, broker_id, request)
        return self.ask(request)

    def last(self, kind):
        """The last request of a kind."""
        return next(request for request in reversed(self.asked) if isinstance(request, kind))

    def refusal(self):
        """The next error that was prepared, or none."""
        return self.refusals.pop(0) if self.refusals else (0, None)


def _metadata(cluster, request):
    wanted = request.topics
    topics = [
        MetadataResponseTopic(
            name=name,
            topic_id=topic.topic_id,
            is_internal=topic.is_internal,
            partitions=[
                MetadataResponsePartition(
                    partition_index=index,
                    leader_id=it.leader,
                    replica_nodes=it.replicas,
                    isr_nodes=it.isr,
                )
                for index, it in enumerate(topic.partitions)
            ],
        )
        for name, topic in cluster.topics.items()
        if wanted is None
        or any(name == it.name or (it.name is None and it.topic_id == topic.topic_id)
               for it in wanted)
    ]  # fmt: skip
    brokers = [MetadataResponseBroker(node, "127.0.0.1", 9000 + node) for node in cluster.live]
    return MetadataResponse(brokers=brokers, topics=topics)


def _describe_topics(cluster, request):
    """Pages that may cut within a topic, as a broker's do."""
    room = request.response_partition_limit
    topics, following = [], None
    for wanted in request.topics:
        topic = cluster.topics.get(wanted.name)
        if topic is None:
            code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            topics.append(DescribeTopicPartitionsResponseTopic(error_code=code, name=wanted.name))
            continue
        cursor = request.cursor
        start = cursor.partition_index if cursor and cursor.topic_name == wanted.name else 0
        shown = topic.partitions[start : start + room]
        topics.append(
            DescribeTopicPartitionsResponseTopic(
                name=wanted.name,
                topic_id=topic.topic_id,
                partitions=[
                    DescribeTopicPartitionsResponsePartition(
                        partition_index=start + index,
                        leader_id=it.leader,
                        replica_nodes=it.replicas,
                        isr_nodes=it.isr,
                        eligible_leader_replicas=it.elr,
                        last_known_elr=it.last_known_elr,
                        leader_epoch=it.leader_epoch,
                        leader_recovery_state=int(it.is_recovering),
                    )
                    for index, it in enumerate(shown)
                ],
            )
        )
        room -= len(shown)
        if room == 0:
            following = DescribeTopicPartitionsResponseCursor(wanted.name, start + len(shown))
            break
    return DescribeTopicPartitionsResponse(topics=topics, next_cursor=following)


def _create(cluster, request):
    code, message = cluster.refusal()
    name = request.topics[0].name
    if not code:
        cluster.add(name, FakePartition(1, [1], [1]))
    result = CreatableTopicResult(name=name, error_code=code, error_message=message)
    return CreateTopicsResponse(topics=[result])


def _extend(cluster, request):
    code, message = cluster.refusal()
    return CreatePartitionsResponse(
        results=[CreatePartitionsTopicResult(it.name, code, message) for it in request.topics]
    )


def _delete(cluster, request):
    code, message = cluster.refusal()
    for it in request.topics:
        if not code:
            del cluster.topics[it.name]
    return DeleteTopicsResponse(
        responses=[
            DeletableTopicResult(name=it.name, error_code=code, error_message=message)
            for it in request.topics
        ]
    )


def _describe_configs(cluster, request):
    return DescribeConfigsResponse(
        results=[
            DescribeConfigsResult(
                resource_type=it.resource_type,
                resource_name=it.resource_name,
                configs=_entries(cluster, it),
            )
            for it in request.resources
        ]
    )


def _entries(cluster, resource):
    own = cluster.topics[resource.resource_name].configs if resource.resource_type == 2 else {}
    default = DescribeConfigsSynonym("min.insync.replicas", "1", ConfigSource.DEFAULT_CONFIG)
    entries = {
        "min.insync.replicas": DescribeConfigsResourceResult(
            name="min.insync.replicas",
            value="1",
            config_source=ConfigSource.DEFAULT_CONFIG,
            synonyms=[default],
        )
    }
    for name, value in own.items():
        source = ConfigSource.DYNAMIC_TOPIC_CONFIG
        others = [default] if name == "min.insync.replicas" else []
        entries[name] = DescribeConfigsResourceResult(
            name=name,
            value=value,
            config_source=source,
            synonyms=[DescribeConfigsSynonym(name, value, source), *others],
        )
    return list(entries.values())


def _alter_configs(cluster, request):
    code, message = cluster.refusal()
    it = request.resources[0]
    response = AlterConfigsResourceResponse(code, message, it.resource_type, it.resource_name)
    return IncrementalAlterConfigsResponse(responses=[response])


def _describe_cluster(cluster, request):
    shown = cluster.live + (cluster.fenced if request.include_fenced_brokers else [])
    brokers = [
        DescribeClusterBroker(node, "127.0.0.1", 9000 + node, None, node in cluster.fenced)
        for node in shown
    ]
    return DescribeClusterResponse(cluster_id="c", brokers=brokers)


def _reassignments(cluster, request):
    asked = None if request.topics is None else {it.name: it for it in request.topics}
    topics = [
        OngoingTopicReassignment(
            name,
            [it for (topic, index), it in cluster.moving.items() if topic == name
             and (asked is None or index in asked[name].partition_indexes)],
        )
        for name in cluster.topics if asked is None or name in asked
    ]  # fmt: skip
    return ListPartitionReassignmentsResponse(topics=[it for it in topics if it.partitions])


def _reassign(cluster, request):
    topics = []
    for topic in request.topics:
        answers = []
        for it in topic.partitions:
            code, message = cluster.refusal()
            answers.append(ReassignablePartitionResponse(it.partition_index, code, message))
        topics.append(ReassignableTopicResponse(topic.name, answers))
    return AlterPartitionReassignmentsResponse(responses=topics)


def _describe_log_dirs(cluster, broker_id, request):
    results = {}
    for wanted in request.topics:
        for index in wanted.partitions:
            homes = cluster.homes.get((broker_id, wanted.topic, index), ("/data", None))
            for path, is_future in zip(homes, (False, True), strict=True):
                if path is not None:
                    found = DescribeLogDirsPartition(index, is_future_key=is_future)
                    home = results.setdefault(path, DescribeLogDirsResult(0, path))
                    home.topics.append(DescribeLogDirsTopic(wanted.topic, [found]))
    return DescribeLogDirsResponse(results=list(results.values()))


def _alter_log_dirs(cluster, request):
    results = [
        AlterReplicaLogDirTopicResult(
            topic.name,
            [
                AlterReplicaLogDirPartitionResult(
                    index, cluster.move_errors.pop(0) if cluster.move_errors else 0
                )
                for index in topic.partitions
            ],
        )
        for home in request.dirs
        for topic in home.topics
    ]
    return AlterReplicaLogDirsResponse(results=results)


def _api_versions(cluster, _request):
    return ApiVersionsResponse(
        supported_features=[
            SupportedFeatureKey(name, low, high)
            for name, (low, high, _) in cluster.features.items()
        ],
        finalized_features=[
            FinalizedFeatureKey(name, level, level)
            for name, (_, _, level) in cluster.features.items()
            if level
        ],
        finalized_features_epoch=7,
    )


def _update_features(cluster, _request):
    code, message = cluster.refusal()
    return UpdateFeaturesResponse(error_code=code, error_message=message)


def _describe_quorum(cluster, _request):
    topics = [DescribeQuorumResponseTopicData("__cluster_metadata", [cluster.quorum])]
    nodes = [Node(100, [Listener("CONTROLLER", "127.0.0.1", 9093)])]
    return DescribeQuorumResponse(topics=topics, nodes=nodes)


def _add_voter(cluster, _request):
    return AddRaftVoterResponse(0, *cluster.refusal())


def _remove_voter(cluster, _request):
    return RemoveRaftVoterResponse(0, *cluster.refusal())


def _unregister(cluster, _request):
    return UnregisterBrokerResponse(0, *cluster.refusal())


_ANSWERS = {
    **TRANSACTION_ANSWERS,
    AddRaftVoterRequest: _add_voter,
    RemoveRaftVoterRequest: _remove_voter,
    UnregisterBrokerRequest: _unregister,
    ApiVersionsRequest: _api_versions,
    UpdateFeaturesRequest: _update_features,
    DescribeQuorumRequest: _describe_quorum,
    AlterPartitionReassignmentsRequest: _reassign,
    AlterReplicaLogDirsRequest: _alter_log_dirs,
    MetadataRequest: _metadata,
    DescribeTopicPartitionsRequest: _describe_topics,
    CreateTopicsRequest: _create,
    CreatePartitionsRequest: _extend,
    DeleteTopicsRequest: _delete,
    DescribeConfigsRequest: _describe_configs,
    IncrementalAlterConfigsRequest: _alter_configs,
    DescribeClusterRequest: _describe_cluster,
    ListPartitionReassignmentsRequest: _reassignments,
}
