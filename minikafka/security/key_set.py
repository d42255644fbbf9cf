"""The keys of signed tokens, a JSON Web Key Set (RFC 7517), and the check of signatures.

The algorithm of a token decides which type of key is looked for, so that a public key is never used
as the secret of an HMAC. PyJWT reads keys and checks signatures.

Source: `JwksFileVerificationKeyResolver`; RFC 7515, RFC 7518; what jose4j selects.
"""

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa

_CURVES: Final = {"ES256": "secp256r1", "ES384": "secp384r1", "ES512": "secp521r1"}
_RSA: Final = frozenset(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"))
_SECRET_BYTES: Final = {"HS256": 32, "HS384": 48, "HS512": 64}
_MIN_RSA_BITS: Final = 2048
_TYPES: Final = {
    **dict.fromkeys(_RSA, "RSA"),
    **dict.fromkeys(_CURVES, "EC"),
    **dict.fromkeys(_SECRET_BYTES, "oct"),
    "EdDSA": "OKP",
}
_VERIFY: Final = "verify"


class KeySetError(ValueError):
    """A text that has no keys."""


class SignatureRefusedError(ValueError):
    """A token that no key of the set has signed; `str()` is for the log."""


class _Key(NamedTuple):
    """A key, and what its entry says about it."""

    entry: Mapping[str, Any]
    key: Any


class KeySet:
    """The keys of a file. `skipped` is the number of entries that cannot be used."""

    def __init__(self, text: str) -> None:
        """Read the text.

        Raises:
            KeySetError: it is no key set, or none of its keys can be used.
        """
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            raise KeySetError("is no JSON text; expected a JSON Web Key Set") from None
        entries = found.get("keys") if isinstance(found, dict) else None
        if not isinstance(entries, list):
            raise KeySetError('has no list "keys"; expected a JSON Web Key Set')
        self._keys = [key for key in map(_key, entries) if key is not None]
        self.skipped = len(entries) - len(self._keys)
        if not self._keys:
            raise KeySetError("has no key that can be used")
        self._jws = jwt.PyJWS()

    def check(self, token: str, header: Mapping[str, Any]) -> None:
        """Check the signature of a token with this header.

        Raises:
            SignatureRefusedError: it is none of a key of this set.
        """
        algorithm = header.get("alg")
        kind = _TYPES.get(algorithm) if isinstance(algorithm, str) else None
        if kind is None:
            raise SignatureRefusedError(f"the algorithm {_shown(algorithm)} is not accepted")
        if "crit" in header:
            raise SignatureRefusedError("the header has a critical extension (crit)")
        assert isinstance(algorithm, str)
        key = self._find(kind, algorithm, header.get("kid"))
        problem = _unsuited(algorithm, key)
        if problem:
            raise SignatureRefusedError(problem)
        try:
            self._jws.decode_complete(token, key=key, algorithms=[algorithm])
        except (jwt.PyJWTError, ValueError, TypeError) as error:
            raise SignatureRefusedError(_reason(error)) from None

    def _find(self, kind: str, algorithm: str, number: object) -> Any:
        """Return the key for a token with the key id `number`, or None for any."""
        found = [
            each
            for each in self._keys
            if each.entry.get("kty") == kind
            and (number is None or each.entry.get("kid") == number)
            and each.entry.get("use", "sig") == "sig"
            and _VERIFY in (each.entry.get("key_ops") or (_VERIFY,))
        ]
        if len(found) > 1:
            found = [each for each in found if each.entry.get("alg", algorithm) == algorithm]
        if len(found) > 1:
            found = [each for each in found if not _unsuited(algorithm, each.key)]
        if not found:
            shown = "" if number is None else f" and the id {_shown(number)}"
            raise SignatureRefusedError(f"there is no key for the algorithm {algorithm}{shown}")
        return found[0].key


def _reason(error: Exception) -> str:
    if isinstance(error, jwt.InvalidSignatureError):
        return "the signature is wrong"
    return f"the signature cannot be checked ({type(error).__name__})"


def _shown(value: object) -> str:
    """Return a value that a client has chosen, as the log shows it."""
    return repr(value[:40]) if isinstance(value, str) else "that is no text"


def _key(entry: object) -> _Key | None:
    """Return the key of an entry; None if it cannot be used."""
    if not isinstance(entry, dict) or entry.get("kty") not in _TYPES.values():
        return None
    if not isinstance(entry.get("key_ops"), list | None):
        return None
    # The algorithm of the token counts, within those of its type: see `check`.
    read = {name: value for name, value in entry.items() if name != "alg"}
    try:
        key = jwt.PyJWK(read).key
    except (jwt.PyJWTError, ValueError, TypeError, AttributeError, KeyError):
        return None
    if hasattr(key, "public_key"):
        key = key.public_key()
    return _Key(entry, key)


def _unsuited(algorithm: str, key: object) -> str:
    """Return why a key is not for an algorithm; empty if it is."""
    if isinstance(key, rsa.RSAPublicKey):
        if algorithm in _RSA and key.key_size >= _MIN_RSA_BITS:
            return ""
        return f"the RSA key has {key.key_size} bits; at least {_MIN_RSA_BITS} are needed"
    if isinstance(key, ec.EllipticCurvePublicKey):
        is_suited = _CURVES.get(algorithm) == key.curve.name
    elif isinstance(key, ed25519.Ed25519PublicKey | ed448.Ed448PublicKey):
        is_suited = algorithm == "EdDSA"
    else:
        is_suited = isinstance(key, bytes) and len(key) >= _SECRET_BYTES.get(
            algorithm, len(key) + 1
        )
    return "" if is_suited else f"the key is not for the algorithm {algorithm}"
