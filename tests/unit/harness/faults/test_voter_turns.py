"""A fault by which a voter forgets its votes is alone among the faults of voters."""

import threading

from minikafka.harness.faults.voter_turns import VoterTurns


def begun(turns, *, exclusive, also=None):
    """Begin in a thread; return an event that is set when it has begun, with `also`."""
    done = threading.Event()

    def begin():
        if turns.begin(exclusive=exclusive):
            done.set()
            if also is not None:
                also.set()

    threading.Thread(target=begin, daemon=True).start()
    return done


def test_shared_faults_overlap():
    turns = VoterTurns(threading.Event())
    assert turns.begin(exclusive=False)
    assert turns.begin(exclusive=False)


def test_an_exclusive_fault_waits_for_the_others_and_they_for_it():
    turns = VoterTurns(threading.Event())
    assert turns.begin(exclusive=False)
    exclusive = begun(turns, exclusive=True)
    assert not exclusive.is_set()
    turns.end(exclusive=False)
    assert exclusive.wait(30)
    either = threading.Event()
    shared = begun(turns, exclusive=False, also=either)
    other = begun(turns, exclusive=True, also=either)
    assert not shared.is_set()
    assert not other.is_set()
    turns.end(exclusive=True, shift_s=2.5)
    assert either.wait(30)
    assert turns.shift_s == 2.5


def test_the_shift_only_grows():
    turns = VoterTurns(threading.Event())
    for shift_s in (2.0, 1.0):
        assert turns.begin(exclusive=True)
        turns.end(exclusive=True, shift_s=shift_s)
    assert turns.shift_s == 2.0


def test_nothing_begins_after_the_end_of_the_run():
    ended = threading.Event()
    turns = VoterTurns(ended)
    assert turns.begin(exclusive=True)
    ended.set()
    assert not turns.begin(exclusive=False)
    turns.end(exclusive=True)
    assert not turns.begin(exclusive=True)
    assert not turns.begin(exclusive=False)
