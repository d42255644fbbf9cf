"""Listening sockets outlive a lack of descriptors."""

import asyncio
import errno
import os
import socket

import pytest
import uvloop

from minikafka.server import acceptor as module
from minikafka.server.acceptor import Acceptor
from minikafka.server.bound_sockets import bind_sockets
from minikafka.server.open_files import OpenFiles


@pytest.fixture(autouse=True)
def files(monkeypatch):
    files = OpenFiles(10)
    monkeypatch.setattr(module, "OPEN_FILES", files)
    return files


class Greeter(asyncio.Protocol):
    """Greets and closes."""

    def connection_made(self, transport):
        transport.write(b"hello")
        transport.close()


async def greeting(port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    said = await reader.read()
    writer.close()
    return said


def run(main):
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main())


def refusing(monkeypatch, number, times):
    accept, refused = socket.socket.accept, []

    def accept_(self):
        if len(refused) < times:
            refused.append(number)
            raise OSError(number, os.strerror(number))
        return accept(self)

    monkeypatch.setattr(socket.socket, "accept", accept_)
    return refused


def test_connections_are_taken_once_it_serves():
    async def main():
        bound = await bind_sockets("127.0.0.1", 0, 50)
        acceptor, port = Acceptor(asyncio.get_running_loop(), bound, Greeter), bound.port
        with pytest.raises(ConnectionRefusedError):
            await greeting(port)
        acceptor.serve()
        assert await asyncio.gather(*(greeting(port) for _ in range(40))) == [b"hello"] * 40
        acceptor.close()
        with pytest.raises(ConnectionRefusedError):
            await greeting(port)

    run(main)


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOBUFS])
def test_it_goes_on_after_the_system_refused(monkeypatch, caplog, number):
    """The loop's own server closed the socket, and refused connections from then on."""
    refused = refusing(monkeypatch, number, 3)

    async def main():
        bound = await bind_sockets("127.0.0.1", 0, 50)
        acceptor, port = Acceptor(asyncio.get_running_loop(), bound, Greeter), bound.port
        acceptor.serve()
        assert await greeting(port) == b"hello"
        assert await greeting(port) == b"hello"
        acceptor.close()

    run(main)
    assert len(refused) == 3
    assert "no connection is accepted for 0.1 s" in caplog.text


def test_a_file_of_a_log_makes_room(monkeypatch, caplog, files):
    refusing(monkeypatch, errno.EMFILE, 1)
    monkeypatch.setattr(files, "make_room", lambda: True)

    async def main():
        bound = await bind_sockets("127.0.0.1", 0, 50)
        acceptor, port = Acceptor(asyncio.get_running_loop(), bound, Greeter), bound.port
        acceptor.serve()
        assert await greeting(port) == b"hello"
        acceptor.close()

    run(main)
    assert caplog.text == ""
