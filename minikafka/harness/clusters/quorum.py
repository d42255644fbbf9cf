"""The quorum of a cluster's metadata log: who leads it, and how far each voter is.

Every bootstrap server is asked, and the answer of the newest epoch counts: a broker that is cut off
with a former leader still names that one.
"""

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.quorum import describe_quorum
from minikafka.harness.clients import login

_TIMEOUT_S = 1.0


class QuorumView(NamedTuple):
    """The quorum as its leader described it; `ends` has the log end offset of each voter."""

    leader: int
    epoch: int
    high_watermark: int
    ends: Mapping[int, int]

    @property
    def standby(self) -> int | None:
        """The voter that is not the leader and has the longest log; None if there is none."""
        others = [node for node in sorted(self.ends) if node != self.leader]
        return max(others, key=lambda node: self.ends[node], default=None)

    @property
    def is_whole(self) -> bool:
        """True if every voter has all committed records."""
        return all(end >= self.high_watermark for end in self.ends.values())


class QuorumClient:
    """Describes the quorum repeatedly, over one connection to each bootstrap server.

    Several threads may ask; they take turns.
    """

    def __init__(self, bootstrap_servers: str) -> None:
        """Do not connect yet."""
        self._clients = [
            AdminClient(
                server,
                client_id="minikafka-verify",
                timeout_s=_TIMEOUT_S,
                security=login.for_tools(),
            )
            for server in bootstrap_servers.split(",")
        ]
        self._lock = threading.Lock()
        # At the same time: a broker answers late while the controller that it knows is paused.
        self._pool = ThreadPoolExecutor(len(self._clients), thread_name_prefix="quorum")

    def ask(self) -> QuorumView | None:
        """Return the answer of the newest epoch; None if no server knows a leader."""
        with self._lock:
            found = [view for view in self._pool.map(_ask, self._clients) if view is not None]
        return max(found, key=lambda view: (view.epoch, view.high_watermark), default=None)

    def close(self) -> None:
        """Close the connections."""
        self._pool.shutdown()
        for client in self._clients:
            client.close()


def _ask(client: AdminClient) -> QuorumView | None:
    try:
        info = describe_quorum(client)
    except AdminError:
        client.close()
        return None
    if info.leader_id < 0:
        return None
    ends = {voter.node_id: voter.log_end_offset for voter in info.voters}
    return QuorumView(info.leader_id, info.leader_epoch, info.high_watermark, ends)
