"""The log of failed logins, at a bounded rate, and the counts of all of them.

Unlike Kafka (row Y6): a client that fails again and again must not fill the log. Of the failures in
`_WINDOW_MS`, the first `_MAX_LINES` have a line each, and the others are counted in one. No line
has a password.
"""

import logging
from dataclasses import dataclass
from typing import Final

from minikafka.common.environment import Environment

_log = logging.getLogger("minikafka.authentication")
_WINDOW_MS: Final = 10_000
_MAX_LINES: Final = 10
_SHOWN: Final = 60
_SHOWN_OF_REASON: Final = 300


@dataclass(slots=True)
class LoginCounts:
    """Logins on one listener since the start: first ones, and those of KIP-368 after them."""

    succeeded: int = 0
    failed: int = 0
    repeated: int = 0
    """Further logins on a connection that succeeded."""
    repeated_failed: int = 0
    without_repetition: int = 0
    """First logins by SaslHandshake v0, whose clients cannot log in again."""
    expired: int = 0
    """Connections that were closed since their session had ended."""


class LoginAudit:
    """Counts logins, and logs those that failed."""

    def __init__(self, env: Environment) -> None:
        """Start with nothing counted."""
        self._env = env
        self._lines = 0
        self._omitted = 0
        self._window_is_open = False
        self._counts: dict[str, LoginCounts] = {}

    @property
    def counts(self) -> dict[str, LoginCounts]:
        """The counts by listener."""
        return self._counts

    def of_listener(self, listener: str) -> LoginCounts:
        """Return the counts of a listener, to change them."""
        return self._counts.setdefault(listener, LoginCounts())

    def failed(self, listener: str, peer_host: str, mechanism: str, user: str, reason: str) -> None:
        """Log a failed login, unless there were many."""
        if not self._window_is_open:
            self._window_is_open = True
            self._env.after(_WINDOW_MS, self._close_window)
        if self._lines == _MAX_LINES:
            self._omitted += 1
            return
        self._lines += 1
        _log.warning(
            "failed login on listener %s from %s%s%s: %s",
            listener,
            peer_host,
            f", mechanism {mechanism}" if mechanism else "",
            f", user {user[:_SHOWN]!r}" if user else "",
            reason[:_SHOWN_OF_REASON],
        )

    def _close_window(self) -> None:
        if self._omitted:
            _log.warning(
                "%d more failed logins in the last %d s", self._omitted, _WINDOW_MS // 1000
            )
        self._lines = self._omitted = 0
        self._window_is_open = False
