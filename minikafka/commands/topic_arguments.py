"""Topics as arguments: `topic` for all of its partitions, `topic:0,1` for some."""

import re
from collections.abc import Sequence

from minikafka.admin.client import AdminClient
from minikafka.admin.offsets import leaders
from minikafka.commands.options import UsageError
from minikafka.common.ids import TopicPartition
from minikafka.common.whole_numbers import INT32_MAX, INT32_MIN

_NUMBER = re.compile(r"[+-]?\d+", re.ASCII)


def partitions_of(client: AdminClient, arguments: Sequence[str]) -> list[TopicPartition]:
    """Return the partitions: those that are named, then those of whole topics.

    Raises:
        UsageError: an argument cannot be read.
        AdminError: a topic does not exist, or no broker answers.
    """
    named = [at for it in arguments if ":" in it for at in _named(it)]
    whole = [it for it in arguments if ":" not in it]
    return named + list(leaders(client, whole))


def _named(argument: str) -> list[TopicPartition]:
    # Empty parts at the end do not count, as in Java's split.
    topic, *parts = re.sub(":+$", "", argument).split(":")
    if len(parts) != 1:
        raise UsageError(f"Invalid topic arg '{argument}', expected topic name and partitions")
    return [
        TopicPartition(topic, _number(text, argument))
        for text in re.sub(",+$", "", parts[0]).split(",")
    ]


def _number(text: str, argument: str) -> int:
    if _NUMBER.fullmatch(text) and INT32_MIN <= int(text) <= INT32_MAX:
        return int(text)
    raise UsageError(f"Invalid partition '{text}' specified in topic arg '{argument}''")
