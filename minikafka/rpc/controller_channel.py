"""Requests to the active controller, which may move to another node.

If no controller is known, the connection fails or the response is NOT_CONTROLLER, the request is
retried until its timeout. Each purpose has a separate connection, so that a forwarded request that
waits cannot delay a heartbeat. Source: `NodeToControllerChannelManager`,
`BrokerToControllerRequestThread`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from minikafka.common.effects import Channel
from minikafka.common.environment import Environment
from minikafka.common.errors import ErrorCode
from minikafka.common.events import CLOSED_BY_PEER
from minikafka.common.wait_key import WaitKey
from minikafka.protocol.message import ApiMessage
from minikafka.rpc.calls import Calls, OnDone

_RETRY_BACKOFF_MS = 50
_API_VERSIONS_VERSION = 3
_VERSIONS_TIMEOUT_MS = 500
_VERSIONS_PURPOSE = "versions"
_MAX_CLOSINGS = 3
"""After so many closed connections in a row, the controller does not accept the request. Only the
first one may have been closed for another reason."""
_PROBE_VERSION = 0
CLOSED_OVER_REQUEST = "the active controller closed the connection over this request"


Ranges = dict[int, tuple[int, int]]
"""The lowest and the highest version, by API key."""


class LeaderAddress(Protocol):
    """The part of the node's quorum replica that knows the active controller."""

    @property
    def leader_address(self) -> tuple[str, int] | None:
        """The host and port of the leader, or None if it is not known."""


class ServedVersions:
    """The versions of APIs that the active controller serves, for brokers that forward to it.

    A broker lists a forwarded API only in the versions of both (`ApiVersionManager`): in a mixed
    cluster the controller may be Apache Kafka, or another release. The controller is asked when a
    client needs to know, once after each change of the controller. `changed` is notified of each
    answer.
    """

    # No dataclass: a start has no time to generate one.
    __slots__ = ("_asked", "_calls", "_of", "_quiet_until_ms", "_quorum", "_ranges", "changed")

    def __init__(self, calls: Calls, quorum: LeaderAddress) -> None:
        """Begin without knowledge."""
        self._calls = calls
        self._quorum = quorum
        self.changed = WaitKey("versions of the controller")
        self._of: tuple[str, int] | None = None
        self._ranges: Ranges | None = None
        self._asked: tuple[str, int] | None = None
        self._quiet_until_ms = 0

    @property
    def known(self) -> Ranges | None:
        """The versions of the active controller; None if they are not known."""
        return self._ranges if self._of == self._quorum.leader_address else None

    @property
    def is_asking(self) -> bool:
        """True if an answer of the active controller is awaited."""
        return self._asked is not None and self._asked == self._quorum.leader_address

    def forget(self) -> None:
        """Forget the answer: the controller may be another release at the same address."""
        self._of = self._ranges = None

    def ask(self) -> None:
        """Ask the active controller, unless it is being asked or did not answer lately."""
        address, calls = self._quorum.leader_address, self._calls
        env = calls.env
        if address is None or self.is_asking or env.clock.monotonic_ms < self._quiet_until_ms:
            return
        # Imported here, because a start does not need it.
        from minikafka.messages.api_versions import ApiVersionsRequest  # noqa: PLC0415
        from minikafka.rpc import client_connection  # noqa: PLC0415

        self._asked = address
        request = ApiVersionsRequest(
            client_software_name=client_connection.NODE_SOFTWARE_NAME,
            client_software_version=client_connection.SOFTWARE_VERSION,
        )
        channel = Channel(*address, _VERSIONS_PURPOSE, is_to_controller=True)

        def done(response: Any | None, _: str) -> None:
            self._asked = None
            if response is None or response.error_code:
                self._quiet_until_ms = env.clock.monotonic_ms + _VERSIONS_TIMEOUT_MS
            else:
                self._of = address
                self._ranges = {
                    row.api_key: (row.min_version, row.max_version) for row in response.api_keys
                }
                calls.close(channel)
            env.notify(self.changed)

        calls.send(
            channel, request, _API_VERSIONS_VERSION, timeout_ms=_VERSIONS_TIMEOUT_MS, on_done=done
        )


