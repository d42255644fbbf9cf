"""The metrics of a node, with those of its broker and its controller.

Source of the names of delayed operations: `DelayedOperationPurgatory` and the code that creates
purgatories.
"""

from collections.abc import Iterator

from minikafka.messages.api_keys import APIS, ApiKey
from minikafka.metrics import catalog
from minikafka.metrics.definition import Sample
from minikafka.node.login_audit import LoginCounts
from minikafka.node.node import Node
from minikafka.node.purgatory import Parked
from minikafka.replica.metrics import cleaner_samples, directory_samples, replica_samples
from minikafka.serving.context import BrokerServices
from minikafka.serving.registry import BROKER, CONTROLLER, Api

_OPERATIONS = {
    (BROKER, ApiKey.PRODUCE): "Produce",
    (BROKER, ApiKey.FETCH): "Fetch",
    (BROKER, ApiKey.DELETE_RECORDS): "DeleteRecords",
    (BROKER, ApiKey.JOIN_GROUP): "Rebalance",
    (CONTROLLER, ApiKey.ELECT_LEADERS): "ElectLeader",
}


def node_samples(node: Node) -> Iterator[Sample]:
    """Yield every metric, each read when it is yielded; the node may step in between."""
    yield from _requests(node)
    yield from _purgatory(node)
    authorizer = node.authorizer
    yield Sample(catalog.ACL_COUNT, 0 if authorizer is None else authorizer.acl_count)
    yield Sample(catalog.DENIALS, 0 if authorizer is None else authorizer.denials.count)
    raft = node.raft
    yield Sample(catalog.QUORUM_LEADER, raft.leader_id)
    yield Sample(catalog.QUORUM_EPOCH, raft.epoch)
    yield Sample(catalog.QUORUM_HIGH_WATERMARK, raft.high_watermark)
    yield Sample(catalog.QUORUM_LOG_END_OFFSET, raft.end_offset)
    if node.broker is not None:
        yield from _broker(node.broker)
    if node.controller is not None:
        # A node without the controller role never imports the controller.
        from minikafka.controller.metrics import controller_samples  # noqa: PLC0415

        yield from controller_samples(node.controller)


def _requests(node: Node) -> Iterator[Sample]:
    for key, count in list(node.dispatcher.requests.items()):
        yield Sample(catalog.REQUESTS, count, (APIS[key].name,))
    connections = dict.fromkeys(node.roles, 0)
    for connection in node.dispatcher.connections.values():
        connections[connection.listener] += 1
    logins = node.dispatcher.logins
    if logins is not None:
        for listener in connections:
            connections[listener] += logins.count(listener)
    counts = {} if logins is None else logins.audit.counts
    for listener, count in connections.items():
        yield Sample(catalog.CONNECTION_COUNT, count, (listener,))
        failed = node.dispatcher.failed_authentications.get(listener, 0)
        yield from _logins(listener, counts.get(listener) or LoginCounts(), failed)


def _logins(listener: str, counts: LoginCounts, failed: int) -> Iterator[Sample]:
    """Yield the figures of a listener; `failed` clients have not come to their login."""
    yield Sample(catalog.LOGINS, counts.succeeded, (listener,))
    yield Sample(catalog.FAILED_LOGINS, failed + counts.failed, (listener,))
    yield Sample(catalog.REPEATED_LOGINS, counts.repeated, (listener,))
    yield Sample(catalog.FAILED_REPEATED_LOGINS, counts.repeated_failed, (listener,))
    yield Sample(catalog.LOGINS_WITHOUT_REPETITION, counts.without_repetition, (listener,))
    yield Sample(catalog.EXPIRED_CONNECTIONS, counts.expired, (listener,))


def _purgatory(node: Node) -> Iterator[Sample]:
    waits = dict.fromkeys(_OPERATIONS.values(), 0)
    watched = dict(waits)
    for parked in node.purgatory.waits():
        name = _operation(parked)
        if name is not None:
            waits[name] += 1
            watched[name] += len(parked.keys)
    for name, count in waits.items():
        yield Sample(catalog.DELAYED_OPERATIONS, count, (name,))
        yield Sample(catalog.PURGATORY_SIZE, watched[name], (name,))


def _operation(parked: Parked) -> str | None:
    owner = parked.owner
    return _OPERATIONS.get((owner.role, ApiKey(owner.key))) if isinstance(owner, Api) else None


def _broker(broker: BrokerServices) -> Iterator[Sample]:
    yield Sample(catalog.BROKER_STATE, broker.lifecycle.state.value)
    yield Sample(catalog.APPLIED_OFFSET, broker.replicas.image.offset)
    verifier = broker.transactional_appends.verifier
    yield Sample(catalog.VERIFICATION_TIME, verifier.verification_ms)
    yield Sample(catalog.VERIFICATION_FAILURES, verifier.failures)
    yield from directory_samples(broker.logs)
    yield from cleaner_samples(broker.cleaner)
    yield from replica_samples(broker.replicas)
    transactions = broker.transactions
    yield Sample(catalog.UNKNOWN_DESTINATIONS, transactions.markers.unknown_destinations)
    yield Sample(catalog.LOG_APPEND_RETRIES, transactions.retried_appends)
    yield Sample(catalog.LONGEST_TRANSACTION_LOAD, transactions.load_times.longest_ms)
    yield Sample(catalog.AVERAGE_TRANSACTION_LOAD, transactions.load_times.average_ms)
    yield Sample(catalog.LONGEST_GROUP_LOAD, broker.groups.load_times.longest_ms)
    yield Sample(catalog.AVERAGE_GROUP_LOAD, broker.groups.load_times.average_ms)
