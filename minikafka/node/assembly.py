"""Assembly of a node from its configuration, its disks and the ports that the shell has bound.

Source: `KafkaRaftServer`, `BrokerServer`, `ControllerServer`, `SharedServer`.
"""

import logging
from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from minikafka.common.clock import Now
from minikafka.common.environment import Environment
from minikafka.config import broker as keys
from minikafka.config import log_keys
from minikafka.config.node_config import NodeConfig
from minikafka.config.values import Config, ConfigLayers
from minikafka.group.coordinator import GroupCoordinator
from minikafka.log.config import LogConfig
from minikafka.log.directories.log_directory import METADATA_FOLDER, LogDirectory
from minikafka.log.directories.log_manager import LogManager, LogManagerSettings
from minikafka.log.directories.sign_of_use import sign_of_use
from minikafka.log.disk import Disk
from minikafka.metadata.broker_registration import Endpoint
from minikafka.metadata.dynamic_config import DynamicConfig
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.loader import MetadataLoader
from minikafka.metadata.serde import MetadataRecord
from minikafka.node.contexts import Contexts
from minikafka.node.dispatcher import Dispatcher
from minikafka.node.node import Node
from minikafka.node.offline_dirs import OfflineDirs
from minikafka.node.purgatory import Purgatory
from minikafka.raft.metadata_storage import (
    REMEDY,
    check_quorum_state,
    damaged,
    is_unused,
    note_first_start,
    open_metadata_log,
    read_bootstrap,
)
from minikafka.raft.quorum_state import QuorumState
from minikafka.raft.raft_log import RaftLog
from minikafka.raft.raft_node import RaftNode
from minikafka.raft.settings import RaftSettings
from minikafka.raft.snapshot_retention import SnapshotRetention
from minikafka.raft.snapshotter import Snapshotter
from minikafka.raft.voter_history import VoterHistory
from minikafka.raft.voter_set import RaftVoter, VoterSet
from minikafka.records.summary import units_per_step
from minikafka.replica.add_partitions_to_txn import AddPartitionsToTxnManager
from minikafka.replica.alter_partition import AlterPartitionManager
from minikafka.replica.auto_topics import AutoTopics
from minikafka.replica.broker_lifecycle import BrokerLifecycle
from minikafka.replica.directory_assignments import DirectoryAssignments
from minikafka.replica.fetch_session import FetchSessions
from minikafka.replica.fetch_session_handler import FetchSettings
from minikafka.replica.log_settings import LogConfigs
from minikafka.replica.producer_ids import ProducerIds
from minikafka.replica.replica_manager import ReplicaManager
from minikafka.replica.transactional_appends import TransactionalAppends
from minikafka.rpc.calls import Calls
from minikafka.rpc.controller_channel import ActiveController, ControllerChannel
from minikafka.serving.context import BrokerServices, ControllerServices
from minikafka.serving.index import MODULES
from minikafka.serving.leaving_brokers import LeavingBrokers
from minikafka.serving.registry import BROKER, CONTROLLER
from minikafka.transaction.coordinator import TransactionCoordinator
from minikafka.transaction.marker_sender import MarkerSender

_log = logging.getLogger("minikafka.node")
_SHUTDOWN_TIMEOUT_MS = 300_000


class NodeInputs(NamedTuple):
    """The inputs from the shell: disks by path, bound ports by listener, entropy, time."""

    disks: Mapping[str, Disk]
    ports: Mapping[str, int]
    cluster_id: str
    rng: Random
    now: Now


def assemble(config: NodeConfig, inputs: NodeInputs) -> Node:
    """Return a node that has loaded its disks and is ready for `start`.

    Raises:
        BadMetaPropertiesError: a directory is not formatted, or belongs to another node.
        StorageFault: a directory cannot be used.
    """
    builder = _Builder(config, inputs)
    return builder.build()


