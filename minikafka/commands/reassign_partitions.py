"""Move partitions to other brokers (Kafka: `ReassignPartitionsCommand`).

Throttles are removed, but not set.
"""

import random
from collections.abc import Iterable, Mapping, Sequence

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.configs import Resource, ResourceType, alter_configs
from minikafka.admin.reassignments import (
    alter_reassignments,
    current_reassignments,
    live_brokers,
    replica_directories,
)
from minikafka.admin.topics import Reassignment, describe_topics
from minikafka.commands import replica_moves
from minikafka.commands.options import Options, ToolError
from minikafka.commands.reassignment_json import (
    Proposal,
    parse_executable,
    parse_proposals,
    parse_topics,
    read_file,
    to_json,
)
from minikafka.common.errors import ErrorCode, KafkaError
from minikafka.common.ids import ZERO_UUID, TopicPartition
from minikafka.common.whole_numbers import whole_number
from minikafka.controller.replica_placer import place
from minikafka.metadata.broker_registration import BrokerRegistration

_BROKER_THROTTLES = (
    "leader.replication.throttled.rate",
    "follower.replication.throttled.rate",
    "replica.alter.log.dirs.io.max.bytes.per.second",
)
_TOPIC_THROTTLES = (
    "leader.replication.throttled.replicas",
    "follower.replication.throttled.replicas",
)
_PARTITIONS_PER_PAGE = 2000
_MOVE_TIMEOUT_MS = 10_000

Assignment = dict[TopicPartition, Sequence[int]]


def run(options: Options, client: AdminClient) -> None:
    """Do the one action of the options, and print its result.

    Raises:
        ToolError: the action cannot be done.
        AdminError: the cluster does not answer, or rejects the request.
    """
    next(action for name, action in _ACTIONS.items() if options.has(name))(options, client)


def print_error(message: str) -> None:
    """Print an error of `run`; as Kafka, on standard output."""
    terse = message.startswith(("Cannot execute", "Error ", "Timed out before "))
    print(message if terse else f"Error: {message}")


def _list(_: Options, client: AdminClient) -> None:
    moving = current_reassignments(client)
    if not moving:
        print("No partition reassignments found.")
        return
    print("Current partition reassignments:")
    for at, it in moving.items():
        print(_moving_line(at, it))


def _moving_line(at: TopicPartition, it: Reassignment) -> str:
    line = f"{at}: replicas: {_joined(it.replicas)}."
    if it.adding:
        line += f" adding: {_joined(it.adding)}."
    if it.removing:
        line += f" removing: {_joined(it.removing)}."
    return line


def _generate(options: Options, client: AdminClient) -> None:
    topics = parse_topics(read_file(options.value("topics-to-move-json-file") or ""))
    brokers = _broker_list(options.value("broker-list") or "")
    current = _replicas(client, topics)
    proposed: Assignment = {}
    usable = _usable(client, brokers, by_rack=not options.has("disable-rack-aware"))
    rng = random.SystemRandom()
    for topic in topics:
        partitions = [at for at in sorted(current) if at.topic == topic]
        try:
            placed = place(
                usable,
                partitions=len(partitions),
                replication_factor=len(current[partitions[0]]),
                rng=rng,
            )
        except KafkaError as error:
            raise ToolError(error.message) from None
        proposed.update(zip(partitions, placed, strict=True))
    print("Current partition replica assignment")
    print(to_json(current, replica_directories(client, current)))
    print()
    print("Proposed partition reassignment configuration")
    print(to_json(proposed, {}))


def _usable(
    client: AdminClient, wanted: Sequence[int], *, by_rack: bool
) -> list[BrokerRegistration]:
    alive = [broker for broker in live_brokers(client) if broker.broker_id in wanted]
    with_rack = [broker for broker in alive if broker.rack is not None]
    if by_rack and with_rack and len(with_rack) < len(alive):
        raise ToolError(
            "Not all brokers have rack information. Add --disable-rack-aware in command line to"
            " make replica assignment without rack information."
        )
    return [
        BrokerRegistration(
            broker_id=broker.broker_id, epoch=-1, incarnation_id=ZERO_UUID, endpoints=(),
            features={}, rack=broker.rack if by_rack else None, fenced=False,
            in_controlled_shutdown=False, log_dirs=(), cordoned_log_dirs=None, registered_at=-1,
        )
        for broker in alive
    ]  # fmt: skip


def _execute(options: Options, client: AdminClient) -> None:
    proposals = parse_executable(read_file(options.value("reassignment-json-file") or ""))
    if not options.has("additional") and current_reassignments(client):
        raise ToolError(
            "Cannot execute because there is an existing partition assignment.  Use --additional to"
            " override this and create a new partition assignment in addition to the existing one."
            " The --additional flag can also be used to change the throttle by resubmitting the"
            " current reassignment."
        )
    alive = [broker.broker_id for broker in live_brokers(client)]
    for broker in sorted({x for it in proposals for x in it.replicas}):
        if broker not in alive:
            raise ToolError(f"Unknown broker id {broker}")
    everything = _replicas(client, dict.fromkeys(it.at.topic for it in proposals))
    for it in proposals:
        if it.at not in everything:
            raise ToolError(f"Unable to find partition: {it.at}")
    current = {it.at: everything[it.at] for it in proposals}
    directories = replica_directories(client, current)
    print(
        f"Current partition replica assignment\n\n{to_json(current, directories)}\n\n"
        "Save this to use as the --reassignment-json-file option during rollback"
    )
    errors = alter_reassignments(
        client,
        {it.at: it.replicas for it in proposals},
        resizing_allowed=not options.has("disallow-replication-factor-change"),
    )
    if errors:
        raise ToolError(f"Error reassigning partition(s):\n{_reasons(errors)}")
    names = ",".join(str(at) for at in sorted(current))
    print(f"Successfully started partition reassignment{_plural(current)} for {names}")
    wanted = replica_moves.wanted_directories(proposals)
    replica_moves.start_moves(client, wanted, _move_timeout_ms(options))


