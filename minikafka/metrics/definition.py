"""The definition of a metric and of its Prometheus name.

A metric has the name of Apache Kafka's MBean (`kafka.server:type=ReplicaManager,name=LeaderCount`)
or a dotted name (KIP-966). The Prometheus name is derived from it as by the usual rules for the JMX
exporter: parts joined with underscores, in lower case, and `_total` for `PerSec`.
"""

import re
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

_RATE = "PerSec"
_NOT_IN_A_NAME = re.compile(r"[^a-z0-9_]")


class MetricKind(Enum):
    """The kind of a metric: a counter only grows, until its process ends; a gauge may also fall."""

    GAUGE = "gauge"
    COUNTER = "counter"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One metric. `aliases` are older names with the same values."""

    name: str
    help: str
    kind: MetricKind = MetricKind.GAUGE
    labels: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def prometheus_name(self) -> str:
        """The name of its samples in the Prometheus text format."""
        return prometheus_name(self.name)

    @property
    def full_name(self) -> str:
        """Its name with its labels, as listed in the documentation."""
        return ",".join((self.name, *(f"{label}=…" for label in self.labels)))


class Sample(NamedTuple):
    """A value. `labels` has a value for each label of the metric, or is empty for the total."""

    metric: Metric
    value: float
    labels: tuple[str, ...] = ()


def prometheus_name(name: str) -> str:
    """The Prometheus name for an MBean or a dotted name."""
    domain, _, properties = name.partition(":")
    parts = [domain, *(each.partition("=")[2] for each in properties.split(",") if each)]
    joined = "_".join(parts)
    if joined.endswith(_RATE):
        joined = joined.removesuffix(_RATE) + "_total"
    return _NOT_IN_A_NAME.sub("_", joined.lower())
