"""Print the state of the metadata quorum (Kafka: `MetadataQuorumCommand`)."""

import json
import time
from collections.abc import Sequence

from minikafka.admin.client import AdminClient
from minikafka.admin.quorum import QuorumInfo, QuorumReplica, describe_quorum
from minikafka.commands.options import ToolError
from minikafka.common.ids import ZERO_UUID

_HEADER = (
    "NodeId", "DirectoryId", "LogEndOffset", "Lag", "LastFetchTimestamp", "LastCaughtUpTimestamp",
    "Status",
)  # fmt: skip
_UNKNOWN = -1


def print_status(client: AdminClient) -> None:
    """Print the quorum as a whole, one value in each line.

    Raises:
        ToolError: the leader is no voter.
        AdminError: the cluster does not answer.
    """
    quorum = describe_quorum(client)
    leader = _leader(quorum)
    slowest = min(quorum.voters, key=lambda voter: voter.log_end_offset)
    lag_ms = 0
    if slowest is not leader:
        known = _UNKNOWN not in (leader.last_caught_up_ms, slowest.last_caught_up_ms)
        lag_ms = leader.last_caught_up_ms - slowest.last_caught_up_ms if known else _UNKNOWN
    rows = {
        "ClusterId": quorum.cluster_id,
        "LeaderId": quorum.leader_id,
        "LeaderEpoch": quorum.leader_epoch,
        "HighWatermark": quorum.high_watermark,
        "MaxFollowerLag": leader.log_end_offset - slowest.log_end_offset,
        "MaxFollowerLagTimeMs": lag_ms,
        "CurrentVoters": _nodes(quorum, quorum.voters),
        "CurrentObservers": _nodes(quorum, quorum.observers),
    }
    for name, value in rows.items():
        print(f"{name + ':':<24}{value}")


def _nodes(quorum: QuorumInfo, replicas: Sequence[QuorumReplica]) -> str:
    found = []
    for it in replicas:
        node: dict[str, object] = {"id": it.node_id}
        if it.directory_id != ZERO_UUID:
            node["directoryId"] = str(it.directory_id)
        if it in quorum.voters and it.node_id in quorum.endpoints:
            node["endpoints"] = quorum.endpoints[it.node_id]
        found.append(json.dumps(node))
    return f"[{', '.join(found)}]"


def print_replication(client: AdminClient, *, human_readable: bool) -> None:
    """Print a line for each node, with its times as times ago if `human_readable`.

    Raises:
        ToolError: the leader is no voter.
        AdminError: the cluster does not answer.
    """
    quorum = describe_quorum(client)
    leader = _leader(quorum)
    now_ms = int(time.time() * 1000)

    def shown(time_ms: int) -> str:
        if time_ms == _UNKNOWN or not human_readable:
            return str(time_ms)
        return f"{max(now_ms - time_ms, 0)} ms ago"

    rows = [_HEADER]
    followers = [voter for voter in quorum.voters if voter is not leader]
    for status, replicas in (
        ("Leader", [leader]), ("Follower", followers), ("Observer", quorum.observers),
    ):  # fmt: skip
        rows += [
            (
                str(it.node_id),
                str(it.directory_id),
                str(it.log_end_offset),
                str(leader.log_end_offset - it.log_end_offset),
                shown(it.last_fetch_ms),
                shown(it.last_caught_up_ms),
                status,
            )
            for it in replicas
        ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADER))]
    for row in rows:
        print("".join(f"{cell:<{width}}\t" for cell, width in zip(row, widths, strict=True)))


def _leader(quorum: QuorumInfo) -> QuorumReplica:
    found = next((voter for voter in quorum.voters if voter.node_id == quorum.leader_id), None)
    if found is None:
        raise ToolError(f"node {quorum.leader_id} leads, and is no voter")
    return found
