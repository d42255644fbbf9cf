"""kafka-storage: format the directories of a node, and draw ids.

Options as in Kafka's `kafka-storage.sh`: `format --cluster-id ID --config FILE` with
`--standalone`, `--initial-controllers`, `--no-initial-controllers`, `--ignore-formatted`,
`--feature`, `--release-version`; `info --config FILE`; `random-uuid`.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from minikafka.cli.server_start import read_config
from minikafka.common.faults import StorageFault
from minikafka.common.ids import Uuid
from minikafka.config.definition import ConfigError
from minikafka.config.node_config import NodeConfig, parse_address
from minikafka.log.checkpoints import BadMetaPropertiesError, read_meta_properties
from minikafka.metadata.broker_registration import Endpoint
from minikafka.metadata.features import (
    DEFAULT_LEVELS,
    ELR_BY_DEFAULT_FROM,
    METADATA_VERSION,
    SUPPORTED_FEATURES,
)
from minikafka.raft.voter_set import RaftVoter, VoterSet
from minikafka.server.format import FormatError, format_node, random_uuid
from minikafka.server.os_disk import OsDisk

_RELEASES = {"3.9": 21, "4.0": 25, "4.1": 27, "4.2": 29, "4.3": 30}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    form = actions.add_parser("format", help="format the directories of a node")
    form.add_argument("--config", "-c", required=True, metavar="FILE", help="properties file")
    form.add_argument("--cluster-id", "-t", required=True, metavar="ID", help="the cluster's id")
    flag = form.add_argument
    flag(
        "--ignore-formatted",
        "-g",
        action="store_true",
        help="leave directories alone that are formatted for this cluster and node",
    )
    releases = ", ".join(_RELEASES)
    flag("--release-version", "-r", metavar="VERSION", help=f"levels of a release: {releases}")
    flag(
        "--feature",
        "-f",
        action="append",
        default=[],
        metavar="NAME=LEVEL",
        help="the level of one feature; may be given several times",
    )
    quorum = form.add_mutually_exclusive_group()
    quorum.add_argument(
        "--standalone",
        "-s",
        action="store_true",
        help="a dynamic quorum of which this controller is the only voter",
    )
    quorum.add_argument(
        "--no-initial-controllers",
        "-N",
        action="store_true",
        help="join a dynamic quorum that exists",
    )
    quorum.add_argument(
        "--initial-controllers",
        "-I",
        metavar="LIST",
        help="id@host:port:directory-id of each first voter, comma-separated",
    )
    info = actions.add_parser("info", help="say what is in the directories of a node")
    info.add_argument("--config", "-c", required=True, metavar="FILE", help="properties file")
    actions.add_parser("random-uuid", help="print an id for a new cluster")


def run(args: argparse.Namespace) -> int:
    """Run the action; return the exit status."""
    if args.action == "random-uuid":
        print(random_uuid())
        return 0
    try:
        config = read_config(args.config, ())
        if args.action == "info":
            return _info(config)
        levels = _levels(args.release_version, args.feature)
        voters = _voters(args, config)
        formatted = format_node(
            config, args.cluster_id, levels, voters, ignore_formatted=args.ignore_formatted
        )
        for path in formatted:
            print(f"Formatting {path} with metadata.version {levels[METADATA_VERSION]}.")
    except (ConfigError, FormatError, StorageFault, BadMetaPropertiesError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _info(config: NodeConfig) -> int:
    status = 0
    for path in config.all_log_dirs:
        found = read_meta_properties(OsDisk(path)) if Path(path).is_dir() else None
        if found is None:
            print(f"{path}: not formatted")
            status = 1
        else:
            print(
                f"{path}: node {found.node_id} of cluster {found.cluster_id}, "
                f"directory {found.directory_id}"
            )
    return status


def _levels(release: str | None, features: Sequence[str]) -> dict[str, int]:
    levels = dict(DEFAULT_LEVELS)
    if release is not None:
        key = ".".join(release.split("-", 1)[0].split(".")[:2])
        if key not in _RELEASES:
            raise FormatError(
                f"--release-version {release}: unknown; allowed: {', '.join(_RELEASES)}"
            )
        levels = {METADATA_VERSION: _RELEASES[key]}
        if _RELEASES[key] >= ELR_BY_DEFAULT_FROM:
            levels = {**DEFAULT_LEVELS, METADATA_VERSION: _RELEASES[key]}
    for feature in features:
        name, separator, text = feature.partition("=")
        supported = SUPPORTED_FEATURES.get(name)
        if not separator or not (text.isascii() and text.isdigit()):
            raise FormatError(f"--feature {feature!r}: is no NAME=LEVEL")
        if supported is None or not supported.includes(int(text)):
            allowed = f"{supported.minimum} to {supported.maximum}" if supported else "none"
            raise FormatError(
                f"--feature {name}: level {text} is not supported; allowed: {allowed}"
            )
        levels[name] = int(text)
    return levels


def _voters(args: argparse.Namespace, config: NodeConfig) -> VoterSet | None:
    """Return the first voters of a dynamic quorum; None for a static or an existing quorum."""
    if not config.is_controller or args.no_initial_controllers:
        return None
    dynamic = args.standalone or args.initial_controllers
    if config.voters:
        if dynamic:
            raise FormatError(
                "controller.quorum.voters makes a static quorum: "
                "--standalone and --initial-controllers do not go with it"
            )
        return None
    if args.initial_controllers:
        return _initial_controllers(args.initial_controllers, config)
    if not args.standalone:
        raise FormatError(
            "a controller of a dynamic quorum needs one of --standalone, --initial-controllers, "
            "--no-initial-controllers"
        )
    endpoints = tuple(
        Endpoint(told.name, told.host or "localhost", told.port)
        for told in (config.advertised[x.name] for x in config.controller_listeners)
    )
    return VoterSet.of([RaftVoter(config.node_id, random_uuid(), endpoints)])


def _initial_controllers(text: str, config: NodeConfig) -> VoterSet:
    voters = []
    for item in text.split(","):
        node_id, _, rest = item.strip().partition("@")
        address, _, directory = rest.rpartition(":")
        try:
            host, port = parse_address(address)
            voter_id, directory_id = int(node_id), Uuid.parse(directory)
        except ValueError as error:
            raise FormatError(
                f"--initial-controllers: {item!r} is no id@host:port:directory-id ({error})"
            ) from None
        listener = config.controller_listener_names[0]
        voters.append(RaftVoter(voter_id, directory_id, (Endpoint(listener, host, port),)))
    if len(voters) > 1:
        raise FormatError(
            f"--initial-controllers names {len(voters)} voters; "
            "a quorum of several voters is not available yet, name one"
        )
    return VoterSet.of(voters)
