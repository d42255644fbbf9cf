"""The settings of a cluster for tests: checked arguments, and from them layout and programs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from minikafka.dev.base_ports import CONTROLLERS_OFFSET
from minikafka.dev.client_host import ClientHost, HostError, check_host
from minikafka.server.descriptors import least_limit
from minikafka.testing.defaults import TEST_DEFAULTS
from minikafka.testing.errors import ClusterError
from minikafka.testing.processes import Program

if TYPE_CHECKING:
    from minikafka.dev.layout import Layout
    from minikafka.dev.secured import Secured

ALL = 0
"""The number of the only program of a cluster in one process."""
_USUAL_VOTERS = 3
_LAST_PORT = 65_535
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


@dataclass(frozen=True, kw_only=True)
class ClusterSettings:
    """The arguments of `Cluster`, with the defaults for tests."""

    nodes: int
    voters: int
    config: Mapping[str, str]
    by_node: Mapping[int, Mapping[str, str]]
    levels: Mapping[str, int]
    log_level: str | None
    open_files: int | None
    one_process: bool
    kafka_defaults: bool
    tls: bool
    sasl: str
    client_host: ClientHost

    def layout(self, directory: Path, base_port: int, *, is_synced: bool) -> "Layout":
        """Write the configurations, and format new nodes.

        Unless `is_synced`, a crash of the machine may lose the files.

        Raises:
            ClusterError: a value is invalid, a port is in use, or the directory cannot be used.
        """
        from minikafka.config.node_config import ConfigErrors
        from minikafka.dev.layout import Layout, LayoutError

        if not 1 <= base_port <= _LAST_PORT - CONTROLLERS_OFFSET - self.nodes:
            raise ClusterError(f"base_port={base_port}: out of range")
        if "," in str(directory):
            raise ClusterError(f"{directory}: a comma separates directories; name another path")
        layout = Layout(
            directory, self.nodes, base_port, dict(self.config), self.voters,
            by_node=self.by_node, levels=self.levels, is_synced=is_synced,
            host=self.client_host.address, advertised_host=self.client_host.advertised_name,
            secured=self.secured(directory),
        )  # fmt: skip
        try:
            layout.prepare()
        except ConfigErrors as error:
            raise ClusterError("; ".join(error.errors)) from None
        except LayoutError as error:
            raise ClusterError(str(error)) from None
        except OSError as error:
            raise ClusterError(f"{error.filename or directory}: {error.strerror}") from None
        return layout

    def secured(self, directory: Path) -> "Secured | None":
        """Return how listeners are secured; None: not at all."""
        if not self.tls and not self.sasl:
            return None
        from minikafka.dev.secured import FOLDER, Secured

        return Secured(directory / FOLDER, has_tls=self.tls, mechanism=self.sasl)

    @property
    def why_no_faults(self) -> str:
        """Why no fault can be injected into the nodes; "" if they can."""
        for name in ("one_process", "kafka_defaults"):
            if getattr(self, name):
                return f"no fault can be injected into a cluster with {name}=True; leave that out"
        return ""

    def programs(self, layout: "Layout", *, is_synced: bool) -> dict[int, Program]:
        """Return the program of each process: by node, or the one of all nodes."""
        from minikafka.server.unsynced_disk import VARIABLE as UNSYNCED

        environ = {} if is_synced else {UNSYNCED: "1"}
        if self.log_level is not None:
            environ["MINIKAFKA_LOG_LEVEL"] = self.log_level
        files = {node: layout.properties_file(node) for node in layout.nodes}
        if self.one_process:
            every = list(files.values())
            return {
                ALL: self._program(
                    "the cluster", every, self.log_file(layout.directory, ALL), environ
                )
            }
        return {
            node: self._program(
                f"node {node}",
                [file],
                self.log_file(layout.directory, node),
                {**environ, **self._hooks(layout.directory, node)},
            )
            for node, file in files.items()
        }

    def _hooks(self, directory: Path, node: int) -> dict[str, str]:
        """Return the variables with which faults can be injected into a node."""
        if self.why_no_faults:
            return {}
        from minikafka.server import debug_hooks as hooks

        wanted = (hooks.FOR_FAULTS, hooks.FOR_DISK, hooks.FOR_JOURNAL)
        return {
            hooks.VARIABLE: str(debug_dir(directory, node)),
            hooks.HOOKS_VARIABLE: ",".join(wanted),
        }

    def _program(
        self, name: str, files: Sequence[Path], log_file: Path, environ: Mapping[str, str]
    ) -> Program:
        return Program(
            name,
            properties_files=files,
            log_file=log_file,
            pid_file=log_file.with_suffix(".pid"),
            environ=environ,
            open_files=self.open_files,
        )

    def log_file(self, directory: Path, node: int) -> Path:
        """Return the log file of a node, or of all."""
        return directory / ("cluster.log" if self.one_process else f"node-{node}.log")


def debug_dir(directory: Path, node: int) -> Path:
    """Return the folder by which faults are injected into a node."""
    return directory / f"node-{node}" / "debug"


def former_base_port(directory: Path) -> int:
    """Return the base port of the cluster in a directory; 0 if there is none."""
    from minikafka.config.definition import ConfigError
    from minikafka.config.properties import parse_properties

    file = directory / "node-1" / "server.properties"
    try:
        listeners = parse_properties(file.read_text(encoding="utf-8"), str(file))["listeners"]
        return int(listeners.partition(",")[0].rpartition(":")[2])
    except (OSError, ConfigError, KeyError, ValueError):
        return 0


def check_settings(
    nodes: int,
    *,
    voters: int | None,
    config: Mapping[str, object] | None,
    node_config: Mapping[int, Mapping[str, object]] | None,
    racks: Sequence[str] | Mapping[int, str] | None,
    features: Mapping[str, int] | None,
    log_level: str | None,
    open_files: int | None,
    one_process: bool,
    kafka_defaults: bool,
    tls: bool,
    sasl: str | None,
    host: str,
    advertised_host: str | None,
) -> ClusterSettings:
    """Check what can be checked before a start; the nodes' configuration is checked there.

    Raises:
        ClusterError: an argument has no meaning.
    """
    if not isinstance(nodes, int) or nodes < 1:
        raise ClusterError(f"nodes={nodes!r}: a cluster has at least one node")
    if voters is not None and (not isinstance(voters, int) or not 1 <= voters <= nodes):
        raise ClusterError(f"voters={voters}: from 1 to {nodes}, at most one on each node")
    level = None if log_level is None else _one_of("log_level", log_level, _LEVELS)
    _check_open_files(open_files)
    config = _mapping("config", {} if config is None else config)
    features = _mapping("features", {} if features is None else features)
    for name, feature_level in features.items():
        _check_feature(name, feature_level)
    by_node = {
        node: _texts(_mapping(f"node_config[{node!r}]", values))
        for node, values in _mapping(
            "node_config", {} if node_config is None else node_config
        ).items()
    }
    for node, rack in _by_number(racks).items():
        by_node.setdefault(node, {}).setdefault("broker.rack", rack)
    for node in by_node:
        if node not in range(1, nodes + 1):
            raise ClusterError(f"there is no node {node!r} in a cluster of {nodes}")
    try:
        client_host = check_host(host, advertised_host)
    except HostError as error:
        raise ClusterError(str(error)) from None
    return ClusterSettings(
        nodes=nodes,
        voters=voters or (_USUAL_VOTERS if nodes >= _USUAL_VOTERS else 1),
        config={**({} if kafka_defaults else TEST_DEFAULTS), **_texts(config)},
        by_node=by_node,
        levels=dict(features),
        log_level=level,
        open_files=open_files,
        one_process=one_process,
        kafka_defaults=kafka_defaults,
        tls=tls,
        sasl=_mechanism(sasl),
        client_host=client_host,
    )


def _mechanism(name: str | None) -> str:
    """Return a SASL mechanism as Kafka writes it; "" for None."""
    if name is None:
        return ""
    from minikafka.dev.secured import MECHANISMS

    return _one_of("sasl", name, MECHANISMS)


def _one_of(name: str, value: object, names: Sequence[str]) -> str:
    """Return a name in capital letters, as it is in `names`."""
    if not isinstance(value, str) or value.upper() not in names:
        raise ClusterError(f"{name}={value!r}: expected one of {', '.join(names)}")
    return value.upper()


def _mapping(name: str, value: Mapping[_Key, _Value]) -> Mapping[_Key, _Value]:
    """Return an argument, which is a mapping."""
    if not isinstance(value, Mapping):
        raise ClusterError(f"{name}={value!r}: expected a mapping of key to value")
    return value


def _check_open_files(limit: object) -> None:
    if limit is None:
        return
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise ClusterError(f"open_files={limit!r}: expected a number of files")
    if limit < least_limit():
        raise ClusterError(
            f"open_files={limit}: the limit is too low; a node needs at least {least_limit()}"
        )


def _check_feature(name: str, level: object) -> None:
    from minikafka.metadata.features import SUPPORTED_FEATURES

    known = SUPPORTED_FEATURES.get(name)
    if known is None:
        raise ClusterError(
            f"features: there is no feature {name!r}; there are {', '.join(SUPPORTED_FEATURES)}"
        )
    if not isinstance(level, int) or not known.includes(level):
        raise ClusterError(
            f"features: {name} has the levels {known.minimum} to {known.maximum}, not {level!r}"
        )


def _by_number(racks: Sequence[str] | Mapping[int, str] | None) -> Mapping[int, str]:
    if isinstance(racks, Mapping):
        return racks
    if racks is not None and (isinstance(racks, str | bytes) or not isinstance(racks, Sequence)):
        raise ClusterError(f"racks={racks!r}: expected the racks of the nodes, or a mapping")
    return dict(enumerate(racks or (), 1))


def _texts(values: Mapping[str, object]) -> dict[str, str]:
    """Return the values as a configuration file has them."""
    return {
        key: str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in values.items()
    }
