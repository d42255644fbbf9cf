"""The resources of the fault interface of `minikafka dev --faults`, as requests and JSON answers.

`fault_server` brings the requests; `fault_schema` describes the bodies.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final, NamedTuple, Protocol
from urllib.parse import unquote

from minikafka.dev.cluster_faults import DevFaults, SilentNodeError, UnknownFaultError, pairs
from minikafka.dev.control import ERROR, OK, STOPPING, Say
from minikafka.dev.fault_state import DiskState, Pair
from minikafka.dev.supervisor import ACTIONS
from minikafka.faults.vocabulary import MAX_MS, FaultError, nearest
from minikafka.server.fault_control import clock_of, fields_of

_MAX_NODES: Final = 1000


class ClusterOwner(Protocol):
    """The owner of the cluster's processes."""

    def act(self, words: Sequence[str], say: Say) -> str:
        """Do what a command of `dev.control` says; return its last line."""

    def node_states(self) -> list[dict[str, Any]]:
        """Return the state of each node."""


class RefusedError(Exception):
    """A request with an error as its answer."""

    def __init__(self, status: HTTPStatus, message: str, allow: Sequence[str] = ()) -> None:
        """`allow` are the methods of a resource, if it does not have that of the request."""
        super().__init__(message)
        self.status = status
        self.allow = allow


class JsonAnswer(NamedTuple):
    """A status, a JSON value, and further headers."""

    status: HTTPStatus
    value: Any
    headers: Mapping[str, str] = {}


Handler = Callable[[Sequence[str], Any], JsonAnswer]
"""Takes the variable words of a path and the body, which is None if there is none."""