class _Builder:
    def __init__(self, config: NodeConfig, inputs: NodeInputs) -> None:
        self.config = config
        self.inputs = inputs
        self.values = config.values
        self.env = Environment(inputs.rng, units_per_step=units_per_step())
        self.env.clock.set(inputs.now)
        self.calls = Calls(self.env, str(config.node_id))
        self.loader = MetadataLoader()
        self.logs = self._open_logs()
        self._controllers: ActiveController | None = None

    def build(self) -> Node:
        config, env = self.config, self.env
        home = self._metadata_home()
        raft = self._raft(home)
        bootstrap: list[MetadataRecord] = []
        if config.is_controller:
            # Before the logs are loaded: a start that fails here keeps the clean shutdown files.
            check_quorum_state(home.disk)
            bootstrap = read_bootstrap(home.disk)
            self._check_metadata(raft, home)
        first_config = self._first_log_config()
        for fault in self.logs.load(lambda _: first_config, self.inputs.now):
            if fault.log_dir == home.disk.root or not self.logs.online:
                raise fault
        # A directory that cannot be loaded makes the last shutdown unclean.
        previous_epoch = self.logs.previous_broker_epoch
        purgatory = Purgatory(env)
        controller_services = self._controller(raft, home, bootstrap)
        broker = self._broker(raft, previous_epoch) if config.is_broker else None
        return Node(
            env=env,
            config=config,
            calls=self.calls,
            purgatory=purgatory,
            dispatcher=Dispatcher(
                env=env,
                purgatory=purgatory,
                modules=MODULES,
                max_in_flight=self.values[keys.QUEUED_MAX_REQUESTS],
                node_listeners=(
                    self.config.inter_broker_listener_name,
                    *self.config.controller_listener_names,
                ),
                make_context=Contexts(env, broker, controller_services).make,
            ),
            raft=raft,
            active_controller=self._active_controller(raft),
            loader=self.loader,
            snapshotter=Snapshotter(
                env=env,
                raft=raft,
                max_bytes=self.values[keys.METADATA_LOG_MAX_RECORD_BYTES_BETWEEN_SNAPSHOTS],
                max_interval_ms=self.values[keys.METADATA_LOG_MAX_SNAPSHOT_INTERVAL_MS],
                retention=SnapshotRetention(
                    raft,
                    max_bytes=self.values[keys.METADATA_MAX_RETENTION_BYTES],
                    max_ms=self.values[keys.METADATA_MAX_RETENTION_MS],
                ),
            ),
            controller=None if controller_services is None else controller_services.controller,
            controller_services=controller_services,
            broker=broker,
            roles={
                listener.name: CONTROLLER
                if listener.name in config.controller_listener_names
                else BROKER
                for listener in config.listeners
            },
        )

    # Disks

    def _open_logs(self) -> LogManager:
        values = self.values
        return LogManager.open(
            [self.inputs.disks[path] for path in self.config.log_dirs],
            cluster_id=self.inputs.cluster_id,
            node_id=self.config.node_id,
            rng=self.inputs.rng,
            settings=LogManagerSettings(
                retention_check_interval_ms=values[log_keys.LOG_RETENTION_CHECK_INTERVAL_MS],
                producer_id_expiration_check_interval_ms=values[
                    log_keys.PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS
                ],
                initial_task_delay_ms=values[log_keys.LOG_INITIAL_TASK_DELAY_MS],
                flush_offset_checkpoint_interval_ms=values[
                    log_keys.LOG_FLUSH_OFFSET_CHECKPOINT_INTERVAL_MS
                ],
                flush_start_offset_checkpoint_interval_ms=values[
                    log_keys.LOG_FLUSH_START_OFFSET_CHECKPOINT_INTERVAL_MS
                ],
            ),
        )

    def _metadata_home(self) -> LogDirectory:
        """Return the directory of the metadata log; outside `log.dirs` it holds nothing else."""
        disk = self.inputs.disks[self.config.metadata_log_dir]
        for home in self.logs.directories:
            if home.disk is disk and home.is_online:
                return home
        inputs = self.inputs
        return LogDirectory.open(disk, inputs.cluster_id, self.config.node_id, inputs.rng)

    def _check_metadata(self, raft: RaftNode, home: LogDirectory) -> None:
        """Check that a controller's metadata exists, unless the cluster is new.

        Raises:
            StorageFault: the only voter has no metadata, but its directories show that it was in
                use. Among several voters it follows the others (`raft/forgotten_votes.py`).
        """
        if not is_unused(home.disk, raft.log.unified_log):
            return
        if raft.voters is None:
            _log.warning(
                "%s/%s holds no metadata, not even the voters: waiting for a leader among %s. If "
                "this node is the only controller, no leader will appear: %s; for a new cluster, "
                "format with --standalone",
                home.disk.root, METADATA_FOLDER,
                ", ".join(f"{host}:{port}" for host, port in self.config.bootstrap_servers), REMEDY,
            )  # fmt: skip
            return
        sign = self._sign_of_use()
        if sign is not None and raft.quorum.is_only_voter:
            raise damaged(
                home.disk,
                f"{METADATA_FOLDER} is missing or empty, but {sign} shows that this node was in "
                "use: it would lead a cluster without topics",
            )

    def _sign_of_use(self) -> str | None:
        """Return the path of what shows that this node was in use; None if nothing does."""
        for directory in self.logs.online:
            sign = sign_of_use(directory.disk)
            if sign is not None:
                return f"{directory.disk.root}/{sign}"
        return None

    def _first_log_config(self) -> LogConfig:
        """Return the broker's own log configuration: logs have it until the metadata is known."""
        return LogConfigs().of(ConfigLayers({}, {}, self.values.given), {})

    # Quorum

    def _raft(self, home: LogDirectory) -> RaftNode:
        config, values = self.config, self.values
        log_settings = LogConfig(
            segment_bytes=values[keys.METADATA_LOG_SEGMENT_BYTES],
            segment_ms=values[keys.METADATA_LOG_SEGMENT_MS],
            retention_ms=-1,
            retention_bytes=-1,
        )
        was_used = self._sign_of_use() is not None
        if config.is_controller and not was_used:
            note_first_start(home.disk)
        log = open_metadata_log(home.disk, log_settings, self.inputs.now, self.inputs.rng)
        return RaftNode(
            env=self.env,
            calls=self.calls,
            cluster_id=self.inputs.cluster_id,
            quorum=QuorumState(
                node_id=config.node_id,
                directory_id=home.directory_id,
                disk=home.disk,
                listener=config.controller_listener_names[0],
                is_controller=config.is_controller,
                history=VoterHistory(self._static_voters()),
                was_used=was_used,
            ),
            log=RaftLog(log),
            disk=home.disk,
            bootstrap=config.bootstrap_servers,
            endpoints=self._endpoints(controller=True) if config.is_controller else (),
            is_joining=values[keys.CONTROLLER_QUORUM_AUTO_JOIN_ENABLE],
            settings=RaftSettings(
                election_timeout_ms=values[keys.CONTROLLER_QUORUM_ELECTION_TIMEOUT_MS],
                election_backoff_max_ms=values[keys.CONTROLLER_QUORUM_ELECTION_BACKOFF_MAX_MS],
                fetch_timeout_ms=values[keys.CONTROLLER_QUORUM_FETCH_TIMEOUT_MS],
                request_timeout_ms=values[keys.CONTROLLER_QUORUM_REQUEST_TIMEOUT_MS],
                retry_backoff_ms=values[keys.CONTROLLER_QUORUM_RETRY_BACKOFF_MS],
                fetch_max_bytes=values[keys.CONTROLLER_QUORUM_FETCH_MAX_BYTES],
                snapshot_max_bytes=values[keys.CONTROLLER_QUORUM_FETCH_SNAPSHOT_MAX_BYTES],
                detects_stopped_nodes=values[keys.STOPPED_NODE_DETECTION_ENABLE],
            ),
        )

    def _static_voters(self) -> VoterSet | None:
        config = self.config
        if not config.voters:
            return None
        listener = config.controller_listener_names[0]
        return VoterSet.of(
            RaftVoter(voter.node_id, None, (Endpoint(listener, voter.host, voter.port),))
            for voter in config.voters
        )

    def _controller(
        self, raft: RaftNode, home: LogDirectory, bootstrap: Sequence[MetadataRecord]
    ) -> ControllerServices | None:
        config = self.config
        if not config.is_controller:
            return None
        from minikafka.controller.quorum_controller import QuorumController  # noqa: PLC0415

        controller = QuorumController(
            env=self.env,
            node_id=config.node_id,
            cluster_id=self.inputs.cluster_id,
            raft=raft,
            loader=self.loader,
            values=self.values,
            endpoints=self._endpoints(controller=True),
            bootstrap=bootstrap,
            calls=self.calls,
            active_controller=self._active_controller(raft),
            broker_listener=config.inter_broker_listener_name,
        )
        return ControllerServices(
            self.env,
            config,
            self.inputs.cluster_id,
            raft,
            self.loader,
            controller,
            home.directory_id,
        )

    def _endpoints(self, *, controller: bool) -> tuple[Endpoint, ...]:
        """Return this node's advertised endpoints, with the ports that were bound."""
        config = self.config
        listeners = config.controller_listeners if controller else config.broker_listeners
        found = []
        for listener in listeners:
            told = config.advertised[listener.name]
            host = told.host or "127.0.0.1"
            found.append(
                Endpoint(listener.name, host, told.port or self.inputs.ports[listener.name])
            )
        return tuple(found)

    # Broker

    def _channel(self, raft: RaftNode, purpose: str) -> ControllerChannel:
        return ControllerChannel(
            self.env,
            self.calls,
            self._active_controller(raft),
            purpose,
            self.values[keys.REQUEST_TIMEOUT_MS],
        )

    def _active_controller(self, raft: RaftNode) -> ActiveController:
        if self._controllers is None:
            self._controllers = ActiveController(self.calls, lambda: raft.leader_address)
        return self._controllers

    def _broker(self, raft: RaftNode, previous_epoch: int) -> BrokerServices:
        config, values, env = self.config, self.values, self.env
        dynamic = DynamicConfig(self.loader, config.node_id, values.given, Config(values.given))
        alter_partition = AlterPartitionManager(
            env, self._channel(raft, "alter-partition"), config.node_id
        )
        assignments = DirectoryAssignments(
            env, self._channel(raft, "directory-assignments"), config.node_id
        )
        lifecycle = self._lifecycle(raft, alter_partition, assignments, previous_epoch)
        replicas = ReplicaManager(
            env=env,
            calls=self.calls,
            broker_id=config.node_id,
            listener=config.inter_broker_listener_name,
            logs=self.logs,
            layers=dynamic.layers,
            alter_partition=alter_partition,
            assignments=assignments,
            fetch_settings=FetchSettings(
                version=_FETCH_VERSION,
                max_wait_ms=values[keys.REPLICA_FETCH_WAIT_MAX_MS],
                min_bytes=values[keys.REPLICA_FETCH_MIN_BYTES],
                max_bytes=values[keys.REPLICA_FETCH_RESPONSE_MAX_BYTES],
                partition_max_bytes=values[keys.REPLICA_FETCH_MAX_BYTES],
                backoff_ms=values[keys.REPLICA_FETCH_BACKOFF_MS],
                timeout_ms=values[keys.REPLICA_SOCKET_TIMEOUT_MS],
            ),
            lag_max_ms=values[keys.REPLICA_LAG_TIME_MAX_MS],
            high_watermark_checkpoint_ms=values[keys.REPLICA_HIGH_WATERMARK_CHECKPOINT_INTERVAL_MS],
            on_offline=OfflineDirs(env, self.logs, lifecycle, raft.disk.root).report,
        )
        groups = GroupCoordinator(
            env=env,
            broker_id=config.node_id,
            replicas=replicas,
            image=self._image,
            config=lambda: dynamic.current,
        )
        forwarding = self._channel(raft, "forwarding")
        producer_ids = ProducerIds(env, forwarding, config.node_id, lambda: lifecycle.broker_epoch)
        return BrokerServices(
            env,
            config,
            self.inputs.cluster_id,
            raft,
            self.loader,
            logs=self.logs,
            replicas=replicas,
            transactional_appends=self._transactional_appends(replicas, dynamic),
            fetch_sessions=FetchSessions(
                env, values[keys.MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS]
            ),
            groups=groups,
            transactions=self._transactions(replicas, dynamic, producer_ids),
            lifecycle=lifecycle,
            producer_ids=producer_ids,
            auto_topics=AutoTopics(env, forwarding, values),
            forwarding=forwarding,
            dynamic=dynamic,
            leaving_brokers=LeavingBrokers(env),
        )

    def _transactional_appends(
        self, replicas: ReplicaManager, dynamic: DynamicConfig
    ) -> TransactionalAppends:
        verifier = AddPartitionsToTxnManager(
            self.env,
            self.calls,
            self.config.inter_broker_listener_name,
            self._image,
            lambda: dynamic.current,
        )
        gate = TransactionalAppends(self.env, verifier, lambda: dynamic.current)
        replicas.on_leadership.append(gate.leadership_changed)
        replicas.on_removed.append(gate.removed)
        return gate

    def _transactions(
        self, replicas: ReplicaManager, dynamic: DynamicConfig, producer_ids: ProducerIds
    ) -> TransactionCoordinator:
        return TransactionCoordinator(
            env=self.env,
            broker_id=self.config.node_id,
            replicas=replicas,
            image=self._image,
            config=lambda: dynamic.current,
            producer_ids=producer_ids,
            markers=MarkerSender(
                self.env,
                self.calls,
                self._image,
                self.config.inter_broker_listener_name,
                self.values[keys.REQUEST_TIMEOUT_MS],
            ),
        )

    def _image(self) -> MetadataImage:
        return self.loader.image

    def _lifecycle(
        self,
        raft: RaftNode,
        alter_partition: AlterPartitionManager,
        assignments: DirectoryAssignments,
        previous_epoch: int,
    ) -> BrokerLifecycle:
        config, values = self.config, self.values

        def registered(epoch: int) -> None:
            alter_partition.broker_epoch = assignments.broker_epoch = epoch

        return BrokerLifecycle(
            env=self.env,
            channel=self._channel(raft, "heartbeat"),
            broker_id=config.node_id,
            cluster_id=self.inputs.cluster_id,
            endpoints=self._endpoints(controller=False),
            rack=values[keys.BROKER_RACK],
            log_dirs=tuple(home.directory_id for home in self.logs.online),
            previous_broker_epoch=previous_epoch,
            heartbeat_interval_ms=values[keys.BROKER_HEARTBEAT_INTERVAL_MS],
            registration_timeout_ms=values[keys.INITIAL_BROKER_REGISTRATION_TIMEOUT_MS],
            session_timeout_ms=values[keys.BROKER_SESSION_TIMEOUT_MS],
            shutdown_timeout_ms=_SHUTDOWN_TIMEOUT_MS,
            metadata_offset=lambda: self.loader.image.offset,
            on_registered=registered,
            hands_over=values[keys.CONTROLLED_SHUTDOWN_ENABLE],
        )


_FETCH_VERSION = 17