def _move_timeout_ms(options: Options) -> int:
    given = options.integer("timeout")
    return _MOVE_TIMEOUT_MS if given is None else given


def _verify(options: Options, client: AdminClient) -> None:
    proposals = parse_proposals(read_file(options.value("reassignment-json-file") or ""))
    moving = current_reassignments(client)
    active = any(it.at in moving for it in proposals)
    replicas: Assignment = {}
    for topic in dict.fromkeys(it.at.topic for it in proposals):
        try:
            replicas.update(_replicas(client, [topic]))
        except AdminError as error:
            if error.code != ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                raise
    print("Status of partition reassignment:")
    for it in sorted(proposals):
        present = replicas.get(it.at, ())
        if it.at in moving:
            print(f"Reassignment of partition {it.at} is still in progress.")
        elif list(present) == list(it.replicas):
            print(f"Reassignment of partition {it.at} is completed.")
        else:
            print(
                f"There is no active reassignment of partition {it.at}, but replica set is"
                f" {_joined(present)} rather than {_joined(it.replicas)}."
            )
    wanted = replica_moves.wanted_directories(proposals)
    states = replica_moves.states_of(client, wanted)
    lines = [replica_moves.state_line(each, wanted[each], state) for each, state in states.items()]
    print("\n".join(lines))
    active |= any(map(replica_moves.is_open, states.values()))
    if not active and not options.has("preserve-throttles"):
        _clear_throttles(client, proposals)


def _cancel(options: Options, client: AdminClient) -> None:
    proposals = parse_proposals(read_file(options.value("reassignment-json-file") or ""))
    moving = current_reassignments(client)
    active = [it.at for it in sorted(proposals) if it.at in moving]
    if active:
        errors = alter_reassignments(client, dict.fromkeys(active))
        if errors:
            raise ToolError(
                f"Error cancelling partition reassignment{_plural(errors)} for:\n{_reasons(errors)}"
            )
        names = ",".join(map(str, active))
        print(f"Successfully cancelled partition reassignment{_plural(active)} for: {names}")
    else:
        print("None of the specified partition reassignments are active.")
    states = replica_moves.states_of(client, replica_moves.wanted_directories(proposals))
    moves = {
        replica: state.current
        for replica, state in states.items()
        if state.current is not None and state.future is not None
    }
    # A request for the present directory ends a move.
    replica_moves.start_moves(client, moves, _move_timeout_ms(options))
    if not moves:
        # As Kafka: without an end of line.
        print("None of the specified partition moves are active.", end="")
    if not options.has("preserve-throttles"):
        _clear_throttles(client, proposals)


def _clear_throttles(client: AdminClient, proposals: Iterable[Proposal]) -> None:
    brokers = [broker.broker_id for broker in live_brokers(client)]
    topics = sorted({it.at.topic for it in proposals})
    print(f"Clearing broker-level throttles on broker{_plural(brokers)} {_joined(brokers)}")
    for broker in brokers:
        alter_configs(client, Resource(ResourceType.BROKER, str(broker)), {}, _BROKER_THROTTLES)
    print(f"Clearing topic-level throttles on topic{_plural(topics)} {','.join(topics)}")
    for topic in topics:
        alter_configs(client, Resource(ResourceType.TOPIC, topic), {}, _TOPIC_THROTTLES)


def _replicas(client: AdminClient, topics: Iterable[str]) -> Assignment:
    found: Assignment = {}
    for topic in topics:
        try:
            (described,) = describe_topics(client, [topic], _PARTITIONS_PER_PAGE)
        except AdminError as error:
            if error.code != ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                raise
            raise AdminError(f"Topic {topic} not found.", error.code) from None
        for it in described.partitions:
            found[TopicPartition(topic, it.partition)] = it.replicas
    return found


def _broker_list(text: str) -> list[int]:
    try:
        brokers = [whole_number(word) for word in text.split(",")]
    except ValueError as error:
        raise ToolError(f'--broker-list "{text}" is no list of broker ids: {error}') from None
    repeated = [broker for broker in dict.fromkeys(brokers) if brokers.count(broker) > 1]
    if repeated:
        raise ToolError(f"Broker list contains duplicate entries: {_joined(repeated)}")
    return brokers


def _reasons(errors: Mapping[TopicPartition, str]) -> str:
    return "\n".join(f"{at}: {errors[at]}" for at in sorted(errors))


def _plural(things: Sequence[object] | Mapping[TopicPartition, object]) -> str:
    return "" if len(things) == 1 else "s"


def _joined(brokers: Iterable[int]) -> str:
    return ",".join(map(str, brokers))


_ACTIONS = {
    "generate": _generate,
    "execute": _execute,
    "verify": _verify,
    "cancel": _cancel,
    "list": _list,
}
