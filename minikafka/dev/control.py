"""The socket by which the owner of a cluster gets commands.

A command is one line. The answer is any number of notes, which say what the owner waits for or what
a reader should know, and then one last line: "ok", or "error: " and the reason.
"""

import socket
import threading
from collections.abc import Callable
from contextlib import chdir, suppress
from pathlib import Path

from minikafka.dev.layout import CONTROL

NOTE = "note: "
OK = "ok"
ERROR = "error: "
STOPPING = "the cluster is being stopped"
"""The reason why a command is refused at the end."""
Say = Callable[[str], object]


class NoOwnerError(Exception):
    """No cluster runs in a directory; the message says why."""


class Control:
    """The owner's end."""

    def __init__(self, directory: Path) -> None:
        """Listen in the cluster's directory; nothing is answered before `serve`."""
        self._directory = directory
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # A relative name, since the path of a socket must not exceed 107 bytes.
        with chdir(directory):
            Path(CONTROL).unlink(missing_ok=True)
            self._socket.bind(CONTROL)
        self._socket.listen()

    def serve(self, act: Callable[[list[str], Say], str]) -> None:
        """Answer commands in other threads: `act(words, say)` returns the last line."""
        threading.Thread(target=self._serve, args=(act,), daemon=True).start()

    def close(self) -> None:
        """Answer no command from now on."""
        self._socket.close()
        (self._directory / CONTROL).unlink(missing_ok=True)

    def _serve(self, act: Callable[[list[str], Say], str]) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            # A thread for each: a node that starts may wait for another one, for a quorum.
            threading.Thread(target=self._answer, args=(connection, act), daemon=True).start()

    def _answer(self, connection: socket.socket, act: Callable[[list[str], Say], str]) -> None:
        with connection, connection.makefile("rw") as stream, suppress(OSError):

            def say(note: str) -> None:
                with suppress(OSError):  # who asked has gone; the action goes on
                    stream.write(f"{NOTE}{note}\n")
                    stream.flush()

            words = stream.readline().split()
            if words:
                stream.write(act(words, say) + "\n")
                stream.flush()


def ask_owner(directory: Path, command: str, say: Say) -> str:
    """Send a command ("kill 2") to the owner of a cluster; return the last line of its answer.

    `say` is called with each note.

    Raises:
        NoOwnerError: no cluster runs in the directory, or it has ended before the answer.
    """
    try:
        with chdir(directory), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(CONTROL)
            with connection.makefile("rw") as stream:
                stream.write(command + "\n")
                stream.flush()
                for line in stream:
                    if not line.startswith(NOTE):
                        return line.strip()
                    say(line.removeprefix(NOTE).rstrip("\n"))
    except (FileNotFoundError, ConnectionRefusedError):
        # An owner that was killed leaves its socket.
        raise NoOwnerError(f"no cluster runs in {directory}; start one: minikafka dev") from None
    except OSError as error:
        raise NoOwnerError(f"no cluster runs in {directory}: {error.strerror}") from None
    raise NoOwnerError(f"the cluster in {directory} has ended")
