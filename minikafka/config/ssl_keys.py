"""The keys of TLS (`ssl.*`), and the settings that they give to one listener or one client.

Each key may also be set for one listener (`listener.name.<listener>.ssl.*`). Values of type
PASSWORD are held as `Password`, which no text shows.

Source: `SslConfigs`, `BrokerSecurityConfigs`, `DefaultSslEngineFactory`.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from minikafka.config.cipher_suites import SUITES_OF_TLS_1_3, openssl_name
from minikafka.config.definition import ConfigError, ConfigType, Key, Update, one_of
from minikafka.config.listener_security import listener_prefix, listener_values

NONE, REQUESTED, REQUIRED = "none", "requested", "required"
PEM, PKCS12, JKS = "PEM", "PKCS12", "JKS"
TLS_1_2, TLS_1_3 = "TLSv1.2", "TLSv1.3"
_OLD_VERSIONS: Final = ("SSLv2", "SSLv2Hello", "SSLv3", "TLSv1", "TLSv1.1")


def _text(name: str, doc: str, *, default: str | None = None, update: str = "p") -> Key[str]:
    return Key(
        name=name,
        type=ConfigType.STRING,
        default=default,
        update=Update.PER_BROKER if update == "p" else Update.READ_ONLY,
        nullable=default is None,
        doc=doc,
    )


def _password(name: str, doc: str) -> Key[str]:
    return Key(
        name=name,
        type=ConfigType.PASSWORD,
        default=None,
        update=Update.PER_BROKER,
        nullable=True,
        doc=doc,
    )


def _bool(name: str, doc: str) -> Key[bool]:
    return Key(name=name, type=ConfigType.BOOLEAN, default=False, doc=doc)


ALLOW_DN_CHANGES = _bool(
    "ssl.allow.dn.changes",
    "Whether a new certificate may have another distinguished name than the one it replaces.",
)
ALLOW_SAN_CHANGES = _bool(
    "ssl.allow.san.changes",
    "Whether a new certificate may lack alternative names of the one it replaces.",
)
CIPHER_SUITES: Key[tuple[str, ...]] = Key(
    name="ssl.cipher.suites",
    type=ConfigType.LIST,
    default=(),
    update=Update.PER_BROKER,
    doc="The cipher suites, by their IANA names; those of OpenSSL's default if empty.",
)
CLIENT_AUTH: Key[str] = Key(
    name="ssl.client.auth",
    type=ConfigType.STRING,
    default=NONE,
    valid=one_of(REQUIRED, REQUESTED, NONE),
    update=Update.PER_BROKER,
    doc="Whether clients must, may or need not show a certificate.",
)
ENABLED_PROTOCOLS: Key[tuple[str, ...]] = Key(
    name="ssl.enabled.protocols",
    type=ConfigType.LIST,
    default=(TLS_1_2, TLS_1_3),
    update=Update.PER_BROKER,
    doc="The versions of TLS; versions before TLSv1.2 are not available.",
)
ENDPOINT_IDENTIFICATION_ALGORITHM = _text(
    "ssl.endpoint.identification.algorithm",
    "https: the certificate of a server must have its host name; empty: it is not compared.",
    default="https",
)
KEY_PASSWORD = _password("ssl.key.password", "The password of the private key.")
KEYSTORE_CERTIFICATE_CHAIN = _password(
    "ssl.keystore.certificate.chain", "The certificates of this node as PEM text, its own first."
)
KEYSTORE_KEY = _password("ssl.keystore.key", "The private key as PEM text.")
KEYSTORE_LOCATION = _text(
    "ssl.keystore.location", "The file with the private key and the certificates of this node."
)
KEYSTORE_PASSWORD = _password("ssl.keystore.password", "The password of that file, if not PEM.")
KEYSTORE_TYPE = _text(
    "ssl.keystore.type",
    "The format of that file: PEM or PKCS12. A file of type JKS must be converted.",
    default=JKS,
)
PRINCIPAL_MAPPING_RULES = _text(
    "ssl.principal.mapping.rules",
    "How the name in a client's certificate becomes the name of its principal.",
    default="DEFAULT",
    update="r",
)
PROTOCOL = _text(
    "ssl.protocol", "Has no effect besides ssl.enabled.protocols, as in Kafka.", default=TLS_1_3
)
TRUSTSTORE_CERTIFICATES = _password(
    "ssl.truststore.certificates", "The certificates of the trusted authorities as PEM text."
)
TRUSTSTORE_LOCATION = _text(
    "ssl.truststore.location",
    "The file with the certificates of the trusted authorities; the system's if there is none.",
)
TRUSTSTORE_PASSWORD = _password("ssl.truststore.password", "The password of that file.")
TRUSTSTORE_TYPE = _text(
    "ssl.truststore.type",
    "The format of that file: PEM or PKCS12. A file of type JKS must be converted.",
    default=JKS,
)

SSL_KEYS: tuple[Key[object], ...] = (
    ALLOW_DN_CHANGES,
    ALLOW_SAN_CHANGES,
    CIPHER_SUITES,
    CLIENT_AUTH,
    ENABLED_PROTOCOLS,
    ENDPOINT_IDENTIFICATION_ALGORITHM,
    KEY_PASSWORD,
    KEYSTORE_CERTIFICATE_CHAIN,
    KEYSTORE_KEY,
    KEYSTORE_LOCATION,
    KEYSTORE_PASSWORD,
    KEYSTORE_TYPE,
    PRINCIPAL_MAPPING_RULES,
    PROTOCOL,
    TRUSTSTORE_CERTIFICATES,
    TRUSTSTORE_LOCATION,
    TRUSTSTORE_PASSWORD,
    TRUSTSTORE_TYPE,
)
RELOADED_KEYS: Final = frozenset(
    key.name
    for key in (
        KEY_PASSWORD,
        KEYSTORE_CERTIFICATE_CHAIN,
        KEYSTORE_KEY,
        KEYSTORE_LOCATION,
        KEYSTORE_PASSWORD,
        KEYSTORE_TYPE,
        TRUSTSTORE_CERTIFICATES,
        TRUSTSTORE_LOCATION,
        TRUSTSTORE_PASSWORD,
        TRUSTSTORE_TYPE,
    )
)
"""The keys of a listener that take effect while the node runs (`RECONFIGURABLE_CONFIGS`)."""
_PLUG_INS: Final = ("ssl.engine.factory.class", "ssl.provider")


class Password:
    """A secret text. It is not shown by `repr`, `str` or a log line."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        """Hold the text."""
        self.text = text

    def __repr__(self) -> str:
        return "[hidden]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Password) and other.text == self.text

    __hash__ = None  # type: ignore[assignment]


class Store(NamedTuple):
    """A private key with its certificates, or trusted certificates.

    Either `path` names a file of `type`, or `texts` has everything as PEM. `password` is that of
    the file, `key_password` that of the private key. `keys` are the names of the settings, for
    errors.
    """

    type: str
    path: str | None
    texts: tuple[Password, ...]
    password: Password | None
    key_password: Password | None
    keys: str


class SslSettings(NamedTuple):
    """How one listener, or one client, uses TLS."""

    keystore: Store | None
    truststore: Store | None
    client_auth: str
    versions: tuple[str, ...]
    ciphers: tuple[str, ...]
    """OpenSSL's names of suites of TLSv1.2; empty for the default."""
    verifies_host: bool
    principal_rules: str
    allows_dn_changes: bool
    allows_san_changes: bool
    prefix: str = ""
    """The beginning of the keys of the listener, for errors."""


