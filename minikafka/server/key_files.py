"""The files with keys of signed tokens, which are read again while the node runs.

A new content goes to the node as an event. One that cannot be used is logged, and the keys in use
stay. Kafka reads such a file only at the start.
"""

import asyncio
import logging
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Final

from minikafka.common.events import Event, KeyFileChanged
from minikafka.config.sasl_keys import JWKS_ENDPOINT_URL

if TYPE_CHECKING:
    pass

_log = logging.getLogger("minikafka.server")
_CHECK_S: Final = 2.0
_MAX_BYTES: Final = 1 << 20
_Signature = tuple[int, int, int]


class KeyFileError(Exception):
    """A file that cannot be used; `str()` names the setting and the file."""


class KeyFiles:
    """The files of a node. `texts` are their contents in use, by path."""

    def __init__(self, paths: Collection[str]) -> None:
        """Read all files.

        Raises:
            KeyFileError: one of them cannot be used, or the extra `security` is not installed.
        """
        try:
            from minikafka.security.key_set import KeySet  # noqa: PLC0415 - needs the extra
        except ImportError:
            raise KeyFileError(
                f"{JWKS_ENDPOINT_URL.name}: signed tokens need the extra security: pip install "
                "'minikafka[security]'"
            ) from None
        self._parse: Callable[[str], KeySet] = KeySet
        self._in_use = {path: _signature(path) for path in paths}
        self._seen: dict[str, _Signature] = {}
        """The last state of a file that is not in use."""
        self._judged: dict[str, _Signature] = {}
        self.texts = {path: self._read(path) for path in paths}

    def follow(
        self, loop: asyncio.AbstractEventLoop, step: Callable[[Event], None]
    ) -> Callable[[], None]:
        """Check for changes every few seconds; return what ends it."""

        def check() -> None:
            for event in self.changes():
                step(event)
            timers[0] = loop.call_later(_CHECK_S, check)

        def end() -> None:
            timers[0].cancel()

        timers = [loop.call_later(_CHECK_S, check)]
        return end

    def changes(self) -> list[KeyFileChanged]:
        """Return the new contents since the last call that can be used; log the others."""
        found = []
        for path in self.texts:
            state = _signature(path)
            if state == self._in_use[path]:
                self._seen.pop(path, None)
            elif self._seen.get(path) != state:
                # It may still be written: wait until nothing changes.
                self._seen[path] = state
            elif self._judged.get(path) != state:
                self._judged[path] = state
                if self._replace(path):
                    self._in_use[path] = state
                    found.append(KeyFileChanged(path, self.texts[path]))
        return found

    def _replace(self, path: str) -> bool:
        try:
            self.texts[path] = self._read(path)
        except KeyFileError as error:
            _log.error("new keys of tokens are not used, those in use stay: %s", error)
            return False
        _log.info("%s: the keys of tokens were read again", path)
        return True

    def _read(self, path: str) -> str:
        """Return the content of a file whose keys can be used."""
        source = f"{JWKS_ENDPOINT_URL.name}: {path}"
        try:
            with Path(path).open("rb") as file:
                content = file.read(_MAX_BYTES + 1)
        except OSError as error:
            raise KeyFileError(f"{source}: cannot be read: {error.strerror}") from None
        except ValueError:
            raise KeyFileError(f"{source}: is no path of a file") from None
        if len(content) > _MAX_BYTES:
            raise KeyFileError(f"{source}: has more than {_MAX_BYTES} bytes")
        text = content.decode(errors="replace")
        try:
            keys = self._parse(text)
        except ValueError as error:
            raise KeyFileError(f"{source}: {error}") from None
        if keys.skipped:
            _log.warning("%s: %d keys cannot be used", path, keys.skipped)
        return text


def _signature(path: str) -> _Signature:
    """Return values of a file that differ after each change of it."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return (0, 0, 0)
    return (status.st_mtime_ns, status.st_size, status.st_ino)
