"""CRC-32C of any buffer, with the processor's instruction for it if there is one.

The extension module is loaded directly: its package reads its version from `importlib.metadata` at
import, and that alone takes a fifth of a broker's start-up time.
"""

from collections.abc import Callable
from importlib.machinery import PathFinder

Crc32c = Callable[..., int]


def _load() -> Crc32c:
    package = PathFinder.find_spec("crc32c")
    if package is not None and package.submodule_search_locations:
        spec = PathFinder.find_spec("crc32c._crc32c", list(package.submodule_search_locations))
        if spec is not None and spec.loader is not None:
            module = spec.loader.create_module(spec)
            if module is not None:
                spec.loader.exec_module(module)
                function: Crc32c = vars(module)["crc32c"]
                return function
    from crc32c import crc32c  # noqa: PLC0415 - a build without the inner extension module

    fallback: Crc32c = crc32c
    return fallback


crc32c = _load()
"""`crc32c(data, value=0)`: the checksum of `data`, continued from `value`. It copies nothing."""
