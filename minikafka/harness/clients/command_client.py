"""A producer client in any language: the command of `--client-command` as a child process.

The child gets `client_lines` on its standard input and writes outcomes to its standard output. A
command that breaks the protocol, dies or gives no outcome for long is killed and not replaced: its
records without an outcome are unknown, and one sentence says why.
"""

import contextlib
import os
import select
import shlex
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from minikafka.harness.clients.client_lines import (
    LINE_MAX_BYTES,
    ClientLineError,
    parse_outcome,
    record_line,
    settings_line,
)
from minikafka.harness.clients.outbox import Outbox
from minikafka.harness.clients.producer_client import (
    DELIVERY_TIMEOUT_S,
    DeliveryReport,
    write_report,
)
from minikafka.harness.clients.records import NumberedRecord

SILENCE_MAX_S: Final = DELIVERY_TIMEOUT_S + 15.0
"""The time without any outcome after which a command is killed. It is longer than a client may try
to deliver a record, so a client that waits for a cluster is not killed."""

EXIT_S: Final = 5.0
"""The time in which a command must exit after its last outcome and the end of its input."""

READY_MAX_S: Final = 30.0
"""The time in which a command must start and write its first record. Until then the other records
wait, and so do the faults of the run."""

STDERR_MAX_BYTES: Final = 64 << 20
_TICK_S = 0.02
_READ_BYTES = 1 << 16
_READ_MAX_BYTES = 1 << 20
_DEATH_S = 1.0
"""The time in which a command exits that has closed its standard output by dying."""


class ClientEndedError(Exception):
    """The command can write no more; the message says what it did."""


