"""Finds brokers whose process has ended, before their sessions time out.

A broker sends its heartbeats on one connection. When that connection is closed and no other one
takes its place, the active controller connects to the broker's listener. If the system at that
address refuses connections, no process listens there any more, and the broker is fenced
immediately. Its next incarnation need not wait for the end of the session either. Any other result
proves nothing: a host that cannot be reached, a paused process and a full backlog do not answer,
and another process may listen at the port. The controller then asks again until the broker is heard
or its session has ended.

Fencing is safe at any time: a broker that was fenced by mistake is unfenced by its next heartbeat.
It happens if the advertised address is wrong for the controller, as behind a NAT. A broker that
sends heartbeats after its address has refused connections proves that, and is not searched for
again before its next registration.

Unlike Kafka (row J7), where only the end of the session fences a broker that was killed.
"""

import logging
from dataclasses import dataclass, field
from functools import partial

from minikafka.common.effects import Channel
from minikafka.common.environment import Environment
from minikafka.common.events import REFUSED
from minikafka.controller.ports import Controller
from minikafka.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from minikafka.metadata.broker_registration import BrokerRegistration, Endpoint
from minikafka.rpc.calls import Calls

_log = logging.getLogger("minikafka.controller")
_PURPOSE = "stopped-broker-detection"
_VERSION = 0
_TIMEOUT_MS = 2000
_FIRST_BACKOFF_MS = 5
_LAST_BACKOFF_MS = 1000
_CONNECT_WITHIN_MS = 500
"""Within this time after an election the brokers connect to the new controller.

Later, a broker without a connection, and whose address refuses connections, has stopped. Before,
its advertised address may be wrong for the controller."""


@dataclass(slots=True, eq=False, repr=False)
class _Search:
    """The search for one incarnation of a broker: whether a process listens at its address."""

    broker_id: int
    broker_epoch: int
    not_before_ms: int
    """The monotonic time before which a refused connection does not count."""
    backoff_ms: int = _FIRST_BACKOFF_MS


@dataclass(slots=True, eq=False, repr=False)
class StoppedBrokers:
    """The connections of the brokers' heartbeats, and the searches for silent brokers.

    Soft state of one active controller; `restart` and `stop` clear it.
    """

    env: Environment
    calls: Calls
    controller: Controller
    is_enabled: bool
    _broker_of: dict[int, int] = field(default_factory=dict)
    """The broker of each connection; a broker has one at most."""
    _connections: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By broker: the connection of the last heartbeat, and the broker epoch."""
    _searches: dict[int, _Search] = field(default_factory=dict)
    _refused: dict[int, int] = field(default_factory=dict)
    """By broker: the broker epoch with which it was fenced here, since its address refuses."""
    _misleading: dict[int, int] = field(default_factory=dict)
    """By broker: the broker epoch with which it runs, although its address refuses."""

    def restart(self) -> None:
        """Search for every unfenced broker, since this controller has just become active."""
        self.stop()
        counts_from_ms = self.env.clock.monotonic_ms + _CONNECT_WITHIN_MS
        for broker in list(self.controller.latest.brokers.values()):
            self._search(broker.broker_id, broker.epoch, counts_from_ms)

    def stop(self) -> None:
        """Forget all connections and searches: this controller is not active any more."""
        self._broker_of.clear()
        self._connections.clear()
        self._searches.clear()
        self._refused.clear()
        self._misleading.clear()

    def heard(self, broker_id: int, broker_epoch: int, connection: int) -> None:
        """Note the connection of a heartbeat, which ends the search for its broker."""
        heard, before = (connection, broker_epoch), self._connections.get(broker_id)
        if before == heard:
            return
        if before is not None and before[1] == broker_epoch and before[0] > connection:
            # It came late, on a connection that the broker has replaced since. That it is closed
            # now means nothing.
            return
        self._forget_connection(broker_id)
        self._broker_of[connection] = broker_id
        self._connections[broker_id] = heard
        self._searches.pop(broker_id, None)
        if self._refused.pop(broker_id, None) == broker_epoch:
            self._mislead(broker_id, broker_epoch)

    def _mislead(self, broker_id: int, broker_epoch: int) -> None:
        self._misleading[broker_id] = broker_epoch
        endpoint = self.controller.broker_endpoint(broker_id)
        if endpoint is not None:
            _log.warning(
                "broker %d runs, but its advertised address %s:%d refuses connections of this "
                "controller: if the broker stops, it is fenced only when its session ends. Check "
                "the advertised listeners of the broker",
                broker_id,
                endpoint.host,
                endpoint.port,
            )

    def closed(self, connection: int) -> None:
        """Search for the broker whose connection was closed."""
        broker_id = self._broker_of.get(connection)
        if broker_id is None:
            return
        _, broker_epoch = self._connections[broker_id]
        self._forget_connection(broker_id)
        self._search(broker_id, broker_epoch, self.env.clock.monotonic_ms)

    def _forget_connection(self, broker_id: int) -> None:
        before = self._connections.pop(broker_id, None)
        if before is not None and self._broker_of.get(before[0]) == broker_id:
            del self._broker_of[before[0]]

    def _search(self, broker_id: int, broker_epoch: int, not_before_ms: int) -> None:
        if self.is_enabled and self._misleading.get(broker_id) != broker_epoch:
            search = _Search(broker_id, broker_epoch, not_before_ms)
            self._searches[broker_id] = search
            self._ask(search)

    def _ask(self, search: _Search) -> None:
        """Connect to the listener of the broker."""
        target = self._target(search)
        if target is None:
            return
        _, endpoint = target
        channel = Channel(endpoint.host, endpoint.port, _PURPOSE)
        self.calls.send(
            channel,
            ApiVersionsRequest(),
            _VERSION,
            timeout_ms=_TIMEOUT_MS,
            on_done=partial(self._answered, search, channel),
        )

    def _target(self, search: _Search) -> tuple[BrokerRegistration, Endpoint] | None:
        """Return the broker and its address; None if the search has ended.

        A search ends when the broker was heard, fenced, or registered again.
        """
        broker_id = search.broker_id
        if self._searches.get(broker_id) is not search:
            return None
        broker, endpoint = (
            self.controller.latest.brokers.get(broker_id),
            self.controller.broker_endpoint(broker_id),
        )
        if (
            broker is None
            or endpoint is None
            or broker.fenced
            or broker.epoch != search.broker_epoch
        ):
            del self._searches[broker_id]
            return None
        return broker, endpoint

    def _answered(
        self, search: _Search, channel: Channel, response: ApiVersionsResponse | None, why: str
    ) -> None:
        if response is not None:
            self.calls.close(channel)
        target = self._target(search)
        if target is None:
            return
        if why == REFUSED and self.env.clock.monotonic_ms >= search.not_before_ms:
            del self._searches[search.broker_id]
            self._refused[search.broker_id] = search.broker_epoch
            self.controller.fence_stopped(*target)
            return
        # A process that is ending closes its sockets one after the other; another process may have
        # taken the port.
        self.env.after(search.backoff_ms, lambda: self._ask(search))
        search.backoff_ms = min(2 * search.backoff_ms, _LAST_BACKOFF_MS)
