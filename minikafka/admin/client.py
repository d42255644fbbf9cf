"""A blocking admin client for the command line tools: one request at a time.

It works with any Kafka-compatible cluster: versions are negotiated, and an API that the cluster
does not have is reported by name. Requests for a particular broker (a partition's leader, the
broker whose configuration is requested) are sent to it; all others to any broker.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

from minikafka.admin.login import ClientSession
from minikafka.admin.reach import (
    api_name,
    is_unknown_name,
    node_id_of,
    reason_of,
    reasons_of,
    servers_of,
)
from minikafka.admin.security import UNSECURED, ClientSecurity
from minikafka.common.errors import ErrorCode, KafkaError, is_retriable, summary_of
from minikafka.common.file_slice import FileSlice
from minikafka.messages.describe_cluster import DescribeClusterRequest
from minikafka.messages.metadata import MetadataRequest
from minikafka.protocol.primitives import MalformedMessage, OutOfRangeError, UnsupportedFieldError
from minikafka.rpc.client_connection import ClientConnection, NoCommonVersionError
from minikafka.rpc.login_exchange import LoginFailedError

_RECEIVE_BYTES = 256 * 1024
_RETRY_BACKOFF_S = 0.1
REQUEST_TIMEOUT_S = 30.0
"""The longest time of one attempt, as Kafka's default of request.timeout.ms."""
_MIN_TIMEOUT_S = 0.001
_SHARES = 3
"""An attempt gets at least this fraction of the remaining time, however many servers follow."""
NOTICE_AFTER_S = 2.0
"""The time after which `on_wait` reports what an operation is waiting for."""
_BROKERS, _CONTROLLERS = 1, 2
_UNSUPPORTED = (NoCommonVersionError, UnsupportedFieldError)
NO_ANSWER = (ErrorCode.NETWORK_EXCEPTION, ErrorCode.REQUEST_TIMED_OUT)
"""The codes of errors of a broker that was asked and has not answered."""


class AdminError(Exception):
    """An error for the user of a tool; `code` is the server's error code, if it has one."""

    def __init__(self, message: str, code: int = ErrorCode.NONE) -> None:
        """Store the code with the message."""
        super().__init__(message)
        self.code = code


def error_text(code: int, message: str | None) -> str:
    """Return the text of a server's error."""
    return message or summary_of(code) or f"error {code}"


def check(code: int, message: str | None = None) -> None:
    """Raise an error unless the server reports success.

    Raises:
        AdminError: `code` is an error code.
    """
    if code != ErrorCode.NONE:
        raise AdminError(error_text(code, message), code)


class UnreachedError(AdminError):
    """No server has accepted a connection: the addresses are wrong, or nothing runs there."""


class BrokerConnection:
    """One socket to one broker."""

    def __init__(
        self,
        host: str,
        port: int,
        client_id: str,
        timeout_s: float,
        security: ClientSecurity = UNSECURED,
    ) -> None:
        """Connect, and log in if `security` says so.

        Raises:
            OSError: the connection cannot be opened.
            LoginFailedError: the server does not accept the login.
        """
        self._timeout_s = timeout_s
        self._deadline_s = 0.0
        self._session = ClientSession(host, port, client_id, timeout_s, security)
        self._socket = self._session.socket
        self._protocol = ClientConnection(client_id=client_id)

    def ask(
        self, request: Any, version: int | None = None, *, timeout_s: float | None = None
    ) -> Any:
        """Send a request, and wait for its response: `timeout_s`, or the time of the connection.

        Raises:
            NoCommonVersionError: the broker does not have this API, or no common version of it.
            OSError: the connection was closed, the request timed out, or the response is invalid.
        """
        given_s = self._timeout_s if timeout_s is None else timeout_s
        self._deadline_s = time.monotonic() + given_s
        self._session.renew(given_s)
        try:
            return self._exchange(request, version)
        except (MalformedMessage, KafkaError) as error:
            raise ConnectionError(f"the server is not a Kafka broker: {error}") from None

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()

    def _exchange(self, request: Any, version: int | None) -> Any:
        self._protocol.send(request, version=version)
        self._flush()
        while True:
            answers = self._receive()
            if answers:
                return answers[0].body

    def _flush(self) -> None:
        for part in self._protocol.data_to_send():
            assert not isinstance(part, FileSlice), "a client sends no file slices"
            self._limit()
            self._socket.sendall(part)

    def _limit(self) -> None:
        """Let the next operation of the socket end at the deadline."""
        left_s = self._deadline_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError("timed out")
        self._socket.settimeout(left_s)

    def _receive(self) -> list[Any]:
        self._limit()
        data = self._socket.recv(_RECEIVE_BYTES)
        if not data:
            raise ConnectionError("the broker closed the connection")
        answers = self._protocol.receive(data)
        self._flush()
        return answers


