"""The fields of requests that name partitions, and of responses that have an error for each.

The fields of an entry are found by their names in the generated classes: `name`, `topic` or
`topic_name`; `topic_id`; `index`, `partition`, `partition_index` or `partition_id`.
"""

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, get_args, get_origin

from minikafka.common.errors import KafkaError
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.messages.api_keys import ApiKey

_NAMES: Final = ("name", "topic", "topic_name")
_INDEXES: Final = ("index", "partition", "partition_index", "partition_id")
_ERRORS: Final = ("error_code", "partition_error_code")
_UNKNOWN: Final[Mapping[str, Any]] = {
    "base_offset": -1,
    "low_watermark": -1,
    "high_watermark": -1,
    "committed_offset": -1,
    "leader_id": -1,
    "records": None,
    "configs": None,
}
"""The values beside an error, where the default of the schema is another."""


class TopicGroup(NamedTuple):
    """Lists of topics within a list, such as one for each transaction, in a request and answer."""

    asked: str
    answered: str
    key: str


class PartitionLists(NamedTuple):
    """The lists of topics and of partitions in a request and in its answer, in some versions.

    `partitions` is empty if the request names only topics, `answered_partitions` if the answer has
    only topics.
    """

    topics: str
    partitions: str
    answered_topics: str
    answered_partitions: str
    until: int = 1000
    """The last version with these lists."""
    group: TopicGroup | None = None


_OF: Final[dict[int, tuple[PartitionLists, ...]]] = {
    ApiKey.PRODUCE: (
        PartitionLists("topic_data", "partition_data", "responses", "partition_responses"),
    ),
    ApiKey.FETCH: (PartitionLists("topics", "partitions", "responses", "partitions"),),
    ApiKey.LIST_OFFSETS: (PartitionLists("topics", "partitions", "topics", "partitions"),),
    ApiKey.METADATA: (PartitionLists("topics", "", "topics", "partitions"),),
    ApiKey.OFFSET_COMMIT: (PartitionLists("topics", "partitions", "topics", "partitions"),),
    ApiKey.OFFSET_FETCH: (
        PartitionLists("topics", "partition_indexes", "topics", "partitions", until=7),
        PartitionLists(
            "topics",
            "partition_indexes",
            "topics",
            "partitions",
            group=TopicGroup("groups", "groups", "group_id"),
        ),
    ),
    ApiKey.CREATE_TOPICS: (PartitionLists("topics", "", "topics", ""),),
    ApiKey.DELETE_TOPICS: (
        PartitionLists("topic_names", "", "responses", "", until=5),
        PartitionLists("topics", "", "responses", ""),
    ),
    ApiKey.CREATE_PARTITIONS: (PartitionLists("topics", "", "results", ""),),
    ApiKey.DELETE_RECORDS: (PartitionLists("topics", "partitions", "topics", "partitions"),),
    ApiKey.OFFSET_FOR_LEADER_EPOCH: (
        PartitionLists("topics", "partitions", "topics", "partitions"),
    ),
    ApiKey.ADD_PARTITIONS_TO_TXN: (
        PartitionLists(
            "v3_and_below_topics",
            "partitions",
            "results_by_topic_v3_and_below",
            "results_by_partition",
            until=3,
        ),
        PartitionLists(
            "topics",
            "partitions",
            "topic_results",
            "results_by_partition",
            group=TopicGroup("transactions", "results_by_transaction", "transactional_id"),
        ),
    ),
    ApiKey.WRITE_TXN_MARKERS: (
        PartitionLists(
            "topics",
            "partition_indexes",
            "topics",
            "partitions",
            group=TopicGroup("markers", "markers", "producer_id"),
        ),
    ),
    ApiKey.TXN_OFFSET_COMMIT: (PartitionLists("topics", "partitions", "topics", "partitions"),),
    ApiKey.ELECT_LEADERS: (
        PartitionLists(
            "topic_partitions", "partitions", "replica_election_results", "partition_result"
        ),
    ),
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: (
        PartitionLists("topics", "partitions", "responses", "partitions"),
    ),
    ApiKey.OFFSET_DELETE: (PartitionLists("topics", "partitions", "topics", "partitions"),),
    ApiKey.DESCRIBE_PRODUCERS: (
        PartitionLists("topics", "partition_indexes", "topics", "partitions"),
    ),
    ApiKey.ALTER_PARTITION: (PartitionLists("topics", "partitions", "topics", "partitions"),),
    ApiKey.DESCRIBE_TOPIC_PARTITIONS: (PartitionLists("topics", "", "topics", "partitions"),),
    ApiKey.GET_REPLICA_LOG_INFO: (
        PartitionLists(
            "topic_partitions",
            "partitions",
            "topic_partition_log_info_list",
            "partition_log_info",
        ),
    ),
}


