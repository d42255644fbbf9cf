"""Delegation tokens in the metadata, and the credentials that clients log in with by SCRAM.

The password of a token is its HMAC in base64. Only its id is stored: a node computes the HMAC with
`delegation.token.secret.key`.

Source: `TokenInformation`, `DelegationTokenData`, `DelegationTokenManager`.
"""

from base64 import b64encode
from collections.abc import Callable
from hmac import digest
from typing import Any, Final, NamedTuple, cast

from minikafka.common.principal import KafkaPrincipal, parse_principal
from minikafka.metadata.carried import DELEGATION_TOKEN, CarriedKey, records_of
from minikafka.metadata.image import MetadataImage
from minikafka.security.scram import (
    MIN_ITERATIONS,
    FindToken,
    ScramCredential,
    ScramMechanism,
    TokenCredential,
    credential_of,
    salted_password,
)

_SALT_BYTES: Final = 16
_MAX_KNOWN: Final = 1_000


class DelegationToken(NamedTuple):
    """A token without its HMAC. Times are of the wall clock."""

    token_id: str
    owner: KafkaPrincipal
    requester: KafkaPrincipal
    renewers: tuple[KafkaPrincipal, ...]
    issue_ms: int
    max_ms: int
    expiry_ms: int

    def is_expired(self, now_ms: int) -> bool:
        """True if the token is not valid any more."""
        return self.max_ms < now_ms or self.expiry_ms < now_ms

    def may_be_changed_by(self, principal: KafkaPrincipal) -> bool:
        """True if a principal owns the token, or may renew it."""
        return any(is_same(principal, each) for each in (self.owner, *self.renewers))

    def is_of(self, principal: KafkaPrincipal) -> bool:
        """True if a principal owns the token, has requested it, or may renew it."""
        return is_same(principal, self.requester) or self.may_be_changed_by(principal)


def is_same(one: KafkaPrincipal, other: KafkaPrincipal) -> bool:
    """True if two principals are equal, however they have logged in."""
    return (one.type, one.name) == (other.type, other.name)


def token_hmac(secret: str, token_id: str) -> bytes:
    """Return the HMAC of a token."""
    return digest(secret.encode(), token_id.encode(), "sha512")


def delegation_tokens(image: MetadataImage) -> list[DelegationToken]:
    """Return all tokens, in the order of their creation."""
    return [_token(each) for each in records_of(image.carried, DELEGATION_TOKEN)]


def token_finder(
    image: Callable[[], MetadataImage], secret: str, draw: Callable[[int], bytes]
) -> FindToken:
    """Return a look-up of tokens in the metadata that `image` returns at that time.

    `draw` returns unpredictable bytes.
    """
    # The computation takes milliseconds, and to begin a login an id is enough.
    known: dict[tuple[ScramMechanism, str], ScramCredential] = {}

    def find(mechanism: ScramMechanism, token_id: str) -> TokenCredential | None:
        record = image().carried.get(CarriedKey(DELEGATION_TOKEN, token_id))
        if record is None:
            return None
        credential = known.get((mechanism, token_id))
        if credential is None:
            password = b64encode(token_hmac(secret, token_id))
            salt = draw(_SALT_BYTES)
            salted = salted_password(mechanism, password, salt, MIN_ITERATIONS)
            if len(known) >= _MAX_KNOWN:
                known.clear()
            credential = credential_of(mechanism, salted, salt, MIN_ITERATIONS)
            known[mechanism, token_id] = credential
        token = _token(record)
        return TokenCredential(credential, token.owner.name, min(token.max_ms, token.expiry_ms))

    return find


def _token(found: object) -> DelegationToken:
    record = cast(Any, found)
    return DelegationToken(
        record.token_id,
        parse_principal(record.owner),
        parse_principal(record.requester),
        tuple(parse_principal(each) for each in record.renewers),
        record.issue_timestamp,
        record.max_timestamp,
        record.expiration_timestamp,
    )
