"""How a cluster on this machine is secured: encryption, logins, users, and what clients need.

Everything is made in one folder: certificates, the users with their passwords, and for each user a
properties file for `--command-config`. The nodes of the cluster know each other by certificates,
or without TLS by a password. `admin` may do everything; so may everybody else where no ACL says
otherwise.
"""

import json
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from minikafka.admin.client_login import MODULES, PLAIN, ClientLogin
from minikafka.config.authorizer_keys import (
    ALLOW_EVERYONE_IF_NO_ACL_FOUND,
    AUTHORIZER_CLASS_NAME,
    STANDARD_AUTHORIZER,
    SUPER_USERS,
)
from minikafka.config.listener_security import SecurityProtocol, listener_prefix
from minikafka.dev.certificates import (
    NODE_NAME,
    OWN_NAMES,
    Certificates,
    certificates_in,
    make_certificates,
)
from minikafka.dev.private_files import write_private

if TYPE_CHECKING:
    from minikafka.metadata.serde import MetadataRecord
    from minikafka.security.scram import ScramMechanism

MECHANISMS: Final = (PLAIN, "SCRAM-SHA-256", "SCRAM-SHA-512")
ADMIN: Final = "admin"
USERS: Final = (ADMIN, "alice")
"""The users of a new cluster; the first may do everything."""
FOLDER: Final = "security"
_STORED: Final = "security.json"
_PASSWORD_BYTES: Final = 12
_SALT_BYTES: Final = 16


