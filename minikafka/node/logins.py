"""Logins on SASL listeners: connections whose clients have not proved yet who they are.

A connection is here until its client has logged in, then in `Dispatcher.connections`, so that no
other request costs a check. It comes back when its client logs in again, or when its session has
ended: then its next request must be a login, or closes it (KIP-368).

Transitions: FIRST -> VERSIONS_KNOWN (ApiVersions) -> TOKENS (SaslHandshake) -> logged in. From
there: -> TOKENS or OTHER_MECHANISM (SaslHandshake), -> EXPIRED (session ended) -> TOKENS. From
everywhere: -> FAILED, which is answered and closed after a delay.

Source: `SaslServerAuthenticator`, `KafkaChannel`, KIP-43, KIP-152, KIP-368.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from minikafka.common.effects import Disconnect, LoggedIn, Mute, Part, Reply, Unmute
from minikafka.common.environment import Environment
from minikafka.common.errors import ErrorCode, error_of
from minikafka.common.principal import USER, KafkaPrincipal
from minikafka.common.timers import Timer
from minikafka.config import broker as keys
from minikafka.config import sasl_keys
from minikafka.config.sasl import SaslListener
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.sasl_authenticate import SaslAuthenticateResponse
from minikafka.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse
from minikafka.node.login_audit import LoginAudit
from minikafka.protocol.primitives import MalformedMessage
from minikafka.rpc.envelope import (
    RequestHeader,
    UnknownApiKeyError,
    UnsupportedApiVersionError,
    decode_body,
    decode_header,
    encode_response,
)
from minikafka.security.mechanisms import MakeServer, server_maker
from minikafka.security.sasl import SaslError, SaslServer
from minikafka.security.scram import FindCredential, FindToken, no_token
from minikafka.serving.failures import failure_response
from minikafka.serving.lanes import Lanes
from minikafka.serving.registry import find
from minikafka.serving.steps import CLOSE

if TYPE_CHECKING:
    from minikafka.node.dispatcher import ConnectionState, Dispatcher
    from minikafka.security.key_set import KeySet

_MAX_ELEMENTS: Final = 100
_NO_FRAME: Final = memoryview(b"")
_MIN_REPEAT_MS: Final = 1_000
"""The shortest time between two logins on a connection."""
_LIFETIME_FROM: Final = 1
_TOKEN_REQUESTS_FROM: Final = 1
_LIMIT_NAME: Final = sasl_keys.SASL_SERVER_MAX_RECEIVE_SIZE.name


class Stage(Enum):
    """What is expected next; see the module."""

    FIRST = auto()
    VERSIONS_KNOWN = auto()
    TOKENS = auto()
    OTHER_MECHANISM = auto()
    EXPIRED = auto()
    FAILED = auto()


@dataclass(slots=True, eq=False, repr=False)
class LoginSession:
    """A client that has logged in for a limited time, or may have to do so again."""

    mechanism: str
    timer: Timer
    began_ms: int | None = None
    """When the last repeated login began."""


@dataclass(slots=True, eq=False, repr=False)
class Login:
    """One login. `session` is the one that it renews, or None for a first login."""

    connection: "ConnectionState"
    stage: Stage
    session: LoginSession | None = None
    timer: Timer | None = None
    mechanism: str = ""
    server: SaslServer | None = None
    has_token_requests: bool = False
    """True if tokens come in SaslAuthenticate requests, False if they come as they are."""


class Logins:
    """All connections of a node whose clients must log in."""

    def __init__(
        self,
        env: Environment,
        listeners: Mapping[str, SaslListener],
        find_credential: FindCredential,
        key_sets: "dict[str, KeySet]",
        find_token: FindToken = no_token,
    ) -> None:
        """Take the SASL listeners by name, the look-ups of SCRAM credentials, and keys by file."""
        self._env = env
        self._key_sets = key_sets
        self._listeners = listeners
        self._make_server: dict[tuple[str, str], MakeServer] = {
            (listener, name): server_maker(
                mechanism, find_credential, env.draw_secret, key_sets, find_token
            )
            for listener, found in listeners.items()
            for name, mechanism in found.mechanisms.items()
        }
        self._by_number: dict[int, Login] = {}
        self._sessions: dict[int, LoginSession] = {}
        self.audit = LoginAudit(env)
        self.dispatcher: Dispatcher
        """Handles the requests of clients that have logged in; set when it is made or replaced."""

    def key_file_changed(self, path: str, text: str) -> None:
        """Check the tokens of further logins with the keys of `text`; sessions are kept."""
        from minikafka.security.key_set import KeySet  # noqa: PLC0415 - needs the extra `security`

        self._key_sets[path] = KeySet(text)

    def is_for(self, listener: str) -> bool:
        """True if the clients of a listener must log in."""
        return listener in self._listeners

    def count(self, listener: str) -> int:
        """Return the number of connections of a listener that are here."""
        return sum(each.connection.listener == listener for each in self._by_number.values())

    def opened(self, connection: "ConnectionState") -> None:
        """Register a connection whose client must log in."""
        login = Login(connection, Stage.FIRST)
        self._by_number[connection.number] = login
        self._limit(login)

    def closed(self, number: int) -> "ConnectionState | None":
        """Remove a closed connection; return its state if it was here."""
        session = self._sessions.pop(number, None)
        if session is not None:
            session.timer.cancel()
        login = self._remove(number)
        return None if login is None else login.connection

    def request(self, number: int, frame: memoryview) -> None:
        """Handle a request of a client that must log in; drop it if the connection is closed."""
        login = self._by_number.get(number)
        if login is None or login.stage is Stage.FAILED:
            return
        self._env.client = number
        try:
            self._handle(login, frame)
        except Exception as error:  # noqa: BLE001 - the barrier judges it
            self._env.contain(f"a login from {login.connection.peer_host}", error)
            self._close(login, "the login failed unexpectedly")

    def repeat(
        self, number: int, request: SaslHandshakeRequest, version: int
    ) -> SaslHandshakeResponse | None:
        """Begin the login of a client that has logged in before; None if it is answered later."""
        session = self._sessions.get(number)
        connection = self.dispatcher.connections.get(number)
        now_ms = self._env.clock.monotonic_ms
        if (
            session is None
            or connection is None
            or (session.began_ms is not None and now_ms < session.began_ms + _MIN_REPEAT_MS)
        ):
            return SaslHandshakeResponse(ErrorCode.ILLEGAL_SASL_STATE)
        del self.dispatcher.connections[number]
        login = Login(connection, Stage.EXPIRED, session)
        self._by_number[number] = login
        self._limit(login)
        return self._begin(login, request, version)

    def _limit(self, login: Login) -> None:
        """Let a login take at most the time for which a connection may be idle."""
        listener = self._listeners[login.connection.listener]
        limit_ms = listener.values[keys.CONNECTIONS_MAX_IDLE_MS]
        if limit_ms > 0:
            late = partial(self._late, login)
            login.timer = self._env.after(limit_ms, self._env.guarded("a login's limit", late))

    def _remove(self, number: int) -> Login | None:
        login = self._by_number.pop(number, None)
        if login is not None and login.timer is not None:
            login.timer.cancel()
        return login

    def _late(self, login: Login) -> None:
        # Unlike Kafka (row Y5): also a client that sends bytes from time to time.
        self._close(login, "the client has not logged in in time (connections.max.idle.ms)")

    # Requests

    def _handle(self, login: Login, frame: memoryview) -> None:
        # The shell limits only frames that do not fit into its small buffer.
        listener = self._listeners[login.connection.listener]
        limit_bytes = listener.values[sasl_keys.SASL_SERVER_MAX_RECEIVE_SIZE]
        if len(frame) > limit_bytes:
            size = f"a request of {len(frame)} bytes; at most {limit_bytes} are allowed"
            self._close(login, f"{size} before the login ({_LIMIT_NAME})")
            return
        if login.stage is Stage.OTHER_MECHANISM:
            session = login.session
            assert session is not None, "only a repeated login compares mechanisms"
            reason = f"the mechanism of the session is {session.mechanism}"
            self._fail(login, reason, None)
            return
        if login.stage is Stage.TOKENS and not login.has_token_requests:
            self._on_token(login, bytes(frame), None)
            return
        try:
            header, reader = decode_header(frame, _MAX_ELEMENTS)
            if login.stage is Stage.EXPIRED:
                self._after_end(login, header, lambda: decode_body(header, reader))
            elif login.stage is Stage.TOKENS:
                self._on_tokens(login, header, decode_body(header, reader))
            elif header.api_key == ApiKey.API_VERSIONS and login.stage is Stage.FIRST:
                self._on_versions(login, header, decode_body(header, reader))
            elif header.api_key == ApiKey.SASL_HANDSHAKE:
                self._on_handshake(login, header, decode_body(header, reader))
            else:
                self._unexpected(login, header)
        except UnsupportedApiVersionError as error:
            if error.header.api_key == ApiKey.API_VERSIONS and login.stage is Stage.FIRST:
                self._on_versions(login, error.header._replace(api_version=0), None)
            else:
                self._close(login, str(error))
        except (UnknownApiKeyError, MalformedMessage) as error:
            self._close(login, str(error))

    def _unexpected(self, login: Login, header: RequestHeader) -> None:
        name = ApiKey(header.api_key).name
        self._close(login, f"unexpected request {name} before the login")

    def _on_versions(self, login: Login, header: RequestHeader, body: Any) -> None:
        connection = login.connection
        dispatcher = self.dispatcher
        api = find(connection.role, header.api_key, dispatcher.modules[connection.role])
        assert api is not None, "every listener has ApiVersions"
        context = dispatcher.make_context(connection, header, _NO_FRAME)
        answers: list[Any] = []

        def done(response: Any) -> None:
            answers.append(response)
            if is_muted and self._by_number.get(connection.number) is login:
                self._env.effects.append(Unmute(connection.number))
                self._versions_known(login, header, response)

        is_muted = False
        dispatcher.run(api, context, body, done)
        if answers:
            self._versions_known(login, header, answers[0])
        else:
            is_muted = True
            self._env.effects.append(Mute(connection.number))

    def _versions_known(self, login: Login, header: RequestHeader, response: Any) -> None:
        if response is CLOSE:
            self._close(login, "ApiVersions failed")
            return
        if response.error_code == ErrorCode.NONE:
            login.stage = Stage.VERSIONS_KNOWN
        self._reply(login, header, response)

    def _on_handshake(self, login: Login, header: RequestHeader, request: Any) -> None:
        response = self._begin(login, request, header.api_version, header)
        if response is not None:
            self._reply(login, header, response)

    def _begin(
        self,
        login: Login,
        request: SaslHandshakeRequest,
        version: int,
        header: RequestHeader | None = None,
    ) -> SaslHandshakeResponse | None:
        """Begin the exchange of tokens; None if the login has failed.

        A failure is answered if `header` is given, as Kafka answers a first login.
        """
        listener = self._listeners[login.connection.listener]
        names = list(listener.mechanisms)
        login.mechanism = request.mechanism
        login.has_token_requests = version >= _TOKEN_REQUESTS_FROM
        mechanism = listener.mechanisms.get(request.mechanism)
        session = login.session
        if session is not None:
            session.began_ms = self._env.clock.monotonic_ms
        if mechanism is None:
            login.mechanism = ""
            response = SaslHandshakeResponse(ErrorCode.UNSUPPORTED_SASL_MECHANISM, names)
            reason = f"the mechanism {request.mechanism[:40]!r} is not enabled"
            self._fail(login, reason, None if header is None else self._encoded(header, response))
            return None
        if session is not None and session.mechanism != mechanism.name:
            login.stage = Stage.OTHER_MECHANISM
        else:
            login.stage = Stage.TOKENS
            login.server = self._make_server[login.connection.listener, mechanism.name]()
        return SaslHandshakeResponse(ErrorCode.NONE, names)

    def _on_tokens(self, login: Login, header: RequestHeader, request: Any) -> None:
        if header.api_key == ApiKey.SASL_AUTHENTICATE:
            self._on_token(login, bytes(request.auth_bytes), header)
            return
        response = failure_response(
            request, error_of(ErrorCode.ILLEGAL_SASL_STATE), header.api_version
        )
        parts = None if response is CLOSE else self._encoded(header, response)
        self._fail(login, f"unexpected request {ApiKey(header.api_key).name} in a login", parts)

    def _on_token(self, login: Login, token: bytes, header: RequestHeader | None) -> None:
        """Handle a token; `header` is that of its request, or None if it came as it is."""
        server = login.server
        assert server is not None, "it is made by the handshake"
        try:
            answer = server.evaluate(token, self._env.clock.wall_ms)
            if server.is_complete and login.session is not None:
                self._check_principal(login, server)
        except SaslError as error:
            kind = "authentication" if login.session is None else "re-authentication"
            text = error.client_text or (
                f"Authentication failed during {kind} due to invalid credentials with SASL "
                f"mechanism {login.mechanism}"
            )
            response = SaslAuthenticateResponse(
                error_code=ErrorCode.SASL_AUTHENTICATION_FAILED, error_message=text
            )
            parts = None if header is None else self._encoded(header, response)
            self._fail(login, error.reason, parts)
            return
        lifetime_ms = self._lifetime_ms(login, server) if server.is_complete else None
        if header is None:
            framed = len(answer).to_bytes(4, "big") + answer
            self._env.effects.append(Reply(login.connection.number, (framed,)))
        else:
            response = SaslAuthenticateResponse(auth_bytes=answer)
            if lifetime_ms is not None and header.api_version >= _LIFETIME_FROM:
                response.session_lifetime_ms = lifetime_ms
            self._reply(login, header, response)
        if server.is_complete:
            self._succeed(login, server, lifetime_ms)

    def _check_principal(self, login: Login, server: SaslServer) -> None:
        before = login.connection.principal
        if (before.type, before.name) != (USER, server.user):
            text = (
                f"Cannot change principals during re-authentication from {before.type}."
                f"{before.name}: {USER}.{server.user}"
            )
            raise SaslError(text, text)

    def _lifetime_ms(self, login: Login, server: SaslServer) -> int | None:
        """Return for how long the login counts; None for as long as the connection."""
        mechanism = self._listeners[login.connection.listener].mechanisms[login.mechanism]
        limits_ms = []
        if server.expires_ms is not None:
            limits_ms.append(server.expires_ms - self._env.clock.wall_ms)
        if mechanism.values[sasl_keys.CONNECTIONS_MAX_REAUTH_MS] > 0:
            limits_ms.append(mechanism.values[sasl_keys.CONNECTIONS_MAX_REAUTH_MS])
        return max(min(limits_ms), 0) if limits_ms else None

    # Ends

    def _succeed(self, login: Login, server: SaslServer, lifetime_ms: int | None) -> None:
        connection = login.connection
        number = connection.number
        counts = self.audit.of_listener(connection.listener)
        self._remove(number)
        if login.session is None:
            counts.succeeded += 1
            counts.without_repetition += not login.has_token_requests
            connection.principal = KafkaPrincipal(USER, server.user, server.token_authenticated)
            self._env.effects.append(LoggedIn(number))
        else:
            counts.repeated += 1
            login.session.timer.cancel()
        # The ACLs may have changed meanwhile.
        connection.lanes = Lanes()
        began_ms = None if login.session is None else login.session.began_ms
        self._sessions.pop(number, None)
        if lifetime_ms is not None:
            ended = self._env.guarded("the end of a session", partial(self._ended, number))
            timer = self._env.after(lifetime_ms, ended)
            self._sessions[number] = LoginSession(login.mechanism, timer, began_ms)
        self.dispatcher.connections[number] = connection

    def _ended(self, number: int) -> None:
        """Take a connection back whose session has ended, unless its client is logging in."""
        session = self._sessions[number]
        connection = self.dispatcher.connections.pop(number, None)
        if connection is not None:
            self._by_number[number] = Login(connection, Stage.EXPIRED, session)

    def _after_end(self, login: Login, header: RequestHeader, body: Callable[[], Any]) -> None:
        """Handle the first request after the end of a session."""
        if header.api_key == ApiKey.SASL_HANDSHAKE:
            request = body()
            self._limit(login)
            response = self._begin(login, request, header.api_version)
            if response is not None:
                self._reply(login, header, response)
            return
        self.audit.of_listener(login.connection.listener).expired += 1
        self._drop(login)

    def _fail(self, login: Login, reason: str, answer: list[Part] | None) -> None:
        """End a login that has failed, after a delay, with an answer if there is one."""
        connection = login.connection
        self._report(login, reason)
        login.stage = Stage.FAILED
        login.server = None
        listener = self._listeners[connection.listener]
        delay_ms = listener.values[sasl_keys.CONNECTION_FAILED_AUTHENTICATION_DELAY_MS]
        if not delay_ms:
            self._end_failed(login, answer)
            return
        self._env.effects.append(Mute(connection.number))
        end = partial(self._end_failed, login, answer)
        self._env.after(delay_ms, self._env.guarded("the end of a failed login", end))

    def _end_failed(self, login: Login, answer: list[Part] | None) -> None:
        number = login.connection.number
        if self._by_number.get(number) is not login:
            return
        if answer is not None:
            self._env.effects.append(Reply(number, answer))
        self._drop(login)

    def _close(self, login: Login, reason: str) -> None:
        """Close a connection without an answer; nothing if that was done already."""
        connection = login.connection
        if self._by_number.get(connection.number) is not login:
            return
        self._report(login, reason)
        self._drop(login)

    def _report(self, login: Login, reason: str) -> None:
        """Count and log a login that has failed."""
        connection = login.connection
        counts = self.audit.of_listener(connection.listener)
        if login.session is None:
            counts.failed += 1
        else:
            counts.repeated_failed += 1
        user = "" if login.server is None else login.server.user
        self.audit.failed(connection.listener, connection.peer_host, login.mechanism, user, reason)

    def _drop(self, login: Login) -> None:
        number = login.connection.number
        self.dispatcher.closed(number)
        self._env.effects.append(Disconnect(number))

    def _reply(self, login: Login, header: RequestHeader, response: Any) -> None:
        # After an expired session, earlier requests may not be answered yet.
        self.dispatcher.answer(login.connection, header, response)

    @staticmethod
    def _encoded(header: RequestHeader, response: Any) -> list[Part]:
        return [*encode_response(header.correlation_id, response, header.api_version)]
