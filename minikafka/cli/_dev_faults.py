"""The actions of `minikafka dev` on faults: requests to the interface of `dev --faults`."""

import argparse
import json
import re
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn
from urllib.parse import quote, urlsplit

from minikafka.cli._numbers import number, whole
from minikafka.cli._suggestions import did_you_mean
from minikafka.dev.control import NoOwnerError, ask_owner
from minikafka.dev.layout import is_owned
from minikafka.dev.supervisor import STATUS
from minikafka.faults.catalogue import FAMILIES

HELP: Final = {
    "fault": "inject faults into the answers of nodes",
    "cut": "cut the links between nodes",
    "slow": "slow the links between nodes",
    "clock": "shift the clock of a node, or let it drift",
    "full-disk": "let every write of a node fail",
    "slow-disk": "let each fsync of a node take longer",
    "heal": "remove all faults, resume and start all nodes",
}
_LOOPBACK: Final = "127.0.0.1"
_USAGE: Final = 2
_FAILED: Final = 1
_SILENCE_S: Final = 2.0
_BAD_REQUEST: Final = 400
_FAULT: Final = """inject faults into the answers of nodes

  dev fault API ERROR|KIND [option ...]   set a fault; print its id
  dev fault list                          print the faults, with their hits
  dev fault remove ID                     remove one; print its hits

  minikafka dev fault Produce NOT_LEADER_OR_FOLLOWER --topic t --partition 0 --times 2
  minikafka dev fault Fetch delay --ms 500 --client-id app

Errors have Kafka's names. The kinds are {kinds}."""
_MATCH: Final = (
    "topic", "partition", "client_id", "broker_id", "role", "versions", "nth", "times",
    "probability", "seed", "ms", "id",
)  # fmt: skip


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of a start."""
    add = parser.add_argument
    add("--faults", action="store_true",
        help="faults can be set, by `dev fault` and by HTTP on this host")  # fmt: skip
    add("--faults-port", type=number(0, 65535), metavar="PORT",
        help="the port of the HTTP interface for faults (default 0: a free one)")  # fmt: skip
    add("--faults-host", metavar="ADDRESS", default=_LOOPBACK,
        help="its address (default 127.0.0.1); it has no authentication")  # fmt: skip


def are_wanted(args: argparse.Namespace) -> bool:
    """True if one of the options is given."""
    return args.faults or args.faults_port is not None or args.faults_host != _LOOPBACK


def add_arguments(parser: argparse.ArgumentParser, name: str) -> None:
    """Declare the arguments of an action."""
    _declare[name](parser)


def _declare_fault(parser: argparse.ArgumentParser) -> None:
    kinds = ", ".join(name for name in FAMILIES[0].node if name != "error")
    parser.description = _FAULT.format(kinds=kinds)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.usage = "minikafka dev fault API ERROR|KIND | list | remove ID [option ...]"
    parser.allow_abbrev = False
    add = parser.add_argument
    add("words", metavar="API ERROR|KIND", nargs="*", help="see above")
    add("--node", type=_nodes, metavar="N[,N...]", help="only at these nodes (default: at all)")
    add("--topic", metavar="NAME", help="requests that name the topic")
    add("--partition", type=number(), metavar="N", help="requests that name this partition")
    add("--client-id", metavar="ID", help="requests of clients with this id")
    add("--broker-id", type=number(), metavar="N", help="requests of this node")
    add("--role", choices=("broker", "controller"), help="requests on listeners of this role")
    add("--versions", type=_versions, metavar="LOW-HIGH", help="requests of these versions")
    add("--nth", type=number(), metavar="N", help="calls from the N-th on")
    add("--times", type=number(), metavar="N", help="so many calls (default: all; 1 with --nth)")
    add("--probability", type=float, metavar="P", help="each call with this probability")
    add("--seed", type=whole, metavar="N", help="draws the calls of --probability")
    add("--ms", type=number(), metavar="MS", help="the time of delay and throttle")
    add("--after", action="store_true", help="handle the request, and only answer wrongly")
    add("--id", metavar="ID", help="the id of the fault (default: fault-1, and so on)")
    add("--json", action="store_true", help="print JSON")


def _declare_cut(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("nodes", type=_nodes, metavar="N[,N...]", help="one side of the cut")
    add("others", type=_nodes, metavar="N[,N...]", nargs="?",
        help="the other side (default: all other nodes)")  # fmt: skip


def _declare_slow(parser: argparse.ArgumentParser) -> None:
    _declare_cut(parser)
    parser.add_argument("--ms", type=number(), metavar="MS", required=True,
                        help="each message takes so much longer; 0: no longer")  # fmt: skip


def _declare_clock(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("node", type=number(), metavar="NODE", help="the node's id")
    add("--offset-ms", type=whole, default=0, metavar="MS", help="shift of the wall clock")
    add("--rate", type=float, default=1.0, metavar="R",
        help="speed of both clocks (default 1)")  # fmt: skip


def _declare_full_disk(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("node", type=number(), metavar="NODE", help="the node's id")
    add("--off", action="store_true", help="there is space again; dev start NODE if it has ended")


def _declare_slow_disk(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("node", type=number(), metavar="NODE", help="the node's id")
    add("--ms", type=number(), metavar="MS", required=True,
        help="each fsync takes so much longer; 0: no longer")  # fmt: skip


_declare: Final[dict[str, Callable[[argparse.ArgumentParser], None]]] = {
    "fault": _declare_fault,
    "cut": _declare_cut,
    "slow": _declare_slow,
    "clock": _declare_clock,
    "full-disk": _declare_full_disk,
    "slow-disk": _declare_slow_disk,
    "heal": lambda _: None,
}


def _nodes(text: str) -> list[int]:
    return [number()(word) for word in text.split(",")]


def _versions(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,4})(?:-(\d{1,4}))?", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no range such as 9-12")
    return int(match[1]), int(match[2] or match[1])


class _RefusedError(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.exit_status = _USAGE if status == _BAD_REQUEST else _FAILED


def run(directory: Path, args: argparse.Namespace) -> int:
    """Carry out an action on the cluster of a directory; return the exit status.

    Raises:
        NoOwnerError: no cluster runs there, or one without the interface.
    """
    try:
        if args.action == "fault":
            return _fault(directory, args)
        ask = _Interface(directory).ask
        if args.action == "heal":
            _print(ask("DELETE", "/faults")["healed"], "there is nothing to heal")
        elif args.action == "clock":
            value = {"offset_ms": args.offset_ms, "rate": args.rate}
            ask("PUT", f"/clocks/{args.node}", value)
        elif args.action == "full-disk":
            ask("POST", f"/disks/{args.node}", {"full": not args.off})
        elif args.action == "slow-disk":
            ask("POST", f"/disks/{args.node}", {"sync_ms": args.ms})
        else:
            ask("POST", "/links", _links(args, ask))
    except _RefusedError as error:
        print(f"dev {args.action}: {error}", file=sys.stderr)
        return error.exit_status
    return 0


def _links(args: argparse.Namespace, ask: Callable[..., Any]) -> dict[str, Any]:
    nodes, others = args.nodes, args.others
    if others is None:
        others = [it["node"] for it in ask("GET", "/nodes")["nodes"] if it["node"] not in nodes]
    links = [[one, other] for one in nodes for other in others]
    if args.action == "cut":
        return {"cut": links}
    return {"slow": [{"nodes": link, "ms": args.ms} for link in links]}


def _fault(directory: Path, args: argparse.Namespace) -> int:
    match args.words:
        case ["list"]:
            found = _Interface(directory).ask("GET", "/faults")
            if args.json:
                print(json.dumps(found))
            else:
                _print(_lines(directory), "no fault is set")
        case ["remove", name]:
            removed = _Interface(directory).ask("DELETE", f"/faults/{quote(name, safe='')}")
            hits = removed["hits"]
            text = f"{removed['id']}: {hits} hit{'' if hits == 1 else 's'}"
            print(json.dumps(removed) if args.json else text)
        case [api, what]:
            added = _Interface(directory).ask("POST", "/faults", _fault_json(args, api, what))
            print(json.dumps(added) if args.json else added["id"])
        case words:
            _wrong_words(words)
    return 0


def _fault_json(args: argparse.Namespace, api: str, what: str) -> dict[str, Any]:
    # Here, since `--help` and completion need none of it.
    from minikafka.faults.vocabulary import AnswerFault, FaultError

    given = {name: getattr(args, name) for name in _MATCH}
    match = {name: it for name, it in given.items() if it is not None}
    try:
        value = AnswerFault.named(api, what, after=args.after, **match).to_json()
    except FaultError as error:
        raise _RefusedError(_BAD_REQUEST, str(error)) from None
    return value if args.node is None else {**value, "nodes": args.node}


def _wrong_words(words: Sequence[str]) -> NoReturn:
    known = ("list", "remove")
    expected = "expected API and an error or kind, or list, or remove ID"
    hint = did_you_mean(words[0], known) if words and words[0] not in known else ""
    if words == ["remove"]:
        expected = "give the id of the fault; `dev fault list` prints the ids"
    print(f"dev fault{''.join(f' {word}' for word in words)}: {expected}{hint}", file=sys.stderr)
    sys.exit(_USAGE)


def _lines(directory: Path) -> list[str]:
    found: list[str] = []
    ask_owner(directory, STATUS, found.append)
    lines: list[str] = json.loads(found[0])["faults"]
    return lines


def _print(lines: Sequence[str], otherwise: str) -> None:
    print(*(lines or [otherwise]), sep="\n")


class _Interface:
    """The fault interface of the cluster that runs in a directory."""

    def __init__(self, directory: Path) -> None:
        """Find it.

        Raises:
            NoOwnerError: no cluster runs, or one without the interface.
        """
        # Here and below: `--help` needs none of it.
        from minikafka.dev.fault_interface import url_of

        url = url_of(directory)
        if not is_owned(directory):
            raise NoOwnerError(f"no cluster runs in {directory}; start one: minikafka dev --faults")
        if url is None:
            raise NoOwnerError(
                f"the cluster in {directory} was started without --faults; stop it and start it "
                "with: minikafka dev --faults"
            )
        self._directory = directory
        self._address = urlsplit(url).netloc

    def ask(self, method: str, path: str, value: object = None) -> Any:
        """Send a request; return the value of the answer.

        Raises:
            NoOwnerError: the cluster has ended.
        """
        from http.client import HTTPConnection, HTTPException

        notice = threading.Timer(
            _SILENCE_S, lambda: print("waiting for the nodes of the cluster", flush=True)
        )
        notice.daemon = True
        notice.start()
        try:
            connection = HTTPConnection(self._address)
            body = None if value is None else json.dumps(value)
            connection.request(method, path, body)
            response = connection.getresponse()
            answer = json.loads(response.read())
        except (OSError, HTTPException):
            raise NoOwnerError(f"the cluster in {self._directory} has ended") from None
        finally:
            notice.cancel()
        if response.status >= _BAD_REQUEST:
            raise _RefusedError(response.status, answer["error"])
        return answer