def ssl_settings(
    values: Mapping[str, str], listener: str = "", *, has_sasl: bool = False
) -> SslSettings:
    """Return the settings that these values give to a listener, or to a client.

    A listener that `has_sasl` asks for certificates only if that is set for it alone, as in Kafka.

    Raises:
        ConfigError: a value is not allowed, or two contradict one another.
    """
    found = _Settings(values, listener)
    found.refuse_plug_ins()
    ciphers, versions = found.suites(found.versions())
    algorithm = str(found.value(ENDPOINT_IDENTIFICATION_ALGORITHM)).strip()
    if algorithm.lower() not in ("", "https"):
        raise found.error(
            ENDPOINT_IDENTIFICATION_ALGORITHM, f"{algorithm!r} is not available; allowed: https"
        )
    return SslSettings(
        keystore=found.keystore(),
        truststore=found.truststore(),
        client_auth=found.client_auth(has_sasl=has_sasl),
        versions=versions,
        ciphers=ciphers,
        verifies_host=bool(algorithm),
        principal_rules=str(found.value(PRINCIPAL_MAPPING_RULES)),
        allows_dn_changes=found.value(ALLOW_DN_CHANGES) is True,
        allows_san_changes=found.value(ALLOW_SAN_CHANGES) is True,
        prefix=listener_prefix(listener) if listener else "",
    )


