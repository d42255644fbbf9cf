"""Commands about faults to several nodes at the same time."""

import json
import socket
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from minikafka.server.fault_socket import NAME, address_of

_TIMEOUT_S = 10.0
"""A node answers at once, unless it is busy or something else has paused it."""


def send_commands(commands: Mapping[Path, Mapping[str, Any]]) -> dict[Path, str]:
    """Send commands by the folders of nodes; return the problems of those that did not take them.

    A command that a node refuses changes nothing there.
    """
    problems = {}
    with ExitStack() as opened:
        sent = {}
        for folder, wanted in commands.items():
            sock = opened.enter_context(socket.socket(socket.AF_UNIX))
            sock.settimeout(_TIMEOUT_S)
            lines = [json.dumps({name: value}) + "\n" for name, value in wanted.items()]
            try:
                with address_of(folder / NAME) as address:
                    sock.connect(address)
                sock.sendall("".join(lines).encode())
            except OSError as error:
                problems[folder] = str(error.strerror or error)
            else:
                sent[folder] = opened.enter_context(sock.makefile("rb")), len(lines)
        for folder, (answers, count) in sent.items():
            try:
                found = [answers.readline() for _ in range(count)]
            except OSError as error:
                problems[folder] = str(error.strerror or error)
                continue
            errors = [_error(line) for line in found]
            if any(errors):
                problems[folder] = next(filter(None, errors))
    return problems


def _error(line: bytes) -> str:
    if not line.endswith(b"\n"):
        return "it has ended"
    return str(json.loads(line).get("error", ""))
