"""kafka-storage: format the directories of a node, and draw ids.

Options as in Kafka's `kafka-storage.sh`: `format --cluster-id ID --config FILE` with
`--standalone`, `--initial-controllers`, `--no-initial-controllers`, `--ignore-formatted`,
`--feature`, `--release-version`, `--add-scram`; `info --config FILE`; `random-uuid`.
"""

import argparse
import sys

from minikafka import __version__
from minikafka.commands.storage import RELEASES, FormatOptions, format_directories, print_info
from minikafka.common.faults import DISK_ERRORS
from minikafka.config.definition import ConfigError
from minikafka.log.checkpoints import BadMetaPropertiesError
from minikafka.server.format import FormatError, random_uuid
from minikafka.server.one_node import read_config


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--version", action="version", version=__version__)
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
    flag("--release-version", "-r", metavar="VERSION", help=f"levels of a release: {RELEASES}")
    flag(
        "--feature",
        "-f",
        action="append",
        default=[],
        metavar="NAME=LEVEL",
        help="the level of one feature; may be given several times",
    )
    flag(
        "--add-scram",
        "-S",
        action="append",
        default=[],
        metavar="MECHANISM=[...]",
        help="a user's credential, SCRAM-SHA-256=[name=a,iterations=8192,password=b]; may be given "
        "several times",
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
        config = read_config(args.config, with_logins=False)
        if args.action == "info":
            return print_info(config)
        options = FormatOptions(
            cluster_id=args.cluster_id,
            release_version=args.release_version,
            features=args.feature,
            standalone=args.standalone,
            no_initial_controllers=args.no_initial_controllers,
            initial_controllers=args.initial_controllers,
            ignore_formatted=args.ignore_formatted,
            scram=args.add_scram,
        )
        format_directories(config, options)
    except (ConfigError, FormatError, BadMetaPropertiesError, *DISK_ERRORS) as error:
        print(error, file=sys.stderr)
        return 1
    return 0
