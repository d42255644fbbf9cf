"""Signed tokens of OAUTHBEARER: JSON Web Tokens (RFC 7519) whose signer is known.

Source: `BrokerJwtValidator`, `ClaimValidationUtils`, and the checks of jose4j that they use.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from minikafka.config.signed_tokens import SignedTokens
from minikafka.security.key_set import KeySet, SignatureRefusedError
from minikafka.security.oauthbearer import BearerToken, InvalidTokenError, decoded_part, name_in

_PARTS: Final = 3
_TEXTS: Final = ("iss", "sub", "jti")
_MAX_TIME_S: Final = 10**15


class SignedTokenValidator:
    """Checks signed tokens."""

    def __init__(self, settings: SignedTokens, keys: Callable[[], KeySet]) -> None:
        """Take what a token must say, and the look-up of the keys that are valid now."""
        self._settings = settings
        self._keys = keys

    def validate(self, token: str, now_ms: int) -> BearerToken:
        """Return what an accepted token says.

        Raises:
            InvalidTokenError: the token is malformed, not signed by a known key, expired, for
                others, or lacks a claim.
        """
        parts = token.split(".")
        if len(parts) != _PARTS or not all(parts):
            raise InvalidTokenError("the token has not three parts")
        header = _object(parts[0])
        try:
            self._keys().check(token, header)
        except SignatureRefusedError as error:
            raise InvalidTokenError(str(error)) from None
        if str(header.get("cty")).upper() == "JWT":
            raise InvalidTokenError("the token contains another one")
        claims = _object(parts[1])
        expires_s = self._check_times(claims, now_ms // 1000)
        self._check_audience(claims.get("aud"))
        for name in _TEXTS:
            if not isinstance(claims.get(name), str | None):
                raise InvalidTokenError(f"the claim {name} is no text")
        issuer = self._settings.issuer
        if issuer is not None and claims.get("iss") != issuer:
            raise InvalidTokenError("the token is of another issuer (claim iss)")
        self._check_scopes(claims.get(self._settings.scope_claim))
        principal = name_in(claims, self._settings.principal_claim)
        return BearerToken(principal.strip(), expires_s * 1000)

    def _check_times(self, claims: Mapping[str, Any], now_s: int) -> int:
        """Check the times of a token; return its end."""
        skew_s = self._settings.skew_s
        expires_s, issued_s, begins_s = (_time_s(claims, name) for name in ("exp", "iat", "nbf"))
        if expires_s is None or issued_s is None:
            missing = "exp" if expires_s is None else "iat"
            raise InvalidTokenError(f"the token has no claim {missing}")
        if now_s - skew_s >= expires_s:
            raise InvalidTokenError("the token has expired (claim exp)")
        if expires_s < issued_s or (begins_s is not None and expires_s < begins_s):
            raise InvalidTokenError("the token ends before it begins (claims exp, iat and nbf)")
        if begins_s is not None and now_s + skew_s < begins_s:
            raise InvalidTokenError("the token is not valid yet (claim nbf)")
        if expires_s < 0 or issued_s < 0:
            raise InvalidTokenError("the token has a negative time")
        return expires_s

    def _check_audience(self, claim: object) -> None:
        """As Kafka: a token for an audience is not accepted if no audience is configured."""
        expected = self._settings.audience
        if claim is None:
            if expected:
                raise InvalidTokenError("the token names no audience (claim aud)")
            return
        found = _texts([claim] if isinstance(claim, str) else claim, "aud")
        if not expected & set(found):
            raise InvalidTokenError("the token is for another audience (claim aud)")

    def _check_scopes(self, claim: object) -> None:
        """As Kafka: a list is checked, although no scope is required."""
        if not isinstance(claim, str | list):
            return
        name = self._settings.scope_claim
        found = [
            each.strip() for each in _texts([claim] if isinstance(claim, str) else claim, name)
        ]
        if not all(found) or len(set(found)) != len(found):
            raise InvalidTokenError(f"the claim {name} has an empty or a repeated scope")


def _object(part: str) -> dict[str, Any]:
    """Return the JSON object of a part, without repeated names."""
    return decoded_part(part, _unrepeated)


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise json.JSONDecodeError("repeated name", "", 0)
    return found


def _texts(claim: object, name: str) -> list[str]:
    if not isinstance(claim, list) or not all(isinstance(each, str) for each in claim):
        raise InvalidTokenError(f"the claim {name} is no list of texts")
    return claim


def _time_s(claims: Mapping[str, Any], name: str) -> int | None:
    value = claims.get(name)
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not abs(value) < _MAX_TIME_S:
        raise InvalidTokenError(f"the claim {name} is no time in seconds")
    return int(value)
