"""The replicas of a broker, with what registers it and asks the controller for it."""

from typing import NamedTuple

from minikafka.common.environment import Environment
from minikafka.config import broker as keys
from minikafka.config.values import Config
from minikafka.log.directories.log_manager import LogManager
from minikafka.metadata.broker_registration import Endpoint
from minikafka.metadata.local_broker import LocalBroker
from minikafka.replica.add_partitions_to_txn import AddPartitionsToTxnManager
from minikafka.replica.alter_partition import AlterPartitionManager
from minikafka.replica.auto_topics import AutoTopics
from minikafka.replica.broker_lifecycle import BrokerLifecycle
from minikafka.replica.directory_assignments import DirectoryAssignments
from minikafka.replica.fetch_session import FetchSessions
from minikafka.replica.log_cleaner import LogCleaner
from minikafka.replica.producer_ids import ProducerIds
from minikafka.replica.replica_manager import ReplicaManager
from minikafka.replica.settings import LifecycleSettings, ReplicaSettings
from minikafka.replica.transactional_appends import TransactionalAppends
from minikafka.rpc.controller_channel import ActiveController, ControllerChannel


class ReplicaParts(NamedTuple):
    """The state machines of this package that requests reach."""

    replicas: ReplicaManager
    transactional_appends: TransactionalAppends
    fetch_sessions: FetchSessions
    lifecycle: BrokerLifecycle
    producer_ids: ProducerIds
    auto_topics: AutoTopics
    forwarding: ControllerChannel
    cleaner: LogCleaner


def open_replicas(
    env: Environment,
    controller: ActiveController,
    local: LocalBroker,
    logs: LogManager,
    values: Config,
    *,
    cluster_id: str,
    endpoints: tuple[Endpoint, ...],
    metadata_log_dir: str,
) -> ReplicaParts:
    """Make them for the broker `local`, whose listeners have these endpoints."""
    calls = controller.calls

    def channel(purpose: str) -> ControllerChannel:
        return ControllerChannel(env, calls, controller, purpose, values[keys.REQUEST_TIMEOUT_MS])

    lifecycle = BrokerLifecycle(
        env=env,
        channel=channel("heartbeat"),
        broker=local,
        cluster_id=cluster_id,
        endpoints=endpoints,
        log_dirs=tuple(home.directory_id for home in logs.online),
        # A directory that cannot be loaded makes the last shutdown unclean.
        previous_broker_epoch=logs.previous_broker_epoch,
        settings=LifecycleSettings.of(values),
    )
    replicas = ReplicaManager(
        env=env,
        calls=calls,
        view=local,
        logs=logs,
        alter_partition=AlterPartitionManager(env, channel("alter-partition"), local),
        assignments=DirectoryAssignments(env, channel("directory-assignments"), local),
        lifecycle=lifecycle,
        metadata_log_dir=metadata_log_dir,
        settings=ReplicaSettings.of(values),
    )
    appends = TransactionalAppends(env, AddPartitionsToTxnManager(env, calls, local), local)
    replicas.listeners.append(appends)
    forwarding = channel("forwarding")
    return ReplicaParts(
        replicas,
        appends,
        FetchSessions(env, values[keys.MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS]),
        lifecycle,
        ProducerIds(env, forwarding, local),
        AutoTopics(env, forwarding, values),
        forwarding,
        LogCleaner(env, logs, local, replicas),
    )
