"""Moves of replicas between log directories: starts and reports of `kafka-reassign-partitions`.

Source: `ReassignPartitionsCommand` (`executeMoves`, `findLogDirMoveStates`,
`replicaMoveStatesToString`), KIP-113.
"""

import time
from collections.abc import Iterable, Mapping
from typing import Final

from minikafka.admin.client import AdminClient, AdminError, error_text
from minikafka.admin.replica_log_dirs import (
    Replica,
    ReplicaDirectories,
    alter_replica_log_dirs,
    describe_replicas,
)
from minikafka.commands.options import ToolError
from minikafka.commands.reassignment_json import ANY_DIRECTORY, Proposal
from minikafka.common.errors import ErrorCode

_RETRY_S: Final = 0.1


def wanted_directories(proposals: Iterable[Proposal]) -> dict[Replica, str]:
    """Return the directories that proposals name, sorted by replica."""
    found = {
        Replica(broker, it.at): directory
        for it in proposals
        for broker, directory in zip(it.replicas, it.log_dirs, strict=True)
        if directory != ANY_DIRECTORY
    }
    return {each: found[each] for each in sorted(found)}


def start_moves(client: AdminClient, wanted: Mapping[Replica, str], timeout_ms: int) -> None:
    """Start moves, and print a line for each.

    A replica that a reassignment adds does not exist at once: its move is requested until its
    broker has it, or until the timeout.

    Raises:
        ToolError: a broker rejects a move, or a replica does not exist at the timeout.
    """
    deadline_s = time.monotonic() + timeout_ms / 1000
    pending = dict(wanted)
    while pending:
        for replica in _started(client, pending):
            # As Kafka: with a space at the end of the line.
            print(
                f"Successfully started moving log directory to {pending.pop(replica)} for replica "
                f"{replica.at} with broker {replica.broker} "
            )
        if pending and time.monotonic() >= deadline_s:
            moves = "move" if len(pending) == 1 else "moves"
            raise ToolError(
                f"Timed out before log directory {moves} could be started for: "
                f"{','.join(map(str, sorted(pending)))}"
            )
        if pending:
            time.sleep(_RETRY_S)


def _started(client: AdminClient, pending: Mapping[Replica, str]) -> list[Replica]:
    try:
        codes = alter_replica_log_dirs(client, pending)
    except AdminError as error:
        raise ToolError(f"Failed to alter dir for {min(pending)}\n{error}") from None
    for replica in sorted(pending):
        code = codes.get(replica, ErrorCode.UNKNOWN_SERVER_ERROR)
        if code not in (ErrorCode.NONE, ErrorCode.REPLICA_NOT_AVAILABLE):
            raise ToolError(f"Failed to alter dir for {replica}\n{error_text(code, None)}")
    return sorted(each for each, code in codes.items() if code == ErrorCode.NONE)


def states_of(
    client: AdminClient, wanted: Mapping[Replica, str]
) -> dict[Replica, ReplicaDirectories]:
    """Return where replicas are and to where they move, sorted.

    Raises:
        AdminError: a broker does not answer.
    """
    found = describe_replicas(client, wanted)
    return {each: found[each] for each in sorted(wanted)}


def is_open(state: ReplicaDirectories) -> bool:
    """True if a replica is being moved, or in no directory that is online."""
    return state.current is None or state.future is not None


def state_line(replica: Replica, wanted: str, state: ReplicaDirectories) -> str:
    """Return the line of --verify for a replica."""
    partition = f"Partition {replica.at}"
    if state.current is None:
        return (
            f"{partition} is not found in any live log dir on broker {replica.broker}. There is "
            "likely an offline log directory on the broker."
        )
    if state.future == wanted:
        return f"Reassignment of replica {replica} is still in progress."
    if state.future is not None:
        return (
            f"{partition} on broker {replica.broker} is being moved to log dir {state.future} "
            f"instead of {wanted}."
        )
    if state.current == wanted:
        return f"Reassignment of replica {replica} completed successfully."
    return (
        f"{partition} on broker {replica.broker} is not being moved from log dir {state.current} "
        f"to {wanted}."
    )
