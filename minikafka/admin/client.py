"""A blocking admin client for the command line tools: one request at a time.

It speaks to any Kafka-compatible cluster: versions are negotiated, and an API that the cluster does
not have is reported by name. Requests that need a particular broker (a partition's leader, a broker
whose configuration is asked for) go to it; everything else to any broker.
"""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

from minikafka.common.errors import ErrorCode, KafkaError, is_retriable, summary_of
from minikafka.common.file_slice import FileSlice
from minikafka.config.node_config import parse_address
from minikafka.messages.metadata import MetadataRequest
from minikafka.protocol.primitives import (
    MalformedMessage,
    OutOfRangeError,
    UnsupportedFieldError,
)
from minikafka.rpc.client_connection import ClientConnection, NoCommonVersionError

_RECEIVE_BYTES = 256 * 1024
_RETRY_BACKOFF_S = 0.1
NOTICE_AFTER_S = 2.0
"""How long an operation may take before its user is told what it waits for."""
_UNSUPPORTED = (NoCommonVersionError, UnsupportedFieldError)


class AdminError(Exception):
    """What a tool tells its user; `code` is the server's error where it came from there."""

    def __init__(self, message: str, code: int = ErrorCode.NONE) -> None:
        """Keep the code beside the message."""
        super().__init__(message)
        self.code = code


def error_text(code: int, message: str | None) -> str:
    """A server's error in words."""
    return message or summary_of(code) or f"error {code}"


def check(code: int, message: str | None = None) -> None:
    """Nothing, where the server reports success.

    Raises:
        AdminError: for any error code.
    """
    if code != ErrorCode.NONE:
        raise AdminError(error_text(code, message), code)


class BrokerConnection:
    """One socket to one broker."""

    def __init__(self, host: str, port: int, client_id: str, timeout_s: float) -> None:
        """Connect.

        Raises:
            OSError: when nobody listens there.
        """
        self._socket = socket.create_connection((host, port), timeout=timeout_s)
        self._protocol = ClientConnection(client_id=client_id)

    def ask(self, request: Any, version: int | None = None) -> Any:
        """Send a request, wait for its response.

        Raises:
            NoCommonVersionError: the broker does not have this API, or not in a known version.
            OSError: the connection broke, no answer came in time, or what came is no answer.
        """
        try:
            return self._exchange(request, version)
        except (MalformedMessage, KafkaError) as error:
            raise ConnectionError(f"what answers there is no Kafka broker: {error}") from None

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
            self._socket.sendall(part)

    def _receive(self) -> list[Any]:
        data = self._socket.recv(_RECEIVE_BYTES)
        if not data:
            raise ConnectionError("the broker closed the connection")
        answers = self._protocol.receive(data)
        self._flush()
        return answers


def _name_of(request: Any) -> str:
    """The name of a request's API, as Kafka writes it."""
    return type(request).__name__.removesuffix("Request")


