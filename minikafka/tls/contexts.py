"""TlsContexts of TLS for one listener: one that accepts connections, and one that opens them.

The settings and files are checked completely when a context is made, so that a fault is one
sentence at the start and not a failed handshake later. Source: `DefaultSslEngineFactory`,
`SslFactory`.
"""

import os
import ssl
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from minikafka.config.ssl_keys import (
    KEYSTORE_LOCATION,
    NONE,
    REQUIRED,
    TLS_1_2,
    SslSettings,
)
from minikafka.security.certificate import Certificate, parse_certificate
from minikafka.tls.stores import KeyMaterial, TlsError, load_keys, load_trusted

_VERIFICATION: Final = {NONE: ssl.CERT_NONE, REQUIRED: ssl.CERT_REQUIRED}
_VERSIONS: Final = {TLS_1_2: ssl.TLSVersion.TLSv1_2}
_DAY_S: Final = 86_400
_SOON_DAYS: Final = 7
_CHECK_ROUNDS: Final = 10


class TlsContexts(NamedTuple):
    """The contexts of a listener; `certificate` is its own, None for a client without one."""

    server: ssl.SSLContext | None
    client: ssl.SSLContext
    certificate: Certificate | None
    source: str


def node_contexts(settings: SslSettings, *, connects: bool) -> TlsContexts:
    """Return the contexts of a listener of a node.

    With `connects` this node connects to such a listener as well, so it must trust itself.

    Raises:
        TlsError: the settings or files cannot be used.
    """
    keystore = settings.keystore
    if keystore is None:
        raise TlsError(
            f"{settings.prefix}{KEYSTORE_LOCATION.name}: is missing, so the listener has no "
            "private key and certificate"
        )
    material = load_keys(keystore)
    server = _context(ssl.PROTOCOL_TLS_SERVER, settings)
    certificate = _load_chain(server, material)
    server.verify_mode = _VERIFICATION.get(settings.client_auth, ssl.CERT_OPTIONAL)
    if settings.client_auth != NONE:
        _load_trusted(server, settings, ssl.Purpose.CLIENT_AUTH)
    client = _client_context(settings)
    _load_chain(client, material)
    contexts = TlsContexts(server, client, certificate, material.source)
    if connects:
        _check_validity(certificate, material.source)
        _check_itself(contexts)
    return contexts


def client_context(settings: SslSettings) -> ssl.SSLContext:
    """Return the context of a client, with a certificate if one is configured.

    Raises:
        TlsError: the settings or files cannot be used.
    """
    context = _client_context(settings)
    if settings.keystore is not None:
        _load_chain(context, load_keys(settings.keystore))
    return context


def validity_warning(contexts: TlsContexts) -> str | None:
    """Return a sentence if the certificate of a listener is not valid now, or not much longer."""
    certificate = contexts.certificate
    assert certificate is not None
    now_s = time.time()
    try:
        _check_validity(certificate, contexts.source)
    except TlsError as error:
        return f"{error}; clients that verify it cannot connect"
    days = (certificate.not_after_s - now_s) / _DAY_S
    if days < _SOON_DAYS:
        return f"{contexts.source}: the certificate expires {_date(certificate.not_after_s)}"
    return None


def _client_context(settings: SslSettings) -> ssl.SSLContext:
    context = _context(ssl.PROTOCOL_TLS_CLIENT, settings)
    context.check_hostname = settings.verifies_host
    _load_trusted(context, settings, ssl.Purpose.SERVER_AUTH)
    return context


def _context(protocol: int, settings: SslSettings) -> ssl.SSLContext:
    context = ssl.SSLContext(protocol)
    context.minimum_version = _VERSIONS.get(settings.versions[0], ssl.TLSVersion.TLSv1_3)
    context.maximum_version = _VERSIONS.get(settings.versions[-1], ssl.TLSVersion.TLSv1_3)
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION
    # As Java: a trusted certificate is trusted, even if its issuer is not known.
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    if settings.ciphers:
        _set_ciphers(context, settings)
    return context


def _set_ciphers(context: ssl.SSLContext, settings: SslSettings) -> None:
    try:
        context.set_ciphers(":".join(settings.ciphers))
    except ssl.SSLError:
        usable = set()
    else:
        usable = {each["name"] for each in context.get_ciphers()}
    for name in settings.ciphers:
        if name not in usable:
            raise TlsError(
                f"{settings.prefix}ssl.cipher.suites: {name} (OpenSSL's name) is not available in "
                f"{ssl.OPENSSL_VERSION}"
            )


