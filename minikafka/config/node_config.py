"""The configuration of one node, from checked values: roles, listeners, quorum, directories.

Source: `KafkaConfig`, `AbstractKafkaConfig`, `QuorumConfig`, `SocketServerConfigs`. All errors are
reported at once, before anything is opened.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from minikafka.common.addresses import server_text
from minikafka.common.principal import parse_principal
from minikafka.common.whole_numbers import whole_number
from minikafka.config import authorizer_keys
from minikafka.config import broker as keys
from minikafka.config.definition import ConfigError, Key, parse_list
from minikafka.config.listener_security import SecurityProtocol, unknown_listener_warnings
from minikafka.config.sasl import (
    NO_SASL,
    SaslConfig,
    check_inter_broker_mechanism,
    sasl_config,
    sasl_warnings,
)
from minikafka.config.values import Checked, Config, check_broker_values

if TYPE_CHECKING:
    # A node without TLS never imports its keys.
    from minikafka.config.ssl_keys import SslSettings


class Listener(NamedTuple):
    """A named address. An empty `host` means all addresses; `port` 0 lets the system choose."""

    name: str
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.name}://{server_text(self.host, self.port)}"


class Voter(NamedTuple):
    """A voter of a static quorum, with the address of its controller listener."""

    node_id: int
    host: str
    port: int


class NodeConfig(NamedTuple):
    """The checked configuration of a node.

    `listeners` has broker and controller listeners, in the order of the file; `advertised` has the
    addresses for clients and other nodes, by listener name; `security_protocols` has the protocols
    of these and of the controllers' listeners. `ignored` are keys without effect here, `warnings`
    are sentences about values that do not have the effect that an operator may expect.
    """

    values: Config
    node_id: int
    is_broker: bool
    is_controller: bool
    listeners: tuple[Listener, ...]
    advertised: Mapping[str, Listener]
    security_protocols: Mapping[str, SecurityProtocol]
    controller_listener_names: tuple[str, ...]
    inter_broker_listener_name: str
    voters: tuple[Voter, ...]
    bootstrap_servers: tuple[tuple[str, int], ...]
    log_dirs: tuple[str, ...]
    metadata_log_dir: str
    ignored: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    metrics_address: tuple[str, int] | None = None
    ssl: Mapping[str, "SslSettings"] = {}
    """How the listeners with TLS use it, those of the controllers included."""
    sasl: SaslConfig = NO_SASL

    @property
    def all_log_dirs(self) -> tuple[str, ...]:
        """All directories of the node: `log.dirs`, and `metadata.log.dir` if it is not in them."""
        return tuple(dict.fromkeys((*self.log_dirs, self.metadata_log_dir)))

    @property
    def broker_listeners(self) -> tuple[Listener, ...]:
        """The listeners that serve clients and brokers."""
        return tuple(x for x in self.listeners if x.name not in self.controller_listener_names)

    @property
    def controller_listeners(self) -> tuple[Listener, ...]:
        """The listeners that serve the quorum and brokers' requests to the controller."""
        return tuple(x for x in self.listeners if x.name in self.controller_listener_names)


class ConfigErrors(ConfigError):  # noqa: N818 - several of them
    """All errors of a configuration; `errors` has one sentence for each."""

    def __init__(self, errors: list[str]) -> None:
        """Join the sentences into one message, one per line."""
        super().__init__("\n".join(errors))
        self.errors = errors


def node_config(given: Mapping[str, str], *, with_logins: bool = True) -> NodeConfig:
    """Check the values and return the node's configuration.

    Without `with_logins` it has no logins, and their login modules may be absent: as in Kafka, a
    directory can be formatted before they are configured.

    Raises:
        ConfigErrors: there are errors; it has one sentence for each.
    """
    checked = check_broker_values(given)
    errors = list(checked.errors)
    bad = {error.split(":", 1)[0] for error in errors}
    usable = {name: text for name, text in given.items() if name not in bad}
    found = _Reader(Config(usable), errors, bad, with_logins=with_logins)
    config = found.read(checked)
    if errors or config is None:
        raise ConfigErrors(errors)
    return config


