"""Describe the quorum of the metadata log, change its voters (Kafka: `MetadataQuorumCommand`)."""

import json
import time
from collections.abc import Sequence

from minikafka.admin.client import AdminClient
from minikafka.admin.quorum import (
    QuorumInfo,
    QuorumReplica,
    add_voter,
    describe_quorum,
    remove_voter,
)
from minikafka.commands.options import ToolError
from minikafka.common.faults import DISK_ERRORS
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.config.node_config import NodeConfig
from minikafka.log.checkpoints import BadMetaPropertiesError, read_meta_properties
from minikafka.metadata.broker_registration import Endpoint
from minikafka.server.os_disk import OsDisk

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


def add_controller(client: AdminClient, config: NodeConfig, *, dry_run: bool) -> None:
    """Make the controller with this configuration, whose directory is on this machine, a voter.

    Raises:
        ToolError: the configuration is that of no controller, or its directory is not formatted.
        AdminError: the cluster refuses, or does not answer.
    """
    if not config.is_controller:
        raise ToolError("process.roles did not contain 'controller'")
    directory_id = _metadata_directory_id(config.metadata_log_dir)
    endpoints = [
        Endpoint(told.name, told.host or "localhost", told.port)
        for told in (config.advertised[each.name] for each in config.controller_listeners)
    ]
    if not dry_run:
        add_voter(client, config.node_id, directory_id, endpoints)
    done = "DRY RUN of adding" if dry_run else "Added"
    print(
        f"{done} controller {config.node_id} with directory id {directory_id} and endpoints: "
        f"{', '.join(map(_shown, endpoints))}"
    )


def _metadata_directory_id(path: str) -> Uuid:
    try:
        found = read_meta_properties(OsDisk(path))
    except (BadMetaPropertiesError, *DISK_ERRORS) as error:
        raise ToolError(str(error)) from None
    if found is None or found.directory_id is None:
        raise ToolError(f"{path} is not formatted: it has no directory id")
    return found.directory_id


def _shown(endpoint: Endpoint) -> str:
    host = f"[{endpoint.host}]" if ":" in endpoint.host else endpoint.host
    return f"{endpoint.name}://{host}:{endpoint.port}"


def remove_controller(client: AdminClient, node_id: int, directory: str, *, dry_run: bool) -> None:
    """Make a voter an observer.

    Raises:
        ToolError: the ids are not valid.
        AdminError: the cluster refuses, or does not answer.
    """
    if node_id < 0:
        raise ToolError(f"Invalid negative --controller-id: {node_id}")
    try:
        directory_id = Uuid.parse(directory)
    except ValueError as error:
        raise ToolError(f"Failed to parse --controller-directory-id: {error}") from None
    if not dry_run:
        remove_voter(client, node_id, directory_id)
    # As Kafka, with two spaces after the first word.
    done = "DRY RUN of removing " if dry_run else "Removed "
    print(f"{done} KRaft controller {node_id} with directory id {directory_id}")