class _Settings:
    """Reads values, and names the key of each error as it was given."""

    def __init__(self, values: Mapping[str, str], listener: str) -> None:
        self.all = values
        self.prefix = listener_prefix(listener) if listener else ""
        self.given = listener_values(values, listener) if listener else values

    def error(self, key: Key[object], text: str) -> ConfigError:
        return ConfigError(f"{self._names(key)}: {text}")

    def value(self, key: Key[object]) -> object:
        text = self.given.get(key.name)
        if text is None or (key.nullable and not text.strip()):
            return key.default
        try:
            return key.parse(text)
        except ConfigError as error:
            text = str(error).removeprefix(f"{key.name}: ")
            raise self.error(key, text) from None

    def text(self, key: Key[str]) -> str | None:
        found = self.value(key)
        return None if found is None else str(found)

    def password(self, key: Key[str]) -> Password | None:
        found = self.text(key)
        return None if found is None else Password(found)

    def refuse_plug_ins(self) -> None:
        for name in _PLUG_INS:
            if self.given.get(name, "").strip():
                raise ConfigError(f"{name}: plug-ins are not available; remove it")

    def client_auth(self, *, has_sasl: bool) -> str:
        asked = str(self.value(CLIENT_AUTH))
        is_own = f"{self.prefix}{CLIENT_AUTH.name}" in self.all
        return asked if is_own or not has_sasl else NONE

    def versions(self) -> tuple[str, ...]:
        asked = self.value(ENABLED_PROTOCOLS)
        assert isinstance(asked, tuple)
        allowed = (TLS_1_2, TLS_1_3)
        for each in asked:
            if each not in allowed and each not in _OLD_VERSIONS:
                raise self.error(
                    ENABLED_PROTOCOLS, f"{each!r} is not a version; allowed: {','.join(allowed)}"
                )
        # As in Java, where the older ones may be named and stay disabled.
        versions = tuple(each for each in allowed if each in asked)
        if not versions:
            raise self.error(
                ENABLED_PROTOCOLS,
                f"{','.join(asked) or 'nothing'} is not secure enough; allowed: "
                f"{','.join(allowed)}",
            )
        return versions

    def suites(self, versions: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return OpenSSL's names of the suites, and the versions that have one of the suites."""
        asked = self.value(CIPHER_SUITES)
        assert isinstance(asked, tuple)
        if not asked:
            return (), versions
        newest = [each for each in asked if each in SUITES_OF_TLS_1_3]
        names = []
        for each in asked:
            name = openssl_name(each)
            if name is None and each not in newest:
                raise self.error(CIPHER_SUITES, f"{each} is not a known suite; use its IANA name")
            names += [] if name is None else [name]
        if newest and TLS_1_3 in versions and len(set(newest)) < len(SUITES_OF_TLS_1_3):
            raise self.error(
                CIPHER_SUITES,
                "the suites of TLSv1.3 can only be used together: name all of "
                f"{','.join(SUITES_OF_TLS_1_3)}, or none to use only TLSv1.2",
            )
        usable = tuple(
            each for each in versions if (each == TLS_1_3 and newest) or (each == TLS_1_2 and names)
        )
        if not usable:
            raise self.error(CIPHER_SUITES, f"has no suite of {','.join(versions)}")
        return tuple(names), usable

    def keystore(self) -> Store | None:
        kind, path = self._type(KEYSTORE_TYPE), self.text(KEYSTORE_LOCATION)
        password, key_password = self.password(KEYSTORE_PASSWORD), self.password(KEY_PASSWORD)
        key, chain = self.password(KEYSTORE_KEY), self.password(KEYSTORE_CERTIFICATE_CHAIN)
        if (key is None) != (chain is None):
            present, absent = KEYSTORE_KEY, KEYSTORE_CERTIFICATE_CHAIN
            if key is None:
                present, absent = absent, present
            raise self.error(present, f"is given without {absent.name}")
        if key is not None and chain is not None:
            self._only_pem(KEYSTORE_KEY, KEYSTORE_TYPE, kind)
            if path is not None:
                raise self.error(KEYSTORE_KEY, f"contradicts {KEYSTORE_LOCATION.name}: use one")
            if password is not None:
                raise self._needless(KEYSTORE_PASSWORD, f"; see {KEY_PASSWORD.name}")
            return Store(kind, None, (key, chain), None, key_password, self._names(KEYSTORE_KEY))
        if path is None:
            if password is not None:
                raise self.error(KEYSTORE_PASSWORD, f"is given without {KEYSTORE_LOCATION.name}")
            return None
        if kind == PEM:
            if password is not None:
                raise self._needless(KEYSTORE_PASSWORD, f"; see {KEY_PASSWORD.name}")
        elif password is None:
            raise self.error(KEYSTORE_LOCATION, f"needs {KEYSTORE_PASSWORD.name}")
        return Store(kind, path, (), password, key_password, self._names(KEYSTORE_LOCATION))

    def truststore(self) -> Store | None:
        kind, path = self._type(TRUSTSTORE_TYPE), self.text(TRUSTSTORE_LOCATION)
        password, certificates = (
            self.password(TRUSTSTORE_PASSWORD),
            self.password(TRUSTSTORE_CERTIFICATES),
        )
        if certificates is not None:
            self._only_pem(TRUSTSTORE_CERTIFICATES, TRUSTSTORE_TYPE, kind)
            if path is not None:
                raise self.error(
                    TRUSTSTORE_CERTIFICATES, f"contradicts {TRUSTSTORE_LOCATION.name}: use one"
                )
        if password is not None and (kind == PEM or certificates is not None):
            raise self._needless(TRUSTSTORE_PASSWORD, "")
        if certificates is not None:
            names = self._names(TRUSTSTORE_CERTIFICATES)
            return Store(kind, None, (certificates,), None, None, names)
        if path is None:
            if password is not None:
                raise self.error(
                    TRUSTSTORE_PASSWORD, f"is given without {TRUSTSTORE_LOCATION.name}"
                )
            return None
        return Store(kind, path, (), password, None, self._names(TRUSTSTORE_LOCATION))

    def _type(self, key: Key[str]) -> str:
        kind = str(self.value(key)).upper()
        if kind not in (PEM, PKCS12, JKS):
            raise self.error(key, f"{kind!r} is not available; allowed: {PEM}, {PKCS12}")
        return kind

    def _only_pem(self, key: Key[str], type_key: Key[str], kind: str) -> None:
        if kind != PEM:
            raise self.error(key, f"needs {type_key.name}={PEM}, which is {kind}")

    def _needless(self, key: Key[str], more: str) -> ConfigError:
        return self.error(key, f"must not be given for type {PEM}{more}")

    def _names(self, key: Key[object]) -> str:
        """Return the name of the key as it is given, with or without the listener."""
        own = f"{self.prefix}{key.name}"
        return own if own in self.all else key.name


_LISTENER_PREFIX = re.compile(r"listener\.name\.[^.]+\.(.+)")


def reloaded_key(name: str) -> str | None:
    """Return the `ssl.*` key that `name` sets for one listener while the node runs, or None."""
    found = _LISTENER_PREFIX.fullmatch(name)
    return found[1] if found and found[1] in RELOADED_KEYS else None
