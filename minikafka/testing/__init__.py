"""Clusters for tests. Its names are imported when they are first used.

from minikafka.testing import Cluster
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minikafka.testing.async_cluster import AsyncCluster
    from minikafka.testing.cluster import Cluster
    from minikafka.testing.errors import ClusterError
    from minikafka.testing.values import KafkaRecord

__all__ = ["AsyncCluster", "Cluster", "ClusterError", "KafkaRecord"]

_MODULES = {
    "AsyncCluster": "async_cluster",
    "Cluster": "cluster",
    "ClusterError": "errors",
    "KafkaRecord": "values",
}


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
