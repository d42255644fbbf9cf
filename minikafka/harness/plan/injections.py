"""The ways in which the harness can tamper with its observations, and the finding of each.

Plain names, without Spark, so that the command line can offer them; `spark.tamper` tampers.
"""

from typing import Literal

Injection = Literal[
    "loss",
    "skip",
    "vanish",
    "duplicate",
    "reorder",
    "corrupt",
    "move",
    "phantom",
    "refuse",
    "overwrite",
    "gap",
    "watermark",
    "isolation",
    "poll-backward",
    "committed-reread",
    "poll-skip",
]

EXPECTED_KIND: dict[Injection, str] = {
    "loss": "lost",
    "skip": "skipped",
    "vanish": "vanished",
    "duplicate": "duplicated",
    "reorder": "reordered",
    "corrupt": "changed",
    "move": "moved",
    "phantom": "phantom",
    "refuse": "failed_but_read",
    "overwrite": "two_contents",
    "gap": "gap",
    "watermark": "high_watermark_regression",
    "isolation": "isolation_difference",
    "poll-backward": "poll_backward",
    "committed-reread": "committed_reread",
    "poll-skip": "poll_skip",
}
"""Injection → the broken promise that the verdict must find."""

OF_THE_READER = ("poll-backward", "committed-reread", "poll-skip")
"""The injections that need the second reader."""

INJECTIONS: tuple[Injection, ...] = tuple(EXPECTED_KIND)
