"""Numbers and lists as Java reads and writes them in configurations.

Source: `ConfigDef.parseType` and `convertToString`; `Integer.parseInt`, `Double.parseDouble` and
`Double.toString`.
"""

import math
import re
from typing import Final

_SPACES: Final = "".join(map(chr, range(33)))
_MAX_DIGITS: Final = 40
_AROUND_COMMA: Final = " \t\n\x0b\f\r"
_DECIMAL: Final = r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[fFdD]?"
_HEXADECIMAL: Final = (
    r"([+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?[0-9]+)[fFdD]?"
)
_PLAIN_FROM: Final = 1e-3
_PLAIN_TO: Final = 1e7


def trim(text: str) -> str:
    """Return `text` as `String.trim` does: without control characters and spaces at its ends."""
    return text.strip(_SPACES)


def integer(text: str, bits: int) -> int:
    """Return a number of at most `bits` bits; its digits may be those of any script.

    Raises:
        ValueError: the text is none.
    """
    limit = 1 << (bits - 1)
    digits = text[1:] if text[:1] in ("+", "-") else text
    if digits.isdecimal() and len(text) <= _MAX_DIGITS and -limit <= int(text) < limit:
        return int(text)
    raise ValueError(text)


def double(text: str) -> float:
    """Return a number with a fraction.

    Raises:
        ValueError: the text is none.
    """
    if (text[1:] if text[:1] in ("+", "-") else text) in ("NaN", "Infinity"):
        return float(text)
    # Compiled here: a start does not need the patterns.
    decimal = re.fullmatch(_DECIMAL, text)
    if decimal:
        return float(decimal[1])
    hexadecimal = re.fullmatch(_HEXADECIMAL, text)
    if hexadecimal:
        return float.fromhex(hexadecimal[1])
    raise ValueError(text)


def double_text(value: float) -> str:
    """Return the text of a number with a fraction: `1.0E-4` for 0.0001."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or _PLAIN_FROM <= abs(value) < _PLAIN_TO:
        return f"{value!r}"
    mantissa, _, exponent = f"{value:.17e}".partition("e")
    # The shortest text that is the same number.
    for digits in range(1, 18):
        mantissa, _, exponent = f"{value:.{digits}e}".partition("e")
        if float(f"{mantissa}e{exponent}") == value:
            break
    return f"{mantissa}E{int(exponent)}"


def items(text: str) -> tuple[str, ...]:
    """Return the items of a comma-separated list, also empty ones; no items for empty text."""
    return tuple(item.strip(_AROUND_COMMA) for item in text.split(",")) if text else ()
