"""Private keys and certificates, read from PEM text, PEM files and PKCS12 files.

Source: `DefaultSslEngineFactory` and its `PemStore`.
"""

import re
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from minikafka.config.ssl_keys import JKS, PEM, PKCS12, Password, Store

_BOUNDARY: Final = re.compile(r"-----(BEGIN|END) ([A-Z0-9 ]{1,64})-----")
_KEY_LABEL: Final = "PRIVATE KEY"
_CERTIFICATE_LABELS: Final = ("CERTIFICATE", "X509 CERTIFICATE")
_JKS_MAGIC: Final = (b"\xfe\xed\xfe\xed", b"\xce\xce\xce\xce")
_DER_SEQUENCE: Final = b"\x30"
_MAX_STORE_BYTES: Final = 16 * 1024 * 1024


class TlsError(Exception):
    """A key, a certificate or a setting cannot be used; the text names the setting or file."""


class KeyMaterial(NamedTuple):
    """A private key and its certificates, its own first, as PEM text; `password` is the key's."""

    key: str
    chain: str
    password: Password | None
    source: str
    """The setting and the file, for errors."""


class Trusted(NamedTuple):
    """Certificates of trusted authorities, as PEM text."""

    certificates: str
    source: str


def load_keys(store: Store) -> KeyMaterial:
    """Read a private key and its certificates.

    Raises:
        TlsError: they cannot be read, or one is missing.
    """
    source = _source(store)
    if store.path is None:
        text = "\n".join(each.text for each in store.texts)
    else:
        content = _content(store)
        if _is_pkcs12(store, content):
            return _keys_of_pkcs12(store, content)
        text = _decoded(content, source)
    keys, certificates = _pem_blocks(text)
    if not keys:
        raise TlsError(f"{source}: has no private key in PEM")
    if len(keys) > 1:
        raise TlsError(f"{source}: has {len(keys)} private keys; expected one")
    if not certificates:
        raise TlsError(f"{source}: has no certificate in PEM")
    return KeyMaterial(keys[0], "".join(certificates), store.key_password, source)


def load_trusted(store: Store) -> Trusted:
    """Read the certificates of trusted authorities.

    Raises:
        TlsError: they cannot be read, or there is none.
    """
    source = _source(store)
    if store.path is None:
        text = "\n".join(each.text for each in store.texts)
    else:
        content = _content(store)
        if _is_pkcs12(store, content):
            return Trusted(_certificates_of_pkcs12(store, content), source)
        text = _decoded(content, source)
    certificates = _pem_blocks(text)[1]
    if not certificates:
        raise TlsError(f"{source}: has no certificate in PEM")
    return Trusted("".join(certificates), source)


def _source(store: Store) -> str:
    return store.keys if store.path is None else f"{store.keys}={store.path}"


def _content(store: Store) -> bytes:
    assert store.path is not None
    try:
        with Path(store.path).open("rb") as file:
            content = file.read(_MAX_STORE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise TlsError(f"{_source(store)}: cannot be read: {reason}") from None
    if len(content) > _MAX_STORE_BYTES:
        raise TlsError(f"{_source(store)}: is larger than {_MAX_STORE_BYTES} bytes")
    return content


def _decoded(content: bytes, source: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise TlsError(f"{source}: is not PEM text; see its ...store.type") from None


def _is_pkcs12(store: Store, content: bytes) -> bool:
    """True for a PKCS12 file, which Java also reads if the type is JKS; False for PEM.

    Raises:
        TlsError: it is a JKS file, or of another type than configured.
    """
    if content.startswith(_JKS_MAGIC):
        raise TlsError(
            f"{_source(store)}: is a JKS file, which only Java reads; convert it with: keytool "
            f"-importkeystore -srckeystore {store.path} -destkeystore {store.path}.p12 "
            f"-deststoretype PKCS12; then with: {_conversion(f'{store.path}.p12')}"
        )
    if store.type == PEM:
        return False
    if not content.startswith(_DER_SEQUENCE):
        hint = "; it seems to be PEM, so set its type to PEM" if b"-BEGIN " in content else ""
        kind = PKCS12 if store.type == JKS else store.type
        raise TlsError(f"{_source(store)}: is not a {kind} file{hint}")
    return True


def _conversion(path: str | None) -> str:
    return f"openssl pkcs12 -in {path} -nodes -out {path}.pem (and set its type to PEM)"


def _keys_of_pkcs12(store: Store, content: bytes) -> KeyMaterial:
    parts = _pkcs12(store, content)
    if parts.key is None:
        raise TlsError(f"{_source(store)}: has no private key")
    if not parts.chain:
        raise TlsError(f"{_source(store)}: has no certificate of its private key")
    # The key was decrypted with the password of the file, as Java does by default.
    return KeyMaterial(parts.key, "".join(parts.chain), None, _source(store))


def _certificates_of_pkcs12(store: Store, content: bytes) -> str:
    parts = _pkcs12(store, content)
    if not parts.chain:
        raise TlsError(f"{_source(store)}: has no certificate")
    return "".join(parts.chain)


class _Pkcs12(NamedTuple):
    key: str | None
    chain: Sequence[str]


def _pkcs12(store: Store, content: bytes) -> _Pkcs12:
    try:
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415
        from cryptography.hazmat.primitives.serialization import pkcs12  # noqa: PLC0415
    except ImportError:
        raise TlsError(
            f"{_source(store)}: PKCS12 files need the extra pkcs12: pip install "
            f"'minikafka[security]'; or convert it with: {_conversion(store.path)}"
        ) from None
    password = None if store.password is None else store.password.text.encode()
    try:
        found = pkcs12.load_pkcs12(content, password)
    except ValueError as error:
        raise TlsError(
            f"{_source(store)}: cannot be read as PKCS12: the password is wrong, or the file is "
            f"damaged ({error})"
        ) from None
    pem = serialization.Encoding.PEM
    certificates = [] if found.cert is None else [found.cert]
    chain = [
        each.certificate.public_bytes(pem).decode()
        for each in (*certificates, *found.additional_certs)
    ]
    key = found.key
    if key is None:
        return _Pkcs12(None, chain)
    text = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
    return _Pkcs12(text, chain)


def _pem_blocks(text: str) -> tuple[list[str], list[str]]:
    """Return the private keys and the certificates in a text, each as a block of its own.

    As Kafka: the lines of a block may be joined by blanks, as in a properties file.
    """
    keys: list[str] = []
    certificates: list[str] = []
    label, begin = "", 0
    for boundary in _BOUNDARY.finditer(text):
        if boundary[1] == "BEGIN":
            label, begin = boundary[2], boundary.end()
            continue
        body = text[begin : boundary.start()]
        if boundary[2] != label:
            continue
        if label.endswith(_KEY_LABEL):
            keys.append(_block(label, body))
        elif label in _CERTIFICATE_LABELS:
            certificates.append(_block(_CERTIFICATE_LABELS[0], body))
        label = ""
    return keys, certificates


def _block(label: str, body: str) -> str:
    lines: Iterable[str]
    # The traditional form of an encrypted key has headers, which end at an empty line.
    lines = body.strip().splitlines() if ":" in body else textwrap.wrap("".join(body.split()), 64)
    return "\n".join((f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""))


def files_of(*stores: Store | None) -> tuple[str, ...]:
    """Return the paths of the files of these stores."""
    return tuple(each.path for each in stores if each is not None and each.path is not None)