class Secured:
    """The security of a cluster: TLS or not, a SASL mechanism or "", the folder of its files."""

    def __init__(self, folder: Path, *, has_tls: bool, mechanism: str) -> None:
        """Draw passwords, unless the folder has those of the cluster."""
        self.folder = folder
        self.has_tls = has_tls
        self.mechanism = mechanism
        stored = _read(folder)
        self._is_made = stored is not None
        self._passwords: dict[str, str] = (
            {name: secrets.token_urlsafe(_PASSWORD_BYTES) for name in (*USERS, NODE_NAME)}
            if stored is None
            else stored["passwords"]
        )
        self._hosts: frozenset[str] = frozenset((stored or {}).get("hosts", ()))
        """The hosts in the certificates of nodes, besides those that are always there."""

    @classmethod
    def found(cls, folder: Path) -> "Secured | None":
        """Return the security of the cluster whose files are in a folder; None without any."""
        stored = _read(folder)
        if stored is None:
            return None
        return cls(folder, has_tls=stored["tls"], mechanism=stored["sasl"])

    @property
    def protocol(self) -> SecurityProtocol:
        """The protocol of the listener for clients; its name is the listener's, too."""
        if self.mechanism:
            return SecurityProtocol.SASL_SSL if self.has_tls else SecurityProtocol.SASL_PLAINTEXT
        return SecurityProtocol.SSL if self.has_tls else SecurityProtocol.PLAINTEXT

    @property
    def nodes_protocol(self) -> SecurityProtocol:
        """The protocol between nodes."""
        return SecurityProtocol.SSL if self.has_tls else SecurityProtocol.SASL_PLAINTEXT

    @property
    def _certificates(self) -> Certificates:
        return certificates_in(self.folder)

    def make(self, hosts: Iterable[str]) -> None:
        """Write the files, unless the cluster has them already, with certificates for `hosts`.

        If a host is new, all certificates are new: the key of their authority is not kept.

        Raises:
            MissingPackageError: certificates cannot be made.
            OSError: a file cannot be written.
        """
        missing = frozenset(hosts).difference(self._hosts, OWN_NAMES) if self.has_tls else ()
        if self._is_made and not missing:
            return
        self._hosts = self._hosts.union(missing)
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.has_tls:
            make_certificates(self.folder, sorted(self._hosts), ADMIN)
        for name in USERS:
            lines = [f"{key}={value}" for key, value in self.login(name).properties().items()]
            text = "\n".join(lines) + "\n"
            write_private(self.folder / f"{name}.properties", text.encode())
        # The last file: if it is there, so are the others.
        stored = {
            "tls": self.has_tls,
            "sasl": self.mechanism,
            "passwords": self._passwords,
            "hosts": sorted(self._hosts),
        }
        write_private(self.folder / _STORED, (json.dumps(stored) + "\n").encode())
        self._is_made = True

    def login(self, user: str = ADMIN) -> ClientLogin:
        """Return what a client needs to be `user`.

        Raises:
            KeyError: there is no such user.
        """
        password = self._passwords[user]
        paths = self._certificates
        truststore = str(paths.truststore) if self.has_tls else ""
        if self.mechanism:
            return ClientLogin(self.protocol.value, self.mechanism, user, password, truststore, "")
        keystore = str(paths.client) if self.has_tls and user == ADMIN else ""
        return ClientLogin(self.protocol.value, "", "", "", truststore, keystore)

    def records(self) -> "list[MetadataRecord]":
        """Return the records that the metadata must have from the beginning: SCRAM credentials."""
        from minikafka.security.scram import scram_mechanism

        mechanism = scram_mechanism(self.mechanism)
        if mechanism is None:
            return []
        return [_scram_record(mechanism, name, self._passwords[name]) for name in USERS]

    def values(self, clients: str, between_nodes: Iterable[str]) -> dict[str, str]:
        """Return the configuration of a node.

        `clients` is the name of the listener for clients, the others are those between nodes.
        """
        found = {
            AUTHORIZER_CLASS_NAME.name: STANDARD_AUTHORIZER,
            ALLOW_EVERYONE_IF_NO_ACL_FOUND.name: "true",
            SUPER_USERS.name: ";".join(
                f"User:{name}" for name in (ADMIN, f"CN={ADMIN}", NODE_NAME, f"CN={NODE_NAME}")
            ),
        }
        if self.has_tls:
            found.update(self._tls_values(clients, between_nodes))
        else:
            found.update(self._password_values(between_nodes))
        if self.mechanism:
            prefix = listener_prefix(clients)
            found[f"{prefix}sasl.enabled.mechanisms"] = self.mechanism
            found[f"{prefix}{self.mechanism.lower()}.sasl.jaas.config"] = self._server_module()
        return found

    def _tls_values(self, clients: str, between_nodes: Iterable[str]) -> dict[str, str]:
        paths = self._certificates
        asks_clients = "none" if self.mechanism else "requested"
        return {
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(paths.node),
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(paths.truststore),
            f"{listener_prefix(clients)}ssl.client.auth": asks_clients,
            **{f"{listener_prefix(each)}ssl.client.auth": "required" for each in between_nodes},
        }

    def _password_values(self, between_nodes: Iterable[str]) -> dict[str, str]:
        password = self._passwords[NODE_NAME]
        module = (
            f"{MODULES}.plain.PlainLoginModule required "
            f'username="{NODE_NAME}" password="{password}" user_{NODE_NAME}="{password}";'
        )
        found = {
            "sasl.mechanism.inter.broker.protocol": PLAIN,
            "sasl.mechanism.controller.protocol": PLAIN,
        }
        for each in between_nodes:
            found[f"{listener_prefix(each)}sasl.enabled.mechanisms"] = PLAIN
            found[f"{listener_prefix(each)}plain.sasl.jaas.config"] = module
        return found

    def _server_module(self) -> str:
        if self.mechanism != PLAIN:
            return f"{MODULES}.scram.ScramLoginModule required;"
        users = " ".join(f'user_{name}="{self._passwords[name]}"' for name in USERS)
        return f"{MODULES}.plain.PlainLoginModule required {users};"


def _scram_record(mechanism: "ScramMechanism", user: str, password: str) -> "MetadataRecord":
    from minikafka.messages.metadata_records.user_scram_credential_record import (
        UserScramCredentialRecord,
    )
    from minikafka.security.scram import MIN_ITERATIONS, credential_of, salted_password

    salt = secrets.token_bytes(_SALT_BYTES)
    salted = salted_password(mechanism, password.encode(), salt, MIN_ITERATIONS)
    found = credential_of(mechanism, salted, salt, MIN_ITERATIONS)
    return UserScramCredentialRecord(
        user, mechanism, found.salt, found.stored_key, found.server_key, found.iterations
    )


def _read(folder: Path) -> dict[str, Any] | None:
    path = folder / _STORED
    if not path.exists():
        return None
    found: dict[str, Any] = json.loads(path.read_text())
    return found
