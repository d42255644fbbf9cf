"""The socket for commands about faults: limits, long paths, and what a former process has left."""

import asyncio
import json
import socket
import stat
from pathlib import Path

import pytest

from minikafka.faults.vocabulary import FaultError
from minikafka.server.fault_socket import (
    MAX_CONNECTIONS,
    MAX_LINE_BYTES,
    NAME,
    FaultSocket,
    command,
)


class Echo:
    """Answers a command with its argument."""

    def answer(self, line):
        value = json.loads(line)
        return json.dumps({"error": "no"} if "no" in value else value).encode() + b"\n"


@pytest.fixture
async def served(tmp_path):
    listening = FaultSocket(tmp_path, Echo())
    await listening.serve()
    yield tmp_path
    listening.close()
    await asyncio.sleep(0.02)


async def ask(folder, *words):
    return await asyncio.to_thread(command, folder, *words)


def descriptors():
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


async def connect(folder):
    return await asyncio.open_unix_connection(str(folder / NAME))


async def test_a_command_is_answered(served):
    assert await ask(served, "set", [1]) == [1]
    with pytest.raises(FaultError, match="no"):
        await ask(served, "no")
    assert stat.S_IMODE((served / NAME).stat().st_mode) == 0o600


async def test_commands_before_the_start_wait(tmp_path):
    listening = FaultSocket(tmp_path, Echo())
    asked = asyncio.create_task(ask(tmp_path, "set", [2]))
    await asyncio.sleep(0.05)
    await listening.serve()
    assert await asked == [2]
    listening.close()
    await asyncio.sleep(0.02)


async def test_a_long_line_is_refused(served):
    reader, writer = await connect(served)
    writer.write(b"x" * (MAX_LINE_BYTES + 10))
    assert b"longer than" in await reader.readline()
    assert await reader.read() == b""
    writer.close()
    await writer.wait_closed()


async def test_one_connection_too_many_closes_the_oldest(served):
    opened = []
    for _ in range(MAX_CONNECTIONS):
        reader, writer = await connect(served)
        writer.write(b'{"set": []}\n')
        await reader.readline()
        opened.append((reader, writer))
    assert await ask(served, "set", [3]) == [3]
    assert await opened[0][0].read() == b""
    opened[1][1].write(b'{"set": [4]}\n')
    assert await opened[1][0].readline() == b'{"set": [4]}\n'
    for _, writer in opened:
        writer.close()
        await writer.wait_closed()


async def test_a_path_may_be_long_and_have_any_letters(tmp_path):
    folder = tmp_path / ("Prüfung mit Leerzeichen " * 5) / ("x" * 100)
    folder.mkdir(parents=True)
    listening = FaultSocket(folder, Echo())
    await listening.serve()
    assert await ask(folder, "set", ["ü"]) == ["ü"]
    listening.close()
    await asyncio.sleep(0.02)
    assert not (folder / NAME).exists()


async def test_what_a_killed_process_left_is_replaced(tmp_path):
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(tmp_path / NAME))
    left.close()
    listening = FaultSocket(tmp_path, Echo())
    await listening.serve()
    assert await ask(tmp_path, "set", [4]) == [4]
    listening.close()
    await asyncio.sleep(0.02)


def test_a_folder_in_the_way_is_an_error(tmp_path):
    (tmp_path / NAME).mkdir()
    before = descriptors()
    with pytest.raises(OSError, match="irectory|permitted"):
        FaultSocket(tmp_path, Echo())
    assert descriptors() == before


def test_without_a_node_a_command_fails(tmp_path):
    with pytest.raises(FileNotFoundError):
        command(tmp_path, "hits")
