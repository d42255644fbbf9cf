from typing import TypeAlias

Buffer: TypeAlias = bytes | bytearray | memoryview

def put_keys(
    table: bytearray,
    secret: bytes,
    section: Buffer,
    count: int,
    base_offset: int,
    start_offset: int,
    room: int,
    /,
) -> tuple[int, int, int] | None: ...
def select(
    table: bytearray,
    secret: bytes,
    section: Buffer,
    count: int,
    base_offset: int,
    last_mapped_offset: int,
    keeps_tombstones: bool,
    /,
) -> tuple[bytes, int] | None: ...
def copy(
    section: Buffer, stays: bytes, shift: int, delta: int | None, /
) -> tuple[bytes, int] | None: ...
