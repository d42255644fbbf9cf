"""The host of a cluster, as its clients reach it: those of this machine, and all others."""

from dataclasses import dataclass
from typing import Final

from minikafka.dev.base_ports import HOST

LOOPBACKS: Final = {"0.0.0.0": HOST, "::": "::1"}  # noqa: S104 - only if the user says so
"""The address of this machine, by addresses that mean all of its addresses."""


@dataclass(frozen=True)
class ClientHost:
    """The address on which nodes serve clients, and the name that clients are told, or ""."""

    address: str = HOST
    advertised_name: str = ""

    @property
    def advertised(self) -> str:
        """The name or address that clients are told."""
        return self.advertised_name or self.address

    @property
    def local(self) -> str:
        """The address by which this machine reaches the nodes."""
        return LOOPBACKS.get(self.address, self.address)

    @property
    def hosts(self) -> dict[str, str]:
        """The local address, by the name in responses of brokers, if that is another one."""
        return {} if self.advertised == self.local else {self.advertised: self.local}


def server_text(host: str, port: int) -> str:
    """Return an address as in bootstrap.servers: IPv6 addresses are in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