class AdminClient:
    """A client of a cluster, given by its bootstrap servers."""

    def __init__(
        self,
        bootstrap_servers: str,
        *,
        client_id: str,
        timeout_s: float = 30.0,
        request_timeout_s: float = REQUEST_TIMEOUT_S,
        reach_timeout_s: float | None = None,
        on_wait: Callable[[str], None] | None = None,
        of_controllers: bool = False,
        security: ClientSecurity = UNSECURED,
        hosts: Mapping[str, str] | None = None,
    ) -> None:
        """Parse the addresses; connections are opened, as `security` says, when they are needed.

        With `of_controllers` they are those of controllers, and so are all "brokers" of this class.

        An operation with all its attempts and look-ups takes up to `timeout_s`, one attempt up to
        `request_timeout_s`. Until a connection is open for the first time, it takes up to
        `reach_timeout_s`, if that is given: the address may be wrong.

        `on_wait` is called, from another thread, with a sentence about each operation that takes
        longer than NOTICE_AFTER_S. `hosts` has the addresses by which this machine reaches the
        hosts that brokers name in responses.

        Raises:
            AdminError: an address is not host:port.
        """
        self._client_id = client_id
        self.security = security
        """How each connection is secured."""
        self._hosts = hosts or {}
        self._on_wait = on_wait
        self._of_controllers = of_controllers
        self._waits_for = ""
        self._refusal: int = ErrorCode.NONE
        """The last retriable error of the operation that is in progress."""
        self._deadline_s = 0.0
        """The end of the operation that is in progress."""
        self._failure: OSError | None = None
        """Why the last attempt to reach a server failed; None if one was reached since."""
        self._timeout_s = timeout_s
        self._request_timeout_s = request_timeout_s
        self._reach_timeout_s = reach_timeout_s
        """None as soon as a server was reached."""
        try:
            self._servers = servers_of(bootstrap_servers)
        except ValueError as error:
            option = "--bootstrap-controller" if of_controllers else "--bootstrap-server"
            raise AdminError(f"{option} {error}") from None
        self._learned: list[tuple[str, int]] = []
        self._any: BrokerConnection | None = None
        self._any_server = self._servers[0]
        self._by_broker: dict[int, BrokerConnection] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection."""
        for connection in (self._any, *self._by_broker.values()):
            if connection is not None:
                connection.close()
        self._any = None
        self._by_broker.clear()

    def ask(self, request: Any) -> Any:
        """Return the response of any broker.

        Raises:
            AdminError: no broker answers, or the broker does not have this API.
        """
        with self._operation(f"{api_name(request)} from {self._addresses()}"):
            return self._ask_any(request)

    def _ask_any(self, request: Any) -> Any:
        """Ask the connected server, then each other one, until one answers or the timeout."""
        begun_s = time.monotonic()
        untried: list[tuple[str, int]] = []
        failures: dict[tuple[str, int], OSError] = {}
        while True:
            untried = untried or self._candidates()
            server = untried[0]
            timeout_s = self._share_s(len(untried))
            try:
                connection = self._connected(server, self._reach_share_s(timeout_s, len(untried)))
                response = self._ask_reached(connection, request, timeout_s)
            except _UNSUPPORTED as error:
                raise AdminError(str(error), ErrorCode.UNSUPPORTED_VERSION) from None
            except OutOfRangeError as error:
                raise AdminError(str(error), ErrorCode.INVALID_REQUEST) from None
            except OSError as error:
                self._disconnect()
                self._failure = failures[server] = error
                del untried[0]
                if self._is_over(begun_s, failures):
                    kind = AdminError if self._reach_timeout_s is None else UnreachedError
                    raise kind(
                        f"no answer from {self._addresses()}: {reasons_of(failures)}",
                        ErrorCode.REQUEST_TIMED_OUT,
                    ) from None
                if not untried:
                    time.sleep(_RETRY_BACKOFF_S)
            else:
                self._reach_timeout_s = None
                return response

    def _ask_reached(self, connection: BrokerConnection, request: Any, timeout_s: float) -> Any:
        try:
            return connection.ask(request, timeout_s=timeout_s)
        except TimeoutError:
            # A server is there, which may be slow.
            self._reach_timeout_s = None
            raise

    def _reach_share_s(self, timeout_s: float, untried: int) -> float:
        """Return the time in which a connection must be open."""
        if self._reach_timeout_s is None:
            return timeout_s
        return min(timeout_s, self._reach_timeout_s / untried)

    def _is_over(self, begun_s: float, failures: Mapping[tuple[str, int], OSError]) -> bool:
        """True if no server is asked again."""
        now_s = time.monotonic()
        if now_s >= self._deadline_s:
            return True
        if self._reach_timeout_s is None:
            return False
        are_wrong = all(is_unknown_name(failures.get(each)) for each in self._candidates())
        return are_wrong or now_s >= begun_s + self._reach_timeout_s

    def _share_s(self, untried: int, left_s: float | None = None) -> float:
        """Return the time of the next attempt, of the time that is left for `untried` servers.

        A server that accepts connections, but does not answer, must leave time for the others.
        """
        left_s = self._deadline_s - time.monotonic() if left_s is None else left_s
        share_s = left_s / min(untried, _SHARES)
        return max(min(self._request_timeout_s, share_s), _MIN_TIMEOUT_S)

    def _candidates(self) -> list[tuple[str, int]]:
        """Return the servers in the order in which they are asked."""
        connected = [] if self._any is None else [self._any_server]
        # Brokers of earlier responses are tried after the bootstrap servers.
        return list(dict.fromkeys((*connected, *self._servers, *self._learned)))

    def _connected(self, server: tuple[str, int], timeout_s: float) -> BrokerConnection:
        if self._any is None:
            self._any = self._open(server, timeout_s)
            self._any_server, self._failure = server, None
        return self._any

    def _open(self, server: tuple[str, int], timeout_s: float) -> BrokerConnection:
        try:
            return BrokerConnection(*server, self._client_id, timeout_s, self.security)
        except LoginFailedError as error:
            raise AdminError(str(error), ErrorCode.SASL_AUTHENTICATION_FAILED) from None

    def _disconnect(self) -> None:
        if self._any is not None:
            self._any.close()
            self._any = None

    @property
    def endpoint_type(self) -> int:
        """The kind of this client's servers, as DescribeCluster has it."""
        return _CONTROLLERS if self._of_controllers else _BROKERS

    def ask_active(self, request: Any) -> Any:
        """Return the response of the active controller, to which brokers forward such a request.

        Raises:
            AdminError: no node answers, or it does not have this API.
        """
        if not self._of_controllers:
            return self.ask(request)
        with self._operation(f"{api_name(request)} from the active controller"):
            while True:
                try:
                    return self._ask_broker(self._active_controller(), request)
                except UnreachedError:
                    raise
                except AdminError as error:
                    # A new leader may not know the controllers' registrations yet.
                    again = is_retriable(error.code) or error.code == ErrorCode.BROKER_NOT_AVAILABLE
                    if not again or time.monotonic() >= self._deadline_s:
                        raise
                    time.sleep(_RETRY_BACKOFF_S)

    def _active_controller(self) -> int:
        response = self._ask_any(DescribeClusterRequest(endpoint_type=_CONTROLLERS))
        check(response.error_code, response.error_message)
        if response.controller_id < 0:
            raise AdminError("no controller is active", ErrorCode.LEADER_NOT_AVAILABLE)
        return int(response.controller_id)

    def ask_broker(self, broker_id: int, request: Any) -> Any:
        """Return the response of one broker.

        Raises:
            AdminError: the broker is not alive, does not answer, or does not have this API.
        """
        with self._operation(f"{api_name(request)} from broker {broker_id}"):
            return self._ask_broker(broker_id, request)

    def _ask_broker(self, broker_id: int, request: Any) -> Any:
        # If a controller does not answer, the next active one is asked in the remaining time.
        others = len(self._candidates()) if self._of_controllers else 1
        try:
            connection = self._by_broker.get(broker_id)
            if connection is None:
                address = self._known_address(broker_id)
                connection = self._open(address, self._share_s(others))
                self._by_broker[broker_id] = connection
            return connection.ask(request, timeout_s=self._share_s(others))
        except _UNSUPPORTED as error:
            raise AdminError(str(error), ErrorCode.UNSUPPORTED_VERSION) from None
        except OutOfRangeError as error:
            raise AdminError(str(error), ErrorCode.INVALID_REQUEST) from None
        except OSError as error:
            self._drop(broker_id)
            slow = isinstance(error, TimeoutError)
            raise AdminError(
                f"no answer from {self._kind} {broker_id}: {reason_of(error)}",
                ErrorCode.REQUEST_TIMED_OUT if slow else ErrorCode.NETWORK_EXCEPTION,
            ) from None

    def settle(
        self, ask: Callable[[], Any], code_of: Callable[[Any], int], *, looks_up: bool = False
    ) -> Any:
        """Repeat a request while its result is a retriable error, until the timeout.

        `ask()` makes one attempt; `code_of(response)` is its error code. If `ask` looks the broker
        up (`looks_up`), it is repeated, too, if that broker does not answer: another may take over.
        An unknown topic is not retried here: a caller that needs a new topic must wait for it by
        other means.
        """
        with self._operation("an operation that the cluster cannot do yet"):
            while True:
                try:
                    response = ask()
                except AdminError as error:
                    gone = error.code in (*NO_ANSWER, ErrorCode.BROKER_NOT_AVAILABLE)
                    again = looks_up and gone and self._has_time
                    if not again or isinstance(error, UnreachedError):
                        raise
                else:
                    code = code_of(response)
                    final = code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION or not is_retriable(code)
                    if final or not self._has_time:
                        return response
                    self._refusal = code
                time.sleep(_RETRY_BACKOFF_S)

    @property
    def _has_time(self) -> bool:
        """True if there is time for another attempt: one of no time hides the previous error."""
        return time.monotonic() + 2 * _RETRY_BACKOFF_S < self._deadline_s

    @contextmanager
    def limited(self, timeout_s: float) -> Iterator[None]:
        """Let the operations of a block take up to `timeout_s`, if that is less than usual."""
        usual_s, self._timeout_s = self._timeout_s, min(self._timeout_s, timeout_s)
        try:
            yield
        finally:
            self._timeout_s = usual_s

    @property
    def timeout_ms(self) -> int:
        """The time that the first attempt of an operation gets, for requests with such a field."""
        return int(self._share_s(len(self._candidates()), self._timeout_s) * 1000)

    def brokers(self) -> dict[int, tuple[str, int]]:
        """Return the live brokers with their addresses."""
        request = (
            DescribeClusterRequest(endpoint_type=_CONTROLLERS)
            if self._of_controllers
            else MetadataRequest(topics=[])
        )
        response = self.ask(request)
        found = {node_id_of(it): self.address_of(it.host, it.port) for it in response.brokers}
        self._learned = list(found.values())
        return found

    def address_of(self, host: str, port: int) -> tuple[str, int]:
        """Return the address at which this machine reaches a broker that a response names."""
        return self._hosts.get(host, host), port

    def _drop(self, broker_id: int) -> None:
        connection = self._by_broker.pop(broker_id, None)
        if connection is not None:
            connection.close()

    def _known_address(self, broker_id: int) -> tuple[str, int]:
        address = self.brokers().get(broker_id)
        if address is None:
            raise AdminError(
                f"{self._kind} {broker_id} is not alive", ErrorCode.BROKER_NOT_AVAILABLE
            )
        return address

    @property
    def _kind(self) -> str:
        return "controller" if self._of_controllers else "broker"

    @contextmanager
    def _operation(self, what: str) -> Iterator[None]:
        """Begin an operation, or a step of it: it has one deadline, and one report by `on_wait`."""
        outer, self._waits_for = self._waits_for, what
        if outer:
            try:
                yield
            finally:
                self._waits_for = outer
            return
        self._deadline_s, self._refusal = time.monotonic() + self._timeout_s, ErrorCode.NONE
        timer = threading.Timer(NOTICE_AFTER_S, self._report_wait)
        timer.daemon = True
        if self._on_wait is not None and self._timeout_s > NOTICE_AFTER_S:
            timer.start()
        try:
            yield
        finally:
            timer.cancel()
            self._waits_for = ""

    def _report_wait(self) -> None:
        if self._on_wait is not None:
            limit = f"up to {self._limit_s:g} s{self._likely_reason}"
            self._on_wait(f"waiting for {self._waits_for}, {limit}")

    @property
    def _limit_s(self) -> float:
        return min(self._timeout_s, self._reach_timeout_s or self._timeout_s)

    @property
    def _likely_reason(self) -> str:
        if self._failure is not None:
            return f": {reason_of(self._failure)}"
        refusal = summary_of(self._refusal)
        return f": {refusal}" if refusal else "; changes need an active controller"

    def _addresses(self) -> str:
        return ",".join(f"{host}:{port}" for host, port in self._servers)
