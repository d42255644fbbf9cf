"""SCRAM-SHA-256 and SCRAM-SHA-512: the credentials, and the server's side of an exchange.

Source: RFC 5802, RFC 7677; `ScramMechanism`, `ScramFormatter`, `ScramSaslServer`.
"""

import hashlib
from base64 import b64encode
from collections.abc import Callable
from enum import IntEnum
from hmac import compare_digest, digest
from typing import Final, NamedTuple

from minikafka.security.sasl import SaslError
from minikafka.security.scram_messages import (
    DELEGATION_EXTENSION,
    ClientFirst,
    MalformedScramError,
    parse_client_final,
    parse_client_first,
)

MIN_ITERATIONS: Final = 4096
MAX_ITERATIONS: Final = 16384
NONCE_BYTES: Final = 18


class ScramMechanism(IntEnum):
    """The mechanisms, with the numbers that requests and records have."""

    SCRAM_SHA_256 = 1
    SCRAM_SHA_512 = 2

    @property
    def mechanism_name(self) -> str:
        """The name in the registry of SASL mechanisms."""
        return self.name.replace("_", "-")

    @property
    def hash_name(self) -> str:
        """The name of the hash in `hashlib`."""
        return "sha256" if self is ScramMechanism.SCRAM_SHA_256 else "sha512"


def scram_mechanism(name: str) -> ScramMechanism | None:
    """Return the mechanism of a registered name, or None."""
    return next((each for each in ScramMechanism if each.mechanism_name == name), None)


class ScramCredential(NamedTuple):
    """What a server knows about the password of a user."""

    salt: bytes
    stored_key: bytes
    server_key: bytes
    iterations: int

    def __repr__(self) -> str:
        return f"ScramCredential(iterations={self.iterations})"


FindCredential = Callable[[ScramMechanism, str], ScramCredential | None]


class TokenCredential(NamedTuple):
    """The credential of a delegation token: who logs in with it, and until when (wall clock)."""

    credential: ScramCredential
    owner: str
    expires_ms: int


FindToken = Callable[[ScramMechanism, str], TokenCredential | None]


def no_token(_: ScramMechanism, __: str) -> None:
    """Return None: there are no delegation tokens."""


def salted_password(
    mechanism: ScramMechanism, password: bytes, salt: bytes, iterations: int
) -> bytes:
    """Return the salted password; takes milliseconds."""
    return hashlib.pbkdf2_hmac(mechanism.hash_name, password, salt, iterations)


def client_key(mechanism: ScramMechanism, salted: bytes) -> bytes:
    """Return the key by which a client proves that it knows the password."""
    return digest(salted, b"Client Key", mechanism.hash_name)


def server_key(mechanism: ScramMechanism, salted: bytes) -> bytes:
    """Return the key by which a server proves that it knows the credential."""
    return digest(salted, b"Server Key", mechanism.hash_name)


def hashed(mechanism: ScramMechanism, key: bytes) -> bytes:
    """Return the hash of a key: a server stores that of the client's key."""
    return hashlib.new(mechanism.hash_name, key).digest()


def xor(one: bytes, other: bytes) -> bytes:
    """Return the exclusive or of texts of the same length."""
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def credential_of(
    mechanism: ScramMechanism, salted: bytes, salt: bytes, iterations: int
) -> ScramCredential:
    """Return the credential of a salted password."""
    return ScramCredential(
        salt,
        hashed(mechanism, client_key(mechanism, salted)),
        server_key(mechanism, salted),
        iterations,
    )


class ScramServer:
    """One exchange of SCRAM."""

    def __init__(
        self,
        mechanism: ScramMechanism,
        find: FindCredential,
        draw: Callable[[int], bytes],
        find_token: FindToken = no_token,
    ) -> None:
        """Take the look-ups of credentials, and the source of unpredictable bytes."""
        self._mechanism = mechanism
        self._find = find
        self._find_token = find_token
        self._draw = draw
        self._first: ClientFirst | None = None
        self._server_first = ""
        self._nonce = ""
        self._credential: ScramCredential | None = None
        self._owner = ""
        self.user = ""
        self.token_authenticated = False
        self.is_complete = False
        self.expires_ms: int | None = None

    def evaluate(self, token: bytes, now_ms: int) -> bytes:
        """See `SaslServer`."""
        try:
            return self._on_first(token, now_ms) if self._first is None else self._on_final(token)
        except MalformedScramError as error:
            raise SaslError(str(error)) from None

    def _on_first(self, token: bytes, now_ms: int) -> bytes:
        first = parse_client_first(token)
        self.user = first.user
        if first.extensions.get(DELEGATION_EXTENSION, "").lower() == "true":
            credential = self._credential_of_token(first.user, now_ms)
        else:
            found = self._find(self._mechanism, first.user)
            if found is None:
                raise SaslError("the user has no credential for this mechanism")
            credential = found
        if first.authorization_id not in ("", first.user):
            text = (
                "Authentication failed: Client requested an authorization id that is different "
                "from username"
            )
            raise SaslError(text, text)
        if credential.iterations < MIN_ITERATIONS:
            raise SaslError(
                f"the credential has {credential.iterations} iterations; at least "
                f"{MIN_ITERATIONS} are required"
            )
        self._first, self._credential = first, credential
        self._nonce = first.nonce + self._draw(NONCE_BYTES).hex()
        salt = b64encode(credential.salt).decode()
        self._server_first = f"r={self._nonce},s={salt},i={credential.iterations}"
        return self._server_first.encode()

    def _credential_of_token(self, token_id: str, now_ms: int) -> ScramCredential:
        found = self._find_token(self._mechanism, token_id)
        if found is None:
            raise SaslError("there is no delegation token of this id")
        if found.expires_ms <= now_ms:
            # Unlike Kafka (row Y12).
            raise SaslError("the delegation token has expired")
        self._owner, self.expires_ms = found.owner, found.expires_ms
        self.token_authenticated = True
        return found.credential

    def _on_final(self, token: bytes) -> bytes:
        first, credential = self._first, self._credential
        assert first is not None
        assert credential is not None, "it was found for the first message"
        final = parse_client_final(token)
        if final.nonce != self._nonce:
            doubled = final.nonce == first.nonce + self._nonce
            raise SaslError(
                "the nonce of the last message has the client's part twice, as librdkafka before "
                "2.6.1 sends it: update the client"
                if doubled
                else "the nonce of the last message is not that of the first one"
            )
        signed = f"{first.bare},{self._server_first},{final.without_proof}".encode()
        signature = digest(credential.stored_key, signed, self._mechanism.hash_name)
        if len(final.proof) != len(signature) or not compare_digest(
            hashed(self._mechanism, xor(final.proof, signature)), credential.stored_key
        ):
            raise SaslError("the password is wrong")
        self.is_complete = True
        self._credential = None
        if self.token_authenticated:
            self.user = self._owner
        verifier = digest(credential.server_key, signed, self._mechanism.hash_name)
        return b"v=" + b64encode(verifier)
