"""The order of faults that touch voters: one that forgets its votes is alone.

In a static quorum a voter with an old or empty directory may vote twice in an epoch. If another
voter is away at the same time, the quorum may lose committed records, which no Raft quorum promises
to survive. Faults that touch no voter may overlap.
"""

import threading

_EVERY_S = 0.1


class VoterTurns:
    """Lets faults of voters begin: exclusive ones alone, others together.

    `shift_s` is the time by which the rest of the schedule begins later, because an exclusive fault
    took longer than planned.
    """

    def __init__(self, ended: threading.Event) -> None:
        """`ended` is set when the run ends; then nothing begins any more."""
        self._ended = ended
        self._changed = threading.Condition()
        self._shared = 0
        self._is_exclusive = False
        self.shift_s = 0.0

    def begin(self, *, exclusive: bool) -> bool:
        """Wait for the turn of a fault; False if the run ended first."""
        with self._changed:
            while self._is_exclusive or (exclusive and self._shared):
                if self._ended.is_set():
                    return False
                self._changed.wait(_EVERY_S)
            if exclusive:
                self._is_exclusive = True
            else:
                self._shared += 1
            return not self._ended.is_set() or self._undo(exclusive=exclusive)

    def end(self, *, exclusive: bool, shift_s: float = 0.0) -> None:
        """End the turn; the rest of the schedule begins at least `shift_s` later than planned."""
        with self._changed:
            self.shift_s = max(self.shift_s, shift_s)
            self._undo(exclusive=exclusive)

    def _undo(self, *, exclusive: bool) -> bool:
        if exclusive:
            self._is_exclusive = False
        else:
            self._shared -= 1
        self._changed.notify_all()
        return False
