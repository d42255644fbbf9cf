"""Samples in the formats of Prometheus, by `prometheus_client` (extra `metrics`).

No other module imports that package, and this module is imported only if metrics are served.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from minikafka.metrics.definition import Metric, MetricKind, Sample, prometheus_name

_TOTAL = "_total"


class Exposition(NamedTuple):
    """A response body and its type."""

    content_type: str
    body: bytes


def exposition(samples: Sequence[Sample], accept: str) -> Exposition:
    """Format samples as an Accept header prefers: OpenMetrics, or the older text format."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Given(samples))
    try:
        encode, content_type = choose_encoder(accept)
    except (TypeError, ValueError):
        # `choose_encoder` fails on versions in the header that are not numbers.
        encode, content_type = choose_encoder("")
    return Exposition(content_type, encode(registry))


class _Given(Collector):
    """A collector of given samples."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        """Store the samples."""
        self._samples = samples

    def describe(self) -> Iterable[Family]:
        """Return nothing: the catalog checks the names."""
        return ()

    def collect(self) -> Iterable[Family]:
        """Yield the samples by metric, in the order of each metric's first sample."""
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
    if metric.kind is MetricKind.COUNTER and not shown.endswith(_TOTAL):
        # Prometheus requires the ending for counters; a name from Kafka without it stays as it is.
        kind = "unknown"
    text = f"{text} ({name})"
    family = Family(shown.removesuffix(_TOTAL) if kind == "counter" else shown, text, kind)
    for sample in samples:
        labels = dict(zip(metric.labels, sample.labels, strict=False))
        family.add_sample(shown, labels, float(sample.value))
    return family
