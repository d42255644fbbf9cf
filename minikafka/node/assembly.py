"""Assembly of a node from its configuration, its disks and the ports that the shell has bound.

Source: `KafkaRaftServer`, `BrokerServer`, `ControllerServer`, `SharedServer`.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from minikafka.common.environment import Environment
from minikafka.config import broker as keys
from minikafka.config.authorizer_keys import AUTHORIZER_CLASS_NAME
from minikafka.config.delegation_token_keys import DELEGATION_TOKEN_SECRET_KEY
from minikafka.config.listener_security import SecurityProtocol
from minikafka.config.node_config import NodeConfig
from minikafka.config.values import Config, ConfigLayers
from minikafka.group.coordinator import GroupCoordinator
from minikafka.log.directories.log_directory import LogDirectory
from minikafka.log.directories.log_manager import LogManager, LogManagerSettings
from minikafka.log.directories.sign_of_use import sign_of_use_in
from minikafka.metadata.broker_registration import Endpoint
from minikafka.metadata.loader import MetadataLoader
from minikafka.metadata.local_broker import LocalBroker
from minikafka.metadata.serde import MetadataRecord
from minikafka.node.contexts import Contexts
from minikafka.node.dispatcher import Dispatcher
from minikafka.node.inputs import NodeInputs
from minikafka.node.node import Node
from minikafka.node.purgatory import Purgatory
from minikafka.raft.opening import metadata_home, open_raft, read_first_records
from minikafka.raft.raft_node import RaftNode
from minikafka.raft.snapshotter import Snapshotter
from minikafka.records.summary import units_per_step
from minikafka.replica.log_settings import LogConfigs
from minikafka.replica.opening import open_replicas
from minikafka.rpc.calls import Calls
from minikafka.rpc.controller_channel import ActiveController
from minikafka.serving.context import BrokerServices, ControllerServices
from minikafka.serving.index import MODULES
from minikafka.serving.leaving_brokers import LeavingBrokers
from minikafka.serving.registry import BROKER, CONTROLLER
from minikafka.transaction.coordinator import TransactionCoordinator
from minikafka.transaction.marker_sender import MarkerSender

if TYPE_CHECKING:
    from minikafka.node.logins import Logins
    from minikafka.security.authorizer import Authorizer
    from minikafka.security.key_set import KeySet
    from minikafka.security.scram import FindToken
    from minikafka.security.ssl_principal import SslPrincipalMapper


def assemble(config: NodeConfig, inputs: NodeInputs) -> Node:
    """Return a node that has loaded its disks and is ready for `start`.

    Raises:
        BadMetaPropertiesError: a directory is not formatted, or belongs to another node.
        StorageFault: a directory cannot be used.
    """
    env = Environment(inputs.rng, units_per_step=units_per_step())
    env.clock.set(inputs.now)
    if inputs.draw_secret is not None:
        env.draw_secret = inputs.draw_secret
    calls = Calls(env, str(config.node_id))
    logs = LogManager.open(
        [inputs.disks[path] for path in config.log_dirs],
        cluster_id=inputs.cluster_id,
        node_id=config.node_id,
        rng=inputs.rng,
        settings=LogManagerSettings.of(config.values),
    )
    home = metadata_home(
        inputs.disks[config.metadata_log_dir], logs, inputs.cluster_id, config.node_id, inputs.rng
    )
    sign = sign_of_use_in(logs.online)
    endpoints = inputs.endpoints(
        config.controller_listeners, config.advertised, config.security_protocols
    )
    raft = open_raft(
        env,
        calls,
        config,
        home,
        endpoints,
        cluster_id=inputs.cluster_id,
        was_used=sign is not None,
    )
    bootstrap = read_first_records(raft, config, sign) if config.is_controller else []
    _load(logs, config, inputs, home)
    parts = _Parts(
        config,
        inputs,
        env,
        calls,
        MetadataLoader(),
        raft,
        logs,
        ActiveController(calls, raft),
        _authorizer(config),
    )
    purgatory = Purgatory(env)
    controller = _controller(parts, home, endpoints, bootstrap) if config.is_controller else None
    broker = _broker(parts) if config.is_broker else None
    return Node(
        env=env,
        config=config,
        calls=calls,
        purgatory=purgatory,
        dispatcher=Dispatcher(
            env=env,
            purgatory=purgatory,
            modules=MODULES,
            max_in_flight=config.values[keys.QUEUED_MAX_REQUESTS],
            node_listeners=(config.inter_broker_listener_name, *config.controller_listener_names),
            make_context=Contexts(env, broker, controller).make,
            logins=_logins(parts, broker, controller),
        ),
        raft=raft,
        active_controller=parts.active_controller,
        loader=parts.loader,
        snapshotter=Snapshotter.of(env, raft, config.values),
        controller=None if controller is None else controller.controller,
        broker=broker,
        authorizer=parts.authorizer,
        roles={
            each.name: CONTROLLER if each.name in config.controller_listener_names else BROKER
            for each in config.listeners
        },
        ssl_principals=_ssl_principals(config),
    )


def _ssl_principals(config: NodeConfig) -> "dict[str, SslPrincipalMapper]":
    """Return the mappings of certificates to principals, of the listeners that need one.

    With SASL_SSL the principal is the one that logs in, and not that of the certificate.
    """
    if not config.ssl:
        return {}
    from minikafka.security.ssl_principal import SslPrincipalMapper  # noqa: PLC0415

    return {
        name: SslPrincipalMapper(settings.principal_rules)
        for name, settings in config.ssl.items()
        if config.security_protocols[name] is SecurityProtocol.SSL
    }


def _logins(
    parts: "_Parts", broker: BrokerServices | None, controller: ControllerServices | None
) -> "Logins | None":
    """Return the logins of a node with SASL listeners; its handlers know them, too."""
    if not parts.config.sasl.listeners:
        return None
    # A node without SASL listeners imports none of this.
    from minikafka.metadata.scram_credentials import credential_finder  # noqa: PLC0415
    from minikafka.node.logins import Logins  # noqa: PLC0415
    from minikafka.security.scram import no_token  # noqa: PLC0415

    loader = parts.loader
    find = credential_finder(lambda: loader.image)
    find_token: FindToken = no_token
    secret = parts.config.values[DELEGATION_TOKEN_SECRET_KEY]
    if secret:
        from minikafka.metadata.delegation_tokens import token_finder  # noqa: PLC0415

        find_token = token_finder(lambda: loader.image, secret, parts.env.draw_secret)
    key_sets = _key_sets(parts.inputs.key_files)
    logins = Logins(parts.env, parts.config.sasl.listeners, find, key_sets, find_token)
    for services in (broker, controller):
        if services is not None:
            services.logins = logins
    return logins


def _key_sets(files: Mapping[str, str]) -> "dict[str, KeySet]":
    if not files:
        return {}
    # It needs the extra `security`.
    from minikafka.security.key_set import KeySet  # noqa: PLC0415

    return {path: KeySet(text) for path, text in files.items()}


class _Parts(NamedTuple):
    """The parts of a node that both roles need.

    The `authorizer` is one object for both, as the metadata is.
    """

    config: NodeConfig
    inputs: NodeInputs
    env: Environment
    calls: Calls
    loader: MetadataLoader
    raft: RaftNode
    logs: LogManager
    active_controller: ActiveController
    authorizer: "Authorizer | None"


def _authorizer(config: NodeConfig) -> "Authorizer | None":
    if not config.values[AUTHORIZER_CLASS_NAME]:
        return None
    # A node without an authorizer does not import it.
    from minikafka.security.authorizer import configured_authorizer  # noqa: PLC0415

    return configured_authorizer(config.values)


def _load(logs: LogManager, config: NodeConfig, inputs: NodeInputs, home: LogDirectory) -> None:
    """Load the logs; they have the broker's own configuration until the metadata is known.

    Raises:
        StorageFault: the directory of the metadata log fails, or the last one.
    """
    log_config = LogConfigs().of(ConfigLayers({}, {}, config.values.given), {})
    for fault in logs.load(lambda _: log_config, inputs.now):
        if fault.log_dir == home.disk.root or not logs.online:
            raise fault


def _controller(
    parts: _Parts,
    home: LogDirectory,
    endpoints: tuple[Endpoint, ...],
    bootstrap: Sequence[MetadataRecord],
) -> ControllerServices:
    # A node with only the broker role does not import the controller.
    from minikafka.controller.quorum_controller import QuorumController  # noqa: PLC0415

    config, cluster_id = parts.config, parts.inputs.cluster_id
    controller = QuorumController(
        env=parts.env,
        node_id=config.node_id,
        cluster_id=cluster_id,
        raft=parts.raft,
        loader=parts.loader,
        values=config.values,
        endpoints=endpoints,
        bootstrap=bootstrap,
        calls=parts.calls,
        active_controller=parts.active_controller,
        broker_listener=config.inter_broker_listener_name,
    )
    return ControllerServices(
        parts.env,
        config,
        cluster_id,
        parts.raft,
        parts.loader,
        parts.authorizer,
        controller,
        home.directory_id,
    )


def _broker(parts: _Parts) -> BrokerServices:
    config, inputs, env, calls, loader, raft, logs, active_controller, authorizer = parts
    values = config.values
    local = LocalBroker(
        config.node_id,
        config.inter_broker_listener_name,
        loader,
        values.given,
        Config(values.given),
    )
    opened = open_replicas(
        env,
        active_controller,
        local,
        logs,
        values,
        cluster_id=inputs.cluster_id,
        endpoints=inputs.endpoints(
            config.broker_listeners, config.advertised, config.security_protocols
        ),
        metadata_log_dir=raft.disk.root,
    )
    return BrokerServices(
        env,
        config,
        inputs.cluster_id,
        raft,
        loader,
        authorizer,
        logs=logs,
        local=local,
        groups=GroupCoordinator(env=env, view=local, replicas=opened.replicas),
        transactions=TransactionCoordinator(
            env=env,
            view=local,
            replicas=opened.replicas,
            producer_ids=opened.producer_ids,
            markers=MarkerSender(env, calls, local, values[keys.REQUEST_TIMEOUT_MS]),
        ),
        leaving_brokers=LeavingBrokers(env),
        keys=inputs.keys,
        **opened._asdict(),
    )
