"""The host of a cluster, as its clients reach it: those of this machine, and all others."""

import re
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address
from typing import Final

from minikafka.dev.base_ports import HOST

LOOPBACKS: Final = {"0.0.0.0": HOST, "::": "::1"}  # noqa: S104 - only if the user says so
"""The address of this machine, by addresses that mean all of its addresses."""
_SEPARATORS: Final = re.compile(r"[\s,:/\[\]]")
_BROADCAST: Final = IPv4Address("255.255.255.255")


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


class HostError(Exception):
    """A value that is no host of a cluster; `argument` is host or advertised_host."""

    def __init__(self, argument: str, value: object, reason: str) -> None:
        """Say why; the reason names no option or argument."""
        super().__init__(f"{argument}={value!r}: {reason}")
        self.argument = argument
        self.value = value
        self.reason = reason


def check_host(host: object, advertised_host: object) -> ClientHost:
    """Return the host that the arguments of a cluster describe; None is no advertised host.

    Raises:
        HostError: one of them is no host, or clients cannot reach it.
    """
    address = _checked("host", host)
    if advertised_host is None:
        if address in LOOPBACKS:
            raise HostError(
                "host", host,
                "clients cannot connect to it; add the advertised host, the name by which they "
                "reach this one",
            )  # fmt: skip
        return ClientHost(address)
    advertised = _checked("advertised_host", advertised_host)
    if advertised in LOOPBACKS:
        raise HostError(
            "advertised_host", advertised_host,
            "clients cannot connect to it; give the name by which they reach this host",
        )  # fmt: skip
    return ClientHost(address, advertised)


def _checked(argument: str, value: object) -> str:
    """Return a host; an address in its usual form."""
    address = None
    if isinstance(value, str):
        with suppress(ValueError):
            address = ip_address(value)
    if address is not None:
        if address.is_multicast or address == _BROADCAST or "%" in str(address):
            raise HostError(argument, value, "not the address of one host, or with a zone")
        return str(address)
    if not isinstance(value, str) or not value or _SEPARATORS.search(value):
        raise HostError(
            argument, value,
            "expected a name or an address alone: no port, bracket, slash, comma or blank",
        )  # fmt: skip
    if value.rpartition(".")[2].isdigit():
        # A resolver would read it as another address.
        raise HostError(argument, value, "neither a name nor an address")
    return value
