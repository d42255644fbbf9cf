"""The content of a file on a simulated disk: which bytes survive a power loss."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

_NOTHING_SHARE = _WRITTEN_BACK_SHARE = 0.25
"""The share of crashes that keep none, or all, of the unsynced data: it was written long before."""
_BATCH_PREFIX_BYTES = 17
"""Base offset, length, leader epoch and magic of a record batch."""
_UNDONE = sys.maxsize
"""In place of a truncation that a power loss has undone: it cuts nothing off."""


def is_cut_off(at: int, truncations: Sequence[int]) -> bool:
    """True if one of the truncations removed the byte at `at`, which may be written again since."""
    return any(size <= at for size in truncations)


@dataclass(slots=True)
class Inode:
    """The bytes of a file, of which some are durable."""

    data: bytearray = field(default_factory=bytearray)
    synced: int = 0
    """The first bytes of `data` that are durable."""
    cut: bytes = b""
    """Durable bytes that followed them until a truncation that is not durable yet."""
    truncations: list[int] = field(default_factory=list)
    """The sizes to which the file was truncated, the first `durable_truncations` durably."""
    durable_truncations: int = 0
    unwritten: tuple[int, int] = (0, 0)
    """The range that a sync could not write; later syncs do not write it either."""

    def sync(self) -> None:
        """Make all bytes durable."""
        self.synced = len(self.data)
        self.cut = b""
        self.durable_truncations = len(self.truncations)

    def fail_to_sync(self, share: float) -> None:
        """Write `share` of the unsynced bytes; the rest is never written."""
        end = len(self.data)
        start = self.synced + int((end - self.synced) * share)
        if start < end:
            first, last = self.unwritten
            self.unwritten = (min(first, start), end) if first < last else (start, end)

    def drop_unwritten(self) -> None:
        """Replace the range that was not written by zeros."""
        first, last = self.unwritten
        self.unwritten = (0, 0)
        last = min(last, len(self.data))
        if first < last:
            self.data[first:last] = bytes(last - first)

    def truncate(self, size: int) -> None:
        """Cut the file to `size` bytes; a power loss may undo it until the next sync."""
        if size < self.synced:
            self.cut = bytes(self.data[size : self.synced]) + self.cut
            self.synced = size
        first, last = self.unwritten
        self.unwritten = (first, min(last, size)) if first < size else (0, 0)
        del self.data[size:]
        self.truncations.append(size)

    def flip(self, at: int, bit: int) -> Callable[[], None]:
        """Flip a bit; return an action that flips it back, unless the byte was cut off since."""
        known = len(self.truncations)
        self.data[at] ^= 1 << bit

        def flip_back() -> None:
            if at < len(self.data) and not is_cut_off(at, self.truncations[known:]):
                self.data[at] ^= 1 << bit

        return flip_back

    def after_power_loss(self) -> tuple[bytearray, list[int]]:
        """The durable bytes with those that were cut off, and the durable truncations."""
        return self.data[: self.synced] + self.cut, self.truncations[: self.durable_truncations]

    def lose_power(self, rng: Random, *, flips: bool) -> None:
        """Keep the durable bytes and a random part of the others; `flips`: flip a bit of it."""
        self.drop_unwritten()
        if self.cut and rng.random() < 0.5:
            self.data[self.synced :] = self.cut
            undone = len(self.truncations) - self.durable_truncations
            # Later ones keep their index.
            self.truncations[self.durable_truncations :] = [_UNDONE] * undone
        else:
            share = rng.random()
            if share < _NOTHING_SHARE:
                # The size is journaled after the pages were written.
                del self.data[self.synced :]
            elif share < 1 - _WRITTEN_BACK_SHARE:
                self._keep_some(rng, rng.randint(self.synced, len(self.data)), flips=flips)
        self.sync()

    def _keep_some(self, rng: Random, kept: int, *, flips: bool) -> None:
        del self.data[kept:]
        torn = min(kept - self.synced, rng.choice((0, 0, 1, 7, 512)))
        if torn:
            # The size was journaled, the page was not written: it reads as zeros.
            self.data[kept - torn :] = bytes(torn)
        if flips and self.synced < kept:
            self._flip(rng.randrange(self.synced, kept), rng.randrange(8))

    def _flip(self, at: int, bit: int) -> None:
        """Flip a bit, but not in a batch's base offset or leader epoch: no checksum covers them.

        Leaders fill them in; a reader cannot detect a change of them (as in Kafka).
        """
        start = 0
        while start + _BATCH_PREFIX_BYTES <= len(self.data):
            end = start + 12 + int.from_bytes(self.data[start + 8 : start + 12], "big")
            if start <= at < end:
                if at - start < 8 or 12 <= at - start < 16:
                    at = start + 8
                break
            start = end
        self.data[at] ^= 1 << bit
