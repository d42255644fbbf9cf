"""The parts of an X.509 certificate that identify its owner, read from its DER form.

The name is printed as Java does (`X500Principal.getName()`, RFC 2253), since ACLs and mapping rules
contain such names. Source: RFC 5280, RFC 2253, `sun.security.x509.AVA`.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final, NamedTuple

_KEYWORDS: Final = {
    "2.5.4.3": "CN",
    "2.5.4.6": "C",
    "2.5.4.7": "L",
    "2.5.4.8": "ST",
    "2.5.4.9": "STREET",
    "2.5.4.10": "O",
    "2.5.4.11": "OU",
    "0.9.2342.19200300.100.1.1": "UID",
    "0.9.2342.19200300.100.1.25": "DC",
}
_TEXT_TAGS: Final = frozenset((0x0C, 0x13, 0x14, 0x16, 0x1B, 0x1E))
"""The types of text; as Java, the content of each is read as UTF-8."""
_ESCAPED: Final = frozenset(',=+<>#;"\\')
_ALTERNATIVE_NAMES: Final = "2.5.29.17"
_EXTENSIONS_TAG: Final = 0xA3
_VERSION_TAG: Final = 0xA0
_UTC_TIME_TAG: Final = 0x17
_OID_TAG: Final = 0x06
_OCTETS_TAG: Final = 0x04


class Certificate(NamedTuple):
    """What is read from a certificate.

    `subject` is its distinguished name. `alternative_names` are in DER. The times are in seconds
    since the epoch.
    """

    subject: str
    not_before_s: float
    not_after_s: float
    alternative_names: frozenset[bytes]


class _Value(NamedTuple):
    tag: int
    content: bytes
    whole: bytes


def parse_certificate(der: bytes) -> Certificate:
    """Read a certificate.

    Raises:
        ValueError: the bytes are no certificate.
    """
    try:
        return _parsed(der)
    except (IndexError, StopIteration, UnicodeDecodeError) as error:
        raise ValueError(f"not a certificate: {error}") from None


def _parsed(der: bytes) -> Certificate:
    outer = next(_values(der))
    fields = list(_values(next(_values(outer.content)).content))
    if fields[0].tag == _VERSION_TAG:
        del fields[0]
    # Serial number, signature, issuer, validity, subject, key, extensions.
    begin, end = _values(fields[3].content)
    names: frozenset[bytes] = frozenset()
    for each in fields[6:]:
        if each.tag == _EXTENSIONS_TAG:
            names = _alternative_names(each.content)
    return Certificate(_name(fields[4].content), _time_s(begin), _time_s(end), names)


def _values(data: bytes) -> Iterator[_Value]:
    """Yield the values that follow one another in `data`."""
    at = 0
    while at < len(data):
        begin, tag, size = at, data[at], data[at + 1]
        at += 2
        if size & 0x80:
            count = size & 0x7F
            size = int.from_bytes(data[at : at + count], "big")
            at += count
        if at + size > len(data):
            raise ValueError("it is cut off")
        yield _Value(tag, data[at : at + size], data[begin : at + size])
        at += size


def _oid(content: bytes) -> str:
    numbers: list[int] = []
    number = 0
    for byte in content:
        number = number << 7 | byte & 0x7F
        if not byte & 0x80:
            numbers.append(number)
            number = 0
    first = min(numbers[0] // 40, 2)
    return ".".join(map(str, (first, numbers[0] - 40 * first, *numbers[1:])))


def _time_s(value: _Value) -> float:
    text = value.content.decode("ascii")
    if value.tag == _UTC_TIME_TAG:
        text = ("19" if text[:2] >= "50" else "20") + text
    return datetime.strptime(text.rstrip("Z"), "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp()


def _alternative_names(content: bytes) -> frozenset[bytes]:
    for extension in _values(next(_values(content)).content):
        parts = list(_values(extension.content))
        if parts[0].tag == _OID_TAG and _oid(parts[0].content) == _ALTERNATIVE_NAMES:
            octets = next(each for each in parts if each.tag == _OCTETS_TAG)
            names = next(_values(octets.content))
            return frozenset(each.whole for each in _values(names.content))
    return frozenset()


def _name(content: bytes) -> str:
    """The text of a name: its last part first."""
    parts = [
        "+".join(_attribute(each.content) for each in _values(part.content))
        for part in _values(content)
    ]
    return ",".join(reversed(parts))


def _attribute(content: bytes) -> str:
    kind, value = _values(content)
    number = _oid(kind.content)
    keyword = _KEYWORDS.get(number)
    if keyword is None or value.tag not in _TEXT_TAGS:
        return f"{keyword or number}=#{value.whole.hex()}"
    return f"{keyword}={_escaped(value.content.decode('utf-8', 'replace'))}"


def _escaped(text: str) -> str:
    shown = "".join(
        f"\\{char}" if char in _ESCAPED else "\\00" if char == "\0" else char for char in text
    )
    lead = len(shown) - len(shown.lstrip(" \r"))
    trail = len(shown.rstrip(" \r"))
    return "".join(
        f"\\{char}" if at < lead or at >= trail else char for at, char in enumerate(shown)
    )
