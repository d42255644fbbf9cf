"""Anomalies of consumer groups.

Source: KIP-62 and the classic group protocol; Jepsen's queue checker on committed offsets.
"""

from collections.abc import Callable, Iterable, Iterator

from minikafka.common.ids import TopicPartition
from minikafka.history.operations import Anomaly, Commit, Owned, Resume

ExcusedGroup = Callable[[], bool]


def shared_partitions(owned: Iterable[Owned], excused: ExcusedGroup) -> Iterator[Anomaly]:
    """Find partitions that two members have in the same generation.

    `excused` is True if the group may be lost, because __consumer_offsets has lost records.
    """
    owners: dict[tuple[str, int, TopicPartition], str] = {}
    for each in owned:
        key = (each.group, each.generation, each.partition)
        owner = owners.setdefault(key, each.member)
        if owner != each.member and not excused():
            when = f"in generation {each.generation} of {each.group}"
            who = f"{owner} and {each.member}"
            yield Anomaly("shared partition", f"{each.partition} belongs to {who} {when}")


def moved_commits(happened: Iterable[Commit | Resume], excused: ExcusedGroup) -> Iterator[Anomaly]:
    """Find committed offsets that changed without a commit, as seen by a member.

    Commits without a response may take effect at any time, or never. A deposed coordinator that
    does not know of the new one still returns old offsets: members then read records again.
    `excused` is True if __consumer_offsets has lost records in an unclean election.
    """
    last: dict[tuple[str, TopicPartition], int] = {}
    open_count: dict[tuple[str, TopicPartition, int], int] = {}
    for each in happened:
        key = (each.group, each.partition)
        attempt = (*key, each.offset)
        if isinstance(each, Resume):
            is_known = each.offset == last.get(key, -1) or open_count.get(attempt, 0) > 0
            if not (is_known or each.by_deposed or excused()):
                yield Anomaly(
                    "moved commit",
                    f"{each.group} continues in {each.partition} at {each.offset}, but its last "
                    f"commit is {last.get(key, -1)}",
                )
        elif each.acknowledged:
            last[key] = each.offset
            open_count[attempt] = open_count.get(attempt, 0) - 1
        else:
            open_count[attempt] = open_count.get(attempt, 0) + 1
