r"""Java properties files: the format of `server.properties`.

Source: `java.util.Properties.load`. Comments start with `#` or `!`; key and value are separated by
`=`, `:` or white space; a backslash at the end of a line continues it on the next one; `\uXXXX`,
`\t`, `\n`, `\r`, `\f` and escaped characters are supported.
"""

from minikafka.config.definition import ConfigError

_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_SPACE = " \t\f"


def parse_properties(text: str, source: str) -> dict[str, str]:
    r"""Parse a properties file, in its order; the last value of a repeated key counts.

    Raises:
        ConfigError: a broken `\u` escape or a line without a key; names `source` and the line.
    """
    entries: dict[str, str] = {}
    # Editors of Windows begin UTF-8 files with a mark, which Java takes for part of the first key.
    for number, line in _logical_lines(text.removeprefix("\ufeff")):
        try:
            key, value = _split(line)
        except ValueError as error:
            raise ConfigError(f"{source}, line {number}: {error}") from None
        if not key:
            raise ConfigError(f"{source}, line {number}: a value without a key: {line.strip()!r}")
        entries[key] = value
    return entries


def _logical_lines(text: str) -> list[tuple[int, str]]:
    lines: list[tuple[int, str]] = []
    pending = ""
    start = 0
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.lstrip(_SPACE)
        if not pending:
            start = number
            if not line or line[0] in "#!":
                continue
        pending += line
        backslashes = len(line) - len(line.rstrip("\\"))
        if backslashes % 2 == 1:
            pending = pending[:-1]
            continue
        lines.append((start, pending))
        pending = ""
    if pending:
        lines.append((start, pending))
    return lines


def _split(line: str) -> tuple[str, str]:
    end = 0
    while end < len(line) and line[end] not in "=:" + _SPACE:
        end += 2 if line[end] == "\\" else 1
    rest = line[end:].lstrip(_SPACE)
    if rest[:1] in ("=", ":"):
        rest = rest[1:].lstrip(_SPACE)
    return _unescape(line[:end]), _unescape(rest)


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    out: list[str] = []
    position = 0
    while position < len(text):
        char = text[position]
        position += 1
        if char != "\\" or position == len(text):
            out.append(char)
            continue
        char = text[position]
        position += 1
        if char == "u":
            digits = text[position : position + 4]
            if len(digits) < 4:
                raise ValueError(f"\\u needs four hexadecimal digits, not {digits!r}")
            out.append(chr(int(digits, 16)))
            position += 4
        else:
            out.append(_ESCAPES.get(char, char))
    return "".join(out)
