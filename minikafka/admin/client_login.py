"""What a client needs to connect to a secured cluster, in the words of each client library."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from minikafka.admin.security import ClientSecurityError, security_of
from minikafka.config.definition import ConfigError
from minikafka.config.properties import parse_properties

PLAIN: Final = "PLAIN"
MODULES: Final = "org.apache.kafka.common.security"
_PEM: Final = "PEM"
_TEXTS: Final = {
    "ssl.truststore.certificates": "ssl.truststore.location",
    "ssl.keystore.certificate.chain": "ssl.keystore.location",
    "ssl.keystore.key": "ssl.keystore.location",
}
"""The keys whose values are PEM, and those of files."""


class ClientLogin(NamedTuple):
    """What a client of the cluster needs. `mechanism`, `user` and `password` are "" without SASL.

    `truststore` and `keystore` are paths of PEM files; "" without TLS. `key_password` is that of an
    encrypted private key.
    """

    protocol: str
    mechanism: str
    user: str
    password: str
    truststore: str
    keystore: str
    key_password: str = ""

    def properties(self) -> dict[str, str]:
        """Return the keys of a Java client, or of a command's `--command-config`."""
        found = {"security.protocol": self.protocol}
        if self.mechanism:
            found["sasl.mechanism"] = self.mechanism
            found["sasl.jaas.config"] = _client_module(self.mechanism, self.user, self.password)
        if self.truststore:
            found["ssl.truststore.type"] = "PEM"
            found["ssl.truststore.location"] = self.truststore
        if self.keystore:
            found["ssl.keystore.type"] = "PEM"
            found["ssl.keystore.location"] = self.keystore
        if self.key_password:
            found["ssl.key.password"] = self.key_password
        return found

    def librdkafka(self) -> dict[str, str]:
        """Return the keys of librdkafka, and of the clients that are made with it."""
        found = {"security.protocol": self.protocol}
        if self.mechanism:
            found["sasl.mechanism"] = self.mechanism
            found["sasl.username"] = self.user
            found["sasl.password"] = self.password
        if self.truststore:
            found["ssl.ca.location"] = self.truststore
        if self.keystore:
            found["ssl.certificate.location"] = self.keystore
            found["ssl.key.location"] = self.keystore
        if self.key_password:
            found["ssl.key.password"] = self.key_password
        return found

    def kafka_python(self) -> dict[str, str]:
        """Return the arguments of a client of kafka-python."""
        found = {"security_protocol": self.protocol}
        if self.mechanism:
            found["sasl_mechanism"] = self.mechanism
            found["sasl_plain_username"] = self.user
            found["sasl_plain_password"] = self.password
        if self.truststore:
            found["ssl_cafile"] = self.truststore
        if self.keystore:
            found["ssl_certfile"] = self.keystore
            found["ssl_keyfile"] = self.keystore
        if self.key_password:
            found["ssl_password"] = self.key_password
        return found

    @classmethod
    def read(cls, path: str) -> "ClientLogin":
        """Return what the properties file of a Java client says.

        Raises:
            ClientSecurityError: the file cannot be read, or another library has no words for it.
        """
        try:
            properties = parse_properties(Path(path).read_text(encoding="utf-8"), path)
        except OSError as error:
            raise ClientSecurityError(f"{path}: {error.strerror}") from None
        except UnicodeDecodeError as error:
            raise ClientSecurityError(f"{path}: {error}") from None
        except ConfigError as error:
            # It names the file.
            raise ClientSecurityError(str(error)) from None
        return cls._of(properties)

    @classmethod
    def _of(cls, properties: Mapping[str, str]) -> "ClientLogin":
        security = security_of(properties)
        user = password = mechanism = ""
        if security.login is not None:
            mechanism, options = security.login.mechanism, security.login.module.options
            user = options.get("username", "")
            password = options.get("password", "")
            if not user:
                raise ClientSecurityError(f"sasl.mechanism={mechanism}: only users with passwords")
        for key, file in _TEXTS.items():
            if properties.get(key):
                raise ClientSecurityError(f"{key}: not every client reads it; give a file: {file}")
        for key in ("ssl.truststore", "ssl.keystore"):
            if properties.get(f"{key}.location") and properties.get(f"{key}.type") != _PEM:
                raise ClientSecurityError(f"{key}.type: must be {_PEM}, which all clients read")
        return cls(
            properties.get("security.protocol", "PLAINTEXT").strip().upper(),
            mechanism,
            user,
            password,
            properties.get("ssl.truststore.location", ""),
            properties.get("ssl.keystore.location", ""),
            properties.get("ssl.key.password", ""),
        )


def _client_module(mechanism: str, user: str, password: str) -> str:
    kind = "plain.Plain" if mechanism == PLAIN else "scram.Scram"
    return f'{MODULES}.{kind}LoginModule required username="{user}" password="{password}";'
