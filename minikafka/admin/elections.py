"""Leader elections that an operator requests, in as many requests as necessary (A1-A7)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from minikafka import __version__
from minikafka.admin.client import AdminClient, AdminError, check, error_text
from minikafka.common.election_type import ElectionType
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.common.request_limits import MAX_ELECTIONS
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.api_versions import ApiVersionsRequest
from minikafka.messages.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    TopicPartitions,
)

_NO_LEADER = -1
_NEW_TYPES_FROM = 3


class Refusal(NamedTuple):
    """The error of a partition for which no leader was elected."""

    code: int
    message: str


WantedLeaders = Mapping[TopicPartition, int | None]
Refusals = dict[TopicPartition, Refusal | None]


def elect_leaders(
    client: AdminClient, kind: ElectionType, wanted: WantedLeaders | None
) -> Refusals:
    """Elect leaders; return the outcome of each partition, None for success.

    `wanted` names partitions and, for a designation, their leaders; None means every partition that
    needs this election, as the cluster decides (A4). Partitions over the request limit are
    requested again, as long as each response decides some of them.

    Raises:
        AdminError: a request failed as a whole, with the cluster's reason; UNSUPPORTED_VERSION if
            the cluster does not know the election type (A7).
    """
    _check_known(client, kind)
    outcomes: Refusals = {}
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
            f"The server does not support election type {kind.name}; before version 3, ElectLeaders"
            " has only PREFERRED and UNCLEAN.",
            ErrorCode.UNSUPPORTED_VERSION,
        )


def _over_limit(outcomes: Refusals) -> list[TopicPartition]:
    return [
        at
        for at, refusal in outcomes.items()
        if refusal is not None and refusal.code == ErrorCode.REQUEST_LIMIT_REACHED
    ]


def _parts(partitions: Sequence[TopicPartition]) -> Iterator[Sequence[TopicPartition]]:
    for start in range(0, len(partitions), MAX_ELECTIONS):
        yield partitions[start : start + MAX_ELECTIONS]


def _asked(client: AdminClient, kind: ElectionType, wanted: WantedLeaders | None) -> Refusals:
    """Send one request; return its outcomes."""
    request = ElectLeadersRequest(
        election_type=int(kind),
        topic_partitions=None if wanted is None else _rows(kind, wanted),
        # Less than the client's timeout, so that the server can report what an election waits for.
        timeout_ms=client.timeout_ms * 9 // 10,
    )
    response: ElectLeadersResponse = client.settle(
        lambda: client.ask(request), lambda it: int(it.error_code)
    )
    check(response.error_code)
    outcomes: Refusals = {
        TopicPartition(topic.topic, it.partition_id): (
            None
            if it.error_code == ErrorCode.NONE
            else Refusal(it.error_code, error_text(it.error_code, it.error_message))
        )
        for topic in response.replica_election_results
        for it in topic.partition_result
    }
    for at in wanted or ():
        silence = Refusal(ErrorCode.UNKNOWN_SERVER_ERROR, "the server's response does not name it")
        outcomes.setdefault(at, silence)
    return outcomes


def _rows(kind: ElectionType, wanted: WantedLeaders) -> list[TopicPartitions]:
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
