"""The client's side of PLAIN, SCRAM and OAUTHBEARER, without I/O: tokens in, tokens out.

Source: `PlainSaslClient`, `ScramSaslClient`, `OAuthBearerSaslClient`,
`OAuthBearerUnsecuredLoginCallbackHandler`, `OAuthBearerLoginCallbackHandler`.
"""

from base64 import b64encode
from collections.abc import Callable, Mapping
from hmac import compare_digest, digest
from typing import Final, Protocol

from minikafka.config.sasl import OwnLogin
from minikafka.config.sasl_keys import OAUTHBEARER, PLAIN
from minikafka.security.sasl import SaslError
from minikafka.security.scram import (
    MIN_ITERATIONS,
    NONCE_BYTES,
    ScramMechanism,
    client_key,
    hashed,
    salted_password,
    scram_mechanism,
    server_key,
    xor,
)
from minikafka.security.scram_messages import (
    DELEGATION_EXTENSION,
    MalformedScramError,
    ServerFirst,
    escaped_name,
    parse_server_final,
    parse_server_first,
)

_MAX_ITERATIONS: Final = 1_000_000
"""More would take seconds: a server must not be able to ask for hours."""
_MAX_SALTED: Final = 16
_CLAIM_PREFIXES: Final = (
    "unsecuredLoginStringClaim_",
    "unsecuredLoginNumberClaim_",
    "unsecuredLoginListClaim_",
)
_UNSECURED_EXTENSION_PREFIX: Final = "unsecuredLoginExtension_"
_EXTENSION_PREFIX: Final = "extension_"
_LIFETIME_S: Final = 3600

SaltedPasswords = dict[tuple[int, bytes, bytes, int], bytes]
"""Salted passwords by mechanism, password, salt and iterations: each takes milliseconds."""


class SaslClient(Protocol):
    """One exchange of one mechanism."""

    @property
    def is_complete(self) -> bool:
        """True if the client has nothing more to say, and the server has proved what it must."""

    @property
    def computes(self) -> bool:
        """True if `respond` may take milliseconds."""

    def first(self) -> bytes:
        """Return the first token."""

    def respond(self, challenge: bytes) -> bytes:
        """Return the answer to a token of the server; meaningless if it completes the exchange.

        Raises:
            SaslError: the server is not the right one, or answers nonsense.
        """


def client_of(
    login: OwnLogin,
    draw: Callable[[int], bytes],
    now_ms: int,
    salted: SaltedPasswords,
    token: str = "",
) -> SaslClient:
    """Return a new exchange, for a login at the wall-clock time `now_ms`.

    `draw` returns unpredictable bytes; `salted` keeps salted passwords for later logins; `token` is
    the content of the login's token file.
    """
    options = login.module.options
    if login.mechanism == PLAIN:
        return PlainClient(options["username"], options["password"])
    if login.mechanism == OAUTHBEARER:
        return OAuthBearerClient(_bearer(options, token, now_ms))
    mechanism = scram_mechanism(login.mechanism)
    assert mechanism is not None, f"{login.mechanism} is checked before"
    # As Kafka: the user is the id of a delegation token, the password its HMAC.
    has_token = options.get(DELEGATION_EXTENSION, "").lower() == "true"
    user, password = options["username"], options["password"]
    return ScramClient(mechanism, user, password, draw, salted, has_token=has_token)


class PlainClient:
    """One exchange of PLAIN."""

    computes: bool = False

    def __init__(self, user: str, password: str) -> None:
        """Take the credentials."""
        self._token = f"\0{user}\0{password}".encode()
        self.is_complete = False

    def first(self) -> bytes:
        """See `SaslClient`."""
        return self._token

    def respond(self, challenge: bytes) -> bytes:
        """See `SaslClient`."""
        if challenge:
            raise SaslError("the server answers PLAIN with a challenge")
        self.is_complete = True
        return b""


