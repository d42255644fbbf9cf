"""`kafka-metadata-quorum.py`: describe the progress of the nodes that read the metadata log.

Options, output and exit status are those of Kafka's `MetadataQuorumCommand`. The voters of a
quorum cannot be changed.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from functools import partial
from typing import NoReturn

from minikafka.admin.client import AdminClient
from minikafka.admin.quorum import QuorumInfo, QuorumReplica, describe_quorum
from minikafka.cli._subcommands import declare_servers, run_with_client, say_errors_with
from minikafka.commands.options import FAILED, ToolError
from minikafka.common.ids import ZERO_UUID

_HEADER = (
    "NodeId", "DirectoryId", "LogEndOffset", "Lag", "LastFetchTimestamp", "LastCaughtUpTimestamp",
    "Status",
)  # fmt: skip
_UNKNOWN = -1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    declare_servers(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    describe = actions.add_parser("describe", help="show the state of the quorum")
    describe.add_argument("--status", action="store_true", help="the quorum as a whole")
    describe.add_argument("--replication", action="store_true", help="each node by itself")
    describe.add_argument("--human-readable", action="store_true", help="times as times ago")
    add = actions.add_parser("add-controller", help="not supported: add a voter")
    remove = actions.add_parser("remove-controller", help="not supported: remove a voter")
    remove.add_argument("--controller-id", metavar="ID")
    remove.add_argument("--controller-directory-id", metavar="ID")
    for action in (add, remove):
        action.add_argument("--dry-run", action="store_true")
    for each in (parser, describe, add, remove):
        say_errors_with(each, partial(_wrong_command_line, each))


def _wrong_command_line(parser: argparse.ArgumentParser, message: str) -> NoReturn:
    parser.print_usage(sys.stderr)
    print(f"kafka-metadata-quorum: error: {message}", file=sys.stderr)
    sys.exit(FAILED)


def run(args: argparse.Namespace) -> int:
    """Do one action; return the exit status."""
    if args.bootstrap_server is None:
        print("--bootstrap-server is required", file=sys.stderr)
        return FAILED
    return run_with_client(args, _describe if args.action == "describe" else _change_voters)


def _change_voters(args: argparse.Namespace, _: AdminClient) -> int:
    raise ToolError(f"{args.action}: the voters are chosen when a quorum is formatted")


def _describe(args: argparse.Namespace, client: AdminClient) -> int:
    if args.status and args.replication:
        raise ToolError(
            "Only one of --status or --replication should be specified with describe sub-command"
        )
    if args.status and args.human_readable:
        raise ToolError("The option --human-readable is only supported along with --replication")
    if args.status:
        _print_status(describe_quorum(client))
    elif args.replication:
        _print_replication(describe_quorum(client), human_readable=args.human_readable)
    else:
        raise ToolError(
            "One of --status or --replication must be specified with describe sub-command"
        )
    return 0


def _print_status(quorum: QuorumInfo) -> None:
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


def _print_replication(quorum: QuorumInfo, *, human_readable: bool) -> None:
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
