"""Format the directories of a node, and print what they contain (Kafka: `StorageTool`)."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from minikafka.commands.scram_arguments import scram_records
from minikafka.common.ids import Uuid
from minikafka.common.whole_numbers import whole_number
from minikafka.config.node_config import NodeConfig, parse_address
from minikafka.log.checkpoints import read_meta_properties
from minikafka.metadata.broker_registration import Endpoint
from minikafka.metadata.features import (
    DEFAULT_LEVELS,
    KRAFT_VERSION,
    LATEST_METADATA_VERSION,
    METADATA_VERSION,
    SUPPORTED_FEATURES,
)
from minikafka.metadata.release_levels import dependency, level_of, levels_of, release_of
from minikafka.raft.voter_set import RaftVoter, VoterSet
from minikafka.server.format import FormatError, format_node, random_uuid
from minikafka.server.os_disk import OsDisk

RELEASES = "3.3 to 4.3, or a metadata.version such as 4.0-IV1"
"""The allowed values of --release-version."""


class FormatOptions(NamedTuple):
    """The cluster that a node's directories are formatted for."""

    cluster_id: str
    release_version: str | None
    """The release whose feature levels are written; None: the latest."""
    features: Sequence[str]
    """Levels of single features, in the form NAME=LEVEL."""
    standalone: bool
    """A dynamic quorum of which this controller is the only voter."""
    no_initial_controllers: bool
    """Join a dynamic quorum that exists."""
    initial_controllers: str | None
    """The first voters of a dynamic quorum: id@host:port:directory-id, comma-separated."""
    ignore_formatted: bool
    """Leave directories alone that are formatted for this cluster and node."""
    scram: Sequence[str] = ()
    """SCRAM credentials of the cluster's first users."""


def format_directories(config: NodeConfig, options: FormatOptions) -> None:
    """Format the directories of a node, and print the path of each.

    Raises:
        FormatError: the options are invalid, or a directory is formatted already.
        StorageFault: a directory cannot be written.
        BadMetaPropertiesError: a directory has an invalid `meta.properties`.
    """
    if not options.cluster_id or not options.cluster_id.isprintable():
        raise FormatError(f"--cluster-id {options.cluster_id!r}: is empty or not printable")
    levels = feature_levels(options.release_version, options.features)
    voters = _voters(options, config)
    # Not a record: the voters of the first snapshot have it.
    kraft_version = levels.pop(KRAFT_VERSION, None)
    is_dynamic = not config.voters and bool(voters or options.no_initial_controllers)
    if kraft_version == 0 and is_dynamic:
        raise FormatError(
            "--feature kraft.version=0: a dynamic quorum has 1; level 0 goes with "
            "controller.quorum.voters"
        )
    if kraft_version == 1 and not is_dynamic:
        raise FormatError(
            "--feature kraft.version=1: needs a dynamic quorum; remove controller.quorum.voters, "
            "and give --standalone, --initial-controllers or --no-initial-controllers"
        )
    formatted = format_node(
        config,
        options.cluster_id,
        levels,
        voters,
        ignore_formatted=options.ignore_formatted,
        others=scram_records(options.scram, levels[METADATA_VERSION]),
    )
    for path in formatted:
        print(f"Formatting {path} with metadata.version {release_of(levels[METADATA_VERSION])}.")


def print_info(config: NodeConfig) -> int:
    """Print the node and cluster of each directory; return 1 if one is not formatted, or 0.

    Raises:
        StorageFault: a directory cannot be read.
        BadMetaPropertiesError: a directory has an invalid `meta.properties`.
    """
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


def feature_levels(release: str | None, features: Sequence[str]) -> dict[str, int]:
    """Return the levels of the release or metadata.version, changed by single features."""
    given = dict(map(_feature_level, features))
    if release is None:
        metadata_version = given.get(METADATA_VERSION, LATEST_METADATA_VERSION)
    elif METADATA_VERSION in given:
        raise FormatError(
            f"--feature {METADATA_VERSION}: does not go with --release-version, which sets "
            f"{METADATA_VERSION}; give one of them"
        )
    else:
        metadata_version = _metadata_version(release)
    of_release = levels_of(metadata_version)
    levels = {METADATA_VERSION: metadata_version}
    levels |= {name: of_release[name] for name in DEFAULT_LEVELS if of_release.get(name)}
    # A feature that this node does not have is at level 0 without a record.
    levels |= {name: level for name, level in given.items() if name in SUPPORTED_FEATURES}
    for name, level in levels.items():
        needed, least = dependency(name, level) or (METADATA_VERSION, 0)
        if levels.get(needed, 0) < least:
            raise FormatError(
                f"--feature {name}={level}: needs {needed} {least} or later, not "
                f"{levels.get(needed, 0)}"
            )
    return levels


def _metadata_version(release: str) -> int:
    name = release if "-" in release else ".".join(release.split(".")[:2])
    level = level_of(name)
    if level is None or level > LATEST_METADATA_VERSION:
        raise FormatError(f"--release-version {release}: unknown; allowed: {RELEASES}")
    return level


def _feature_level(feature: str) -> tuple[str, int]:
    name, separator, text = feature.partition("=")
    supported = SUPPORTED_FEATURES.get(name)
    if not separator or not (text.isascii() and text.isdigit()):
        raise FormatError(f"--feature {feature!r}: is no NAME=LEVEL")
    if supported is None:
        # As Kafka: level 0 of a feature is no feature.
        if name in levels_of(LATEST_METADATA_VERSION) and not text.strip("0"):
            return name, 0
        raise FormatError(f"--feature {name}: level {text} is not supported; allowed: none")
    try:
        return name, whole_number(text, supported.minimum, supported.maximum)
    except ValueError:
        allowed = f"{supported.minimum} to {supported.maximum}"
        raise FormatError(
            f"--feature {name}: level {text} is not supported; allowed: {allowed}"
        ) from None


def _voters(options: FormatOptions, config: NodeConfig) -> VoterSet | None:
    """Return the first voters of a dynamic quorum; None for a static or an existing quorum."""
    if not config.is_controller or options.no_initial_controllers:
        return None
    dynamic = options.standalone or options.initial_controllers is not None
    if config.voters:
        if dynamic:
            raise FormatError(
                "controller.quorum.voters makes a static quorum: "
                "--standalone and --initial-controllers do not go with it"
            )
        return None
    if options.initial_controllers is not None:
        return _initial_controllers(options.initial_controllers, config)
    if not options.standalone:
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
    # As Kafka: empty entries are ignored.
    for item in filter(None, map(str.strip, text.split(","))):
        node_id, _, rest = item.partition("@")
        address, _, directory = rest.rpartition(":")
        try:
            host, port = parse_address(address)
            voter_id, directory_id = whole_number(node_id), Uuid.parse(directory)
        except ValueError as error:
            raise FormatError(
                f"--initial-controllers: {item!r} is no id@host:port:directory-id ({error})"
            ) from None
        if directory_id.is_reserved:
            raise FormatError(f"--initial-controllers: the directory id {directory} is reserved")
        listener = config.controller_listener_names[0]
        voters.append(RaftVoter(voter_id, directory_id, (Endpoint(listener, host, port),)))
    if not voters:
        raise FormatError("--initial-controllers names no voter; give id@host:port:directory-id")
    found = VoterSet.of(voters)
    if len(found) < len(voters):
        raise FormatError("--initial-controllers names a node id twice")
    if config.node_id not in found.voters:
        raise FormatError(
            f"--initial-controllers does not name this controller, {config.node_id}: a controller "
            "that is to join later is formatted with --no-initial-controllers"
        )
    return found
