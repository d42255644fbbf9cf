"""Leader elections that an operator asks for, in as many requests as they take (A1-A7)."""

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

from minikafka import __version__
from minikafka.admin.client import AdminClient, AdminError, check, error_text
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.api_versions import ApiVersionsRequest
from minikafka.messages.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    TopicPartitions,
)

MAX_PARTITIONS = 1000
_NO_LEADER = -1
_NEW_TYPES_FROM = 3


class ElectionType(IntEnum):
    """Which leader is wanted (A2)."""

    PREFERRED = 0
    UNCLEAN = 1
    DESIGNATION = 2
    LONGEST_LOG_BALANCED = 3
    LONGEST_LOG_AGGRESSIVE = 4


class Refusal(NamedTuple):
    """Why a partition has no new leader."""

    code: int
    message: str


Wanted = Mapping[TopicPartition, int | None]
Outcomes = dict[TopicPartition, Refusal | None]


def elect_leaders(client: AdminClient, kind: ElectionType, wanted: Wanted | None) -> Outcomes:
    """What came of each partition: None where it has a new leader.

    `wanted` names partitions and, for a designation, their leaders; None is every partition that
    the election makes sense for, and the outcomes are those of the cluster's choice (A4). What
    comes back for being too much is asked for again, as long as each answer decides something.

    Raises:
        AdminError: with the cluster's reason, if an election fails as a whole; UNSUPPORTED_VERSION
            if it does not know the type (A7).
    """
    _check_known(client, kind)
    outcomes: Outcomes = {}
    if wanted is None:
        outcomes |= _asked(client, kind, None)
        wanted = dict.fromkeys(_over_limit(outcomes))
    pending = dict(wanted)
    while pending:
        decided = len(pending)
        for part in _parts(list(pending)):
            outcomes |= _asked(client, kind, {at: pending[at] for at in part})
        pending = {at: pending[at] for at in _over_limit(outcomes)}
        if len(pending) == decided:
            break
    return outcomes


def _check_known(client: AdminClient, kind: ElectionType) -> None:
    if kind <= ElectionType.UNCLEAN:
        return
    response = client.ask(ApiVersionsRequest("minikafka", __version__))
    served = {it.api_key: it.max_version for it in response.api_keys}
    if served.get(ApiKey.ELECT_LEADERS, -1) < _NEW_TYPES_FROM:
        raise AdminError(
            f"The server does not know election type {kind.name}; PREFERRED and UNCLEAN are all"
            " that ElectLeaders has before version 3.",
            ErrorCode.UNSUPPORTED_VERSION,
        )


def _over_limit(outcomes: Outcomes) -> list[TopicPartition]:
    return [
        at
        for at, refusal in outcomes.items()
        if refusal is not None and refusal.code == ErrorCode.REQUEST_LIMIT_REACHED
    ]


def _parts(partitions: Sequence[TopicPartition]) -> Iterator[Sequence[TopicPartition]]:
    for start in range(0, len(partitions), MAX_PARTITIONS):
        yield partitions[start : start + MAX_PARTITIONS]


def _asked(client: AdminClient, kind: ElectionType, wanted: Wanted | None) -> Outcomes:
    """The outcomes of one request."""
    request = ElectLeadersRequest(
        election_type=int(kind),
        topic_partitions=None if wanted is None else _rows(kind, wanted),
        # The server says what holds an election up when its time is over, before that of the client
        # is.
        timeout_ms=client.timeout_ms * 9 // 10,
    )
    response: ElectLeadersResponse = client.settle(
        lambda: client.ask(request), lambda it: int(it.error_code)
    )
    check(response.error_code)
    outcomes: Outcomes = {
        TopicPartition(topic.topic, it.partition_id): (
            None
            if it.error_code == ErrorCode.NONE
            else Refusal(it.error_code, error_text(it.error_code, it.error_message))
        )
        for topic in response.replica_election_results
        for it in topic.partition_result
    }
    for at in wanted or ():
        silence = Refusal(ErrorCode.UNKNOWN_SERVER_ERROR, "the server said nothing of it")
        outcomes.setdefault(at, silence)
    return outcomes


def _rows(kind: ElectionType, wanted: Wanted) -> list[TopicPartitions]:
    rows: dict[str, TopicPartitions] = {}
    for at, leader in wanted.items():
        row = rows.get(at.topic)
        if row is None:
            row = rows[at.topic] = TopicPartitions(topic=at.topic)
            if kind is ElectionType.DESIGNATION:
                row.desired_leaders = []
        row.partitions.append(at.partition)
        if row.desired_leaders is not None:
            row.desired_leaders.append(_NO_LEADER if leader is None else leader)
    return list(rows.values())
