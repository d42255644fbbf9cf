"""A cluster that other programs own: what its protocol can do, and nothing that would break it."""

from typing import NoReturn

from minikafka.testing.errors import ClusterError
from minikafka.testing.operations import KafkaOperations


class ForeignCluster(KafkaOperations):
    """A running cluster, by its addresses. `what` says in errors whose cluster it is."""

    has_other_users = True

    def __init__(self, bootstrap_servers: str, *, what: str = "not of this test") -> None:
        """Connect to nothing; every operation does."""
        super().__init__()
        self._bootstrap_servers = bootstrap_servers
        self._what = what

    @property
    def bootstrap_servers(self) -> str:
        """The addresses that were given."""
        return self._bootstrap_servers

    def state_text(self) -> str:
        """Return the partitions; the logs of the nodes are elsewhere."""
        return f"cluster {self._bootstrap_servers}\n{self._partition_table()}"

    def heal(self) -> None:
        """Do nothing: no test can break this cluster."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise ClusterError(
            f"this cluster is {self._what}, and no test may break it; use minikafka_cluster"
        )

    kill = stop = start = pause = resume = kill_leader = _refuse
    node = fence = shrink_isr = _refuse
    fault = cut = isolate = slow = clock = _refuse
    fill_disk = free_disk = slow_disk = lose_power = _refuse
