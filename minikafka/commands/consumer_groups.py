"""List, describe and delete groups of consumers (Kafka: `ConsumerGroupCommand`)."""

import sys
from collections.abc import Collection, Iterable, Mapping, Sequence

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.groups import (
    DEAD,
    CommittedOffset,
    GroupDescription,
    GroupMember,
    committed_offsets,
    delete_group,
    delete_offsets,
    describe_group,
    list_consumer_groups,
)
from minikafka.admin.offsets import LATEST, leaders, list_offsets
from minikafka.commands.java_errors import (
    exception_text,
    future_text,
    kafka_message,
    known_code,
    message_of,
)
from minikafka.commands.java_order import hash_map_order, partition_order
from minikafka.commands.options import Options, ToolError
from minikafka.commands.topic_arguments import partitions_of
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition

_NONE = "-"
_REBALANCING = ("PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling")
_NO_PARTITION = -1
_OF_PARTITIONS = (
    ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC,
    ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
)
_OF_THE_GROUP = (
    ErrorCode.INVALID_GROUP_ID,
    ErrorCode.GROUP_ID_NOT_FOUND,
    ErrorCode.GROUP_AUTHORIZATION_FAILED,
    ErrorCode.NON_EMPTY_GROUP,
)


def print_error(text: str) -> None:
    """Print an error as Kafka's tool does: on standard output."""
    print(f"\nError: {text}")


def _row(cells: Iterable[object], widths: Sequence[int]) -> str:
    """Return a line: each cell padded to its width, the last ones as they are."""
    texts = [str(cell) for cell in cells]
    padded = [text.ljust(width) for text, width in zip(texts, widths, strict=False)]
    return " ".join((*padded, *texts[len(padded) :]))


def _or_none(value: object | None) -> object:
    return _NONE if value is None else value


def chosen_groups(options: Options, client: AdminClient) -> list[str]:
    """Return the groups that the options name, in the order of Kafka's tool."""
    if options.has("all-groups"):
        return _listed_groups(client)
    return hash_map_order(options.values("group"))


def _listed_groups(client: AdminClient) -> list[str]:
    try:
        return hash_map_order(it.group_id for it in list_consumer_groups(client))
    except AdminError as error:
        raise ToolError(future_text(error)) from None


def print_list(
    client: AdminClient, *, states: Sequence[str] | None, types: Sequence[str] | None
) -> None:
    """Print the groups; with their types and states if these are not None, and only such ones."""
    if states is None and types is None:
        for name in _listed_groups(client):
            print(name)
        return
    found = list_consumer_groups(client, states=states or (), types=types or ())
    listed = {it.group_id: it for it in found}
    ordered = [listed[name] for name in hash_map_order(listed)]
    width = max((15, *(len(it.group_id) for it in ordered))) + 10
    widths = [width, *(20 for shown in (types, states) if shown is not None)]
    rows = [["GROUP", "TYPE", "STATE"]]
    rows += [[it.group_id, it.type or "Unknown", it.state or "Unknown"] for it in ordered]
    shown = [True, types is not None, states is not None]
    for row in rows:
        print(_row((cell for cell, is_shown in zip(row, shown, strict=True) if is_shown), widths))


def _describe(client: AdminClient, groups: Collection[str]) -> dict[str, GroupDescription]:
    """Describe all groups before anything is printed; sorted by name.

    As in Kafka's tool, the first of `groups` that cannot be described is reported.
    """
    found = {name: describe_group(client, name) for name in groups}
    return {name: found[name] for name in sorted(found)}


def _has_rows(group: GroupDescription, rows: int) -> bool:
    """True if there is something to print of a group; print a remark on its state."""
    if group.state == DEAD:
        print_error(f"Consumer group '{group.group_id}' does not exist.")
    elif group.state == "Empty":
        sys.stdout.flush()
        print(f"\nConsumer group '{group.group_id}' has no active members.", file=sys.stderr)
    elif group.state in _REBALANCING:
        sys.stdout.flush()
        print(f"\nWarning: Consumer group '{group.group_id}' is rebalancing.", file=sys.stderr)
    return group.state != DEAD and rows > 0


