"""OAUTHBEARER (RFC 7628), and unsigned tokens, for tests and for networks that are trusted.

An unsigned token proves nothing: every client may claim any name. `signed_token.py` has those that
do.

Source: `OAuthBearerSaslServer`, `OAuthBearerClientInitialResponse`,
`OAuthBearerUnsecuredValidatorCallbackHandler`, `OAuthBearerUnsecuredJws`.
"""

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, Protocol

from minikafka.security.sasl import SaslError

_HEADER: Final = re.compile(r"n,(?:a=((?:[\x01-\x2b\x2d-\x3c\x3e-\x7f]|=2C|=3D)+))?,")
_PAIR: Final = re.compile(r"([A-Za-z]+)=([\x21-\x7e \t\r\n]+)")
_BEARER: Final = re.compile(r"\s*(\w+) +([-_.A-Za-z0-9]+)\s*", re.ASCII)
_TOKEN: Final = re.compile(r"[-_.A-Za-z0-9]+")
_SEPARATOR: Final = "\x01"
_PARTS: Final = 3
_LONGEST_NAME: Final = 1024
"""In characters. Unlike Kafka (row Y8): lines of the log and kept decisions have the names."""
_JSON_ERRORS: Final = (ValueError, RecursionError)


class InvalidTokenError(ValueError):
    """A token that is not accepted; `status` is what the client is told."""

    def __init__(self, reason: str, status: str = "invalid_token", scope: str = "") -> None:
        """Store the status, and the scope that a token must have."""
        super().__init__(reason)
        self.answer = {"status": status, **({"scope": scope} if scope else {})}


class BearerToken(NamedTuple):
    """An accepted token: its principal, and its end by the wall clock."""

    principal: str
    expires_ms: int


class TokenValidator(Protocol):
    """The check of tokens."""

    def validate(self, token: str, now_ms: int) -> BearerToken:
        """Return what an accepted token says.

        Raises:
            InvalidTokenError: the token is not accepted.
        """


class UnsecuredValidator:
    """Checks unsigned tokens by the options of a login module."""

    def __init__(self, options: Mapping[str, str]) -> None:
        """Read the options.

        Raises:
            ValueError: the clock skew is no number of milliseconds.
        """
        self._principal_claim = options.get("unsecuredValidatorPrincipalClaimName") or "sub"
        self._scope_claim = options.get("unsecuredValidatorScopeClaimName") or "scope"
        self._scope = (options.get("unsecuredValidatorRequiredScope") or "").split()
        self._skew_ms = int(options.get("unsecuredValidatorAllowableClockSkewMs") or "0")

    def validate(self, token: str, now_ms: int) -> BearerToken:
        """Return what an accepted token says.

        Raises:
            InvalidTokenError: the token is malformed, signed, expired, or lacks a claim.
        """
        parts = token.split(".")
        if len(parts) != _PARTS:
            raise InvalidTokenError("the token has not three parts")
        if decoded_part(parts[0]).get("alg") != "none" or parts[2]:
            raise InvalidTokenError("the token is signed; only unsigned ones are accepted")
        claims = decoded_part(parts[1])
        principal = name_in(claims, self._principal_claim)
        issued_ms = _time_ms(claims, "iat")
        expires_ms = _time_ms(claims, "exp")
        if expires_ms is None:
            raise InvalidTokenError("the token has no claim exp")
        if issued_ms is not None and issued_ms > now_ms + self._skew_ms:
            raise InvalidTokenError("the token is from the future (claim iat)")
        if now_ms - self._skew_ms >= expires_ms:
            raise InvalidTokenError("the token has expired (claim exp)")
        if issued_ms is not None and expires_ms <= issued_ms:
            raise InvalidTokenError("the token ends before it begins (claims iat and exp)")
        if not set(self._scope) <= _scopes(claims.get(self._scope_claim)):
            raise InvalidTokenError(
                "the token lacks a required scope", "insufficient_scope", " ".join(self._scope)
            )
        return BearerToken(principal, int(expires_ms))