@dataclass(slots=True, eq=False, repr=False)
class ActiveController:
    """The active controller, and the connections that were made to it."""

    calls: Calls
    quorum: LeaderAddress
    served: ServedVersions = field(init=False)
    _used: dict[Channel, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin without knowledge of what the controller serves."""
        self.served = ServedVersions(self.calls, self.quorum)

    def used(self, channel: Channel) -> None:
        """Note a connection to the controller."""
        self._used[channel] = None

    def closed(self, channel: Channel) -> None:
        """Forget a connection."""
        self._used.pop(channel, None)

    def changed(self) -> None:
        """Close the connections to another controller: requests there are sent again, to the new.

        Unlike Kafka (row Q5), where they wait for their time-out if the former controller hangs.
        Call for each new epoch of the quorum: a controller that restarts leads in another one.
        """
        self.served.forget()
        address = self.quorum.leader_address
        if address is None:
            return
        for channel in list(self._used):
            if (channel.host, channel.port) != address:
                self.closed(channel)
                self.calls.close(channel)


@dataclass(slots=True, eq=False, repr=False)
class ControllerChannel:
    """A connection to the active controller for one purpose."""

    env: Environment
    calls: Calls
    controller: ActiveController
    purpose: str
    request_timeout_ms: int
    _used: Channel | None = None
    _others: int = 0

    def alone(self, request_timeout_ms: int) -> "ControllerChannel":
        """Make a separate connection for a request that takes long; the caller must close it."""
        self._others += 1
        return ControllerChannel(
            self.env,
            self.calls,
            self.controller,
            f"{self.purpose}-{self._others}",
            request_timeout_ms,
        )

    def close(self) -> None:
        """Close the connection, if there is one; its requests in flight fail."""
        if self._used is not None:
            self.controller.closed(self._used)
            self.calls.close(self._used)
            self._used = None

    def send(self, request: ApiMessage, version: int, *, timeout_ms: int, on_done: OnDone) -> None:
        """Send a request, and retry until there is a response or `timeout_ms` is over."""
        self._attempt(request, version, self.env.clock.monotonic_ms + timeout_ms, on_done)

    def _attempt(
        self,
        request: ApiMessage,
        version: int,
        deadline_ms: int,
        on_done: OnDone,
        closings: int = 0,
    ) -> None:
        """Send once. `closings`: how many times in a row the controller closed the connection.

        After a closed connection the request is sent alone, after one that every controller
        answers. Without that answer the connection was not closed over the request: a proxy accepts
        connections for a controller that is away, or a limit for connections is reached.
        """
        left_ms = deadline_ms - self.env.clock.monotonic_ms
        if left_ms <= 0:
            on_done(None, "no response from the active controller in time")
            return
        address = self.controller.quorum.leader_address
        if address is None:
            self._again(request, version, deadline_ms, on_done)
            return
        purpose, is_alone = self.purpose, closings > 0
        if is_alone:
            self._others += 1
            purpose = f"{purpose}-{self._others}"
        channel = Channel(address[0], address[1], purpose, is_to_controller=True)
        self.controller.used(channel)

        def send() -> None:
            self.calls.send(
                channel,
                request,
                version,
                timeout_ms=min(left_ms, self.request_timeout_ms),
                on_done=lambda response, why: answered(response, why, closings + 1),
            )

        def answered(response: Any | None, why: str, closed: int) -> None:
            """End the request, or repeat it; `closed` are the closings with a present one."""
            if is_alone:
                self.controller.closed(channel)
                self.calls.close(channel)
            if response is None and why == CLOSED_BY_PEER:
                # Unlike Kafka (row Q5), which repeats the request until its timeout.
                if closed >= _MAX_CLOSINGS:
                    on_done(None, CLOSED_OVER_REQUEST)
                    return
                self._again(request, version, deadline_ms, on_done, closed)
            elif response is None or _says_not_controller(response):
                self._again(request, version, deadline_ms, on_done)
            else:
                on_done(response, "")

        if is_alone:
            self._probe(channel, left_ms, send, lambda why: answered(None, why, closings))
        else:
            self._used = channel
            send()

    def _probe(
        self,
        channel: Channel,
        left_ms: int,
        answered: Callable[[], None],
        failed: Callable[[str], None],
    ) -> None:
        """Ask for the versions of APIs, to find out whether the connection works."""
        # Imported here, because a start does not need it.
        from minikafka.messages.api_versions import ApiVersionsRequest  # noqa: PLC0415

        self.calls.send(
            channel,
            ApiVersionsRequest(),
            _PROBE_VERSION,
            timeout_ms=min(left_ms, self.request_timeout_ms),
            on_done=lambda response, why: failed(why) if response is None else answered(),
        )

    def _again(
        self,
        request: ApiMessage,
        version: int,
        deadline_ms: int,
        on_done: OnDone,
        closings: int = 0,
    ) -> None:
        self.env.after(
            _RETRY_BACKOFF_MS,
            lambda: self._attempt(request, version, deadline_ms, on_done, closings),
        )


def _says_not_controller(response: Any) -> bool:
    """True if a response has the error; some responses have error codes only for each topic."""
    if hasattr(response, "error_code"):
        return bool(response.error_code == ErrorCode.NOT_CONTROLLER)
    return any(topic.error_code == ErrorCode.NOT_CONTROLLER for topic in response.topics)
