"""Settings of the clusters: factory argument, then marker, then command line, then ini file.

Each has one meaning wherever it is given. Configurations are merged key by key in that order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypedDict

import pytest

if TYPE_CHECKING:
    from minikafka.admin.client_login import ClientLogin

MARKER: Final = "minikafka"
MARKER_HELP: Final = (
    "minikafka(nodes=1, config=None, release=None, log_level=None, keep=False, tls=False, "
    "sasl=None, base_port=0, host='127.0.0.1', advertised_host=None, directory=None): the cluster "
    "of this test; parametrize it for several"
)
FACTORY: Final = "the factory of the fixture"
_GROUP = "minikafka"
_BOOTSTRAP = "minikafka_bootstrap_servers"
_COMMAND_CONFIG = "minikafka_command_config"
_SHARED = "minikafka_shared"
_CLIENT = "minikafka_client"
_SCOPE = "minikafka_cluster_scope"
SCOPES: Final = ("function", "class", "module", "package", "session")


class GivenSettings(TypedDict, total=False):
    """The settings that a factory or marker may give; None is as if one was not given."""

    nodes: int | None
    base_port: int | None
    host: str | None
    advertised_host: str | None
    directory: Path | str | None
    keep: bool | None
    log_level: str | None
    release: str | None
    tls: bool | None
    sasl: str | None
    config: Mapping[str, object] | None


@dataclass(frozen=True)
class Settings:
    """The parts of a test's cluster; hashable, so that equal ones share a cluster."""

    nodes: int = 1
    base_port: int = 0
    host: str = "127.0.0.1"
    advertised_host: str | None = None
    directory: str | None = None
    keep: bool = False
    log_level: str | None = None
    release: str | None = None
    tls: bool = False
    sasl: str | None = None
    config: tuple[tuple[str, str], ...] = ()

    def changed(self, given: Mapping[str, Any], where: str) -> "Settings":
        """Return these settings with others that were given; None leaves one as it is.

        Raises:
            pytest.UsageError: a name or value has no meaning; the message names `where`.
        """
        names = [field.name for field in fields(self)]
        values = {field: getattr(self, field) for field in names}
        for name, value in given.items():
            if name not in names:
                raise pytest.UsageError(
                    f"{where}: {name} is no setting of a cluster; there are {', '.join(names)}"
                )
            if value is not None:
                values[name] = value
        config = dict(self.config)
        config.update(_texts(given.get("config") or {}, where))
        values["config"] = tuple(sorted(config.items()))
        if values["directory"] is not None:
            values["directory"] = str(values["directory"])
        nodes = values["nodes"]
        if not isinstance(nodes, int) or nodes < 1:
            raise pytest.UsageError(f"{where}: nodes={nodes}: a cluster has at least one node")
        if not isinstance(values["base_port"], int):
            raise pytest.UsageError(f"{where}: base_port={values['base_port']!r}: not a number")
        for name in ("host", "advertised_host"):
            if not isinstance(values[name], str | None):
                raise pytest.UsageError(f"{where}: {name}={values[name]!r}: not a name or address")
        return Settings(**values)


@dataclass(frozen=True)
class GivenOptions:
    """The options of the command line and the ini file."""

    settings: Settings
    bootstrap_servers: str | None
    login: "ClientLogin | None"
    """What clients of `bootstrap_servers` need, if it was given."""
    is_shared: bool
    client: str | None
    cluster_scope: str


@dataclass(frozen=True)
class _Option:
    """An option of the command line, and its ini value with underscores."""

    name: str
    type: str
    help: str

    @property
    def flag(self) -> str:
        return _flag(self.name)


_OPTIONS: Final = (
    _Option("minikafka_nodes", "string", "number of nodes of a cluster (default 1)"),
    _Option("minikafka_port", "string", "the first node's port (default: free ports)"),
    _Option("minikafka_host", "string", "address of the nodes for clients (default 127.0.0.1)"),
    _Option("minikafka_advertised_host", "string", "the name that clients are told"),
    _Option("minikafka_dir", "string", "directory of the nodes' files, which is kept"),
    _Option("minikafka_keep", "bool", "keep the temporary directories of the clusters"),
    _Option("minikafka_log_level", "string", "the least level of what nodes log (default INFO)"),
    _Option("minikafka_release", "string", "the Kafka release whose features are on, such as 4.0"),
    _Option("minikafka_tls", "bool", "encrypt connections, by certificates made for the cluster"),
    _Option("minikafka_sasl", "string", "clients log in: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512"),
    _Option("minikafka_config", "linelist", "KEY=VALUE for every node"),
    _Option(_BOOTSTRAP, "string", "use this cluster, and start none"),
    _Option(_COMMAND_CONFIG, "string", "FILE with the properties of a Java client of that cluster"),
    _Option(_SHARED, "bool", "one cluster for all processes of pytest-xdist"),
    _Option(_CLIENT, "string", "client library of kafka_producer, kafka_consumer and kafka_admin"),
    _Option(_SCOPE, "string", f"scope of minikafka_cluster: {', '.join(SCOPES)}"),
)


def declare(parser: pytest.Parser) -> None:
    """Declare every option, and its ini value."""
    group = parser.getgroup(_GROUP, "clusters of minikafka")
    for option in _OPTIONS:
        # The command line has no default: what is not given there comes from the ini file.
        if option.type == "bool":
            group.addoption(option.flag, action="store_true", default=None, help=option.help)
        elif option.type == "linelist":
            group.addoption(
                option.flag, action="append", metavar="KEY=VALUE", default=[], help=option.help
            )
        else:
            group.addoption(option.flag, default=None, help=option.help)
        parser.addini(option.name, option.help, type=option.type, default=_unset(option.type))  # type: ignore[arg-type]


