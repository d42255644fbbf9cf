"""Signals of a run: one ends the writing, two abort the run."""

import os
import signal

import pytest

from minikafka.harness.interrupts import Interrupt, interrupts, undisturbed


def test_the_first_interrupt_is_noted_and_the_second_aborts():
    interrupted = Interrupt()
    before = signal.getsignal(signal.SIGINT)
    with interrupts(interrupted):
        os.kill(os.getpid(), signal.SIGTERM)
        assert interrupted.has_come
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_work_that_must_not_end_half_done_is_done_first(capsys):
    interrupted = Interrupt()
    with interrupts(interrupted):
        with undisturbed("healing what is still broken"):
            os.kill(os.getpid(), signal.SIGTERM)
            assert not interrupted.has_come
        assert interrupted.has_come
        with pytest.raises(KeyboardInterrupt), undisturbed("healing what is still broken"):
            os.kill(os.getpid(), signal.SIGINT)
    said = capsys.readouterr().err.splitlines()
    assert said == ["healing what is still broken; the run ends after that"] * 2
