"""minikafka dev: a cluster on this machine, and commands that act on it.

Without options it starts three brokers, nodes 1 to 3, and a separate controller, node 101, in the
state folder of the user. Node i serves clients on base-port + i - 1 and the other brokers on
base-port + 100 + i; node 101 is on base-port + 100. Every node has its own process, whose pid and
log are in the cluster's directory. With `--one-process` all nodes share one process, which starts
faster, but single nodes cannot be killed. Ctrl-C stops the cluster; its data stays.

The process that started the cluster owns its nodes. `dev kill|stop|start|pause|resume` send it a
command through a socket in the cluster's directory, so it knows which nodes should be running.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NoReturn

from minikafka.cli import _dev_faults
from minikafka.cli._numbers import number
from minikafka.cli._suggestions import did_you_mean
from minikafka.cli._usage import usage_error
from minikafka.config.node_config import ConfigErrors
from minikafka.dev.client_host import HostError, check_host
from minikafka.dev.control import OK, NoOwnerError, ask_owner
from minikafka.dev.layout import Layout, LayoutError
from minikafka.dev.secured import FOLDER as SECURITY_FOLDER
from minikafka.dev.secured import MECHANISMS, USERS, Secured
from minikafka.dev.supervisor import (
    ACTIONS,
    INTERRUPTED,
    POWER_CUT,
    STATUS,
    Supervisor,
    run_in_one_process,
)

_USAGE = 2
_FAILED = 1
_USUAL_NODES = 3
_USUAL_PORT = 19092
_PORT_TRIES = 3
_IN_USE = "in use"
_SEPARATE = 0
"""The value of `--voters` for a separate controller."""
_DURABLE = "min.insync.replicas=2"
"""With three replicas, as production clusters have it; see docs/elr-in-three-minutes.md."""
_HELP = {
    "kill": "end a node by SIGKILL",
    "stop": "stop a node by a controlled shutdown",
    "start": "start a node that was killed or stopped, and wait until it serves",
    "pause": "freeze a node by SIGSTOP",
    "resume": "let a paused node go on, by SIGCONT",
    POWER_CUT: "end a node as a power failure does: what it has not synced is lost",
    STATUS: "show the state of each node",
    "logs": "print the logs of the nodes, or of one node",
    "reset": "remove the cluster with all its data",
    **_dev_faults.HELP,
}


class _Subcommands(argparse._SubParsersAction):  # type: ignore[type-arg]  # noqa: SLF001
    """Subcommands that leave an unknown one to `run`.

    argparse would report the value of an unknown option as an unknown subcommand.
    """

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        if values[0] in self.choices:
            super().__call__(parser, namespace, values, option_string)
        else:
            setattr(namespace, self.dest, values[0])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = (__doc__ or "").partition(":")[2].strip()
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.error = usage_error(parser, _USAGE)  # type: ignore[method-assign,assignment]
    add = parser.add_argument
    add("--nodes", type=number(), metavar="N",
        help="number of brokers (default 3, or as in the directory)")  # fmt: skip
    add("--voters", type=number(), metavar="N",
        help="the first N nodes are controllers, too; 0: the controller is the separate node 101 "
        "(default 0, with 1 node 1)")  # fmt: skip
    add("--base-port", type=number(), metavar="PORT",
        help="the first node's port; 0: free ones (default: the former one, or 19092)")  # fmt: skip
    add("--host", metavar="ADDRESS", default="127.0.0.1",
        help="the address on which the nodes serve clients (default 127.0.0.1)")  # fmt: skip
    add("--advertised-host", metavar="NAME", default="",
        help="the name or address that clients are told (default: that of --host)")  # fmt: skip
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--dir", type=Path, metavar="DIR", help=_DIRECTORY_HELP)
    place.add_argument("--ephemeral", action="store_true",
                       help="a new directory that is removed at the end")  # fmt: skip
    add("--config", action="append", default=[], metavar="KEY=VALUE",
        help="a value for every node; may be given several times")  # fmt: skip
    add("--feature", action="append", default=[], metavar="NAME=LEVEL",
        help="the level of a feature in a new cluster; may be given several times")  # fmt: skip
    add("--secure", action="store_true",
        help="the same as --tls --sasl SCRAM-SHA-512")  # fmt: skip
    add("--tls", action="store_true",
        help="encrypt connections, by certificates that are made for the cluster")  # fmt: skip
    add("--sasl", metavar="MECHANISM", type=_mechanism,
        help=f"clients log in: {', '.join(MECHANISMS)}")  # fmt: skip
    _dev_faults.add_options(parser)
    add("--one-process", action="store_true", help="all nodes in one process")
    add("--quiet", action="store_true", help="print nothing after the start")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", action=_Subcommands)
    for name, text in _HELP.items():
        _add_action(actions.add_parser(name, help=text, description=text), name)
    # An unknown action must reach `_Subcommands`.
    parser._check_value = lambda *_: None  # type: ignore[method-assign]  # noqa: SLF001


def _mechanism(text: str) -> str:
    if text.upper() not in MECHANISMS:
        raise argparse.ArgumentTypeError(f"{text!r}: expected one of {', '.join(MECHANISMS)}")
    return text.upper()


_DIRECTORY_HELP = "the cluster's directory (default: minikafka/dev in the user's state folder)"


def _add_action(parser: argparse.ArgumentParser, name: str) -> None:
    parser.prog = f"minikafka dev {name}"
    parser.error = usage_error(parser, _USAGE)  # type: ignore[method-assign,assignment]
    # SUPPRESS: `--dir` may stand before the action, too.
    parser.add_argument("--dir", type=Path, metavar="DIR", default=argparse.SUPPRESS,
                        help=_DIRECTORY_HELP)  # fmt: skip
    if name in ACTIONS:
        parser.add_argument("node", metavar="NODE", help="the node's id")
        parser.error = _node_missing(parser, name)  # type: ignore[method-assign,assignment]
    elif name == "logs":
        parser.add_argument("node", metavar="NODE", nargs="?", help="the node's id")
        # argparse takes no optional NODE after an option, so that the option takes it.
        parser.add_argument("-f", "--follow", metavar="NODE", nargs="?", const=True,
                            help="print new lines, until Ctrl-C")  # fmt: skip
    elif name == STATUS:
        parser.add_argument("--json", action="store_true", help="print JSON")
    elif name in _dev_faults.HELP:
        _dev_faults.add_arguments(parser, name)


def _node_missing(parser: argparse.ArgumentParser, name: str) -> Callable[[str], NoReturn]:
    usual = parser.error

    def error(message: str) -> NoReturn:
        if message.endswith("required: NODE"):
            print(f"dev {name}: give the node's id", file=sys.stderr)
            sys.exit(_USAGE)
        usual(message)

    return error


def run(args: argparse.Namespace) -> int:
    """Start a cluster and run until it is stopped, or act on one; return the exit status."""
    try:
        if args.action is None:
            return _start(args)
        if args.action not in _HELP:
            hint = did_you_mean(args.action, _HELP)
            print(f"dev {args.action}: expected one of {', '.join(_HELP)}{hint}", file=sys.stderr)
            return _USAGE
        directory = _directory_of_action(args)
        if args.action in ACTIONS:
            return _act(directory, args.action, args.node)
        if args.action == STATUS:
            return _status(directory, as_json=args.json)
        if args.action == "logs":
            return _logs(directory, args)
        if args.action in _dev_faults.HELP:
            return _dev_faults.run(directory, args)
        return _reset(directory)
    except NoOwnerError as error:
        print(error, file=sys.stderr)
        return _FAILED
    except ConfigErrors as error:
        print(*error.errors, sep="\n", file=sys.stderr)
    except LayoutError as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print(f"{error.filename or args.dir}: {error.strerror}", file=sys.stderr)
    return _USAGE


def _directory_of_action(args: argparse.Namespace) -> Path:
    from minikafka.dev.place import running_directory, usual_directory

    if args.dir is not None:
        return Path(args.dir)
    return usual_directory() if args.action == "reset" else running_directory()


# Start


def _start(args: argparse.Namespace) -> int:
    with ExitStack() as stack:
        directory = args.dir
        if args.ephemeral:
            from minikafka.dev.place import ephemeral_directory

            directory = stack.enter_context(ephemeral_directory())
        elif directory is None:
            from minikafka.dev.place import usual_directory

            directory = usual_directory()
        has_faults = _dev_faults.are_wanted(args)
        if has_faults and args.one_process:
            raise LayoutError("--faults: not with --one-process, since each node has its own")
        layout = _prepared(args, directory)
        if args.dir is None:
            print(f"directory={layout.directory}", flush=True)
        print(f"bootstrap.servers={layout.bootstrap_servers}", flush=True)
        if layout.secured is not None:
            _say_users(layout.secured)
        if args.one_process:
            return run_in_one_process(layout)
        faults_at = (args.faults_host, args.faults_port or 0) if has_faults else None
        return _supervise(layout, is_quiet=args.quiet, faults_at=faults_at)


def _say_users(secured: Secured) -> None:
    """Print where clients find what they need, for each user."""
    print(f"security.protocol={secured.protocol.value}", flush=True)
    for user in USERS:
        print(f"{user}={secured.folder / user}.properties", flush=True)


def _secured(args: argparse.Namespace, directory: Path) -> Secured | None:
    """Return how listeners are secured: as the options say, or as the cluster was made.

    Raises:
        LayoutError: the cluster was made with other options.
    """
    folder = directory.absolute() / SECURITY_FOLDER
    known = Secured.found(folder)
    has_tls = args.tls or args.secure
    mechanism = args.sasl or (MECHANISMS[-1] if args.secure else "")
    if not has_tls and not mechanism:
        return known
    if known is not None and (known.has_tls, known.mechanism) != (has_tls, mechanism):
        tls, sasl = "--tls" * known.has_tls, f"--sasl {known.mechanism}" * bool(known.mechanism)
        former = f"{tls} {sasl}".strip()
        raise LayoutError(f"{directory} holds a cluster with {former}; give these options, or none")
    return Secured(folder, has_tls=has_tls, mechanism=mechanism)


def _supervise(layout: Layout, *, is_quiet: bool, faults_at: tuple[str, int] | None) -> int:
    # First: it forks a process that imports a node, beside the imports of this process.
    supervisor = Supervisor(layout)
    with ExitStack() as stack:
        if faults_at is not None:
            from minikafka.dev.fault_interface import fault_interface

            url = stack.enter_context(fault_interface(layout, supervisor, *faults_at))
            print(f"faults={url}", flush=True)
        if is_quiet:
            status = supervisor.run()
        else:
            from minikafka.commands.dev_console import Console

            console = Console(layout)
            supervisor.on_event = console.event
            if supervisor.faults is not None:
                console.count_faults = supervisor.faults.count
            status = supervisor.run(lambda: console.start(supervisor.nodes))
            console.close()
    if status == INTERRUPTED:
        print("minikafka dev: interrupted.", file=sys.stderr)
    return status


def _prepared(args: argparse.Namespace, directory: Path) -> Layout:
    """Write the configurations, and format new nodes; choose ports if that is asked for."""
    from minikafka.dev.base_ports import free_base_port
    from minikafka.dev.place import check_machine, former_options

    known = former_options(directory)
    nodes = args.nodes
    if nodes is None:
        nodes = known.nodes if known else _USUAL_NODES
    try:
        client_host = check_host(args.host, args.advertised_host or None)
    except HostError as error:
        option = error.argument.replace("_", "-")
        reason = error.reason.replace("advertised_host", "--advertised-host")
        raise LayoutError(f"--{option} {error.value!r}: {reason}") from None
    check_machine(nodes)
    secured = _secured(args, directory)
    levels = _levels(args, is_new=known is None)
    voters = args.voters
    if voters is None:
        voters = known.voters if known else _SEPARATE if nodes > 1 else 1
    overrides: Sequence[str] = args.config
    if voters == _SEPARATE and nodes >= _USUAL_NODES:
        overrides = [_DURABLE, *overrides]
    former = known.base_port if known else None

    def prepared(port: int) -> Layout:
        layout = Layout.make(
            directory, nodes, port, overrides, voters, levels=levels,
            host=client_host.address, advertised_host=client_host.advertised_name,
            secured=secured,
        )  # fmt: skip
        layout.prepare()
        return layout

    if args.base_port != 0:
        return prepared(args.base_port or former or _USUAL_PORT)
    for tries_left in reversed(range(_PORT_TRIES)):
        port = free_base_port(nodes, former)
        if port is None:
            raise LayoutError("--base-port 0: no free ports")
        try:
            return prepared(port)
        except LayoutError as error:
            # Another process may have taken a port between the choice and the check.
            if not tries_left or _IN_USE not in str(error):
                raise
    raise AssertionError("the last attempt returns or raises")


def _levels(args: argparse.Namespace, *, is_new: bool) -> dict[str, int]:
    """Return the levels of `--feature`.

    Raises:
        LayoutError: a level is not supported, or a feature was given as a configuration.
    """
    if not args.config and not args.feature:
        return {}
    from minikafka.commands.storage import feature_levels
    from minikafka.metadata.features import SUPPORTED_FEATURES
    from minikafka.server.format import FormatError

    for each in args.config:
        if each.partition("=")[0].strip() in SUPPORTED_FEATURES:
            raise LayoutError(f"--config {each}: is a feature; give it as --feature {each}")
    if not args.feature:
        return {}
    if not is_new:
        raise LayoutError("--feature: the cluster exists; change it by `minikafka features`")
    try:
        return feature_levels(None, args.feature)
    except FormatError as error:
        raise LayoutError(str(error)) from None


# Actions


def _act(directory: Path, action: str, node: str) -> int:
    if not node.isascii() or not node.isdigit():
        print(f"dev {action} {node}: not a node id", file=sys.stderr)
        return _USAGE
    answer = ask_owner(directory, f"{action} {node}", lambda note: print(note, flush=True))
    if answer == OK:
        return 0
    print(answer, file=sys.stderr)
    return _FAILED


def _status(directory: Path, *, as_json: bool) -> int:
    found: list[str] = []
    answer = ask_owner(directory, STATUS, found.append)
    if answer != OK:
        print(answer, file=sys.stderr)
        return _FAILED
    if as_json:
        print(found[0])
        return 0
    status = json.loads(found[0])
    print(f"directory={directory}", f"bootstrap.servers={status['bootstrap.servers']}", sep="\n")
    rows = [("node", "roles", "state", "pid", "listeners")]
    rows += [
        (str(it["node"]), it["roles"], it["state"], str(it["pid"] or "-"), it["listeners"])
        for it in status["nodes"]
    ]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        )
    for line in [*filter(None, [status["quorum"]]), *status["faults"]]:
        print(line)
    return 0


def _logs(directory: Path, args: argparse.Namespace) -> int:
    from minikafka.dev.logs import follow, log_files, merged

    node = args.node or (args.follow if isinstance(args.follow, str) else None)
    files = log_files(directory, node)
    if not files:
        of_node = "" if node is None else f" of node {node}"
        print(f"there is no log{of_node} in {directory}", file=sys.stderr)
        return _FAILED
    for line in merged(files):
        print(line)
    if args.follow:
        for line in follow(files):
            print(line, flush=True)
    return 0


def _reset(directory: Path) -> int:
    from minikafka.dev.place import reset

    reset(directory)
    print(f"removed the cluster in {directory}")
    return 0
