"""The limit on file descriptors of this process, and its division between logs and connections."""

import resource
from typing import Final

_MIN_RESERVED: Final = 48
_MAX_RESERVED: Final = 8192
_OWN: Final = 32


def raise_limit() -> int:
    """Raise the soft limit on open files to the hard one; return the effective limit.

    The system may refuse, as macOS does above a certain number; then the soft limit stays.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        except (ValueError, OSError):
            return soft
    return hard


def current_limit() -> int:
    """Return the soft limit on open files."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def share_of_files(limit: int) -> int:
    """Return how many files of log directories may be open at a time: half of the limit.

    The other half is for connections of clients and other nodes.
    """
    return 2**31 - 1 if limit < 0 else max(limit // 2, 1)


def least_limit() -> int:
    """Return the smallest limit that leaves a file for a connection."""
    return _MIN_RESERVED + _OWN + 1


def most_connections(limit: int) -> int:
    """Return the number of connections at which clients are rejected.

    A quarter of the limit, at least 48 and at most 8192, is reserved for logs and for connections
    to other nodes, and 32 for the files that every process has open.
    """
    if limit < 0:
        # RLIM_INFINITY
        return 2**31 - 1
    return max(0, limit - min(max(limit // 4, _MIN_RESERVED), _MAX_RESERVED) - _OWN)