class ScramClient:
    """One exchange of SCRAM."""

    computes: bool = True

    def __init__(
        self,
        mechanism: ScramMechanism,
        user: str,
        password: str,
        draw: Callable[[int], bytes],
        salted: SaltedPasswords,
        *,
        has_token: bool = False,
    ) -> None:
        """Take the credentials, and the source of unpredictable bytes.

        With `has_token` the credentials are those of a delegation token.
        """
        self._mechanism = mechanism
        self._password = password.encode()
        self._nonce = draw(NONCE_BYTES).hex()
        extension = f",{DELEGATION_EXTENSION}=true" if has_token else ""
        self._first = f"n={escaped_name(user)},r={self._nonce}{extension}"
        self._salted = salted
        self._verifier: bytes | None = None
        self.is_complete = False

    def first(self) -> bytes:
        """See `SaslClient`."""
        return f"n,,{self._first}".encode()

    def respond(self, challenge: bytes) -> bytes:
        """See `SaslClient`."""
        try:
            if self._verifier is None:
                return self._final(challenge, parse_server_first(challenge))
            if not compare_digest(parse_server_final(challenge), self._verifier):
                raise SaslError("the server does not know the password")
        except MalformedScramError as error:
            raise SaslError(f"the server's message is malformed: {error}") from None
        self.is_complete = True
        return b""

    def _final(self, challenge: bytes, first: ServerFirst) -> bytes:
        if not first.nonce.startswith(self._nonce) or first.nonce == self._nonce:
            raise SaslError("the server's nonce does not begin with that of the client")
        if not MIN_ITERATIONS <= first.iterations <= _MAX_ITERATIONS:
            raise SaslError(
                f"the server wants {first.iterations} iterations; allowed: {MIN_ITERATIONS} to "
                f"{_MAX_ITERATIONS}"
            )
        mechanism = self._mechanism
        salted = self._salted_password(first)
        without_proof = f"c=biws,r={first.nonce}"
        signed = f"{self._first},{challenge.decode()},{without_proof}".encode()
        key = client_key(mechanism, salted)
        proof = xor(key, digest(hashed(mechanism, key), signed, mechanism.hash_name))
        self._verifier = digest(server_key(mechanism, salted), signed, mechanism.hash_name)
        return f"{without_proof},p={b64encode(proof).decode()}".encode()

    def _salted_password(self, first: ServerFirst) -> bytes:
        salted = self._salted
        key = (int(self._mechanism), self._password, first.salt, first.iterations)
        found = salted.get(key)
        if found is None:
            found = salted_password(self._mechanism, self._password, first.salt, first.iterations)
            if len(salted) >= _MAX_SALTED:
                salted.clear()
            salted[key] = found
        return found


class OAuthBearerClient:
    """One exchange of OAUTHBEARER."""

    computes: bool = False

    def __init__(self, message: bytes) -> None:
        """Take the first message, which has the token."""
        self._message = message
        self.is_complete = False

    def first(self) -> bytes:
        """See `SaslClient`."""
        return self._message

    def respond(self, challenge: bytes) -> bytes:
        """See `SaslClient`."""
        # The server tells an error in a challenge; it ends the login after this answer.
        self.is_complete = not challenge
        return b"\x01"


def _bearer(options: Mapping[str, str], token: str, now_ms: int) -> bytes:
    """Return the first message of OAUTHBEARER, by the options of the login module.

    Without a token of others the client makes an unsigned one, which is valid from `now_ms` on.
    """
    from minikafka.security.oauthbearer import initial_response, unsigned  # noqa: PLC0415 - if used

    if token:
        return initial_response(token, _with_prefix(options, _EXTENSION_PREFIX))
    claims = {
        name: _claim(prefix, value)
        for prefix in _CLAIM_PREFIXES
        for name, value in _with_prefix(options, prefix).items()
    }
    lifetime_s = int(options.get("unsecuredLoginLifetimeSeconds") or _LIFETIME_S)
    claims |= {"iat": now_ms / 1000, "exp": now_ms / 1000 + lifetime_s}
    return initial_response(unsigned(claims), _with_prefix(options, _UNSECURED_EXTENSION_PREFIX))


def _with_prefix(options: Mapping[str, str], prefix: str) -> dict[str, str]:
    """Return the options whose names begin with a prefix, without it."""
    return {
        name.removeprefix(prefix): value
        for name, value in options.items()
        if name.startswith(prefix)
    }


def _claim(prefix: str, value: str) -> object:
    if "Number" in prefix:
        return float(value)
    if "List" in prefix:
        return value[1:].split(value[0]) if value else []
    return value
