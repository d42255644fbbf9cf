"""Signals of a run: one ends the writing, two abort the run."""

import os
import signal

import pytest

from minikafka.harness.interrupts import Interrupt, interrupts


def test_the_first_interrupt_is_noted_and_the_second_aborts():
    interrupted = Interrupt()
    before = signal.getsignal(signal.SIGINT)
    with interrupts(interrupted):
        os.kill(os.getpid(), signal.SIGTERM)
        assert interrupted.has_come
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