def print_offsets(client: AdminClient, groups: Collection[str], *, verbose: bool) -> None:
    """Print the partitions of groups with committed offset, log end and lag.

    Raises:
        AdminError: a group does not exist, or its coordinator does not answer.
        ToolError: offsets cannot be read.
    """
    described = _describe(client, groups).values()
    try:
        tables = [(group, _offset_rows(client, group)) for group in described]
    except AdminError as error:
        raise ToolError(future_text(error)) from None
    titles = [
        "GROUP", "TOPIC", "PARTITION", "LEADER-EPOCH", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG",
        "CONSUMER-ID", "HOST", "CLIENT-ID",
    ]  # fmt: skip
    for group, rows in tables:
        if not _has_rows(group, len(rows)):
            continue
        # The last column is not padded.
        longest = [max((15, *(len(str(row[at])) for row in rows))) for at in (0, 1, 7, 8)]
        widths = [*longest[:2], 10, 15, 15, 15, 15, *longest[2:], 0]
        print()
        shown = [at for at in range(len(titles)) if verbose or titles[at] != "LEADER-EPOCH"]
        table: list[list[object]] = [[*titles], *rows]
        for cells in table:
            print(_row([cells[at] for at in shown], [widths[at] for at in shown]))


def _offset_rows(client: AdminClient, group: GroupDescription) -> list[list[object]]:
    """Return the rows of the members, those with most partitions first, then those of no member."""
    committed = committed_offsets(client, group.group_id)
    members = [it for it in group.members if it.assigned]
    members.sort(key=lambda it: -len(it.assigned))
    assigned = {at for member in members for at in member.assigned}
    rest = [at for at in committed if at not in assigned]
    everywhere = assigned | set(rest)
    known = leaders(client, {at.topic for at in everywhere})
    led = [at for at in everywhere if known.get(at, 0) is not None]
    ends = list_offsets(client, led, LATEST)
    rows: list[list[object]] = []
    for member in members:
        names = (member.member_id, member.host, member.client_id)
        rows += _partition_rows(group.group_id, member.assigned, committed, ends, names)
    return rows + _partition_rows(group.group_id, rest, committed, ends, (_NONE,) * 3)


def _partition_rows(
    group_id: str,
    partitions: Iterable[TopicPartition],
    committed: Mapping[TopicPartition, CommittedOffset],
    ends: Mapping[TopicPartition, int],
    names: tuple[str, str, str],
) -> list[list[object]]:
    rows: list[list[object]] = []
    for at in sorted(partitions):
        own, end = committed.get(at), ends.get(at)
        lag = None if own is None or end is None else end - own.offset
        numbers = (own and own.leader_epoch, own and own.offset, end, lag)
        rows.append([group_id, at.topic, at.partition, *map(_or_none, numbers), *names])
    return rows


def print_members(client: AdminClient, groups: Collection[str], *, verbose: bool) -> None:
    """Print the members of groups; with epochs and assignments if `verbose`.

    Raises:
        AdminError: a group does not exist, or the cluster does not answer.
    """
    for group in _describe(client, groups).values():
        _has_rows(group, len(group.members))
        with_instances = any(it.instance_id for it in group.members)
        kinds = {it.is_upgraded for it in group.members}
        with_upgrades = kinds >= {True, False}
        titles = [
            "GROUP", "CONSUMER-ID", "GROUP-INSTANCE-ID", "HOST", "CLIENT-ID", "#PARTITIONS",
            "CURRENT-EPOCH", "CURRENT-ASSIGNMENT", "TARGET-EPOCH", "TARGET-ASSIGNMENT", "UPGRADED",
        ]  # fmt: skip
        least = [15, 15, 17, 15, 15, 15, 15, 20, 15, 20, 0]
        rows = [_member_cells(group, it) for it in group.members]
        # The last column is not padded.
        widths = [
            max((width, *(len(str(row[at])) for row in rows)))
            for at, width in enumerate(least[:-1])
        ] + [0]
        shown = [
            at
            for at in range(len(titles))
            if (at != 2 or with_instances) and (verbose or at < 6) and (at < 10 or with_upgrades)
        ]
        print()
        table: list[list[object]] = [[*titles], *rows]
        for cells in table:
            line = _row((cells[at] for at in shown), [widths[at] for at in shown])
            print(line if verbose else f"{line} ")