class FaultResources:
    """Answers requests; its methods may be called from any thread."""

    def __init__(self, owner: ClusterOwner, faults: DevFaults, schema: Callable[[], Any]) -> None:
        """`schema` returns the JSON schema of the bodies."""
        self._owner = owner
        self._faults = faults
        self._routes: dict[tuple[str, ...], dict[str, Handler]] = {
            (): {"GET": self._index},
            ("faults",): {"GET": self._list, "POST": self._add, "DELETE": self._heal},
            ("faults", "ID"): {"GET": self._one, "DELETE": self._remove},
            ("links",): {
                "GET": self._links,
                "PUT": self._replace_links,
                "POST": self._add_links,
                "DELETE": self._heal_links,
            },
            ("clocks",): {"GET": self._clocks},
            ("clocks", "NODE"): {
                "GET": self._clock,
                "PUT": self._set_clock,
                "DELETE": self._heal_clock,
            },
            ("disks",): {"GET": self._disks},
            ("disks", "NODE"): {
                "GET": self._disk,
                "PUT": self._replace_disk,
                "POST": self._change_disk,
                "DELETE": self._heal_disk,
            },
            ("nodes",): {"GET": self._nodes},
            ("nodes", "NODE"): {"GET": self._node},
            ("nodes", "NODE", "ACTION"): {"POST": self._act},
            ("schema",): {"GET": lambda *_: JsonAnswer(HTTPStatus.OK, schema())},
        }

    @property
    def routes(self) -> dict[str, tuple[str, ...]]:
        """The methods of each resource."""
        return {f"/{'/'.join(words)}": tuple(it) for words, it in self._routes.items()}

    def answer(self, method: str, path: str, body: bytes) -> JsonAnswer:
        """JsonAnswer a request."""
        try:
            words = [unquote(word) for word in path.split("/") if word]
            handler, variable = self._find(method, words, path)
            return handler(variable, _parsed(body))
        except FaultError as error:
            return _error(HTTPStatus.BAD_REQUEST, error)
        except UnknownFaultError as error:
            return _error(HTTPStatus.NOT_FOUND, error)
        except SilentNodeError as error:
            return _error(HTTPStatus.SERVICE_UNAVAILABLE, error)
        except RefusedError as error:
            headers = {"Allow": ", ".join(error.allow)} if error.allow else {}
            return _error(error.status, error, headers)

    def _find(self, method: str, words: Sequence[str], path: str) -> tuple[Handler, list[str]]:
        """Return what handles a request, and the variable words of its path.

        Raises:
            RefusedError: there is no such resource, or it lacks the method.
        """
        for pattern, handlers in self._routes.items():
            if not _matches(pattern, words):
                continue
            handler = handlers.get("GET" if method == "HEAD" else method)
            if handler is None:
                known = tuple(handlers)
                raise RefusedError(
                    HTTPStatus.METHOD_NOT_ALLOWED,
                    f"{path[:100]} has {', '.join(known)}, not {method[:100]}",
                    known,
                )
            return handler, [
                word for expected, word in zip(pattern, words, strict=True) if expected.isupper()
            ]
        first = {pattern[0] for pattern in self._routes if pattern}
        hint = nearest(words[0], first) if words[0] not in first else ""
        raise RefusedError(
            HTTPStatus.NOT_FOUND,
            f"there is no {path[:100]}{hint}; there is {', '.join(self.routes)}",
        )

    def _index(self, _: Sequence[str], body: Any) -> JsonAnswer:
        _no_body(body)
        found = {path: list(methods) for path, methods in self.routes.items()}
        return JsonAnswer(HTTPStatus.OK, {"resources": found})

    # Faults of answers

    def _list(self, _: Sequence[str], body: Any) -> JsonAnswer:
        _no_body(body)
        return JsonAnswer(
            HTTPStatus.OK,
            {
                "faults": self._faults.faults(),
                "links": self._links_json(),
                "clocks": self._clocks_json(),
                "disks": self._disks_json(),
            },
        )

    def _add(self, _: Sequence[str], body: Any) -> JsonAnswer:
        given = _present(body)
        if not isinstance(given, dict):
            raise FaultError("a fault is a JSON object")
        given = {name: value for name, value in given.items() if value is not None}
        nodes = _nodes_of(given)
        added = self._faults.add(given, nodes)
        location = {"Location": f"/faults/{added.fault.id}"}
        return JsonAnswer(HTTPStatus.CREATED, self._faults.fault(added.fault.id), location)

    def _one(self, variable: Sequence[str], body: Any) -> JsonAnswer:
        _no_body(body)
        return JsonAnswer(HTTPStatus.OK, self._faults.fault(variable[0]))

    def _remove(self, variable: Sequence[str], body: Any) -> JsonAnswer:
        _no_body(body)
        return JsonAnswer(HTTPStatus.OK, self._faults.remove(variable[0]))

    def _heal(self, _: Sequence[str], body: Any) -> JsonAnswer:
        _no_body(body)
        return JsonAnswer(HTTPStatus.OK, {"healed": self.heal()})

    def heal(self) -> list[str]:
        """Remove every fault, resume and start nodes; return a line for each thing healed.

        Raises:
            RefusedError: a node does not start.
            SilentNodeError: a node may still have its faults.
        """
        resumed = []
        for each in self._owner.node_states():
            # First, since a paused node takes no command.
            if each["state"] == "paused":
                self._do("resume", each["node"])
                resumed.append(f"node {each['node']} goes on")
        healed = [*resumed, *self._faults.heal()]
        for each in self._owner.node_states():
            if each["state"] not in ("running", "starting"):
                self._do("start", each["node"])
                healed.append(f"node {each['node']} was started")
        return healed

    # Links

    def _links_json(self) -> dict[str, Any]:
        state = self._faults.state
        return {
            "cut": [list(pair) for pair in sorted(state.cut)],
            "slow": [{"nodes": list(pair), "ms": ms} for pair, ms in sorted(state.slow_ms.items())],
        }

    def _links(self, _: Sequence[str], body: Any) -> JsonAnswer:
        _no_body(body)
        return JsonAnswer(HTTPStatus.OK, self._links_json())

    def _replace_links(self, _: Sequence[str], body: Any) -> JsonAnswer:
        self._faults.set_links(*_links(body), keep=False)
        return JsonAnswer(HTTPStatus.OK, self._links_json())

    def _add_links(self, _: Sequence[str], body: Any) -> JsonAnswer:
        self._faults.set_links(*_links(body), keep=True)
        return JsonAnswer(HTTPStatus.OK, self._links_json())

    def _heal_links(self, _: Sequence[str], body: Any) -> JsonAnswer:
        _no_body(body)
        self._faults.set_links((), {}, keep=False)
        return JsonAnswer(HTTPStatus.OK, self._links_json())

    # Clocks

    def _clocks_json(self) -> dict[str, Any]:
        return {
            str(node): {"offset_ms": offset_ms, "rate": rate}
            for node, (offset_ms, rate) in sorted(self._faults.state.clocks.items())
        }

    def _clocks(self, _: Sequence[str], body: Any) -> JsonAnswer:
        _no_body(body)
        return JsonAnswer(HTTPStatus.OK, self._clocks_json())

    def _clock(self, variable: Sequence[str], body: Any) -> JsonAnswer:
        _no_body(body)
        node = self._known(variable[0])
        offset_ms, rate = self._faults.state.clocks.get(node, (0, 1.0))
        return JsonAnswer(HTTPStatus.OK, {"offset_ms": offset_ms, "rate": rate})

    def _set_clock(self, variable: Sequence[str], body: Any) -> JsonAnswer:
        node = self._known(variable[0])
        offset_ms, rate = clock_of(_present(body))
        self._faults.set_clock(node, offset_ms, float(rate))
        return self._clock(variable, None)

    def _heal_clock(self, variable: Sequence[str], body: Any) -> JsonAnswer:
        _no_body(body)
        self._faults.set_clock(self._known(variable[0]), 0, 1.0)
        return self._clock(variable, None)

    # Disks

    def _disks_json(self) -> dict[str, Any]:
        disks = self._faults.state.disks
        return {str(node): _disk_json(disk) for node, disk in sorted(disks.items())}

    def _disks(self, _: Sequence[str], body: Any) -> JsonAnswer:
        _no_body(body)
        return JsonAnswer(HTTPStatus.OK, self._disks_json())

    def _disk(self, variable: Sequence[str], body: Any) -> JsonAnswer:
        _no_body(body)
        disk = self._faults.state.disks.get(self._known(variable[0]), DiskState())
        return JsonAnswer(HTTPStatus.OK, _disk_json(disk))

    def _replace_disk(self, variable: Sequence[str], body: Any) -> JsonAnswer:
        is_full, sync_ms = _disk_of(body)
        node = self._known(variable[0])
        self._faults.set_disk(node, is_full=bool(is_full), sync_ms=sync_ms or 0)
        return self._disk(variable, None)

    def _change_disk(self, variable: Sequence[str], body: Any) -> JsonAnswer:
        is_full, sync_ms = _disk_of(body)
        self._faults.set_disk(self._known(variable[0]), is_full=is_full, sync_ms=sync_ms)
        return self._disk(variable, None)

    def _heal_disk(self, variable: Sequence[str], body: Any) -> JsonAnswer:
        _no_body(body)
        self._faults.set_disk(self._known(variable[0]), is_full=False, sync_ms=0)
        return self._disk(variable, None)

    # Nodes

    def _nodes(self, _: Sequence[str], body: Any) -> JsonAnswer:
        _no_body(body)
        return JsonAnswer(HTTPStatus.OK, {"nodes": self._owner.node_states()})

    def _node(self, variable: Sequence[str], body: Any) -> JsonAnswer:
        _no_body(body)
        return JsonAnswer(HTTPStatus.OK, self._state(self._known(variable[0])))

    def _act(self, variable: Sequence[str], body: Any) -> JsonAnswer:
        node, action = self._known(variable[0]), variable[1]
        if action not in ACTIONS:
            raise RefusedError(
                HTTPStatus.NOT_FOUND,
                f"a node has {', '.join(ACTIONS)}, not {action[:100]}{nearest(action, ACTIONS)}",
            )
        if body not in (None, {}):
            raise FaultError("this request takes no body")
        notes = self._do(action, node)
        return JsonAnswer(HTTPStatus.OK, {**self._state(node), "notes": notes})

    def _do(self, action: str, node: int) -> list[str]:
        notes: list[str] = []
        answer = self._owner.act([action, str(node)], notes.append)
        if answer != OK:
            message = answer.removeprefix(ERROR)
            is_end = message == STOPPING
            raise RefusedError(
                HTTPStatus.SERVICE_UNAVAILABLE if is_end else HTTPStatus.CONFLICT, message
            )
        return notes

    def _known(self, text: str) -> int:
        for each in self._owner.node_states():
            if str(each["node"]) == text:
                return int(each["node"])
        known = ", ".join(str(each["node"]) for each in self._owner.node_states())
        raise RefusedError(
            HTTPStatus.NOT_FOUND, f"there is no node {text[:100]}; the nodes are {known}"
        )

    def _state(self, node: int) -> dict[str, Any]:
        return next(each for each in self._owner.node_states() if each["node"] == node)


