"""A cluster that other programs own: what its protocol can do, and nothing that would break it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NoReturn

from minikafka.testing.addresses import local_servers
from minikafka.testing.errors import ClusterError
from minikafka.testing.operations import KafkaOperations

if TYPE_CHECKING:
    from minikafka.admin.client_login import ClientLogin


_ANSWER_S = 3.0


class ForeignCluster(KafkaOperations):
    """A running cluster, by its addresses.

    `what` says in errors whose cluster it is. `logins` are those of its users, if it is secured,
    and `hosts` the addresses by which this machine reaches the hosts of its brokers.
    """

    has_other_users = True

    def __init__(
        self,
        bootstrap_servers: str,
        *,
        what: str = "not of this test",
        logins: "Mapping[str, ClientLogin] | None" = None,
        hosts: Mapping[str, str] | None = None,
    ) -> None:
        """Connect to nothing; every operation does."""
        super().__init__()
        self._bootstrap_servers = bootstrap_servers
        self._what = what
        self._logins = dict(logins or {})
        self._clients.hosts = hosts or {}
        if self._logins:
            self._clients.login = lambda: self.login().properties()

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(
            f"this cluster is {self._what}, and has no {name!r}; use minikafka_cluster",
            name=name,
            obj=self,
        )

    @property
    def bootstrap_servers(self) -> str:
        """The addresses that were given."""
        return self._bootstrap_servers

    def _servers(self) -> str:
        return local_servers(self._bootstrap_servers, self._clients.hosts)

    @property
    def is_secured(self) -> bool:
        """True if clients need a `login`."""
        return bool(self._logins)

    def login(self, user: str = "admin") -> "ClientLogin":
        """Return what a client needs to be a user of the cluster.

        Raises:
            ClusterError: there is no such user, or no login is known.
        """
        if user not in self._logins:
            known = " and ".join(self._logins) or "none"
            raise ClusterError(f"no login of {user!r} is known; there are {known}")
        return self._logins[user]

    def await_answer(self) -> None:
        """Wait until a server answers.

        Raises:
            ClusterError: none does in 3 seconds, with the reason of the system.
        """
        from minikafka.admin.cluster import describe_cluster

        with self._asking("cluster", _ANSWER_S) as client:
            describe_cluster(client)

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
