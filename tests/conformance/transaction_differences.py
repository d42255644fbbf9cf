"""The rows of docs/compatibility.md that explain a different answer about transactions."""

INVALID_REQUEST = 42
UNSTABLE_OFFSET_COMMIT = 88
INVALID_RECORD = 87
UNKNOWN_SERVER_ERROR = -1


def numbers(values, key):
    """All numbers of a field anywhere in an answer, in their order."""
    if isinstance(values, list):
        return [number for each in values for number in numbers(each, key)]
    if not isinstance(values, dict):
        return []
    found = [values[key]] if key in values else []
    return found + [number for each in values.values() for number in numbers(each, key)]


def _has_negative_producer(step, ours, theirs):
    # The exception ends the whole request of Kafka.
    return (
        step.text.startswith("write markers")
        and INVALID_REQUEST in numbers(ours, "error_code")
        and set(numbers(theirs, "error_code")) == {UNKNOWN_SERVER_ERROR}
    )


def _has_odd_records(step, ours, _):
    return (
        step.text.startswith("produce") and "epoch=-1)" in step.text
        and INVALID_RECORD in numbers(ours, "error_code")
    )  # fmt: skip


def _was_deleted(step, ours, theirs):
    if not step.text.startswith("offset fetch stable True"):
        return False
    pairs = zip(numbers(ours, "error_code"), numbers(theirs, "error_code"), strict=False)
    return all(
        mine == other or (mine, other) == (UNSTABLE_OFFSET_COMMIT, 0) for mine, other in pairs
    )


def _writes_markers(step, ours, theirs):
    """All but the partitions is equal, and a transaction is ending."""
    if step.text != "describe transactions":
        return False
    pairs = zip(ours["transaction_states"], theirs["transaction_states"], strict=True)
    return all(
        mine == other
        or (
            mine["transaction_state"].startswith("Prepare")
            and mine | {"topics": []} == other | {"topics": []}
        )
        for mine, other in pairs
    )


KNOWN = (
    ("DescribeTransactions while markers are written", _writes_markers),
    ("record batches that clients send", _has_odd_records),
    ("WriteTxnMarkers with a negative producer id or epoch", _has_negative_producer),
    ("OffsetFetch that requires stable offsets, after their deletion", _was_deleted),
)


def row_of(step, ours, theirs):
    """The start of the row that explains a difference; None if there is none."""
    if not isinstance(ours, dict) or not isinstance(theirs, dict):
        return None
    return next((row for row, explains in KNOWN if explains(step, ours, theirs)), None)
