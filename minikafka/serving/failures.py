"""Build the response to a request that failed as a whole.

Most responses have a top-level error code. In the others the error is set on each entry of the
request, where clients read it: `_FAILURES` has a row for each of them.

Source: `AbstractRequest.getErrorResponse` of each request.
"""

import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from minikafka.common.errors import KafkaError
from minikafka.messages.api_keys import ApiKey, response_class
from minikafka.serving.steps import CLOSE

_ALL_VERSIONS: Final = range(1 << 15)
_NO_VERSION: Final = range(0)
_UNKNOWN: Final = -1
_ENTRY: Final = ""
"""The entry of the request itself, instead of one of its fields."""


class _Entries(NamedTuple):
    """A field of the response, with an entry of class `kind` for each entry of `request`.

    `request` is the path to a field of the request. `copied` has the fields of an entry with those
    of the request that they are copied from, `fixed` those with a constant. A copied field may be
    null only if it `has_nulls`; otherwise it is then empty.
    """

    request: str
    response: str
    kind: str
    copied: Mapping[str, str]
    fixed: Mapping[str, object] = {}
    below: "_Entries | None" = None
    versions: range = _ALL_VERSIONS
    error: str = "error_code"
    has_message: bool = True
    has_nulls: bool = True


class _Failure(NamedTuple):
    """A failed response: its entries, and the versions with the error at the top level."""

    entries: tuple[_Entries, ...]
    top: range = _NO_VERSION
    fixed: Mapping[str, object] = {}


def failure_response(request: Any, error: KafkaError, version: int) -> Any:
    """Return the response to `request` in which everything failed with `error`.

    Return CLOSE if the client of a Produce request wants no response (acks=0).
    """
    if request.API_KEY == ApiKey.PRODUCE and request.acks == 0:
        return CLOSE
    response: Any = response_class(request.API_KEY)()
    failure = _FAILURES.get(request.API_KEY, _AT_THE_TOP)
    if version in failure.top:
        _set_error(response, error)
        for name, value in failure.fixed.items():
            setattr(response, name, value)
    for entries in failure.entries:
        if version in entries.versions:
            # The module was imported with the class of the response.
            module = sys.modules[type(response).__module__]
            getattr(response, entries.response).extend(_failed(entries, request, error, module))
    return response


def _set_error(message: Any, error: KafkaError, name: str = "error_code") -> None:
    setattr(message, name, int(error.code))
    if hasattr(message, "error_message"):
        message.error_message = error.message


def _failed(entries: _Entries, request: Any, error: KafkaError, module: Any) -> Iterator[Any]:
    kind = getattr(module, entries.kind)
    for each in _at(request, entries.request):
        entry = kind(**entries.fixed)
        for name, source in entries.copied.items():
            value = each if source is _ENTRY else getattr(each, source)
            if value is not None or entries.has_nulls:
                setattr(entry, name, value)
        if entries.below is not None:
            below = entries.below
            setattr(entry, below.response, list(_failed(below, each, error, module)))
        elif entries.has_message:
            _set_error(entry, error, entries.error)
        else:
            setattr(entry, entries.error, int(error.code))
        yield entry


def _at(request: Any, path: str) -> list[Any]:
    found = [request]
    for name in path.split("."):
        found = [each for one in found for each in getattr(one, name) or ()]
    return found


_AT_THE_TOP: Final = _Failure((), _ALL_VERSIONS)
_NAME: Final = {"name": "name"}
_NAME_AND_ID: Final = {"name": "name", "topic_id": "topic_id"}
_TOPIC: Final = {"topic": "topic"}
_INDEX: Final = {"partition_index": "partition_index"}
_INDEX_IS_ENTRY: Final = {"partition_index": _ENTRY}
_RESOURCE: Final = {"resource_type": "resource_type", "resource_name": "resource_name"}
_ALTERED_CONFIGS: Final = _Failure(
    (_Entries("resources", "responses", "AlterConfigsResourceResponse", _RESOURCE),)
)

