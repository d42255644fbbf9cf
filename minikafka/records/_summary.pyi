def summarize(
    buffer: bytes | bytearray | memoryview, start: int, count: int, most_parts: int, /
) -> tuple[int, int, int, int] | None: ...
def search(
    buffer: bytes | bytearray | memoryview,
    count: int,
    most_parts: int,
    least_timestamp_delta: int,
    least_offset_delta: int,
    /,
) -> tuple[int, int, int] | None: ...
