"""Addresses of servers, and connections opened within a time, also if names resolve slowly.

Also the texts by which errors name requests, and the ids of nodes in responses.
"""

import socket
import threading
import time
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from queue import Empty, SimpleQueue
from typing import Any

from minikafka.config.node_config import parse_address

_MIN_TIMEOUT_S = 0.001
Secure = Callable[[socket.socket, str], socket.socket]
"""Puts TLS above a connected socket; it is called with the host that was connected to."""


def reason_of(error: OSError) -> str:
    """Return the system's reason without its number."""
    # An alert of TLS; `ssl` itself is only imported by tools that use it.
    alert = getattr(error, "reason", None)
    if isinstance(alert, str):
        return f"TLS failed: {alert.replace('_', ' ').lower()}"
    return error.strerror or str(error)


def reasons_of(failures: Mapping[tuple[str, int], OSError]) -> str:
    """Return the system's reason for each server."""
    return "; ".join(f"{host}:{port}: {reason_of(why)}" for (host, port), why in failures.items())


def server_of(text: str) -> tuple[str, int]:
    """Return host and port of a server.

    Raises:
        ValueError: the address is not valid; the message says why.
    """
    host, port = parse_address(text)
    if not host:
        raise ValueError("the host is missing")
    if port == 0:
        raise ValueError("port 0 is not the port of a server")
    return host, port


def servers_of(text: str) -> list[tuple[str, int]]:
    """Return host and port of each server in a list with commas.

    Raises:
        ValueError: an address is not valid; the message has the address and the reason.
    """
    found = []
    for address in text.split(","):
        try:
            found.append(server_of(address.strip()))
        except ValueError as error:
            raise ValueError(f"{address!r}: {error}") from None
    return found


def is_unknown_name(error: OSError | None) -> bool:
    """True if a host cannot be reached since no such name exists."""
    return isinstance(error, socket.gaierror) and error.errno == socket.EAI_NONAME


def connected_socket(
    host: str, port: int, timeout_s: float, secure: Secure | None = None
) -> socket.socket:
    """Return a socket that is connected to host:port, secured if that is wanted.

    Raises:
        OSError: it cannot be connected within `timeout_s`.
    """
    deadline_s = time.monotonic() + timeout_s
    failure: OSError = TimeoutError("timed out")
    for address in _addresses(host, port, timeout_s):
        left_s = deadline_s - time.monotonic()
        if left_s <= 0:
            break
        try:
            connected = socket.create_connection((address, port), timeout=left_s)
        except OSError as error:
            failure = error
            continue
        if secure is None:
            return connected
        connected.settimeout(max(deadline_s - time.monotonic(), _MIN_TIMEOUT_S))
        try:
            return secure(connected, host)
        except OSError:
            connected.close()
            raise
    raise failure


def _addresses(host: str, port: int, timeout_s: float) -> list[str]:
    try:
        ip_address(host)
    except ValueError:
        return _resolved(host, port, timeout_s)
    return [host]


def _resolved(host: str, port: int, timeout_s: float) -> list[str]:
    """Resolve a name in another thread: the system's function has no timeout.

    Raises:
        OSError: the name is unknown, or is not resolved within `timeout_s`.
    """
    answers: SimpleQueue[list[str] | OSError] = SimpleQueue()

    def resolve() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            answers.put(error)
        except ValueError as error:
            answers.put(OSError(f"invalid host name: {error}"))
        else:
            answers.put(list(dict.fromkeys(str(entry[4][0]) for entry in found)))

    threading.Thread(target=resolve, daemon=True).start()
    try:
        answer = answers.get(timeout=timeout_s)
    except Empty:
        raise TimeoutError("the name is not resolved in time") from None
    if isinstance(answer, OSError):
        raise answer
    return answer


def api_name(request: Any) -> str:
    """Return the name of a request's API, as Kafka writes it."""
    return type(request).__name__.removesuffix("Request")


def node_id_of(broker: Any) -> int:
    """Return the id of a node in a response of Metadata or DescribeCluster."""
    return int(broker.node_id if hasattr(broker, "node_id") else broker.broker_id)