class AdminClient:
    """Requests to a cluster, by its bootstrap servers."""

    def __init__(
        self,
        bootstrap_servers: str,
        *,
        client_id: str,
        timeout_s: float = 30.0,
        on_wait: Callable[[str], None] | None = None,
    ) -> None:
        """Take the addresses; connections are made when they are needed.

        `on_wait` gets a sentence, from another thread, about each operation that takes longer than
        NOTICE_AFTER_S.

        Raises:
            AdminError: for an address that is no host:port.
        """
        self._client_id = client_id
        self._on_wait = on_wait
        self._waits_for = ""
        self._timeout_s = timeout_s
        self._servers: list[tuple[str, int]] = []
        for text in bootstrap_servers.split(","):
            try:
                self._servers.append(parse_address(text.strip()))
            except ValueError as error:
                raise AdminError(f"--bootstrap-server {text!r}: {error}") from None
        self._learned: list[tuple[str, int]] = []
        self._any: BrokerConnection | None = None
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
        """The answer of any broker.

        Raises:
            AdminError: no broker answers, or none has this API.
        """
        with self._noticed(f"{_name_of(request)} from {self._addresses()}"):
            return self._ask_anybody(request)

    def _ask_anybody(self, request: Any) -> Any:
        deadline_s = time.monotonic() + self._timeout_s
        while True:
            try:
                return self._anybody().ask(request)
            except _UNSUPPORTED as error:
                raise AdminError(str(error), ErrorCode.UNSUPPORTED_VERSION) from None
            except OutOfRangeError as error:
                raise AdminError(str(error), ErrorCode.INVALID_REQUEST) from None
            except OSError as error:
                if self._any is not None:
                    self._any.close()
                    self._any = None
                if time.monotonic() >= deadline_s:
                    raise AdminError(
                        f"no answer from {self._addresses()}: {error}", ErrorCode.REQUEST_TIMED_OUT
                    ) from None
                time.sleep(_RETRY_BACKOFF_S)

    def ask_broker(self, broker_id: int, request: Any) -> Any:
        """The answer of one broker.

        Raises:
            AdminError: there is no such broker, it does not answer, or lacks this API.
        """
        with self._noticed(f"{_name_of(request)} from broker {broker_id}"):
            return self._ask_broker(broker_id, request)

    def _ask_broker(self, broker_id: int, request: Any) -> Any:
        try:
            connection = self._by_broker.get(broker_id)
            if connection is None:
                host, port = self._address_of(broker_id)
                connection = BrokerConnection(host, port, self._client_id, self._timeout_s)
                self._by_broker[broker_id] = connection
            return connection.ask(request)
        except _UNSUPPORTED as error:
            raise AdminError(str(error), ErrorCode.UNSUPPORTED_VERSION) from None
        except OutOfRangeError as error:
            raise AdminError(str(error), ErrorCode.INVALID_REQUEST) from None
        except OSError as error:
            self._drop(broker_id)
            raise AdminError(f"no answer from broker {broker_id}: {error}") from None

    def settle(self, ask: Callable[[], Any], code_of: Callable[[Any], int]) -> Any:
        """Ask again while the outcome is a retriable error; gives up when time is over.

        `ask()` makes one attempt; `code_of(response)` is its error code. A topic that is not known
        is final here: whoever creates one and needs it at once waits for it by other means.
        """
        with self._noticed("an operation that the cluster cannot do yet"):
            return self._settle(ask, code_of)

    def _settle(self, ask: Callable[[], Any], code_of: Callable[[Any], int]) -> Any:
        deadline_s = time.monotonic() + self._timeout_s
        while True:
            response = ask()
            code = code_of(response)
            final = code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION or not is_retriable(code)
            if final or time.monotonic() >= deadline_s:
                return response
            time.sleep(_RETRY_BACKOFF_S)

    @property
    def timeout_ms(self) -> int:
        """How long an operation may take, for requests that tell the server."""
        return int(self._timeout_s * 1000)

    def brokers(self) -> dict[int, tuple[str, int]]:
        """The brokers that are alive, with their addresses."""
        response = self.ask(MetadataRequest(topics=[]))
        found = {broker.node_id: (broker.host, broker.port) for broker in response.brokers}
        self._learned = list(found.values())
        return found

    def _drop(self, broker_id: int) -> None:
        connection = self._by_broker.pop(broker_id, None)
        if connection is not None:
            connection.close()

    def _address_of(self, broker_id: int) -> tuple[str, int]:
        address = self.brokers().get(broker_id)
        if address is None:
            raise AdminError(f"broker {broker_id} is not alive", ErrorCode.BROKER_NOT_AVAILABLE)
        return address

    def _anybody(self) -> BrokerConnection:
        if self._any is None:
            failures: list[str] = []
            # Brokers that were seen stand in for those that were named.
            for host, port in dict.fromkeys((*self._servers, *self._learned)):
                try:
                    self._any = BrokerConnection(host, port, self._client_id, self._timeout_s)
                    break
                except OSError as error:
                    failures.append(f"{host}:{port}: {error}")
            if self._any is None:
                raise OSError("; ".join(failures))
        return self._any

    @contextmanager
    def _noticed(self, what: str) -> Iterator[None]:
        """Tell the user of a wait that takes long: of the outermost one, what it waits for now."""
        outer, self._waits_for = self._waits_for, what
        if outer or self._on_wait is None:
            try:
                yield
            finally:
                self._waits_for = outer
            return
        timer = threading.Timer(NOTICE_AFTER_S, self._tell_wait)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            self._waits_for = ""

    def _tell_wait(self) -> None:
        if self._on_wait is not None:
            self._on_wait(
                f"waiting for {self._waits_for}, up to {self._timeout_s:g} s; changes need an "
                "active controller"
            )

    def _addresses(self) -> str:
        return ",".join(f"{host}:{port}" for host, port in self._servers)