_FAILURES: Final[dict[int, _Failure]] = {
    ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS: _Failure((
        _Entries("users", "results", "DescribeUserScramCredentialsResult", {"user": "name"}),
    ), top=_ALL_VERSIONS),
    ApiKey.ALTER_USER_SCRAM_CREDENTIALS: _Failure((
        _Entries("deletions", "results", "AlterUserScramCredentialsResult", {"user": "name"}),
        _Entries("upsertions", "results", "AlterUserScramCredentialsResult", {"user": "name"}),
    )),
    ApiKey.DESCRIBE_CLIENT_QUOTAS: _Failure((), top=_ALL_VERSIONS, fixed={"entries": None}),
    # Records and offsets
    ApiKey.PRODUCE: _Failure((
        _Entries("topic_data", "responses", "TopicProduceResponse", _NAME_AND_ID, below=_Entries(
            "partition_data", "partition_responses", "PartitionProduceResponse",
            {"index": "index"}, {"base_offset": _UNKNOWN},
        )),
    )),
    # The top level has the error from version 7; versions with names have it in each entry, too.
    ApiKey.FETCH: _Failure((
        _Entries("topics", "responses", "FetchableTopicResponse", _TOPIC, below=_Entries(
            "partitions", "partitions", "PartitionData", {"partition_index": "partition"},
            {"high_watermark": _UNKNOWN, "records": None},
        ), versions=range(13)),
    ), top=_ALL_VERSIONS),
    ApiKey.LIST_OFFSETS: _Failure((
        _Entries("topics", "topics", "ListOffsetsTopicResponse", _NAME, below=_Entries(
            "partitions", "partitions", "ListOffsetsPartitionResponse", _INDEX,
        )),
    )),
    ApiKey.OFFSET_FOR_LEADER_EPOCH: _Failure((
        _Entries("topics", "topics", "OffsetForLeaderTopicResult", _TOPIC, below=_Entries(
            "partitions", "partitions", "EpochEndOffset", {"partition": "partition"},
        )),
    )),
    ApiKey.DELETE_RECORDS: _Failure((
        _Entries("topics", "topics", "DeleteRecordsTopicResult", _NAME, below=_Entries(
            "partitions", "partitions", "DeleteRecordsPartitionResult", _INDEX,
            {"low_watermark": _UNKNOWN},
        )),
    )),
    ApiKey.DESCRIBE_PRODUCERS: _Failure((
        _Entries("topics", "topics", "TopicResponse", _NAME, below=_Entries(
            "partition_indexes", "partitions", "PartitionResponse", _INDEX_IS_ENTRY,
        )),
    )),
    ApiKey.ALTER_REPLICA_LOG_DIRS: _Failure((
        _Entries("dirs.topics", "results", "AlterReplicaLogDirTopicResult",
                {"topic_name": "name"}, below=_Entries(
            "partitions", "partitions", "AlterReplicaLogDirPartitionResult", _INDEX_IS_ENTRY,
        )),
    )),
    # Groups
    ApiKey.FIND_COORDINATOR: _Failure((
        _Entries("coordinator_keys", "coordinators", "Coordinator", {"key": _ENTRY},
                {"node_id": _UNKNOWN, "port": _UNKNOWN}, versions=_ALL_VERSIONS[4:]),
    ), top=range(4), fixed={"node_id": _UNKNOWN, "port": _UNKNOWN}),
    ApiKey.OFFSET_COMMIT: _Failure((
        _Entries("topics", "topics", "OffsetCommitResponseTopic", _NAME_AND_ID, below=_Entries(
            "partitions", "partitions", "OffsetCommitResponsePartition", _INDEX,
        )),
    )),
    # Version 1 does not write the error at the top.
    ApiKey.OFFSET_FETCH: _Failure((
        _Entries("groups", "groups", "OffsetFetchResponseGroup", {"group_id": "group_id"},
                versions=_ALL_VERSIONS[8:]),
        _Entries("topics", "topics", "OffsetFetchResponseTopic", _NAME, below=_Entries(
            "partition_indexes", "partitions", "OffsetFetchResponsePartition", _INDEX_IS_ENTRY,
            {"committed_offset": _UNKNOWN},
        ), versions=range(2)),
    ), top=range(8)),
    ApiKey.DESCRIBE_GROUPS: _Failure((
        _Entries("groups", "groups", "DescribedGroup", {"group_id": _ENTRY}, versions=range(6),
                has_message=False),
        _Entries("groups", "groups", "DescribedGroup", {"group_id": _ENTRY},
                versions=_ALL_VERSIONS[6:]),
    )),
    ApiKey.CONSUMER_GROUP_DESCRIBE: _Failure((
        _Entries("group_ids", "groups", "DescribedGroup", {"group_id": _ENTRY}),
    )),
    ApiKey.DELETE_GROUPS: _Failure((
        _Entries("groups_names", "results", "DeletableGroupResult", {"group_id": _ENTRY},
                has_message=False),
    )),
    # Transactions
    ApiKey.ADD_PARTITIONS_TO_TXN: _Failure((
        _Entries("v3_and_below_topics", "results_by_topic_v3_and_below",
                "AddPartitionsToTxnTopicResult", _NAME, below=_Entries(
            "partitions", "results_by_partition", "AddPartitionsToTxnPartitionResult",
            _INDEX_IS_ENTRY, error="partition_error_code",
        ), versions=range(4)),
    ), top=_ALL_VERSIONS),
    ApiKey.TXN_OFFSET_COMMIT: _Failure((
        _Entries("topics", "topics", "TxnOffsetCommitResponseTopic", _NAME_AND_ID, below=_Entries(
            "partitions", "partitions", "TxnOffsetCommitResponsePartition", _INDEX,
        )),
    )),
    ApiKey.WRITE_TXN_MARKERS: _Failure((
        _Entries("markers", "markers", "WritableTxnMarkerResult", {"producer_id": "producer_id"},
                below=_Entries("topics", "topics", "WritableTxnMarkerTopicResult", _NAME,
                              below=_Entries(
            "partition_indexes", "partitions", "WritableTxnMarkerPartitionResult", _INDEX_IS_ENTRY,
        ))),
    )),
    ApiKey.DESCRIBE_TRANSACTIONS: _Failure((
        _Entries("transactional_ids", "transaction_states", "TransactionState",
                {"transactional_id": _ENTRY}),
    )),
    # Topics and configuration
    # Only version 13 writes the error at the top.
    ApiKey.METADATA: _Failure((
        _Entries("topics", "topics", "MetadataResponseTopic", _NAME_AND_ID, has_nulls=False),
    ), top=_ALL_VERSIONS),
    ApiKey.DESCRIBE_TOPIC_PARTITIONS: _Failure((
        _Entries("topics", "topics", "DescribeTopicPartitionsResponseTopic", _NAME),
    )),
    ApiKey.CREATE_TOPICS: _Failure((
        _Entries("topics", "topics", "CreatableTopicResult", _NAME, {"configs": None}),
    )),
    ApiKey.DELETE_TOPICS: _Failure((
        _Entries("topic_names", "responses", "DeletableTopicResult", {"name": _ENTRY}),
        _Entries("topics", "responses", "DeletableTopicResult", _NAME_AND_ID),
    )),
    ApiKey.CREATE_PARTITIONS: _Failure((
        _Entries("topics", "results", "CreatePartitionsTopicResult", _NAME),
    )),
    # As Kafka: the top level has the error, too.
    ApiKey.ELECT_LEADERS: _Failure((
        _Entries("topic_partitions", "replica_election_results", "ReplicaElectionResult", _TOPIC,
                below=_Entries(
            "partitions", "partition_result", "PartitionResult", {"partition_id": _ENTRY},
        )),
    ), top=_ALL_VERSIONS[1:]),
    # As Kafka: likewise.
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: _Failure((
        _Entries("topics", "responses", "ReassignableTopicResponse", _NAME, below=_Entries(
            "partitions", "partitions", "ReassignablePartitionResponse", _INDEX,
        )),
    ), top=_ALL_VERSIONS),
    ApiKey.DESCRIBE_CONFIGS: _Failure((
        _Entries("resources", "results", "DescribeConfigsResult", _RESOURCE),
    )),
    ApiKey.ALTER_CONFIGS: _ALTERED_CONFIGS,
    ApiKey.INCREMENTAL_ALTER_CONFIGS: _ALTERED_CONFIGS,
    ApiKey.CREATE_ACLS: _Failure((
        _Entries("creations", "results", "AclCreationResult", {}),
    )),
    ApiKey.DELETE_ACLS: _Failure((
        _Entries("filters", "filter_results", "DeleteAclsFilterResult", {}),
    )),
}  # fmt: skip
