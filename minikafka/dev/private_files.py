"""Files with keys and passwords."""

import os
from pathlib import Path
from typing import Final

_PRIVATE: Final = 0o600


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read, from its first byte on.

    Raises:
        OSError: the file cannot be written.
    """
    # Another file of this name may be readable for others.
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
