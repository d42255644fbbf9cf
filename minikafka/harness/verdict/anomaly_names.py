"""The anomalies of published reports on systems like Kafka, and the kinds that show them.

The names are those that Jepsen's analyses made common. A kind of broken promise may belong to more
than one of them.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

EVERY_RUN = "every run"
PLAIN = "a run without `--transactions`"
TRANSACTIONS = "a run with `--transactions`"
READER = "a run with a reader (`--reader`, the default)"
OWN = "a cluster that the run starts"
OF_SPARK = "a run with `--engine spark`"


class NamedAnomaly(NamedTuple):
    """An anomaly: its meaning, and each kind that shows it with the runs that look for it."""

    meaning: str
    kinds: Mapping[str, str]


ANOMALIES: Mapping[str, NamedAnomaly] = {
    "lost write": NamedAnomaly(
        "an acknowledged write that no later read shows",
        {
            "lost": EVERY_RUN,
            "vanished": EVERY_RUN,
            "data_loss_reported": OF_SPARK,
            "topic_gone": EVERY_RUN,
            "change_lost": OWN,
            "loop_lost": TRANSACTIONS,
        },
    ),
    "aborted read": NamedAnomaly(
        "a read that shows a write which was aborted, or which certainly failed",
        {"failed_but_read": EVERY_RUN, "loop_aborted_read": TRANSACTIONS},
    ),
    "torn transaction": NamedAnomaly(
        "a committed transaction of which a read shows only a part",
        {"loop_torn": TRANSACTIONS, "isolation_difference": EVERY_RUN},
    ),
    "stale read after commit": NamedAnomaly(
        "a read that begins before the committed position or the end that clients have seen",
        {
            "committed_reread": READER,
            "high_watermark_regression": EVERY_RUN,
            "loop_doubled": TRANSACTIONS,
        },
    ),
    "offsets that go back": NamedAnomaly(
        "a consumer, or a reader of the log, that gets an earlier record after a later one",
        {"poll_backward": READER, "reordered": EVERY_RUN, "loop_reordered": TRANSACTIONS},
    ),
    "skipped write": NamedAnomaly(
        "a write in the log that a reader was never given, although it was given later ones",
        {"skipped": EVERY_RUN, "poll_skip": READER, "gap": PLAIN},
    ),
    "loss by auto-commit": NamedAnomaly(
        "no fault of a broker: a consumer with enable.auto.commit that commits what it never"
        " processed. The consumers of a run commit what they polled, so no kind is this one",
        {},
    ),
    "duplicate write": NamedAnomaly(
        "one write of an idempotent producer at two offsets",
        {"duplicated": EVERY_RUN, "loop_doubled": TRANSACTIONS},
    ),
    "inconsistent offsets": NamedAnomaly(
        "one offset with two writes, or a write at another offset than was acknowledged",
        {"two_contents": EVERY_RUN, "moved": EVERY_RUN, "replicas_differ": OWN},
    ),
    "garbage read": NamedAnomaly(
        "a read that shows what no client wrote",
        {"phantom": EVERY_RUN, "changed": EVERY_RUN, "loop_changed": TRANSACTIONS},
    ),
}
"""Every anomaly by its name."""


class AnomalySight(NamedTuple):
    """An anomaly in one run: the kinds that were judged, what the others need, what was seen."""

    name: str
    judged: tuple[str, ...]
    needs: tuple[str, ...]
    seen: Mapping[str, int]


def sights(promises: Mapping[str, Mapping[str, Any]]) -> Iterator[AnomalySight]:
    """Yield every anomaly as a run saw it; `promises` is the verdict's object."""
    for name, anomaly in ANOMALIES.items():
        counts = {kind: promises.get(kind, {}).get("count") for kind in anomaly.kinds}
        missing = (anomaly.kinds[kind] for kind, count in counts.items() if count is None)
        yield AnomalySight(
            name,
            tuple(kind for kind, count in counts.items() if count is not None),
            tuple(dict.fromkeys(missing)),
            {kind: count for kind, count in counts.items() if count},
        )


def anomaly_table() -> list[str]:
    """Return the table of the documentation, as lines."""
    lines = [
        "| name in reports | what it is | kinds | looked for in |",
        "| --- | --- | --- | --- |",
    ]
    for name, anomaly in ANOMALIES.items():
        by_need: dict[str, list[str]] = {}
        for kind, needs in anomaly.kinds.items():
            by_need.setdefault(needs, []).append(f"`{kind}`")
        kinds = "; ".join(", ".join(names) for names in by_need.values())
        lines.append(f"| {name} | {anomaly.meaning} | {kinds} | {'; '.join(by_need)} |")
    return lines
