"""Wait until the brokers of a cluster know one another.

A broker that serves knows that it is unfenced, but learns a moment later from the metadata log that
the others are. If a Metadata response does not list a broker, clients drop that broker and their
requests in flight to it. So a cluster counts as ready only when every broker lists every other.
"""

import time
from collections.abc import Collection, Mapping, Sequence

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.security import UNSECURED, ClientSecurity

_LOOK_EVERY_S = 0.005


def await_everybody(
    addresses: Sequence[str],
    broker_ids: Collection[int],
    *,
    timeout_s: float,
    security: ClientSecurity = UNSECURED,
    hosts: Mapping[str, str] | None = None,
) -> None:
    """Wait until the broker at each address (host:port) lists all of `broker_ids` as alive.

    `hosts` is as for `AdminClient`.

    Raises:
        AdminError: a broker does not answer, or does not list the others, before the timeout.
    """
    deadline_s = time.monotonic() + timeout_s
    for address in addresses:
        with AdminClient(
            address,
            client_id="membership",
            timeout_s=timeout_s,
            security=security,
            hosts=hosts,
        ) as client:
            while missing := set(broker_ids) - set(client.brokers()):
                if time.monotonic() >= deadline_s:
                    raise AdminError(f"the broker at {address} does not list {sorted(missing)}")
                time.sleep(_LOOK_EVERY_S)
