"""Keys, and tokens that are signed with them."""

import json
from base64 import urlsafe_b64encode
from functools import cache

from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import (
    ECAlgorithm,
    OKPAlgorithm,
    RSAAlgorithm,
    get_default_algorithms,
)

SECRET = b"s" * 32
_CURVES = {"p256": ec.SECP256R1(), "other": ec.SECP256R1(), "p384": ec.SECP384R1()}
_RSA_BITS = {"rsa": 2048, "small": 1024}


@cache
def key(name):
    """Return the private key of a name; the keys of an algorithm differ by their names."""
    if name in _CURVES:
        return ec.generate_private_key(_CURVES[name])
    if name in _RSA_BITS:
        return rsa.generate_private_key(65537, _RSA_BITS[name])
    assert name == "ed"
    return ed25519.Ed25519PrivateKey.generate()


def entry(name, **more):
    """Return the entry of a public key in a key set; its key id is the name."""
    kind = ECAlgorithm if name in _CURVES else RSAAlgorithm if name in _RSA_BITS else OKPAlgorithm
    found = kind.to_jwk(key(name).public_key(), as_dict=True)
    found.pop("key_ops", None)
    return {**found, "kid": name, **more}


def secret_entry(**more):
    return {"kty": "oct", "kid": "secret", "k": part(SECRET), **more}


def key_set(*entries):
    return json.dumps({"keys": entries})


def part(content):
    content = content if isinstance(content, bytes) else json.dumps(content).encode()
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def signed(claims, name="p256", algorithm="ES256", **header):
    """Return a token; `claims` may be the bytes of its second part."""
    text = {"alg": algorithm, "kid": name, **header}
    content = f"{part({k: v for k, v in text.items() if v is not None})}.{part(claims)}"
    signer = SECRET if name == "secret" else key(name)
    return f"{content}.{part(get_default_algorithms()[algorithm].sign(content.encode(), signer))}"
