"""The ways in which the harness can tamper with what it observed, and how each must be found.

Plain names, without Spark, so that the command line can offer them; `inject` does the tampering.
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
"""As which broken promise each injection must be found."""

OF_THE_READER = ("poll-backward", "committed-reread", "poll-skip")
"""They need a second reader."""

INJECTIONS: tuple[Injection, ...] = tuple(EXPECTED_KIND)
