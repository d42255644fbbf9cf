"""`kafka-features.py`: describe, raise and lower feature levels (E12).

Options, output and exit status are those of Kafka's `FeatureCommand`. `--release-version` changes
only features that the cluster has.
"""

import argparse
import sys
from collections.abc import Mapping
from typing import NoReturn

from minikafka.admin.client import AdminClient
from minikafka.admin.features import UpgradeType, describe_features, update_features
from minikafka.cli._subcommands import declare_servers, run_with_client, say_errors_with
from minikafka.commands.options import FAILED, ToolError
from minikafka.metadata.features import KRAFT_VERSION, METADATA_VERSION
from minikafka.metadata.release_levels import (
    LATEST,
    RELEASES,
    dependency,
    has_level,
    is_known,
    level_of,
    levels_of,
    release_of,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    declare_servers(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    describe = actions.add_parser("describe", help="show the features of the cluster")
    describe.add_argument("--node-id", type=int, metavar="ID", help="as this broker knows them")
    upgrade = actions.add_parser("upgrade", help="raise feature levels")
    downgrade = actions.add_parser("downgrade", help="lower feature levels")
    downgrade.add_argument("--unsafe", action="store_true", help="even where metadata is lost")
    disable = actions.add_parser("disable", help="lower feature levels to 0")
    disable.add_argument("--unsafe", action="store_true", help="even where metadata is lost")
    for action, form in ((upgrade, "NAME=LEVEL"), (downgrade, "NAME=LEVEL"), (disable, "NAME")):
        action.add_argument("--feature", action="append", default=[], metavar=form)
        action.add_argument("--dry-run", action="store_true", help="ask, but change nothing")
    for action in (upgrade, downgrade):
        action.add_argument("--metadata", metavar="VERSION", help="deprecated: metadata.version")
        action.add_argument("--release-version", metavar="VERSION", help="levels of a release")
    mapping = actions.add_parser("version-mapping", help="show the levels of a release")
    mapping.add_argument("--release-version", default=LATEST, metavar="VERSION")
    needs = actions.add_parser("feature-dependencies", help="show what a level needs")
    needs.add_argument("--feature", action="append", required=True, metavar="NAME=LEVEL")
    for each in (parser, describe, upgrade, downgrade, disable, mapping, needs):
        say_errors_with(each, _wrong_command_line)


def _wrong_command_line(message: str) -> NoReturn:
    print(f"Command line error: {message}. Type --help for help.", file=sys.stderr)
    sys.exit(FAILED)


def run(args: argparse.Namespace) -> int:
    """Do one action; return the exit status."""
    offline = {"version-mapping": _version_mapping, "feature-dependencies": _dependencies}
    if args.action in offline:
        try:
            return offline[args.action](args)
        except ToolError as error:
            print(error, file=sys.stderr)
            return FAILED
    if args.bootstrap_server is None:
        _wrong_command_line("You must specify --bootstrap-server")
    work = {"describe": _describe, "disable": _disable}.get(args.action, _change)
    return run_with_client(args, work)


def _describe(args: argparse.Namespace, client: AdminClient) -> int:
    found = describe_features(client, args.node_id)
    epoch = "-" if found.epoch is None else found.epoch
    for it in found.features:
        levels = (it.minimum, it.maximum, it.finalized)
        texts = map(release_of, levels) if it.name == METADATA_VERSION else map(str, levels)
        low, high, final = (f"{text:<17}" for text in texts)
        print(
            f"Feature: {it.name:<42}SupportedMinVersion: {low}SupportedMaxVersion: {high}"
            f"FinalizedVersionLevel: {final}Epoch: {epoch}"
        )
    return 0


def _change(args: argparse.Namespace, client: AdminClient) -> int:
    action = args.action
    if args.release_version is not None and (args.metadata is not None or args.feature):
        raise ToolError("Can not specify `release-version` with other feature flags.")
    levels: dict[str, int] = {}
    if args.metadata is not None:
        print(" `metadata` flag is deprecated and may be removed in a future release.")
        levels[METADATA_VERSION] = _known_level(args.metadata)
    levels.update(map(_parse, args.feature))
    if args.release_version is not None:
        levels = _of_release(client, args.release_version)
    if not levels:
        raise ToolError(f"You must specify at least one feature to {action}")
    if action == "upgrade":
        too_low = next((level for level in levels.values() if level < 1), None)
        if too_low is not None and args.release_version is None:
            raise ToolError(
                "The upgradeType flag should be set to SAFE_DOWNGRADE or UNSAFE_DOWNGRADE when the"
                f" provided maxVersionLevel:{too_low} is < 1."
            )
        return _update(client, args, levels, UpgradeType.UPGRADE)
    return _update(client, args, levels, _downgrade_type(args))


def _of_release(client: AdminClient, release: str) -> dict[str, int]:
    """Return the levels of a release, for the features that the cluster has."""
    metadata_version = _known_level(release)
    levels = {METADATA_VERSION: metadata_version, **levels_of(metadata_version)}
    # Unlike Kafka (row 90): kraft.version 0 stays, since a static quorum cannot become dynamic.
    changeable = [
        it.name
        for it in describe_features(client).features
        if it.name != KRAFT_VERSION or it.finalized
    ]
    return {name: level for name, level in levels.items() if name in changeable}


def _disable(args: argparse.Namespace, client: AdminClient) -> int:
    if not args.feature:
        raise ToolError("You must specify at least one feature to disable")
    return _update(client, args, dict.fromkeys(args.feature, 0), _downgrade_type(args))


def _downgrade_type(args: argparse.Namespace) -> UpgradeType:
    return UpgradeType.UNSAFE_DOWNGRADE if args.unsafe else UpgradeType.SAFE_DOWNGRADE


def _update(
    client: AdminClient, args: argparse.Namespace, levels: Mapping[str, int], kind: UpgradeType
) -> int:
    errors = update_features(client, levels, kind, dry_run=args.dry_run)
    failed = 0
    for name in sorted(levels):
        to = "" if args.action == "disable" else f" to {levels[name]}"
        reason = errors[name]
        if reason is None:
            done = "can be" if args.dry_run else "was"
            print(f"{name} {done} {args.action}d{to}.")
        else:
            failed += 1
            could = "Can" if args.dry_run else "Could"
            print(f"{could} not {args.action} {name}{to}. {reason}")
    if failed:
        print(f"{failed} out of {len(levels)} operation(s) failed.", file=sys.stderr)
    return FAILED if failed else 0


def _version_mapping(args: argparse.Namespace) -> int:
    metadata_version = _known_level(args.release_version)
    print(f"{METADATA_VERSION}={metadata_version} ({args.release_version})")
    for name, level in levels_of(metadata_version).items():
        print(f"{name}={level}")
    return 0


def _dependencies(args: argparse.Namespace) -> int:
    for text in args.feature:
        name, level = _parse(text)
        if not is_known(name):
            raise ToolError(f"Unknown feature: {name}")
        if not has_level(name, level):
            raise ToolError(f"No feature:{name} with feature level {level}")
        shown = f"{name}={level}"
        if name == METADATA_VERSION:
            shown += f" ({release_of(level)})"
        needed = dependency(name, level)
        if needed is None:
            print(f"{shown} has no dependencies.")
        else:
            print(f"{shown} requires:")
            print(f"    {needed[0]}={needed[1]} ({release_of(needed[1])})")
    return 0


def _known_level(release: str) -> int:
    level = level_of(release)
    if level is None:
        raise ToolError(
            f"Unknown metadata.version '{release}'. Supported metadata.version are: "
            + ", ".join(RELEASES)
        )
    return level


def _parse(text: str) -> tuple[str, int]:
    name, equals, level = text.partition("=")
    if not equals:
        raise ToolError(f"Can't parse feature=level string {text}: equals sign not found.")
    try:
        return name.strip(), int(level)
    except ValueError:
        raise ToolError(
            f"Can't parse feature=level string {text}: unable to parse {level} as a short."
        ) from None
