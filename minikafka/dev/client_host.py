"""The host of a cluster, as its clients reach it: those of this machine, and all others."""

import re
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from socket import inet_aton
from typing import Final

from minikafka.dev.base_ports import HOST

LOOPBACKS: Final = {"0.0.0.0": HOST, "::": "::1"}  # noqa: S104 - only if the user says so
"""The address of this machine, by addresses that mean all of its addresses."""
_SEPARATORS: Final = re.compile(r"[\x00\s,:/\[\]]")
_BROADCAST: Final = IPv4Address("255.255.255.255")
_NOT_REACHED: Final = "clients cannot connect to it"
_NAME: Final = "the name by which they reach this host"


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
        """Say why; the reason may name the argument advertised_host."""
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
            raise HostError("host", host, f"{_NOT_REACHED}; add advertised_host, {_NAME}")
        return ClientHost(address)
    advertised = _checked("advertised_host", advertised_host)
    if advertised in LOOPBACKS:
        raise HostError("advertised_host", advertised_host, f"{_NOT_REACHED}; give {_NAME}")
    return ClientHost(address, advertised)


def _checked(argument: str, value: object) -> str:
    """Return a host; an address in its usual form."""
    if isinstance(value, str):
        with suppress(ValueError):
            return _checked_address(argument, value, ip_address(value))
        if value and not _SEPARATORS.search(value):
            if _reads_as_address(value):
                raise HostError(argument, value, "neither a name nor an address in full")
            return value
    raise HostError(
        argument, value,
        "expected a name or an address alone: no port, bracket, slash, comma or blank",
    )  # fmt: skip


def _checked_address(argument: str, value: str, address: IPv4Address | IPv6Address) -> str:
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if "%" in value:
        raise HostError(argument, value, "an address with a zone is not served")
    if address.is_multicast or address == _BROADCAST:
        raise HostError(argument, value, "no single host has this address")
    return str(address)


def _reads_as_address(name: str) -> bool:
    """True if a resolver takes a name for an address: 0x7f000001 and 127.1 are 127.0.0.1."""
    if name.replace(".", "").isdigit():
        return True
    try:
        inet_aton(name)
    except OSError:
        return False
    return True
