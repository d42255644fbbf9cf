"""Whether the brokers of a cluster know one another.

A broker that serves knows that it is itself unfenced; of the others it learns a moment later, by
the metadata log. Clients drop a broker which one answer leaves out, together with the requests that
are under way to it, so whoever starts a cluster calls it ready when every broker lists every other.
"""

import time
from collections.abc import Collection, Sequence

from minikafka.admin.client import AdminClient, AdminError

_LOOK_EVERY_S = 0.005


def await_everybody(
    addresses: Sequence[str], broker_ids: Collection[int], *, timeout_s: float
) -> None:
    """Wait until the broker at each address (host:port) lists all of `broker_ids` as alive.

    Raises:
        AdminError: if one does not answer, or does not come to know the others, in time.
    """
    deadline_s = time.monotonic() + timeout_s
    for address in addresses:
        with AdminClient(address, client_id="membership", timeout_s=timeout_s) as client:
            while missing := set(broker_ids) - set(client.brokers()):
                if time.monotonic() >= deadline_s:
                    raise AdminError(f"the broker at {address} does not list {sorted(missing)}")
                time.sleep(_LOOK_EVERY_S)
