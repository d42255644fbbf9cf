"""The fault interface of a cluster: its parts, and how other processes find it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from minikafka.common.addresses import server_text
from minikafka.dev.client_host import LOOPBACKS
from minikafka.dev.cluster_faults import DevFaults
from minikafka.dev.fault_resources import FaultResources
from minikafka.dev.fault_schema import fault_schema
from minikafka.dev.fault_server import FaultServer
from minikafka.dev.layout import FAULTS, Layout, LayoutError
from minikafka.dev.supervisor import Supervisor

_URL = "url"
"""The file with the address for programs on this machine, below `FAULTS`."""


@contextmanager
def fault_interface(layout: Layout, supervisor: Supervisor, host: str, port: int) -> Iterator[str]:
    """Give a cluster that does not run yet the means for faults; yield the URL of the interface.

    Raises:
        LayoutError: the address cannot be used.
    """
    try:
        server = FaultServer(host, port, [layout.client_host.advertised])
    except OSError as error:
        reason = error.strerror or str(error)
        raise LayoutError(f"--faults-port {port} at {host}: {reason}") from None
    try:
        faults = supervisor.faults = DevFaults(layout, supervisor.nodes)
        # `supervisor.on_event` is set later.
        faults.on_event = lambda text: supervisor.on_event(text)  # noqa: PLW0108
        local = LOOPBACKS.get(host, host)
        (faults.folder / _URL).write_text(f"http://{server_text(local, server.port)}\n")
        try:
            server.serve(FaultResources(supervisor, faults, fault_schema).answer)
            yield server.url
        finally:
            faults.close()
    finally:
        server.close()


def url_of(directory: Path) -> str | None:
    """Return the address of the fault interface of a cluster; None if it has none."""
    try:
        return (directory / FAULTS / _URL).read_text().strip()
    except FileNotFoundError:
        return None
