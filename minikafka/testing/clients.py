"""Connections that are kept between the operations of a test."""

import os
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from minikafka.testing.errors import ClusterError

if TYPE_CHECKING:
    from minikafka.admin.client import AdminClient

_CLIENT_ID = "minikafka-testing"
_ATTEMPT_S = 5.0
_KEPT = 8
"""The most idle clients: one for each node of a usual cluster, and some for threads."""


class Clients:
    """Idle clients by their servers. Any thread may take one, which is then only its own."""

    def __init__(self) -> None:
        """Keep none yet."""
        self.login: Callable[[], Mapping[str, str]] = dict
        """Returns the properties with which clients secure their connections."""
        self.hosts: Mapping[str, str] = {}
        """The addresses by which this machine reaches hosts that brokers name."""
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._idle: list[tuple[str, float, AdminClient]] = []

    @contextmanager
    def taken(self, servers: str, timeout_s: float) -> Iterator["AdminClient"]:
        """Yield a client of these servers. After an error its connections are closed.

        Raises:
            AdminError: a server's address is not host:port.
        """
        client = self._take(servers, timeout_s)
        is_intact = False
        try:
            yield client
            is_intact = True
        finally:
            with self._lock:
                is_kept = is_intact and len(self._idle) < _KEPT
                if is_kept:
                    self._idle.append((servers, timeout_s, client))
            if not is_kept:
                client.close()

    def close(self) -> None:
        """Close every idle connection."""
        if os.getpid() != self._owner:
            # In a process that was forked: the connections are its parent's.
            self._lock = threading.Lock()
            self._owner = os.getpid()
        with self._lock:
            idle, self._idle = self._idle, []
        for _, _, client in idle:
            client.close()

    def _take(self, servers: str, timeout_s: float) -> "AdminClient":
        if os.getpid() != self._owner:
            self.close()
        with self._lock:
            for place, (of, within_s, client) in enumerate(self._idle):
                if (of, within_s) == (servers, timeout_s):
                    del self._idle[place]
                    return client
        # Only when it is needed: see `operations`.
        from minikafka.admin.client import AdminClient
        from minikafka.admin.security import security_of

        return AdminClient(
            servers,
            client_id=_CLIENT_ID,
            timeout_s=timeout_s,
            request_timeout_s=_ATTEMPT_S,
            security=security_of(self.login()),
            hosts=self.hosts,
        )

    def await_brokers(self, servers: str, nodes: Collection[int], timeout_s: float) -> None:
        """Wait until every broker lists all others.

        Raises:
            ClusterError: one does not, or does not answer.
        """
        from minikafka.admin.client import AdminError
        from minikafka.admin.membership import await_everybody
        from minikafka.admin.security import security_of

        try:
            await_everybody(
                servers.split(","),
                nodes,
                timeout_s=timeout_s,
                security=security_of(self.login()),
                hosts=self.hosts,
            )
        except AdminError as error:
            raise ClusterError(f"the brokers do not know one another: {error}") from None
