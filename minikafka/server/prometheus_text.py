"""Samples as Prometheus reads them, through `prometheus_client` (extra `metrics`).

Nothing else here imports that package, and this module is imported only where it is wanted.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from minikafka.metrics.definition import Kind, Metric, Sample, prometheus_name

_TOTAL = "_total"


class Exposition(NamedTuple):
    """A body and what it is."""

    content_type: str
    body: bytes


def exposition(samples: Sequence[Sample], accept: str) -> Exposition:
    """The samples in the format that an Accept header prefers: OpenMetrics, or the older text."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Given(samples))
    try:
        encode, content_type = choose_encoder(accept)
    except (TypeError, ValueError):
        # It compares versions before it knows that they are numbers.
        encode, content_type = choose_encoder("")
    return Exposition(content_type, encode(registry))


class _Given(Collector):
    """Hands over samples that were taken before."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        """Keep them."""
        self._samples = samples

    def describe(self) -> Iterable[Family]:
        """Nothing: names are checked where they are written down."""
        return ()

    def collect(self) -> Iterable[Family]:
        """The samples by metric, in the order in which the metrics come first."""
        by_metric: dict[str, list[Sample]] = {}
        metrics: dict[str, Metric] = {}
        for sample in self._samples:
            metrics.setdefault(sample.metric.name, sample.metric)
            by_metric.setdefault(sample.metric.name, []).append(sample)
        for name, found in by_metric.items():
            metric = metrics[name]
            yield _family(metric, name, metric.help, found)
            for alias in metric.aliases:
                yield _family(metric, alias, f"{metric.help} Older name of {name}.", found)


def _family(metric: Metric, name: str, text: str, samples: Sequence[Sample]) -> Family:
    shown = prometheus_name(name)
    kind = metric.kind.value
    if metric.kind is Kind.COUNTER and not shown.endswith(_TOTAL):
        # Prometheus wants the ending for counters; a name that others gave keeps its form.
        kind = "unknown"
    text = f"{text} ({name})"
    family = Family(shown.removesuffix(_TOTAL) if kind == "counter" else shown, text, kind)
    for sample in samples:
        labels = dict(zip(metric.labels, sample.labels, strict=False))
        family.add_sample(shown, labels, float(sample.value))
    return family
