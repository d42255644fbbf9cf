"""`--minikafka-shared`: one cluster for all processes of pytest-xdist.

The process that starts the others owns it. So it ends with the run in any case, and no lock or
count is needed to find the last user.
"""

from typing import TYPE_CHECKING, Any, Protocol

import pytest

from minikafka.pytest_plugin.clusters import opened
from minikafka.pytest_plugin.options import read

if TYPE_CHECKING:
    from minikafka.testing.cluster import Cluster
    from minikafka.testing.foreign import ForeignCluster

_CLUSTER = pytest.StashKey["Cluster"]()
_INPUT = "minikafka_shared"
_LOGINS = "minikafka_logins"
_HOSTS = "minikafka_hosts"


class WorkerNode(Protocol):
    """A process of pytest-xdist, as the one that starts it sees it."""

    config: pytest.Config
    workerinput: dict[str, Any]


def tell(node: WorkerNode) -> None:
    """Start the cluster for the first process, and tell each its addresses."""
    config = node.config
    options = read(config)
    if not options.is_shared or options.bootstrap_servers is not None:
        return
    cluster = config.stash.get(_CLUSTER, None)
    if cluster is None:
        cluster = config.stash[_CLUSTER] = opened(options.settings, config)
    node.workerinput[_INPUT] = cluster.bootstrap_servers
    node.workerinput[_LOGINS] = _logins(cluster)
    node.workerinput[_HOSTS] = dict(cluster.hosts)


def _logins(cluster: "Cluster") -> dict[str, list[str]]:
    """Return the logins of the users of a cluster, in a form that pytest-xdist can send."""
    if not cluster.is_secured:
        return {}
    from minikafka.dev.secured import USERS  # noqa: PLC0415

    return {user: list(cluster.login(user)) for user in USERS}


def shared_cluster(config: pytest.Config) -> "ForeignCluster | None":
    """Return the shared cluster, in a process of pytest-xdist that has one."""
    told = getattr(config, "workerinput", {})
    if _INPUT not in told:
        return None
    from minikafka.admin.client_login import ClientLogin  # noqa: PLC0415
    from minikafka.testing.foreign import ForeignCluster  # noqa: PLC0415

    logins = {user: ClientLogin(*values) for user, values in told[_LOGINS].items()}
    return ForeignCluster(
        told[_INPUT],
        what="shared by all processes of pytest-xdist",
        logins=logins,
        hosts=told[_HOSTS],
    )


def end(config: pytest.Config) -> None:
    """End the cluster, if this process owns one."""
    cluster = config.stash.get(_CLUSTER, None)
    if cluster is not None:
        del config.stash[_CLUSTER]
        cluster.close()
