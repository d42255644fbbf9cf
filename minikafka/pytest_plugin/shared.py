"""`--minikafka-shared`: one cluster for all processes of pytest-xdist.

The process that starts the others owns it. So it ends with the run in any case, and no lock or
count is needed to find the last user.
"""

from typing import TYPE_CHECKING, Any, Protocol

import pytest

from minikafka.pytest_plugin.clusters import opened
from minikafka.pytest_plugin.options import read

if TYPE_CHECKING:
    from minikafka.testing.cluster import Cluster  # noqa: F401 - named in a string

_CLUSTER = pytest.StashKey["Cluster"]()
_INPUT = "minikafka_shared"


class WorkerNode(Protocol):
    """A process of pytest-xdist, as the one that starts it sees it."""

    config: pytest.Config
    workerinput: dict[str, Any]


def tell(node: WorkerNode) -> None:
    """Start the cluster for the first process, and tell each its address."""
    config = node.config
    options = read(config)
    if not options.is_shared or options.bootstrap_servers is not None:
        return
    cluster = config.stash.get(_CLUSTER, None)
    if cluster is None:
        cluster = config.stash[_CLUSTER] = opened(options.settings, config)
    node.workerinput[_INPUT] = cluster.bootstrap_servers


def servers(config: pytest.Config) -> str | None:
    """Return the addresses of the shared cluster, in a process of pytest-xdist that has one."""
    found = getattr(config, "workerinput", {}).get(_INPUT)
    return None if found is None else str(found)


def end(config: pytest.Config) -> None:
    """End the cluster, if this process owns one."""
    cluster = config.stash.get(_CLUSTER, None)
    if cluster is not None:
        del config.stash[_CLUSTER]
        cluster.close()
