"""`kafka-features.py`: describe, raise and lower feature levels.

Options, output and exit status are those of Kafka's `FeatureCommand`. `--release-version` changes
only features that the cluster has.
"""

import argparse
import sys
from typing import NoReturn

from minikafka.admin.client import AdminClient
from minikafka.cli._numbers import number
from minikafka.cli._subcommands import (
    declare_servers,
    run_with_client,
    say_errors_with,
    wrong_servers,
)
from minikafka.commands.features import (
    FeatureChange,
    change_features,
    print_dependencies,
    print_features,
    print_levels_of_release,
)
from minikafka.commands.options import FAILED, ToolError
from minikafka.metadata.release_levels import LATEST


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    declare_servers(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    describe = actions.add_parser("describe", help="show the features of the cluster")
    describe.add_argument(
        "--node-id", type=number(), metavar="ID", help="as this broker knows them"
    )
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
    if args.action in ("version-mapping", "feature-dependencies"):
        return _run_offline(args)
    wrong = wrong_servers(args)
    if wrong is not None:
        _wrong_command_line(wrong)
    return run_with_client(args, _describe if args.action == "describe" else _change)


def _run_offline(args: argparse.Namespace) -> int:
    try:
        if args.action == "version-mapping":
            print_levels_of_release(args.release_version)
        else:
            print_dependencies(args.feature)
    except ToolError as error:
        print(error, file=sys.stderr)
        return FAILED
    return 0


def _describe(args: argparse.Namespace, client: AdminClient) -> int:
    print_features(client, args.node_id)
    return 0


def _change(args: argparse.Namespace, client: AdminClient) -> int:
    # Not every action has every option.
    change = FeatureChange(
        action=args.action,
        features=args.feature,
        metadata=getattr(args, "metadata", None),
        release_version=getattr(args, "release_version", None),
        unsafe=getattr(args, "unsafe", False),
        dry_run=args.dry_run,
    )
    return change_features(client, change)