def _unset(kind: str) -> object:
    # Not None: for that, pytest 7 returns an empty list, whatever the type is.
    return {"bool": False, "linelist": []}.get(kind, "")


def read(config: pytest.Config) -> GivenOptions:
    """Return what the command line and the ini file say.

    Raises:
        pytest.UsageError: a value has no meaning.
    """
    known = config.stash.get(_OPTIONS_READ, None)
    if known is None:
        known = config.stash[_OPTIONS_READ] = _read(config)
    return known


_OPTIONS_READ = pytest.StashKey[GivenOptions]()


def _read(config: pytest.Config) -> GivenOptions:
    values = {option.name: _value(config, option) for option in _OPTIONS}
    lines = [*config.getini("minikafka_config"), *config.getoption("minikafka_config")]
    settings = Settings().changed(
        {
            "nodes": _number(values["minikafka_nodes"], "--minikafka-nodes"),
            "base_port": _number(values["minikafka_port"], "--minikafka-port"),
            "host": values["minikafka_host"] or None,
            "advertised_host": values["minikafka_advertised_host"] or None,
            "directory": values["minikafka_dir"] or None,
            "keep": bool(values["minikafka_keep"]),
            "log_level": values["minikafka_log_level"] or None,
            "release": values["minikafka_release"] or None,
            "tls": bool(values["minikafka_tls"]),
            "sasl": values["minikafka_sasl"] or None,
            "config": _pairs(lines),
        },
        "--minikafka-…",
    )
    scope = values[_SCOPE] or SCOPES[0]
    if scope not in SCOPES:
        raise pytest.UsageError(f"{_SCOPE} {scope!r}: expected one of {', '.join(SCOPES)}")
    return GivenOptions(
        settings=settings,
        bootstrap_servers=values[_BOOTSTRAP] or None,
        login=_login(values[_COMMAND_CONFIG], values[_BOOTSTRAP]),
        is_shared=bool(values[_SHARED]),
        client=values[_CLIENT] or None,
        cluster_scope=scope,
    )


def _login(path: str | None, bootstrap_servers: str | None) -> "ClientLogin | None":
    if not path:
        return None
    option = _flag(_COMMAND_CONFIG)
    if not bootstrap_servers:
        raise pytest.UsageError(
            f"{option} {path}: add --minikafka-bootstrap-servers, or leave it out"
        )
    return login_of(path, option)


def login_of(path: Path | str, where: str) -> "ClientLogin":
    """Return what the properties file of a Java client says.

    Raises:
        pytest.UsageError: the file cannot be used; the message names `where`.
    """
    from minikafka.admin.client_login import ClientLogin  # noqa: PLC0415
    from minikafka.admin.security import ClientSecurityError  # noqa: PLC0415

    try:
        return ClientLogin.read(str(path))
    except ClientSecurityError as error:
        raise pytest.UsageError(f"{where}: {error}") from None


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _value(config: pytest.Config, option: _Option) -> Any:
    given = config.getoption(option.name)
    return config.getini(option.name) if given is None else given


def _number(text: str | None, name: str) -> int | None:
    if text is None or text == "":
        return None
    if not (text.isascii() and text.isdigit()):
        raise pytest.UsageError(f"{name} {text}: not a number")
    return int(text)


def _pairs(lines: Sequence[str]) -> dict[str, str]:
    found = {}
    for line in lines:
        key, separator, value = line.partition("=")
        if not separator or not key.strip():
            raise pytest.UsageError(f"--minikafka-config {line!r}: expected KEY=VALUE")
        found[key.strip()] = value.strip()
    return found


def _texts(values: Any, where: str) -> dict[str, str]:
    """Return the values as a configuration file has them."""
    if not isinstance(values, Mapping):
        raise pytest.UsageError(f"{where}: config={values!r}: expected a mapping of key to value")
    return {
        str(key): str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in values.items()
    }


def cluster_scope(fixture_name: str, config: pytest.Config) -> Any:
    """Return the scope of `minikafka_cluster`, for `pytest.fixture(scope=…)`."""
    del fixture_name
    return read(config).cluster_scope


def settings_of(request: pytest.FixtureRequest, given: Mapping[str, Any]) -> Settings:
    """Return the settings of a fixture; `given` are the arguments of its factory.

    Raises:
        pytest.UsageError: a setting has no meaning.
    """
    found = read(request.config).settings
    # The nearest comes first, and counts most.
    for marker in reversed(list(request.node.iter_markers(MARKER))):
        if marker.args:
            raise pytest.UsageError(f"@pytest.mark.{MARKER}: give the settings by their names")
        found = found.changed(marker.kwargs, f"@pytest.mark.{MARKER}")
    return found.changed(given, FACTORY)


def has_marker(request: pytest.FixtureRequest) -> bool:
    """True if the test has settings of its own."""
    return request.node.get_closest_marker(MARKER) is not None


def worker(config: pytest.Config) -> str:
    """The name of this process of pytest-xdist, such as gw0; "" without it."""
    return str(getattr(config, "workerinput", {}).get("workerid", ""))


def own_place(settings: Settings, config: pytest.Config) -> Settings:
    """Return the settings with a directory and port that no other process of pytest-xdist uses."""
    name = worker(config)
    if not name:
        return settings
    number = int(name.removeprefix("gw"))
    directory = settings.directory and str(Path(settings.directory) / name)
    port = settings.base_port and settings.base_port + number * _PORTS_A_WORKER
    return settings.changed({"directory": directory, "base_port": port}, "pytest-xdist")


_PORTS_A_WORKER = 400
"""More than the distance from the first to the last port of a cluster."""
