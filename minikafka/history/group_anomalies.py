"""Anomalies of consumer groups.

Source: KIP-62 and the classic group protocol; Jepsen's queue checker on committed offsets.
"""

from collections.abc import Callable, Iterable, Iterator

from minikafka.common.ids import TopicPartition
from minikafka.history.operations import Anomaly, Commit, Owned, Resume

Excused = Callable[[], bool]


def shared_partitions(owned: Iterable[Owned], excused: Excused) -> Iterator[Anomaly]:
    """Two members have one partition in one generation.

    `excused` says that the group may have been forgotten: the topic of groups has lost records.
    """
    owners: dict[tuple[str, int, TopicPartition], str] = {}
    for each in owned:
        key = (each.group, each.generation, each.partition)
        owner = owners.setdefault(key, each.member)
        if owner != each.member and not excused():
            when = f"in generation {each.generation} of {each.group}"
            who = f"{owner} and {each.member}"
            yield Anomaly("shared partition", f"{each.partition} belongs to {who} {when}")


def moved_commits(happened: Iterable[Commit | Resume], excused: Excused) -> Iterator[Anomaly]:
    """A committed offset moved by itself: a member is told another one than was committed last.

    Commits without an answer may count, now or later, or not. A deposed coordinator that does not
    know goes on to tell what it knew: members read again what they had read. `excused` says that
    the topic of offsets has lost records in an unclean election.
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
                    f"{each.group} goes on in {each.partition} at {each.offset}, committed was "
                    f"{last.get(key, -1)}",
                )
        elif each.acknowledged:
            last[key] = each.offset
            open_count[attempt] = open_count.get(attempt, 0) - 1
        else:
            open_count[attempt] = open_count.get(attempt, 0) + 1