def _member_cells(group: GroupDescription, it: GroupMember) -> list[object]:
    return [
        group.group_id,
        it.member_id,
        it.instance_id or "",
        it.host,
        it.client_id,
        len(it.assigned),
        _or_none(it.epoch),
        _assignment_text(it.assigned),
        _or_none(group.assignment_epoch),
        _assignment_text(it.target or ()),
        _NONE if it.is_upgraded is None else str(it.is_upgraded).lower(),
    ]


def _assignment_text(partitions: Iterable[TopicPartition]) -> str:
    """Return `topic:0,1;other:2`."""
    topics: dict[str, list[str]] = {}
    for at in sorted(partitions):
        topics.setdefault(at.topic, []).append(str(at.partition))
    return ";".join(sorted(f"{it}:{','.join(topics[it])}" for it in topics)) or _NONE


def print_states(client: AdminClient, groups: Collection[str], *, verbose: bool) -> None:
    """Print the state of groups; with their epochs if `verbose`.

    Raises:
        AdminError: a group does not exist, or the cluster does not answer.
    """
    for group in _describe(client, groups).values():
        if not _has_rows(group, 1):
            continue
        at = group.coordinator
        coordinator = f"{at.host}:{at.port}  ({at.node_id})"
        titles = ["GROUP", "COORDINATOR (ID)", "ASSIGNMENT-STRATEGY", "STATE"]
        cells: list[object] = [group.group_id, coordinator, group.assignor or _NONE, group.state]
        widths = [max(15, len(group.group_id)), max(25, len(coordinator)), 20, 20]
        if verbose:
            titles += ["GROUP-EPOCH", "TARGET-ASSIGNMENT-EPOCH"]
            cells += [_or_none(group.epoch), _or_none(group.assignment_epoch)]
            widths += [15, 25]
        print()
        print(_row([*titles, "#MEMBERS"], widths))
        print(_row([*cells, len(group.members)], widths))


def delete_groups(client: AdminClient, groups: Collection[str]) -> None:
    """Delete groups, and print what was deleted and what was not."""
    deleted: list[str] = []
    failed: dict[str, str] = {}
    for name in groups:
        try:
            delete_group(client, name)
            deleted.append(f"'{name}'")
        except AdminError as error:
            failed[name] = exception_text(error)
    if not failed:
        print(f"Deletion of requested consumer groups ({', '.join(deleted)}) was successful.")
        return
    print_error("Deletion of some consumer groups failed:")
    for name, why in failed.items():
        print(f"* Group '{name}' could not be deleted due to: {why}")
    if deleted:
        print(f"\nThese consumer groups were deleted successfully: {', '.join(deleted)}")


def delete_group_offsets(client: AdminClient, group_id: str, topics: Sequence[str]) -> None:
    """Delete the offsets of a group for topics or partitions (`topic:0,1`), and print the results.

    Raises:
        ToolError: a topic argument cannot be read.
    """
    results: dict[TopicPartition, str | None] = {}
    partitions: list[TopicPartition] = []
    for topic in topics:
        try:
            partitions += partitions_of(client, [topic])
        except AdminError as error:
            results[TopicPartition(topic, _NO_PARTITION)] = exception_text(error)
    first: AdminError | None = None
    try:
        codes = delete_offsets(client, group_id, partition_order(partitions))
    except AdminError as error:
        first = error
        results.update((at, exception_text(error)) for at in partitions)
    else:
        refused = {at: AdminError(kafka_message(code), code) for at, code in codes.items() if code}
        first = next((refused[at] for at in partitions if at in refused), None)
        results.update(
            (at, exception_text(refused[at]) if at in refused else None) for at in partitions
        )
    if first is None:
        print(f"Request succeeded for deleting offsets from group {group_id}.")
    elif first.code in _OF_THE_GROUP:
        print_error(message_of(first))
    elif first.code in _OF_PARTITIONS:
        print_error("Encountered some partition-level error, see the follow-up details.")
    else:
        print_error(f"Encountered some unknown error: {known_code(first.code).name}")
    _print_results(results)


def _print_results(results: Mapping[TopicPartition, str | None]) -> None:
    widths = [max((15, *(len(at.topic) for at in results))), 10, 15]
    print()
    print(_row(("TOPIC", "PARTITION", "STATUS"), widths))
    for at in sorted(results, key=lambda it: f"{it.topic}{it.partition}"):
        why = results[at]
        number = at.partition if at.partition >= 0 else _NONE
        print(_row((at.topic, number, f"Error: {why}" if why else "Successful"), widths))
