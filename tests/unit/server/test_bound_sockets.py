import pytest

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
