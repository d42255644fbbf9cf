"""Certificates for a cluster on this machine: an authority, and what it signs.

All are written as PEM: a keystore has a private key and then its certificate, a truststore the
certificate of the authority. They are for tests: who can read the folder can pose as a node.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from minikafka.dev.private_files import write_private

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

VALID_DAYS: Final = 365
NODE_NAME: Final = "minikafka-node"
"""The common name in the certificates of nodes."""
OWN_NAMES: Final = ("localhost", "127.0.0.1", "::1")
_ALLOWANCE: Final = timedelta(minutes=5)
"""Clocks of containers may be behind."""


class MissingPackageError(Exception):
    """Certificates cannot be made: the package `cryptography` is not installed."""

    def __init__(self) -> None:
        """Say what to install."""
        super().__init__(
            "certificates need the package cryptography: pip install 'minikafka[security]'"
        )


class Certificates(NamedTuple):
    """Paths of PEM files: the authority's certificate, and keystores signed by it."""

    truststore: Path
    node: Path
    client: Path


def certificates_in(folder: Path) -> Certificates:
    """Return the paths of the certificates in a folder."""
    return Certificates(folder / "ca.pem", folder / "node.pem", folder / "client.pem")


def make_certificates(
    folder: Path, names: Iterable[str] = (), client: str = "client"
) -> Certificates:
    """Make an authority, a keystore for nodes with these host names or addresses, and a client's.

    `client` is the common name of the client. The names of this machine's loopback are always
    among those of the nodes. The key of the authority is not kept.

    Raises:
        MissingPackageError: see there.
        OSError: a file cannot be written.
    """
    authority = _Authority()
    paths = certificates_in(folder)
    folder.mkdir(parents=True, exist_ok=True)
    hosts = tuple(dict.fromkeys((*OWN_NAMES, *(name for name in names if name))))
    paths.truststore.write_bytes(authority.pem)
    write_private(paths.node, authority.keystore(NODE_NAME, hosts))
    write_private(paths.client, authority.keystore(client, ()))
    return paths


class _Authority:
    """A certificate authority that lasts as long as this object."""

    def __init__(self) -> None:
        try:
            from cryptography import x509
            from cryptography.hazmat.primitives import hashes
        except ImportError:
            raise MissingPackageError from None
        self._key = _new_key()
        self._name = _name("minikafka test authority")
        self._certificate = (
            self._builder(self._name, self._key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs_certificates=True), critical=True)
            .sign(self._key, hashes.SHA256())
        )

    @property
    def pem(self) -> bytes:
        """The certificate."""
        return _pem(self._certificate)

    def keystore(self, common_name: str, hosts: Iterable[str]) -> bytes:
        """Return a private key and its certificate, for servers and clients."""
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.x509.oid import ExtendedKeyUsageOID

        key = _new_key()
        usages = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        builder = (
            self._builder(_name(common_name), key)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage(usages), critical=False)
        )
        names = [_general_name(host) for host in hosts]
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        certificate = builder.sign(self._key, hashes.SHA256())
        private = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        return private + _pem(certificate)

    def _builder(
        self, subject: "x509.Name", key: "EllipticCurvePrivateKey"
    ) -> "x509.CertificateBuilder":
        from cryptography import x509

        now = datetime.now(UTC)
        # Contexts of Python 3.13 and newer refuse a certificate that does not identify its keys.
        subject_key = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        authority_key = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _ALLOWANCE)
            .not_valid_after(now + timedelta(days=VALID_DAYS))
            .add_extension(subject_key, critical=False)
            .add_extension(authority_key, critical=False)
        )


def _new_key() -> "EllipticCurvePrivateKey":
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.generate_private_key(ec.SECP256R1())


def _name(common_name: str) -> "x509.Name":
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _usage(*, signs_certificates: bool) -> "x509.KeyUsage":
    from cryptography import x509

    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _general_name(host: str) -> "x509.GeneralName":
    from cryptography import x509

    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        # Certificates have names as DNS has them.
        return x509.DNSName(host if host.isascii() else host.encode("idna").decode())


def _pem(certificate: "x509.Certificate") -> bytes:
    from cryptography.hazmat.primitives import serialization

    return certificate.public_bytes(serialization.Encoding.PEM)