class _Reader:
    """Collects errors while it reads, so that one bad value does not hide the next."""

    def __init__(
        self, config: Config, errors: list[str], bad: set[str], *, with_logins: bool
    ) -> None:
        self.config = config
        self.errors = errors
        self.bad = bad
        self.with_logins = with_logins

    def read(self, checked: Checked) -> NodeConfig | None:
        config = self.config
        for key in (keys.PROCESS_ROLES, keys.NODE_ID, keys.CONTROLLER_LISTENER_NAMES):
            self._require(key)
        if self.errors:
            return None
        roles = config[keys.PROCESS_ROLES]
        controller_names = tuple(x.upper() for x in config[keys.CONTROLLER_LISTENER_NAMES])
        listeners = self._listeners(keys.LISTENERS.name, config[keys.LISTENERS])
        voters = self._voters()
        servers = self._addresses(config[keys.CONTROLLER_QUORUM_BOOTSTRAP_SERVERS])
        self._check_roles(roles)
        is_broker, is_controller = "broker" in roles, "controller" in roles
        advertised = self._advertised(listeners, controller_names)
        protocols = self._protocols(listeners, controller_names)
        self._check_listeners(listeners, controller_names, is_broker, is_controller)
        self._check_quorum(voters, servers, is_controller)
        inter_broker = self._inter_broker(listeners, controller_names, is_broker)
        log_dirs = config[keys.LOG_DIRS] or config[keys.LOG_DIR]
        if len(dict.fromkeys(log_dirs)) != len(log_dirs):
            self.errors.append(f"log.dirs: has a directory twice: {','.join(log_dirs)}")
        self._check_request_bytes()
        self._check_super_users()
        sasl = self._sasl(protocols, listeners, inter_broker, is_broker=is_broker)
        return NodeConfig(
            values=config,
            node_id=config[keys.NODE_ID],
            is_broker=is_broker,
            is_controller=is_controller,
            listeners=listeners,
            advertised=advertised,
            security_protocols=protocols,
            controller_listener_names=controller_names,
            inter_broker_listener_name=inter_broker,
            voters=voters,
            bootstrap_servers=servers,
            log_dirs=log_dirs,
            metadata_log_dir=config[keys.METADATA_LOG_DIR] or log_dirs[0],
            ignored=tuple(sorted(checked.ignored)),
            warnings=(
                *checked.warnings,
                *_shared_listener(listeners, controller_names),
                *sasl_warnings(config.given, protocols, sasl),
                *authorizer_keys.authorizer_warnings(config.given),
                *unknown_listener_warnings(config.given, self._all_listeners(protocols)),
            ),
            metrics_address=self._metrics_address(),
            ssl=self._ssl(protocols),
            sasl=sasl,
        )

    def _sasl(
        self,
        protocols: Mapping[str, SecurityProtocol],
        listeners: Sequence[Listener],
        inter_broker: str,
        *,
        is_broker: bool,
    ) -> SaslConfig:
        if is_broker:
            check_inter_broker_mechanism(self.config.given, protocols, inter_broker, self.errors)
        if not self.with_logins:
            return NO_SASL
        return sasl_config(
            self.config.given,
            protocols,
            own=[each.name for each in listeners],
            inter_broker=inter_broker,
            is_broker=is_broker,
            controllers=next(iter(self.config[keys.CONTROLLER_LISTENER_NAMES]), "").upper(),
            errors=self.errors,
        )

    def _ssl(self, protocols: Mapping[str, SecurityProtocol]) -> "dict[str, SslSettings]":
        secured = {name: each.has_sasl for name, each in protocols.items() if each.has_tls}
        if not secured:
            return {}
        from minikafka.config.ssl_keys import ssl_settings  # noqa: PLC0415

        found = {}
        for name, has_sasl in secured.items():
            try:
                found[name] = ssl_settings(self.config.given, name, has_sasl=has_sasl)
            except ConfigError as error:
                self.errors += [each for each in (str(error),) if each not in self.errors]
        return found

    def _metrics_address(self) -> tuple[str, int] | None:
        text = self.config[keys.METRICS_HTTP_LISTEN]
        if not text:
            return None
        try:
            return parse_address(text)
        except ValueError as error:
            self.errors.append(
                f"{keys.METRICS_HTTP_LISTEN.name}: {text!r} is not host:port ({error})"
            )
            return None

    def _check_request_bytes(self) -> None:
        bound_bytes = self.config[keys.QUEUED_MAX_REQUEST_BYTES]
        largest_bytes = self.config[keys.SOCKET_REQUEST_MAX_BYTES]
        if 0 < bound_bytes < largest_bytes:
            self.errors.append(
                f"{keys.QUEUED_MAX_REQUEST_BYTES.name}: must be at least "
                f"{keys.SOCKET_REQUEST_MAX_BYTES.name}, {largest_bytes}; is {bound_bytes}"
            )

    def _check_super_users(self) -> None:
        for item in self.config[authorizer_keys.SUPER_USERS].split(";"):
            if item.strip():
                try:
                    parse_principal(item.strip())
                except ValueError as error:
                    self.errors.append(f"{authorizer_keys.SUPER_USERS.name}: {error}")

    def _require(self, key: Key[object]) -> None:
        if key.name not in self.config.given and key.name not in self.bad:
            self.errors.append(f"{key.name}: is required; {key.doc}")

    def _check_roles(self, roles: tuple[str, ...]) -> None:
        if not roles or len(dict.fromkeys(roles)) != len(roles):
            self.errors.append(
                f"process.roles: must name broker, controller, or both once; is {','.join(roles)!r}"
            )

    def _listeners(self, key: str, items: tuple[str, ...]) -> tuple[Listener, ...]:
        found: list[Listener] = []
        for item in items:
            name, separator, address = item.partition("://")
            try:
                host, port = parse_address(address)
            except ValueError as error:
                self.errors.append(f"{key}: {item!r} is not NAME://host:port ({error})")
                continue
            if not separator or not name:
                self.errors.append(f"{key}: {item!r} is not NAME://host:port")
                continue
            found.append(Listener(name.upper(), host, port))
        names = [listener.name for listener in found]
        ports = [listener.port for listener in found if listener.port]
        if len(dict.fromkeys(names)) != len(names):
            self.errors.append(f"{key}: each listener needs a unique name: {','.join(items)}")
        if key == keys.LISTENERS.name and len(dict.fromkeys(ports)) != len(ports):
            self.errors.append(f"{key}: each listener needs a unique port: {','.join(items)}")
        return tuple(found)

    def _advertised(
        self, listeners: tuple[Listener, ...], controller_names: tuple[str, ...]
    ) -> Mapping[str, Listener]:
        given = self.config[keys.ADVERTISED_LISTENERS]
        advertised = {listener.name: listener for listener in listeners}
        if given is None:
            return advertised
        for listener in self._listeners(keys.ADVERTISED_LISTENERS.name, given):
            if listener.name not in advertised:
                self.errors.append(
                    f"advertised.listeners: {listener.name} is not among listeners "
                    f"({', '.join(advertised)})"
                )
            elif listener.host in ("0.0.0.0", "::"):  # noqa: S104 - refused here
                self.errors.append(
                    f"advertised.listeners: clients cannot connect to {listener}; give the address "
                    "of a network interface"
                )
            advertised[listener.name] = listener
        missing = [
            x.name
            for x in listeners
            if x.name not in controller_names
            and not any(item.upper().startswith(x.name + "://") for item in given)
        ]
        for name in missing:
            self.errors.append(f"advertised.listeners: has no address for listener {name}")
        return advertised

    def _protocols(
        self, listeners: tuple[Listener, ...], controller_names: tuple[str, ...]
    ) -> dict[str, SecurityProtocol]:
        """Return the protocols of this node's listeners, and of those that it connects to."""
        protocols: dict[str, str] = {}
        if keys.LISTENER_SECURITY_PROTOCOL_MAP not in self.config and not self._has_security():
            protocols.update((name, SecurityProtocol.PLAINTEXT.value) for name in controller_names)
        for item in parse_list(self.config[keys.LISTENER_SECURITY_PROTOCOL_MAP]):
            name, separator, protocol = item.partition(":")
            if not separator:
                self.errors.append(f"listener.security.protocol.map: {item!r} is not NAME:PROTOCOL")
            protocols[name.strip().upper()] = protocol.strip().upper()
        found: dict[str, SecurityProtocol] = {}
        names = [*(each.name for each in listeners), *controller_names]
        inter_broker = self.config[keys.INTER_BROKER_LISTENER_NAME]
        if inter_broker is not None and inter_broker.upper() in protocols:
            # A controller that is no broker connects to this listener of brokers, too.
            names.append(inter_broker.upper())
        for name in dict.fromkeys(names):
            mapped = protocols.get(name)
            if mapped is None:
                self.errors.append(
                    f"listener.security.protocol.map: has no protocol for listener {name}"
                )
                continue
            try:
                found[name] = SecurityProtocol(mapped)
            except ValueError:
                self.errors.append(
                    f"listener.security.protocol.map: {name}:{mapped} is not a protocol; allowed: "
                    f"{', '.join(each.value for each in SecurityProtocol)}"
                )
        return found

    def _all_listeners(self, protocols: Mapping[str, SecurityProtocol]) -> list[str]:
        """Return the listeners of this node, and those of others in a file that nodes share."""
        given = self.config.given.get(keys.LISTENER_SECURITY_PROTOCOL_MAP.name, "")
        mapped = (item.partition(":")[0].strip().upper() for item in parse_list(given))
        return [*dict.fromkeys((*protocols, *mapped))]

    def _has_security(self) -> bool:
        """True if a listener may be secured: then Kafka has no default for controllers'."""
        names = (item.partition("://")[0].upper() for item in self.config[keys.LISTENERS])
        return any(name in ("SSL", "SASL_SSL", "SASL_PLAINTEXT") for name in names)

    def _check_listeners(
        self,
        listeners: tuple[Listener, ...],
        controller_names: tuple[str, ...],
        is_broker: bool,  # noqa: FBT001
        is_controller: bool,  # noqa: FBT001
    ) -> None:
        own_controller = [x for x in listeners if x.name in controller_names]
        own_broker = [x for x in listeners if x.name not in controller_names]
        if is_controller and not own_controller:
            self.errors.append(
                f"listeners: a controller needs a listener named in controller.listener.names "
                f"({','.join(controller_names)})"
            )
        if not is_controller and own_controller:
            self.errors.append(
                f"listeners: {own_controller[0].name} is a controller listener, "
                "but process.roles has no controller"
            )
        if is_broker and not own_broker:
            self.errors.append("listeners: a broker needs one that is not a controller listener")
        if not is_broker and own_broker:
            self.errors.append(
                f"listeners: {own_broker[0].name} is not a controller listener, "
                "but process.roles has no broker"
            )

    def _check_quorum(
        self,
        voters: tuple[Voter, ...],
        servers: tuple[tuple[str, int], ...],
        is_controller: bool,  # noqa: FBT001
    ) -> None:
        if not voters and not servers:
            self.errors.append(
                "controller.quorum.voters or controller.quorum.bootstrap.servers: "
                "one of the two is required"
            )
        if (
            voters
            and is_controller
            and self.config[keys.NODE_ID] not in [v.node_id for v in voters]
        ):
            self.errors.append(
                f"controller.quorum.voters: controller {self.config[keys.NODE_ID]} is not among "
                f"the voters ({', '.join(str(v.node_id) for v in voters)})"
            )

    def _inter_broker(
        self,
        listeners: tuple[Listener, ...],
        controller_names: tuple[str, ...],
        is_broker: bool,  # noqa: FBT001
    ) -> str:
        given = self.config[keys.INTER_BROKER_LISTENER_NAME]
        name = self.config[keys.SECURITY_INTER_BROKER_PROTOCOL] if given is None else given.upper()
        if is_broker and name not in [x.name for x in listeners if x.name not in controller_names]:
            self.errors.append(
                f"inter.broker.listener.name: {name} is not one of this broker's listeners"
            )
        return name

    def _voters(self) -> tuple[Voter, ...]:
        found: list[Voter] = []
        for item in self.config[keys.CONTROLLER_QUORUM_VOTERS]:
            node_id, separator, address = item.partition("@")
            try:
                voter = Voter(whole_number(node_id), *parse_address(address))
            except ValueError:
                separator = ""
            else:
                found.append(voter)
            if not separator or voter.node_id < 0:
                self.errors.append(f"controller.quorum.voters: {item!r} is not id@host:port")
        ids = [voter.node_id for voter in found]
        for each in dict.fromkeys(ids):
            if ids.count(each) > 1:
                self.errors.append(
                    f"controller.quorum.voters: node {each} is named twice; each voter needs its "
                    "own node.id"
                )
        return tuple(found)

    def _addresses(self, items: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
        found: list[tuple[str, int]] = []
        for item in items:
            try:
                found.append(parse_address(item))
            except ValueError as error:
                self.errors.append(
                    f"controller.quorum.bootstrap.servers: {item!r} is not host:port ({error})"
                )
        return tuple(found)


def _shared_listener(
    listeners: tuple[Listener, ...], controller_names: tuple[str, ...]
) -> tuple[str, ...]:
    """The warning if clients and brokers share a listener."""
    names = [each.name for each in listeners if each.name not in controller_names]
    if len(names) != 1:
        return ()
    sentence = (
        f"clients and brokers share listener {names[0]}: a client that sends requests of brokers "
        "is treated as a broker; give brokers another listener with inter.broker.listener.name"
    )
    return (sentence,)


_MAX_LABEL = 63
"""The most characters between two dots of a host name (RFC 1035)."""


def parse_address(text: str) -> tuple[str, int]:
    """Host and port of `host:port`; an IPv6 address is in square brackets.

    Raises:
        ValueError: the address is wrong; the text says why.
    """
    host, separator, port = text.rpartition(":")
    if not separator:
        raise ValueError("the port is missing")
    try:
        number = whole_number(port, 0, 65535)
    except ValueError:
        raise ValueError(f"{port[:40]!r} is not a port; allowed: 0 to 65535") from None
    host = host.removeprefix("[").removesuffix("]")
    _check_host(host)
    return host, number


def _check_host(host: str) -> None:
    """Raise a ValueError for a host that no resolver takes; an empty one means any address."""
    labels = host.removesuffix(".").split(".")
    if host and (not all(labels) or max(map(len, labels)) > _MAX_LABEL):
        raise ValueError(
            f"the host is not valid: between its dots are 1 to {_MAX_LABEL} characters"
        )
    if not host.isascii():
        try:
            host.encode("idna")
        except UnicodeError:
            raise ValueError("the host is not valid: it is no name in Unicode") from None
