"""The commands that change the faults of a running node, as JSON values.

    {"set": [fault, …]}   replace all faults of answers; answered when they hold, with their number
    {"hits": null}        the number of hits of each fault, by its id
    {"links": {"cut": [2], "slow_ms": {"3": 50}}}
                          cut or slow the connections of this node to others; heal all others
    {"clock": {"offset_ms": 5000, "rate": 1.1}}
                          shift the wall clock; let both clocks run at another rate
    {"clear": null}       remove every fault
    {"state": null}       every fault, with its hits

A command is an object with one key, and so is its answer: {"set": 1}. A command that is refused
changes nothing, and its answer is {"error": "why"}. The fields of a fault are those of
`faults.vocabulary.AnswerFault`.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Final

from minikafka.faults.dispatcher import FaultyDispatcher
from minikafka.faults.vocabulary import MAX_MS, AnswerFault, FaultError, nearest
from minikafka.server.driver import Driver
from minikafka.server.fault_clock import MAX_RATE, MIN_RATE, FaultyClock
from minikafka.server.fault_counter import counter_of
from minikafka.server.fault_links import FaultyOutbound

_COMMANDS: Final = ("set", "hits", "links", "clock", "clear", "state")
_MAX_OFFSET_MS: Final = 100 * 365 * MAX_MS


class FaultControl:
    """Carries out the commands at one node."""

    def __init__(
        self,
        node_id: int,
        dispatcher: FaultyDispatcher,
        links: FaultyOutbound,
        clock: FaultyClock,
        driver: Driver,
    ) -> None:
        """Start without faults."""
        self._node_id = node_id
        self._dispatcher = dispatcher
        self._links = links
        self._clock = clock
        self._driver = driver

    def answer(self, line: bytes) -> bytes:
        """Carry out the command in a line; return the line of the answer."""
        try:
            name, argument = _command(line)
            answer = {name: self._carry_out(name, argument)}
        except FaultError as error:
            answer = {"error": str(error)}
        return json.dumps(answer).encode() + b"\n"

    def _carry_out(self, name: str, argument: Any) -> Any:
        if name == "set":
            return self._set(_faults(argument))
        if name == "links":
            cut, slow_ms = links_of(argument, self._node_id)
            self._links.set(cut, slow_ms)
            return None
        if name == "clock":
            self._set_clock(*clock_of(argument))
            return None
        if argument is not None:
            raise FaultError(f"{name}: takes null, not {type(argument).__name__}")
        if name == "hits":
            return self._dispatcher.faults.hits()
        if name == "state":
            return self._state()
        self._set([])
        self._links.set((), {})
        self._set_clock(0, 1.0)
        return None

    def _set(self, faults: list[AnswerFault]) -> int:
        self._dispatcher.set_faults(faults, counter_of)
        # A step, which ends the waits of the faults that are gone.
        self._driver.clock_changed()
        return len(faults)

    def _set_clock(self, offset_ms: int, rate: float) -> None:
        self._clock.set(offset_ms, rate)
        self._driver.clock_changed()

    def _state(self) -> dict[str, Any]:
        links, clock = self._links, self._clock
        return {
            "faults": [
                {**each.fault.to_json(), "hits": each.hits}
                for each in self._dispatcher.faults.active
            ],
            "links": {
                "cut": sorted(links.cut),
                "slow_ms": {str(node): ms for node, ms in links.slow_ms.items()},
            },
            "clock": {"offset_ms": clock.offset_ms, "rate": clock.rate},
        }


def _command(line: bytes) -> tuple[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FaultError(f"not a line of JSON: {error}") from None
    if not isinstance(value, Mapping) or len(value) != 1:
        raise FaultError(f"a command is an object with one key of {', '.join(_COMMANDS)}")
    ((name, argument),) = value.items()
    if name not in _COMMANDS:
        raise FaultError(f"unknown command {name!r}{nearest(name, _COMMANDS)}")
    return name, argument


def _faults(value: object) -> list[AnswerFault]:
    if not isinstance(value, list):
        raise FaultError(f"set: takes a list of faults, not {type(value).__name__}")
    found = []
    for place, each in enumerate(value, start=1):
        try:
            fault = AnswerFault.from_json(each)
        except FaultError as error:
            raise FaultError(f"fault {place}: {error}") from None
        found.append(fault if fault.id else replace(fault, id=f"fault-{place}"))
    return found


def links_of(value: object, node_id: int) -> tuple[list[int], dict[int, int]]:
    """Return the nodes that are cut off, and the slow ones with their ms, of `links`.

    Raises:
        FaultError: the argument is invalid.
    """
    given = fields_of("links", value, ("cut", "slow_ms"))
    cut, slow_ms = given.get("cut", []), given.get("slow_ms", {})
    if not isinstance(cut, list) or not all(type(node) is int and node >= 0 for node in cut):
        raise FaultError("links: cut takes a list of node ids")
    if not isinstance(slow_ms, Mapping):
        raise FaultError("links: slow_ms takes an object of node ids and ms")
    slow = {}
    for node, ms in slow_ms.items():
        if not (node.isascii() and node.isdigit() and len(node) <= 10):
            raise FaultError(f"links: slow_ms has {node!r}, which is no node id")
        if type(ms) is not int or not 0 <= ms <= MAX_MS:
            raise FaultError(f"links: slow_ms takes ms from 0 to {MAX_MS}")
        slow[int(node)] = ms
    if node_id in cut or node_id in slow:
        raise FaultError(f"links: node {node_id} has no link to itself")
    return cut, slow


def clock_of(value: object) -> tuple[int, float]:
    """Return the offset in ms and the rate in the argument of `clock`.

    Raises:
        FaultError: it is invalid.
    """
    given = fields_of("clock", value, ("offset_ms", "rate"))
    offset_ms, rate = given.get("offset_ms", 0), given.get("rate", 1.0)
    if type(offset_ms) is not int or abs(offset_ms) > _MAX_OFFSET_MS:
        raise FaultError(f"clock: offset_ms takes ms up to {_MAX_OFFSET_MS}")
    if type(rate) not in (int, float) or not MIN_RATE <= rate <= MAX_RATE:
        raise FaultError(f"clock: rate takes a number from {MIN_RATE} to {MAX_RATE}")
    return offset_ms, rate


def fields_of(name: str, value: object, known: Collection[str]) -> Mapping[str, Any]:
    """Return an object that has no other fields than `known`.

    Raises:
        FaultError: it is no object, or has other fields.
    """
    if not isinstance(value, Mapping):
        raise FaultError(f"{name}: takes an object, not {type(value).__name__}")
    for each in value:
        if each not in known:
            raise FaultError(f"{name}: has no field {each!r}{nearest(each, known)}")
    return value