class TakenTopic(NamedTuple):
    """The partitions of one topic of a request that a fault takes; None: the topic as a whole.

    `keeps` is True if the answer keeps what it says of the topic beside the error.
    """

    group_key: Any
    name: str
    topic_id: Uuid
    indexes: list[int] | None
    keeps: bool = False


Matches = Callable[[str, Uuid, int | None], bool]
"""Called with the name (may be empty), the id (may be zero), and the partition, or None."""


def names_topics(key: int) -> bool:
    """Return True if requests of an API name topics."""
    return key in _OF


def names_partitions(key: int) -> bool:
    """Return True if requests of an API, or their answers, name partitions."""
    return key in _OF and bool(_OF[key][0].answered_partitions)


def lists_of(key: int, version: int) -> PartitionLists:
    """Return the lists of an API in a version.

    Raises:
        KeyError: it has none.
    """
    return next(lists for lists in _OF[key] if version <= lists.until)


def taken_topics(request: Any, version: int, matches: Matches) -> tuple[Any, list[TakenTopic]]:
    """Split a request: return a copy without the partitions that match, and those.

    A null list, which stands for all topics, is not split: nothing is taken.
    """
    lists = lists_of(request.API_KEY, version)
    rest = copy.copy(request)
    taken: list[TakenTopic] = []
    if lists.group is None:
        _take(rest, None, lists, matches, taken)
        return rest, taken
    groups = []
    for each in getattr(request, lists.group.asked):
        group = copy.copy(each)
        _take(group, getattr(each, lists.group.key), lists, matches, taken)
        groups.append(group)
    setattr(rest, lists.group.asked, groups)
    return rest, taken


def is_empty(request: Any, version: int) -> bool:
    """Return True if a request that was split names no topic any more."""
    lists = lists_of(request.API_KEY, version)
    owners = [request] if lists.group is None else getattr(request, lists.group.asked)
    return not any(getattr(owner, lists.topics) for owner in owners)


def put_errors(response: Any, version: int, taken: list[TakenTopic], error: KafkaError) -> None:
    """Put an error into an answer for each partition that was taken, instead of its results."""
    lists = lists_of(response.API_KEY, version)
    for topic in taken:
        owner = response
        if lists.group is not None:
            owner = _group_of(response, lists.group, topic.group_key)
        _put_topic(owner, lists, topic, error)


def answered_partitions(response: Any, version: int) -> Iterator[tuple[str, Uuid, Any]]:
    """Yield the entries of an answer for partitions, with name and id of their topic."""
    lists = lists_of(response.API_KEY, version)
    for topic in getattr(response, lists.answered_topics):
        for partition in getattr(topic, lists.answered_partitions):
            yield _name_of(topic) or "", _id_of(topic), partition


def index_of(entry: Any) -> int:
    """Return the partition index of an entry, or of a plain number."""
    return entry if isinstance(entry, int) else int(getattr(entry, _first(entry, _INDEXES)))


