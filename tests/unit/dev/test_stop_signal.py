"""Signals that tell `minikafka dev` to stop."""

import signal
import subprocess
import sys
import time

import pytest

from minikafka.dev.stop_signal import StopSignal

_WAITING = """
from minikafka.dev.stop_signal import StopSignal
stop = StopSignal()
stop.install()
print("waiting", flush=True)
stop.wait()
print("stopped", flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_wait(number):
    with subprocess.Popen(
        [sys.executable, "-c", _WAITING], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "waiting\n"
        process.send_signal(number)
        assert process.stdout.readline() == "stopped\n"


_AT_ANOTHER_THREAD = """
import signal
import threading
import time
from minikafka.dev.stop_signal import StopSignal

def end():
    time.sleep(0.2)
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

stop = StopSignal()
stop.install()
threading.Thread(target=end, daemon=True).start()
stop.wait(timeout_s=30)
print(stop.is_set)
"""


def test_a_signal_that_interrupts_no_wait_ends_it():
    """Its handler cannot run before: as if it came just before the wait."""
    begun_s = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", _AT_ANOTHER_THREAD], capture_output=True, text=True, check=True
    )
    assert done.stdout == "True\n"
    assert time.monotonic() - begun_s < 20


def test_a_signal_may_interrupt_the_handler_of_another(monkeypatch):
    """A shell that stops a process group sends two; a lock in the handler would be a deadlock."""
    stop = StopSignal()
    assert not stop.is_set
    write = "minikafka.dev.stop_signal.os.write"
    calls = []

    def interrupted(descriptor, data):
        calls.append(data)
        stop._handle(signal.SIGTERM, None)
        return len(data)

    monkeypatch.setattr(write, interrupted)
    stop._handle(signal.SIGINT, None)
    assert stop.is_set
    assert calls == [b"x"]