def _matches(pattern: Sequence[str], words: Sequence[str]) -> bool:
    return len(pattern) == len(words) and all(
        expected.isupper() or expected == word
        for expected, word in zip(pattern, words, strict=True)
    )


def _error(
    status: HTTPStatus, error: Exception, headers: Mapping[str, str] | None = None
) -> JsonAnswer:
    return JsonAnswer(status, {"error": str(error)}, headers or {})


def _disk_of(body: object) -> tuple[bool | None, int | None]:
    given = fields_of("disk", _present(body), ("full", "sync_ms"))
    is_full, sync_ms = given.get("full"), given.get("sync_ms")
    if "full" in given and type(is_full) is not bool:
        raise FaultError("disk: full takes true or false")
    if "sync_ms" in given and type(sync_ms) is not int:
        raise FaultError("disk: sync_ms takes a whole number")
    return is_full, sync_ms


def _disk_json(disk: DiskState) -> dict[str, Any]:
    return {"full": disk.is_full, "sync_ms": disk.sync_ms}


def _parsed(body: bytes) -> Any:
    if not body.strip():
        return None
    try:
        value = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise FaultError(f"the body is not JSON: {error}") from None
    if value is None:
        raise FaultError("the body is null")
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number of JSON")


def _no_body(body: Any) -> None:
    if body is not None:
        raise FaultError("this request takes no body")


