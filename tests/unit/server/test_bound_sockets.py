import errno
import socket

import pytest

from minikafka.server import bound_sockets
from minikafka.server.bound_sockets import bind_sockets

HOST = "127.0.0.1"


async def test_the_port_is_known_before_anything_listens():
    bound = await bind_sockets(HOST, 0, 50)
    assert [each.getsockname() for each in bound.sockets] == [(HOST, bound.port)]
    bound.close()
    bound.close()
    assert bound.sockets == []


async def test_an_address_in_use_is_an_error():
    bound = await bind_sockets(HOST, 0, 50)
    for each in bound.sockets:
        each.listen(bound.backlog)
    with pytest.raises(OSError, match="in use"):
        await bind_sockets(HOST, bound.port, 50)
    bound.close()


@pytest.mark.parametrize("host", ["", "0.0.0.0", "::"])
async def test_a_wildcard_address_is_that_of_both_families(host):
    bound = await bind_sockets(host, 0, 50)
    names = {each.family: each.getsockname()[:2] for each in bound.sockets}
    port = bound.port
    bound.close()
    assert names == {socket.AF_INET: ("0.0.0.0", port), socket.AF_INET6: ("::", port)}


async def test_a_machine_may_lack_a_family(monkeypatch):
    make = bound_sockets._bound

    def bind(family, *arguments):
        if family == socket.AF_INET6:
            raise OSError(errno.EAFNOSUPPORT, "no IPv6")
        return make(family, *arguments)

    monkeypatch.setattr(bound_sockets, "_bound", bind)
    bound = await bind_sockets("::", 0, 50)
    assert [each.family for each in bound.sockets] == [socket.AF_INET]
    bound.close()
    with pytest.raises(OSError, match="no IPv6"):
        await bind_sockets("::1", 0, 50)
