"""Reset the committed offsets of groups without members (Kafka: `GroupOffsetsResetter`)."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.groups import DEAD, commit_offsets, committed_offsets, describe_group
from minikafka.admin.offsets import EARLIEST, LATEST, leaders, list_offsets
from minikafka.commands.consumer_groups import print_error
from minikafka.commands.java_errors import future_text, message_of
from minikafka.commands.java_order import partition_order
from minikafka.commands.java_times import parse_date_time, parse_duration_ms
from minikafka.commands.options import Options, ToolError, UsageError
from minikafka.commands.reset_plan import csv_of, read_plan
from minikafka.commands.topic_arguments import partitions_of
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.common.whole_numbers import INT64_MAX, INT64_MIN

SCENARIOS = (
    "to-offset", "shift-by", "to-datetime", "by-duration", "to-earliest", "to-latest",
    "to-current", "from-file",
)  # fmt: skip

Offsets = dict[TopicPartition, int]


class OffsetReset(NamedTuple):
    """The options of the command line; each is None if it is missing."""

    options: Options
    to_offset: int | None
    shift_by: int | None

    @property
    def is_executed(self) -> bool:
        """True if offsets are committed, not only printed."""
        return self.options.has("execute") and not self.options.has("dry-run")


def reset_offsets(client: AdminClient, reset: OffsetReset, groups: Sequence[str]) -> None:
    """Reset the offsets of groups, and print the new ones as a table or as CSV.

    Raises:
        UsageError: the options do not say which partitions, or to what.
        ToolError: a file, a time or a topic argument cannot be read.
        AdminError: a partition does not exist, or the cluster does not answer.
    """
    results: dict[str, Offsets] = {}
    for group_id in groups:
        results[group_id] = _reset_group(client, reset, group_id)
    if reset.options.has("export"):
        has_groups = len(reset.options.values("group")) != 1
        print(csv_of(results.items(), has_groups=has_groups))
    else:
        _print_table(results)


def _reset_group(client: AdminClient, reset: OffsetReset, group_id: str) -> Offsets:
    try:
        state = describe_group(client, group_id).state
    except AdminError as error:
        if error.code != ErrorCode.GROUP_ID_NOT_FOUND:
            raise ToolError(future_text(error)) from None
        state = DEAD
    if state not in ("Empty", DEAD):
        print_error(
            f"Assignments can only be reset if the group '{group_id}' is inactive, but the current"
            f" state is {state}."
        )
        return {}
    scope = _scope(client, reset.options, group_id)
    try:
        offsets = _new_offsets(client, reset, group_id, scope)
    except AdminError as error:
        raise ToolError(future_text(error)) from None
    offsets = {at: offsets[at] for at in partition_order(offsets)}
    if reset.is_executed:
        try:
            commit_offsets(client, group_id, offsets)
        except AdminError as error:
            raise ToolError(message_of(error)) from error
    return offsets


def _scope(client: AdminClient, options: Options, group_id: str) -> list[TopicPartition]:
    if options.has("all-topics"):
        try:
            return partition_order(committed_offsets(client, group_id))
        except AdminError as error:
            raise ToolError(future_text(error)) from None
    if options.has("topic"):
        try:
            found = partitions_of(client, options.values("topic"))
        except AdminError as error:
            raise ToolError(message_of(error)) from error
        repeated = [at for at, count in Counter(found).items() if count > 1]
        if repeated:
            raise ToolError(f"Duplicate key {repeated[0]}: --topic has the partition twice")
        return found
    if options.has("from-file"):
        return []
    raise UsageError("One of the reset scopes should be defined: --all-topics, --topic.")


def _new_offsets(
    client: AdminClient, reset: OffsetReset, group_id: str, scope: list[TopicPartition]
) -> Offsets:
    _check_partitions(client, scope)
    for name, to in _TARGETS.items():
        if reset.options.has(name):
            return to(client, reset, group_id, scope)
    raise UsageError(
        "Option '[reset-offsets]' requires one of the following scenarios:"
        f" [{', '.join(f'[{name}]' for name in SCENARIOS)}]"
    )


def _check_partitions(client: AdminClient, partitions: Collection[TopicPartition]) -> None:
    """Raise a ToolError unless all partitions exist and have a leader."""
    known = leaders(client, {at.topic for at in partitions})
    for wrong, what in (
        ([at for at in partitions if at not in known], "do not exist"),
        ([at for at in partitions if known.get(at, 0) is None], "have no leader"),
    ):
        if wrong:
            raise ToolError(f'The partitions "{",".join(map(str, wrong))}" {what}')


def _to_offset(
    client: AdminClient, reset: OffsetReset, _: str, scope: list[TopicPartition]
) -> Offsets:
    assert reset.to_offset is not None, "the option is given"
    return _in_range(client, dict.fromkeys(scope, reset.to_offset))


def _shifted(
    client: AdminClient, reset: OffsetReset, group_id: str, scope: list[TopicPartition]
) -> Offsets:
    assert reset.shift_by is not None, "the option is given"
    committed = committed_offsets(client, group_id)
    for at in scope:
        if at not in committed:
            raise UsageError(
                f"Cannot shift offset for partition {at} since there is no current committed offset"
            )
    # Unlike Kafka (row G4), the sum does not wrap.
    return _in_range(client, {at: committed[at].offset + reset.shift_by for at in scope})


def _to_earliest(
    client: AdminClient, _: OffsetReset, __: str, scope: list[TopicPartition]
) -> Offsets:
    return list_offsets(client, scope, EARLIEST)


def _to_latest(
    client: AdminClient, _: OffsetReset, __: str, scope: list[TopicPartition]
) -> Offsets:
    return list_offsets(client, scope, LATEST)


def _to_current(
    client: AdminClient, _: OffsetReset, group_id: str, scope: list[TopicPartition]
) -> Offsets:
    committed = committed_offsets(client, group_id)
    ends = list_offsets(client, [at for at in scope if at not in committed], LATEST)
    return {at: committed[at].offset if at in committed else ends[at] for at in scope}


def _to_date_time(
    client: AdminClient, reset: OffsetReset, _: str, scope: list[TopicPartition]
) -> Offsets:
    try:
        at_ms = parse_date_time(reset.options.values("to-datetime")[0])
    except ValueError as error:
        raise ToolError(f"java.text.ParseException: {error}") from None
    return _at_time(client, scope, at_ms)


def _by_duration(
    client: AdminClient, reset: OffsetReset, _: str, scope: list[TopicPartition]
) -> Offsets:
    try:
        duration_ms = parse_duration_ms(reset.options.value("by-duration") or "")
    except ValueError as error:
        raise ToolError(str(error)) from None
    at_ms = int(time.time() * 1000 - duration_ms)
    if not INT64_MIN <= at_ms <= INT64_MAX:
        raise ToolError("Instant exceeds minimum or maximum instant")
    return _at_time(client, scope, at_ms)


def _at_time(client: AdminClient, scope: list[TopicPartition], at_ms: int) -> Offsets:
    """Return the offsets of the first records since a time; the ends of logs without any."""
    found = list_offsets(client, scope, at_ms)
    without = [at for at in partition_order(found) if found[at] < 0]
    for at in without:
        print(
            f"\nWarn: Partition {at.partition} from topic {at.topic} is empty."
            " Falling back to latest known offset."
        )
    return found | list_offsets(client, without, LATEST)


def _from_file(
    client: AdminClient, reset: OffsetReset, group_id: str, _: list[TopicPartition]
) -> Offsets:
    path = reset.options.values("from-file")[0]
    plan = read_plan(path, reset.options.values("group")).get(group_id)
    if plan is None:
        print_error(f"No reset plan for group {group_id} found")
        return {}
    # Unlike Kafka (row O4), which asks for partitions that do not exist until it times out.
    _check_partitions(client, plan)
    return _in_range(client, plan)


_TARGETS: Mapping[str, Callable[[AdminClient, OffsetReset, str, list[TopicPartition]], Offsets]] = {
    "to-offset": _to_offset,
    "to-earliest": _to_earliest,
    "to-latest": _to_latest,
    "shift-by": _shifted,
    "to-datetime": _to_date_time,
    "by-duration": _by_duration,
    "from-file": _from_file,
    "to-current": _to_current,
}


def _in_range(client: AdminClient, wanted: Offsets) -> Offsets:
    """Return offsets within the logs; warn of those that are changed."""
    starts = list_offsets(client, wanted, EARLIEST)
    ends = list_offsets(client, wanted, LATEST)
    found = {}
    for at in partition_order(wanted):
        offset = wanted[at]
        if offset > ends[at]:
            _warn_range(at, offset, "higher than latest", ends[at])
        elif offset < starts[at]:
            _warn_range(at, offset, "lower than earliest", starts[at])
        found[at] = max(starts[at], min(offset, ends[at]))
    return found


def _warn_range(at: TopicPartition, offset: int, how: str, instead: int) -> None:
    """Print a warning as the log of Kafka's tools has it."""
    now = datetime.now()  # noqa: DTZ005 - logs have local times
    print(
        f"[{now:%Y-%m-%d %H:%M:%S},{now.microsecond // 1000:03}] WARN"
        f" New offset ({offset}) is {how} offset for topic partition {at}."
        f" Value will be set to {instead} (org.apache.kafka.tools.OffsetsUtils)",
        file=sys.stderr,
    )


def _print_table(results: Mapping[str, Offsets]) -> None:
    width = max((15, *map(len, results)))
    topic_width = max((15, *(len(at.topic) for offsets in results.values() for at in offsets)))

    def line(group: str, topic: str, partition: object, offset: object) -> str:
        return f"{group:<{width}} {topic:<{topic_width}} {partition!s:<10} {offset}"

    rows = [line("GROUP", "TOPIC", "PARTITION", "NEW-OFFSET")] if results else []
    rows += [
        line(group, at.topic, at.partition, offset)
        for group, offsets in results.items()
        for at, offset in offsets.items()
    ]
    print("".join(f"\n{row}" for row in rows))
