"""Ids of groups and transactions for which Apache Kafka's partition is recorded."""

COUNT = 10_000
PARTITIONS = 50
LOWEST_HASH = 1 << 31
"""Integer.MIN_VALUE, as an unsigned number: it has no absolute value in Java."""
_ALPHABETS = (
    [chr(code) for code in range(0x61, 0x7B)],
    [chr(code) for code in range(0x20, 0x7F)],
    [chr(code) for code in range(0xA1, 0x800, 7)],
    [chr(code) for code in range(0x4E00, 0x9FA5, 97)],
    [chr(code) for code in range(0x1F300, 0x1F650, 5)],
    [chr(code) for code in (*range(0xD800, 0xE000, 61), 0x61, 0xE9)],
)
"""ASCII, other letters, pairs of surrogates, and lone ones."""
_DIGITS = 7
"""31 ** 7 is more than 2 ** 32."""


def names():
    """Return the names, always the same ones."""
    found = [*("", "a", "polygenelubricants"), *(with_lowest_hash(f"g{n}") for n in range(97))]
    state = 1
    while len(found) < COUNT:
        text = []
        alphabet = _ALPHABETS[len(found) % len(_ALPHABETS)]
        for _ in range(1 + len(found) % 23):
            state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
            text.append(alphabet[(state >> 33) % len(alphabet)])
        found.append("".join(text))
    return found


def with_lowest_hash(prefix):
    """Append letters to an ASCII text, so that its hash is `LOWEST_HASH`."""
    hashed = 0
    for letter in prefix + "0" * _DIGITS:
        hashed = (31 * hashed + ord(letter)) % (1 << 32)
    left = (LOWEST_HASH - hashed) % (1 << 32)
    digits = []
    for _ in range(_DIGITS):
        left, digit = divmod(left, 31)
        digits.append(chr(ord("0") + digit))
    return prefix + "".join(reversed(digits))
