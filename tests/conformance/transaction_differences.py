"""The rows of docs/compatibility.md that explain a different answer about transactions."""

INVALID_REQUEST = 42
UNSTABLE_OFFSET_COMMIT = 88
OUT_OF_ORDER = 45
ADDS_FROM = 12
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


def _kept_its_verification(step, ours, theirs, told):
    """The lowest sequence of the verification before a marker still counts in Kafka."""
    pairs = zip(numbers(ours, "error_code"), numbers(theirs, "error_code"), strict=True)
    different = {pair for pair in pairs if pair[0] != pair[1]}
    was_added = any(
        line.startswith("produce") and int(line.split("\n")[0].rpartition(" v")[2]) >= ADDS_FROM
        for line in told
    )
    return step.text.startswith("produce") and was_added and different == {(0, OUT_OF_ORDER)}


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


def row_of(step, ours, theirs, told):
    """Return the start of the row that explains a difference after the steps `told`, or None."""
    if not isinstance(ours, dict) or not isinstance(theirs, dict):
        return None
    if _kept_its_verification(step, ours, theirs, told):
        return "a marker with the epoch of a verification that adds the partition"
    return next((row for row, explains in KNOWN if explains(step, ours, theirs)), None)