def _load_chain(context: ssl.SSLContext, material: KeyMaterial) -> Certificate:
    """Load a key and its certificates into a context; return its own certificate."""
    was_asked = False

    def password() -> str:
        # Without it, OpenSSL would ask for a password at the terminal.
        nonlocal was_asked
        was_asked = True
        return "" if material.password is None else material.password.text

    with _file_with(material.key + material.chain) as path:
        try:
            context.load_cert_chain(path, password=password)
        except (ssl.SSLError, ValueError) as error:
            raise TlsError(f"{material.source}: {_fault(error, material, was_asked)}") from None
    try:
        first = material.chain[: material.chain.index("-----END")]
        return parse_certificate(ssl.PEM_cert_to_DER_cert(f"{first}-----END CERTIFICATE-----"))
    except ValueError as error:
        raise TlsError(f"{material.source}: the certificate cannot be read: {error}") from None


def _fault(error: Exception, material: KeyMaterial, was_asked: bool) -> str:  # noqa: FBT001
    """Say why a key and its certificates cannot be loaded."""
    reason = getattr(error, "reason", None)
    if reason in {"KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH"}:
        return "the private key does not belong to the first certificate"
    if was_asked:
        if material.password is None:
            return "the private key is encrypted, and ssl.key.password is missing"
        return "the private key cannot be decrypted: ssl.key.password is wrong"
    if reason in {"EE_KEY_TOO_SMALL", "CA_KEY_TOO_SMALL", "CA_MD_TOO_WEAK"}:
        return "the key or the signature of a certificate is too weak; use RSA of 2048 bits or more"
    return f"the private key or a certificate cannot be read ({_words(error)})"


def _load_trusted(context: ssl.SSLContext, settings: SslSettings, purpose: ssl.Purpose) -> None:
    if settings.truststore is None:
        context.load_default_certs(purpose)
        return
    trusted = load_trusted(settings.truststore)
    try:
        context.load_verify_locations(cadata=trusted.certificates)
    except (ssl.SSLError, ValueError) as error:
        raise TlsError(
            f"{trusted.source}: a certificate cannot be read ({_words(error)})"
        ) from None


def _words(error: Exception) -> str:
    reason = getattr(error, "reason", None)
    return reason.replace("_", " ").lower() if isinstance(reason, str) else str(error)


@contextmanager
def _file_with(text: str) -> Iterator[str]:
    """Yield the path of a file that only this process can read; `ssl` reads keys from files."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("key")
        try:
            _write_all(descriptor, text.encode())
            yield f"/proc/self/fd/{descriptor}"
        finally:
            os.close(descriptor)
        return
    with tempfile.NamedTemporaryFile() as file:
        file.write(text.encode())
        file.flush()
        yield file.name


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _check_validity(certificate: Certificate, source: str) -> None:
    now_s = time.time()
    if now_s > certificate.not_after_s:
        raise TlsError(
            f"{source}: the certificate has expired {_date(certificate.not_after_s)}; renew it"
        )
    if now_s < certificate.not_before_s:
        raise TlsError(
            f"{source}: the certificate is not valid before {_date(certificate.not_before_s)}; "
            "check the clock of this machine"
        )


def _date(at_s: float) -> str:
    return time.strftime("on %Y-%m-%d at %H:%M:%S UTC", time.gmtime(at_s))


def _check_itself(contexts: TlsContexts) -> None:
    """Let the two contexts shake hands, as nodes with these settings will.

    Raises:
        TlsError: they cannot; other nodes could not connect to this one.
    """
    server, client = contexts.server, contexts.client
    assert server is not None
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    has_names, client.check_hostname = client.check_hostname, False
    try:
        # The name of this host in other nodes' eyes is not known here.
        ends = (
            client.wrap_bio(to_client, to_server),
            server.wrap_bio(to_server, to_client, server_side=True),
        )
        _shake_hands(*(each.do_handshake for each in ends))
    except ssl.SSLError as error:
        detail = getattr(error, "verify_message", None) or _words(error)
        raise TlsError(
            f"{contexts.source}: nodes with these settings cannot connect to one another: {detail}"
        ) from None
    finally:
        client.check_hostname = has_names


def _shake_hands(*ends: Callable[[], None]) -> None:
    waiting = list(ends)
    for _ in range(_CHECK_ROUNDS):
        for end in list(waiting):
            try:
                end()
            except ssl.SSLWantReadError:
                continue
            waiting.remove(end)
        if not waiting:
            return
    raise ssl.SSLError("the handshake does not end")