def _nodes_of(given: dict[str, Any]) -> list[int] | None:
    """Take the nodes out of the fields of a fault; None if there are none, which means all."""
    if "node" in given and "nodes" in given:
        raise FaultError("node and nodes: give one of them")
    if "node" in given:
        return _node_ids("node", [given.pop("node")])
    if "nodes" in given:
        return _node_ids("nodes", given.pop("nodes"))
    return None


def _node_ids(name: str, value: object) -> list[int]:
    if not isinstance(value, list) or not value or len(value) > _MAX_NODES:
        raise FaultError(f"{name}: takes a list of node ids")
    if not all(type(node) is int for node in value):
        raise FaultError(f"{name}: {'takes a node id' if name == 'node' else 'takes node ids'}")
    return sorted(set(value))


def _links(body: object) -> tuple[list[Pair], dict[Pair, int]]:
    given = fields_of("links", _present(body), ("cut", "slow"))
    cut, slow = given.get("cut", []), given.get("slow", [])
    if not isinstance(cut, list) or not isinstance(slow, list):
        raise FaultError("links: cut and slow take lists")
    cut_pairs = [_pair("cut", each) for each in cut]
    slow_ms = {}
    for each in slow:
        link = fields_of("slow", each, ("nodes", "ms"))
        ms = link.get("ms")
        if type(ms) is not int or not 0 <= ms <= MAX_MS:
            raise FaultError(f"slow: ms takes ms from 0 to {MAX_MS}")
        slow_ms[_pair("slow", link.get("nodes"))] = ms
    return cut_pairs, slow_ms


def _pair(name: str, value: object) -> Pair:
    if not isinstance(value, list) or len(value) != 2 or not all(type(it) is int for it in value):
        raise FaultError(f"{name}: a link is a list of two node ids, such as [1, 2]")
    return pairs(value[:1], value[1:])[0]


def _present(body: object) -> object:
    if body is None:
        raise FaultError("the body is missing: a JSON object is expected")
    return body
