"""Elect leaders of partitions (Kafka: `LeaderElectionCommand`; A1-A5, A7)."""

import sys
from collections.abc import Mapping

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.elections import Refusal, Refusals, elect_leaders
from minikafka.commands.java_order import partition_order
from minikafka.commands.options import FAILED
from minikafka.common.election_type import ElectionType
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition

# Scripts look for the names that Kafka's tool prints.
_JAVA_NAMES = {
    ErrorCode.UNKNOWN_SERVER_ERROR: "UnknownServerException",
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: "UnknownTopicOrPartitionException",
    ErrorCode.REQUEST_TIMED_OUT: "TimeoutException",
    ErrorCode.INVALID_TOPIC_EXCEPTION: "InvalidTopicException",
    ErrorCode.CLUSTER_AUTHORIZATION_FAILED: "ClusterAuthorizationException",
    ErrorCode.NOT_CONTROLLER: "NotControllerException",
    ErrorCode.INVALID_REQUEST: "InvalidRequestException",
    ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE: "PreferredLeaderNotAvailableException",
    ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE: "EligibleLeadersNotAvailableException",
}


def elect(
    client: AdminClient, kind: ElectionType, wanted: Mapping[TopicPartition, int | None] | None
) -> int:
    """Elect leaders, and print which elections succeeded; return the exit status.

    `wanted` has the partitions, with their leaders for a designation; None means all eligible ones.
    """
    try:
        outcomes = elect_leaders(client, kind, wanted)
    except AdminError as error:
        said = {
            ErrorCode.REQUEST_TIMED_OUT: "Timeout waiting for election results",
            ErrorCode.CLUSTER_AUTHORIZATION_FAILED: "Not authorized to perform leader election",
        }
        if error.code in said:
            print(said[ErrorCode(error.code)])
        print(error, file=sys.stderr)
        return FAILED
    return _report(kind, {at: outcomes[at] for at in partition_order(outcomes)})


def _report(kind: ElectionType, outcomes: Refusals) -> int:
    """Print which elections succeeded, were not needed, or failed; return the exit status."""
    elected = [at for at, refusal in outcomes.items() if refusal is None]
    refused = {at: refusal for at, refusal in outcomes.items() if refusal is not None}
    idle = [at for at, it in refused.items() if it.code == ErrorCode.ELECTION_NOT_NEEDED]
    failed = [at for at, it in refused.items() if it.code != ErrorCode.ELECTION_NOT_NEEDED]
    if elected:
        names = ", ".join(str(at) for at in partition_order(elected))
        print(f"Successfully completed leader election ({kind.name}) for partitions {names}")
    if idle:
        names = ", ".join(str(at) for at in partition_order(idle))
        print(f"Valid replica already elected for partitions {names}")
    for at in partition_order(failed):
        print(
            f"Error completing leader election ({kind.name}) for partition: {at}:"
            f" {_reason(refused[at])}"
        )
    if failed:
        # As Kafka: the text of its tool.
        print(f"{len(failed)} replica(s) could not be elected", file=sys.stderr)
        return FAILED
    return 0


def _reason(refusal: Refusal) -> str:
    known = {int(code): code.name for code in ErrorCode}
    name = known.get(refusal.code, f"error {refusal.code}")
    for code, java_name in _JAVA_NAMES.items():
        if refusal.code == code:
            name = f"org.apache.kafka.common.errors.{java_name}"
    return f"{name}: {refusal.message}"