class OAuthBearerServer:
    """One exchange of OAUTHBEARER."""

    token_authenticated = False

    def __init__(self, validator: TokenValidator) -> None:
        """Take the check of tokens."""
        self._validator = validator
        self._refusal = ""
        self._reason = ""
        self.user = ""
        self.is_complete = False
        self.expires_ms: int | None = None

    def evaluate(self, token: bytes, now_ms: int) -> bytes:
        """See `SaslServer`.

        An invalid token is answered with a JSON text; the login fails when the client has replied.
        """
        if self._refusal:
            raise SaslError(self._reason, self._refusal)
        authorization_id, bearer = _initial_response(token)
        try:
            found = self._validator.validate(bearer, now_ms)
        except InvalidTokenError as error:
            self._reason = str(error)
            self._refusal = json.dumps(error.answer, separators=(",", ":"))
            return self._refusal.encode()
        self.user = found.principal
        if authorization_id not in ("", found.principal):
            text = (
                f"Authentication failed: Client requested an authorization id ({authorization_id}) "
                f"that is different from the token's principal name ({found.principal})"
            )
            raise SaslError(text, text)
        self.expires_ms = found.expires_ms
        self.is_complete = True
        return b""


def unsigned(claims: Mapping[str, object]) -> str:
    """Return an unsigned token."""
    return f"{_part({'alg': 'none'})}.{_part(claims)}."


def end_ms(token: str) -> float:
    """Return the end that a token of any issuer claims, by the wall clock; no key is needed.

    Raises:
        InvalidTokenError: it is no token, or has no end.
    """
    parts = token.split(".")
    if len(parts) != _PARTS or _TOKEN.fullmatch(token) is None:
        raise InvalidTokenError("the token has not three parts")
    found = _time_ms(decoded_part(parts[1]), "exp")
    if found is None:
        raise InvalidTokenError("the token has no claim exp")
    return found


def initial_response(token: str, extensions: Mapping[str, str]) -> bytes:
    """Return the first message of a client."""
    pairs = {"auth": f"Bearer {token}", **extensions}
    text = "".join(f"{name}={value}{_SEPARATOR}" for name, value in pairs.items())
    return f"n,,{_SEPARATOR}{text}{_SEPARATOR}".encode()


def _part(claims: Mapping[str, object]) -> str:
    text = json.dumps(claims, separators=(",", ":"))
    return urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def _initial_response(message: bytes) -> tuple[str, str]:
    """Return the authorization id, which may be empty, and the token."""
    text = message.decode(errors="replace")
    header = _HEADER.match(text)
    rest = text[header.end() :] if header is not None else ""
    if header is None or not rest.startswith(_SEPARATOR) or not rest.endswith(_SEPARATOR * 2):
        raise SaslError("the first message is malformed")
    pairs: dict[str, str] = {}
    for each in rest[1:-2].split(_SEPARATOR):
        pair = _PAIR.fullmatch(each)
        if pair is None or pair[1] in pairs:
            raise SaslError("the first message has a malformed or repeated key")
        pairs[pair[1]] = pair[2]
    bearer = _BEARER.fullmatch(pairs.get("auth", ""))
    if bearer is None or bearer[1].lower() != "bearer":
        raise SaslError("the first message has no bearer token")
    authorization_id = (header[1] or "").replace("=2C", ",").replace("=3D", "=")
    return authorization_id, bearer[2]


def decoded_part(
    part: str, make_object: Callable[[list[tuple[str, Any]]], dict[str, Any]] = dict
) -> dict[str, Any]:
    """Return the JSON object of a part of a token; `make_object` makes objects of their pairs.

    Raises:
        InvalidTokenError: the part is none.
    """
    try:
        found = json.loads(
            urlsafe_b64decode(part + "=" * (-len(part) % 4)),
            object_pairs_hook=make_object,
            parse_constant=_no_constant,
        )
    except _JSON_ERRORS:
        raise InvalidTokenError("a part of the token is not JSON in base64") from None
    if not isinstance(found, dict):
        raise InvalidTokenError("a part of the token is no JSON object")
    return found


def name_in(claims: Mapping[str, Any], claim: str) -> str:
    """Return the name of the principal in a claim.

    Raises:
        InvalidTokenError: it is missing, too long, or not valid Unicode.
    """
    name = claims.get(claim)
    if not isinstance(name, str) or not name.strip():
        raise InvalidTokenError(f"the token has no claim {claim} with a name")
    if len(name) > _LONGEST_NAME or not _is_unicode(name):
        raise InvalidTokenError(f"the name in claim {claim} is too long, or not valid Unicode")
    return name


def _is_unicode(text: str) -> bool:
    """True if no response or record fails for a text: JSON may have halves of characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _no_constant(text: str) -> object:
    raise ValueError(f"{text} is not JSON")


def _time_ms(claims: Mapping[str, Any], name: str) -> float | None:
    value = claims.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e12:
        raise InvalidTokenError(f"the claim {name} is no time in seconds")
    return value * 1000


def _scopes(claim: object) -> set[str]:
    items = claim if isinstance(claim, list) else [claim]
    return {word for item in items if isinstance(item, str) for word in item.split()}
