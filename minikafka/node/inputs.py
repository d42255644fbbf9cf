"""What the shell gives to a node at its start."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from minikafka.common.clock import Now
from minikafka.config.listener_security import SecurityProtocol
from minikafka.config.node_config import Listener
from minikafka.log.disk import Disk
from minikafka.metadata.broker_registration import Endpoint
from minikafka.serving.context import KeyCheck


class NodeInputs(NamedTuple):
    """The inputs from the shell: disks by path, bound ports by listener, entropy, time.

    `draw_secret` returns unpredictable bytes; None, in simulations, to draw them from `rng`.
    `key_files` has the contents of the files with keys of signed tokens, by path; `keys` checks
    those of TLS.
    """

    disks: Mapping[str, Disk]
    ports: Mapping[str, int]
    cluster_id: str
    rng: Random
    now: Now
    draw_secret: Callable[[int], bytes] | None = None
    key_files: Mapping[str, str] = MappingProxyType({})
    keys: KeyCheck | None = None

    def endpoints(
        self,
        listeners: Sequence[Listener],
        advertised: Mapping[str, Listener],
        protocols: Mapping[str, SecurityProtocol],
    ) -> tuple[Endpoint, ...]:
        """Return the addresses that a node registers, with the ports that were bound."""
        return tuple(
            Endpoint(
                each.name,
                advertised[each.name].host or "127.0.0.1",
                advertised[each.name].port or self.ports[each.name],
                protocols[each.name].number,
            )
            for each in listeners
        )