def _take(
    owner: Any, group_key: Any, lists: PartitionLists, matches: Matches, taken: list[TakenTopic]
) -> None:
    topics = getattr(owner, lists.topics)
    if topics is None:
        return
    kept = []
    for topic in topics:
        name, topic_id = _name_of(topic) or "", _id_of(topic)
        if not lists.partitions:
            if matches(name, topic_id, None):
                taken.append(TakenTopic(group_key, name, topic_id, None))
            else:
                kept.append(topic)
            continue
        # A null list stands for all partitions: nothing is taken from it.
        partitions = getattr(topic, lists.partitions)
        hit = [each for each in partitions or () if matches(name, topic_id, index_of(each))]
        if not hit:
            kept.append(topic)
            continue
        taken.append(TakenTopic(group_key, name, topic_id, [index_of(each) for each in hit]))
        left = [each for each in partitions if each not in hit]
        if left:
            others = copy.copy(topic)
            setattr(others, lists.partitions, left)
            kept.append(others)
    setattr(owner, lists.topics, kept)


def _put_topic(owner: Any, lists: PartitionLists, topic: TakenTopic, error: KafkaError) -> None:
    topics = getattr(owner, lists.answered_topics)
    place = next((at for at, each in enumerate(topics) if _is(each, topic)), None)
    if place is None and topic.keeps:
        return
    if topic.indexes is None:
        entry = _new(owner, lists.answered_topics, error)
        _name(entry, topic, None if place is None else topics[place])
        if place is None:
            topics.append(entry)
        else:
            topics[place] = entry
        return
    if place is None:
        entry = _element(owner, lists.answered_topics)()
        _name(entry, topic, None)
        topics.append(entry)
    else:
        entry = topics[place]
    partitions = getattr(entry, lists.answered_partitions)
    for index in topic.indexes:
        found = next((at for at, each in enumerate(partitions) if index_of(each) == index), None)
        if topic.keeps:
            if found is not None:
                _set_error(partitions[found], error)
                partitions[found].leader_id = -1
            continue
        failed = _new(entry, lists.answered_partitions, error)
        setattr(failed, _first(failed, _INDEXES), index)
        if found is None:
            partitions.append(failed)
        else:
            partitions[found] = failed


def _group_of(response: Any, group: TopicGroup, key: Any) -> Any:
    groups = getattr(response, group.answered)
    for each in groups:
        if getattr(each, group.key) == key:
            return each
    made = _element(response, group.answered)()
    setattr(made, group.key, key)
    groups.append(made)
    return made


def _new(owner: Any, attribute: str, error: KafkaError) -> Any:
    entry = _element(owner, attribute)()
    for name, value in _UNKNOWN.items():
        if hasattr(entry, name):
            setattr(entry, name, value)
    _set_error(entry, error)
    return entry


def _set_error(entry: Any, error: KafkaError) -> None:
    setattr(entry, _first(entry, _ERRORS), int(error.code))
    if hasattr(entry, "error_message"):
        entry.error_message = error.message


def _name(entry: Any, topic: TakenTopic, before: Any) -> None:
    name = topic.name or (None if before is None else _name_of(before)) or ""
    for each in _NAMES:
        if hasattr(entry, each):
            setattr(entry, each, name)
    if hasattr(entry, "topic_id"):
        entry.topic_id = topic.topic_id if before is None else before.topic_id


def _is(entry: Any, topic: TakenTopic) -> bool:
    if topic.topic_id != ZERO_UUID and _id_of(entry) == topic.topic_id:
        return True
    return bool(topic.name) and _name_of(entry) == topic.name


def _name_of(entry: Any) -> str | None:
    if isinstance(entry, str):
        return entry
    for each in _NAMES:
        if hasattr(entry, each):
            name: str | None = getattr(entry, each)
            return name
    return None


def _id_of(entry: Any) -> Uuid:
    return getattr(entry, "topic_id", ZERO_UUID)


def _first(entry: Any, names: tuple[str, ...]) -> str:
    return next(each for each in names if hasattr(entry, each))


def _element(owner: Any, attribute: str) -> Any:
    """Return the class of the elements of a list in a generated class."""
    found = type(owner).__init__.__annotations__[attribute]
    if get_origin(found) is not list:
        found = next(each for each in get_args(found) if get_origin(each) is list)
    return get_args(found)[0]
