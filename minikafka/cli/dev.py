"""minikafka dev: a cluster on this machine, and commands that act on one of its nodes.

Node ids start at 1. Node i serves clients on base-port + i - 1 and the other brokers on base-port +
100 + i. The first three nodes are also controllers, on base-port + 200 + i, or only node 1 in a
cluster of one or two nodes. Every node has its own process, whose pid and log are in the cluster's
directory. With `--one-process` all nodes share one process, which
starts faster, but single nodes cannot be killed.

The process that started the cluster owns its nodes. `dev kill|stop|start|pause|resume` send it a
command through a socket in the cluster's directory, so it knows which nodes should be running.
"""

import argparse
import sys
from pathlib import Path

from minikafka.cli._numbers import number
from minikafka.config.node_config import ConfigErrors
from minikafka.dev.layout import Layout, LayoutError
from minikafka.dev.supervisor import ACTIONS, Supervisor, ask_owner, run_in_one_process


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    # Neither `choices` nor a type: after an unknown option argparse would report the wrong word.
    parser.add_argument("action", nargs="?", metavar=f"{{{','.join(ACTIONS)}}}",
                        help="act on one node")  # fmt: skip
    parser.add_argument("node", nargs="?", help="the node to act on")
    parser.add_argument("--nodes", type=number(), default=3, metavar="N",
                        help="number of nodes (default 3)")  # fmt: skip
    parser.add_argument("--voters", type=number(), metavar="N",
                        help="number of controllers, the first nodes (default 3; 1 if there are "
                        "fewer than 3 nodes)")  # fmt: skip
    parser.add_argument("--base-port", type=number(), default=19092, metavar="PORT",
                        help="the first node's port (default 19092)")  # fmt: skip
    # Not `required`: argparse would then not report an unknown option.
    parser.add_argument("--dir", type=Path, help="the cluster's directory (required)")
    parser.add_argument("--config", action="append", default=[], metavar="KEY=VALUE",
                        help="a value for every node; may be given several times")  # fmt: skip
    parser.add_argument("--one-process", action="store_true", help="all nodes in one process")


def run(args: argparse.Namespace) -> int:
    """Start a cluster and run until it is stopped, or act on one node; return the exit status."""
    if args.dir is None:
        print("dev: give --dir DIR, the cluster's directory", file=sys.stderr)
        return 2
    if args.action is not None:
        if args.action not in ACTIONS:
            print(f"dev {args.action}: expected one of {', '.join(ACTIONS)}", file=sys.stderr)
            return 2
        if args.node is None:
            print(f"dev {args.action}: give the node's id", file=sys.stderr)
            return 2
        if not args.node.isascii() or not args.node.isdigit():
            print(f"dev {args.action} {args.node}: not a node id", file=sys.stderr)
            return 2
        return ask_owner(args.dir, f"{args.action} {args.node}")
    try:
        layout = Layout.make(args.dir, args.nodes, args.base_port, args.config, args.voters)
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