class CommandClient:
    """The child process, and the records that it has not answered."""

    def __init__(self, outbox: Outbox, *, silence_max_s: float = SILENCE_MAX_S) -> None:
        """Start the command.

        Raises:
            ClientEndedError: if it cannot be started.
        """
        self._outbox = outbox
        self._silence_max_s = silence_max_s
        self._stderr = Path(outbox.task.stderr)
        words = shlex.split(outbox.task.command)
        try:
            with self._stderr.open("wb") as errors:
                # Its own process group: it may start other processes, which end with it.
                self._process = subprocess.Popen(
                    words,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    start_new_session=True,
                )
        except OSError as error:
            raise ClientEndedError(f"could not be started: {error}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input: int | None = self._process.stdin.fileno()
        self._output = self._process.stdout.fileno()
        os.set_blocking(self._input, False)
        os.set_blocking(self._output, False)
        self._unsent = bytearray(settings_line(outbox.task))
        self._received = bytearray()
        self._is_complete = False
        self._has_output = True
        self._open: dict[int, int] = {}
        self._next_seq = 0
        self._heard_s = time.monotonic()
        self._problem = ""
        self._ended = ""

    def send(self, records: Sequence[NumberedRecord]) -> None:
        """Add records to those that the command gets on its standard input."""
        if records and not self._open:
            self._heard_s = time.monotonic()
        for record in records:
            topic, partition = self._outbox.place(record.partition)
            self._unsent += record_line(record, topic, partition)
            self._open[record.seq] = partition
            self._next_seq = record.seq + 1

    def finish(self) -> None:
        """Close the command's standard input after the records sent so far."""
        self._is_complete = True
        if not self._unsent:
            self._close_input()

    def answers(self, wait_s: float) -> list[DeliveryReport]:
        """Exchange lines for some time, and return the outcomes that have arrived.

        Raises:
            ClientEndedError: if the command can write no more, and no outcome is left.
        """
        found: list[DeliveryReport] = []
        if not self._problem:
            try:
                self._exchange(wait_s, found)
                self._check(found)
            except ClientLineError as error:
                self._problem = str(error)
        if self._problem and not found:
            raise ClientEndedError(self._problem)
        return found

    def _exchange(self, wait_s: float, found: list[DeliveryReport]) -> None:
        deadline_s = time.monotonic() + wait_s
        read_bytes = 0
        while self._has_output and read_bytes < _READ_MAX_BYTES:
            writers = [self._input] if self._input is not None and self._unsent else []
            remaining_s = max(0.0, deadline_s - time.monotonic())
            readable, writable, _ = select.select([self._output], writers, [], remaining_s)
            if not readable and not writable:
                return
            if writable:
                self._write()
            if readable:
                read_bytes += self._read(found)

    def _write(self) -> None:
        assert self._input is not None
        try:
            count = os.write(self._input, self._unsent)
        except BlockingIOError:
            return
        except BrokenPipeError:
            # The command closed its input. Usually it has died, and `_check` finds that.
            self._close_input()
            return
        del self._unsent[:count]
        if self._is_complete and not self._unsent:
            self._close_input()

    def _close_input(self) -> None:
        if self._input is not None:
            assert self._process.stdin is not None
            self._input = None
            self._process.stdin.close()

    def _read(self, found: list[DeliveryReport]) -> int:
        try:
            data = os.read(self._output, _READ_BYTES)
        except BlockingIOError:
            return 0
        self._has_output = bool(data)
        self._received += data
        *lines, rest = self._received.split(b"\n")
        self._received = rest
        for line in lines:
            found.append(self._outcome(bytes(line)))
            self._heard_s = time.monotonic()
        if len(rest) > LINE_MAX_BYTES:
            raise ClientLineError(f"wrote a line longer than {LINE_MAX_BYTES >> 10} KiB")
        return len(data)

    def _outcome(self, line: bytes) -> DeliveryReport:
        if len(line) > LINE_MAX_BYTES:
            raise ClientLineError(f"wrote a line longer than {LINE_MAX_BYTES >> 10} KiB")
        has_offset = self._outbox.task.acks != "0"
        report, partition = parse_outcome(line, has_offset=has_offset)
        if report.seq >= self._next_seq:
            raise ClientLineError(
                f"wrote an outcome of record {report.seq}, which it was never given"
            )
        if report.seq not in self._open:
            raise ClientLineError(f"wrote a second outcome of record {report.seq}")
        expected = self._open[report.seq]
        if partition is not None and partition != expected:
            raise ClientLineError(
                f"acknowledged record {report.seq} in partition {partition}, but it was given for"
                f" partition {expected}"
            )
        del self._open[report.seq]
        return report

    def _check(self, found: Sequence[DeliveryReport]) -> None:
        """Note that the command ended, is silent, or writes too much to its standard error."""
        silent_s = time.monotonic() - self._heard_s
        status = self._status(0.0 if self._has_output else _DEATH_S)
        if status and not found:
            self._ended = status
            if not self._is_over:
                self._problem = f"{status} before the end of its work"
            elif status != _SUCCESS:
                self._problem = status
        elif not self._has_output and not status:
            self._problem = "closed its standard output"
        elif self._open and not found and silent_s > self._silence_max_s:
            self._problem = self._silent(silent_s)
        elif self._stderr.stat().st_size > STDERR_MAX_BYTES:
            self._problem = f"wrote more than {STDERR_MAX_BYTES >> 20} MiB to its standard error"

    def _silent(self, silent_s: float) -> str:
        return (
            f"gave no outcome for {silent_s:.1f} s, although {len(self._open):,} records waited"
            " for one"
        )

    @property
    def _is_over(self) -> bool:
        """True if the command got the end of its input and has answered every record."""
        return self._is_complete and self._input is None and not self._open

    def _status(self, wait_s: float) -> str:
        """Return how the command ended, in words; "" if it has not ended in this time."""
        deadline_s = time.monotonic() + wait_s
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        # Not reaped: until `close` no other process can get the number of its group.
        while (ended := os.waitid(os.P_PID, self._process.pid, options)) is None:
            if time.monotonic() > deadline_s:
                return ""
            time.sleep(_TICK_S)
        if ended.si_code == os.CLD_EXITED:
            return f"exited with status {ended.si_status}"
        return f"was ended by signal {ended.si_status} ({signal.strsignal(ended.si_status)})"

    def await_exit(self) -> None:
        """Return when the command has exited after its last outcome.

        Raises:
            ClientEndedError: if it did not exit in time or not with status 0, or if it left
                records without an outcome and was silent since the end of its input.
        """
        if self._open:
            silent_s = time.monotonic() - self._heard_s
            if silent_s >= self._outbox.task.drain_s:
                raise ClientEndedError(self._silent(silent_s))
            return
        deadline_s = time.monotonic() + EXIT_S
        while not self._ended:
            self.answers(_TICK_S)
            if time.monotonic() > deadline_s:
                raise ClientEndedError(
                    f"did not exit within {EXIT_S:g} s after the end of its input"
                )

    def close(self) -> None:
        """Kill the command, and the processes that it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._close_input()
        with contextlib.suppress(subprocess.TimeoutExpired):  # it changed its user
            self._process.wait(EXIT_S)
        assert self._process.stdout is not None
        self._process.stdout.close()


_SUCCESS = "exited with status 0"


def write_by_command(outbox: Outbox, *, silence_max_s: float = SILENCE_MAX_S) -> str:
    """Write with the command until the task is over; return "", or what the command did wrong."""
    try:
        client = CommandClient(outbox, silence_max_s=silence_max_s)
    except ClientEndedError as error:
        return str(error)
    try:
        _await_first(outbox, client)
        has_started = outbox.await_start()
        while has_started and not outbox.is_over:
            client.send(outbox.batch())
            _take(outbox, client)
        client.finish()
        deadline_s = time.monotonic() + outbox.task.drain_s
        while not outbox.is_settled and time.monotonic() < deadline_s:
            _take(outbox, client)
        client.await_exit()
    except ClientEndedError as error:
        outbox.give_up(str(error))
        return str(error)
    finally:
        client.close()
    return ""


def _await_first(outbox: Outbox, client: CommandClient) -> None:
    """Give the command one record, and wait for its outcome: then it has started.

    Raises:
        ClientEndedError: if it gives none in time.
    """
    client.send([outbox.first()])
    deadline_s = time.monotonic() + READY_MAX_S
    while not outbox.is_settled and not outbox.is_closed:
        if time.monotonic() > deadline_s:
            raise ClientEndedError(
                f"gave no outcome of its first record within {READY_MAX_S:g} s of its start"
            )
        _take(outbox, client)


def _take(outbox: Outbox, client: CommandClient) -> None:
    for report in client.answers(_TICK_S):
        write_report(outbox, report)
    outbox.settle(outbox.take())
    outbox.report()
