"""Names in a properties file that are not broker keys: misspelled, removed, or of a plug-in.

Unlike Kafka (row O1), which logs every unknown name and starts: a misspelled key is refused, since
the intended value would be missing. A name that Kafka or another program understands is a warning.
"""

from collections.abc import Iterable
from typing import NamedTuple

from minikafka.config.definition import KeyTable

_MISSPELLED_BY = 2
"""The largest edit distance to a known key for a misspelling of it."""

REMOVED = {
    "advertised.host.name": "3.0",
    "advertised.port": "3.0",
    "host.name": "3.0",
    "port": "3.0",
    "quota.consumer.default": "3.0",
    "quota.producer.default": "3.0",
    "auto.include.jmx.reporter": "4.0",
    "broker.id.generation.enable": "4.0",
    "control.plane.listener.name": "4.0",
    "controlled.shutdown.max.retries": "4.0",
    "controlled.shutdown.retry.backoff.ms": "4.0",
    "delegation.token.master.key": "4.0",
    "group.coordinator.new.enable": "4.0",
    "inter.broker.protocol.version": "4.0",
    "leader.imbalance.per.broker.percentage": "4.0",
    "log.message.format.version": "4.0",
    "log.message.timestamp.difference.max.ms": "4.0",
    "offsets.commit.required.acks": "4.0",
    "reserved.broker.max.id": "4.0",
}
"""Keys of older releases of Apache Kafka, with the release that removed them."""

_REMOVED_PREFIXES = {"zookeeper.": "4.0", "password.encoder.": "4.0"}
_LISTENER_PREFIX = "listener.name."
_PLUG_IN_PREFIXES = {
    "config.providers.": "a config provider",
    "confluent.": "a plug-in",
    "remote.log.metadata.manager.impl.": "tiered storage",
    "remote.log.storage.manager.impl.": "tiered storage",
    "rsm.config.": "tiered storage",
    "rlmm.config.": "tiered storage",
}


class Judgement(NamedTuple):
    """The result for an unknown name: an error or a warning; the other one is empty."""

    error: str = ""
    warning: str = ""


def judge(name: str, known: KeyTable) -> Judgement:
    """Decide if an unknown name is an error, or a warning that it has no effect."""
    release = REMOVED.get(name) or _by_prefix(name, _REMOVED_PREFIXES)
    if release:
        return Judgement(warning=f"{name}: has no effect; Apache Kafka {release} removed it")
    owner = _by_prefix(name, _PLUG_IN_PREFIXES)
    if owner:
        return Judgement(
            warning=f"{name}: has no effect; it belongs to {owner}, which is not available"
        )
    if name.startswith(_LISTENER_PREFIX):
        return Judgement(warning=f"{name}: has no effect; keys for one listener are not available")
    names = [key.name for key in known]
    meant = [each for each in names if edit_distance(name, each, _MISSPELLED_BY) <= _MISSPELLED_BY]
    if meant:
        return Judgement(
            error=f"{name}: unknown {known.scope} configuration; did you mean {' or '.join(meant)}?"
        )
    if "." in name and name.partition(".")[0] not in _first_words(names):
        return Judgement(
            warning=f"{name}: has no effect; no key of Apache Kafka has this first word"
        )
    return Judgement(error=str(known.unknown(name)))


def edit_distance(one: str, other: str, limit: int) -> int:
    """Insertions, deletions and replacements between two texts; exact only up to `limit`."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    row = list(range(len(other) + 1))
    for at, char in enumerate(one, 1):
        above, row = row, [at]
        for column, wanted in enumerate(other, 1):
            row.append(min(above[column] + 1, row[-1] + 1, above[column - 1] + (char != wanted)))
        if min(row) > limit:
            return limit + 1
    return row[-1]


def _by_prefix(name: str, owners: dict[str, str]) -> str:
    return next((owner for prefix, owner in owners.items() if name.startswith(prefix)), "")


def _first_words(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.partition(".")[0] for name in names)
