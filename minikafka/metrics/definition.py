"""What a metric is, and under which name Prometheus sees it.

A metric is named as Apache Kafka's MBean is (`kafka.server:type=ReplicaManager,name=LeaderCount`),
or by a dotted name (KIP-966). Prometheus names follow from these as the rules make them that are
commonly given to the JMX exporter: parts joined with underscores, in lower case, and `_total` in
place of `PerSec`.
"""

import re
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

_RATE = "PerSec"
_NOT_IN_A_NAME = re.compile(r"[^a-z0-9_]")


class Kind(Enum):
    """How a value moves: a counter only up, until its process ends; a gauge as it likes."""

    GAUGE = "gauge"
    COUNTER = "counter"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One metric. `aliases` are older names, which show the same values."""

    name: str
    help: str
    kind: Kind = Kind.GAUGE
    labels: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def prometheus_name(self) -> str:
        """The name of its samples in an exposition."""
        return prometheus_name(self.name)

    @property
    def full_name(self) -> str:
        """Its name with its labels, as a page lists it."""
        return ",".join((self.name, *(f"{label}=…" for label in self.labels)))


class Sample(NamedTuple):
    """A value; `labels` are those of the metric in order, or none for the sum over all."""

    metric: Metric
    value: float
    labels: tuple[str, ...] = ()


def prometheus_name(name: str) -> str:
    """The exposition's name for an MBean or a dotted name."""
    domain, _, properties = name.partition(":")
    parts = [domain, *(each.partition("=")[2] for each in properties.split(",") if each)]
    joined = "_".join(parts)
    if joined.endswith(_RATE):
        joined = joined.removesuffix(_RATE) + "_total"
    return _NOT_IN_A_NAME.sub("_", joined.lower())
