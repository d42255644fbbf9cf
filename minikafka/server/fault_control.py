"""The commands that change the faults of a running node, as JSON values.

    {"set": [fault, …]}   replace all faults of answers; answered when they hold, with their number
    {"hits": null}        the number of hits of each fault, by its id
    {"clear": null}       remove every fault

A command is an object with one key, and so is its answer: {"set": 1}. A command that is refused
changes nothing, and its answer is {"error": "why"}. The fields of a fault are those of
`faults.vocabulary.AnswerFault`.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from minikafka.faults.dispatcher import FaultyDispatcher
from minikafka.faults.vocabulary import AnswerFault, FaultError, nearest

_COMMANDS: Final = ("set", "hits", "clear")


class FaultControl:
    """Carries out the commands at one node. `settle` runs a step of the node."""

    def __init__(self, dispatcher: FaultyDispatcher, settle: Callable[[], None]) -> None:
        """Start without faults."""
        self._dispatcher = dispatcher
        self._settle = settle

    def answer(self, line: bytes) -> bytes:
        """Carry out the command in a line; return the line of the answer."""
        try:
            answer = self._carry_out(_command(line))
        except FaultError as error:
            answer = {"error": str(error)}
        return json.dumps(answer).encode() + b"\n"

    def _carry_out(self, command: tuple[str, Any]) -> dict[str, Any]:
        name, value = command
        if name == "set":
            faults = _faults(value)
            self._dispatcher.set_faults(faults)
            self._settle()
            return {name: len(faults)}
        if value is not None:
            raise FaultError(f"{name}: takes null, not {type(value).__name__}")
        if name == "hits":
            return {name: self._dispatcher.faults.hits()}
        self._clear()
        return {name: None}

    def _clear(self) -> None:
        self._dispatcher.set_faults([])
        self._settle()


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
