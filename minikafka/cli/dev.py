"""minikafka dev: a cluster on this machine, and commands that act on one node of it.

Node i (from 1) serves clients on base-port + i - 1 and the other brokers on base-port + 100 + i;
node 1 is also the controller, on base-port + 100. Every node is a process of its own, whose pid and
log are in the cluster's directory; with `--one-process` all nodes share one, which starts faster
and cannot be killed in part.

The process that started the cluster owns its nodes. `dev kill|stop|start|pause|resume` ask it, by a
socket in the cluster's directory, so that it always knows which nodes should be running.
"""

import argparse
import sys
from pathlib import Path

from minikafka.config.node_config import ConfigErrors
from minikafka.dev.layout import Layout, LayoutError
from minikafka.dev.supervisor import ACTIONS, Supervisor, ask_owner, run_in_one_process


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    # Not `choices`, nor a type: what follows an option that does not exist would be blamed for it.
    parser.add_argument("action", nargs="?", metavar=f"{{{','.join(ACTIONS)}}}",
                        help="act on one node")  # fmt: skip
    parser.add_argument("node", nargs="?", help="the node to act on")
    parser.add_argument("--nodes", type=int, default=3, metavar="N", help="how many (default 3)")
    parser.add_argument("--base-port", type=int, default=19092, metavar="PORT",
                        help="the first node's port (default 19092)")  # fmt: skip
    # Not `required`: an option that does not exist would not be named.
    parser.add_argument("--dir", type=Path, help="where the cluster lives; must be given")
    parser.add_argument("--config", action="append", default=[], metavar="KEY=VALUE",
                        help="a value for every node; may be given several times")  # fmt: skip
    parser.add_argument("--one-process", action="store_true", help="all nodes in one process")


def run(args: argparse.Namespace) -> int:
    """Start a cluster and stay until it is stopped, or act on one node."""
    if args.dir is None:
        print("dev: give --dir DIR, where the cluster lives", file=sys.stderr)
        return 2
    if args.action is not None:
        if args.action not in ACTIONS:
            print(f"dev {args.action}: one of {', '.join(ACTIONS)}", file=sys.stderr)
            return 2
        if args.node is None:
            print(f"dev {args.action}: which node?", file=sys.stderr)
            return 2
        if not args.node.isdecimal():
            print(f"dev {args.action} {args.node}: is no node's number", file=sys.stderr)
            return 2
        return ask_owner(args.dir, f"{args.action} {args.node}")
    try:
        layout = Layout.make(args.dir, args.nodes, args.base_port, args.config)
        layout.prepare()
    except ConfigErrors as error:
        for line in error.errors:
            print(line, file=sys.stderr)
        return 2
    except LayoutError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename or args.dir}: {error.strerror}", file=sys.stderr)
        return 2
    print(f"bootstrap.servers={layout.bootstrap_servers}", flush=True)
    if args.one_process:
        return run_in_one_process(layout)
    return Supervisor(layout).run()
