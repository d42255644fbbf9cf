"""Times and durations as Kafka's tools read them from a command line."""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

_DATE_TIME: Final = re.compile(
    r"(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)\.(\d+)(?:Z|([+-])(\d\d)(?::([0-5]\d))?)", re.ASCII
)
_DURATION: Final = re.compile(
    r"([-+]?)P(?:([-+]?\d+)D)?"
    r"(T(?:([-+]?\d+)H)?(?:([-+]?\d+)M)?(?:([-+]?\d+)(?:[.,](\d{0,9}))?S)?)?",
    re.ASCII | re.IGNORECASE,
)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_S, _HOUR_S, _MINUTE_S = 86_400, 3_600, 60


def parse_date_time(text: str) -> int:
    """Return a time like `2024-05-01T12:00:00.000` in ms since 1970; without a zone it is UTC.

    The digits after the point count milliseconds, however many they are.

    Raises:
        ValueError: the text is no such time.
    """
    _, separator, of_day = text.partition("T")
    if not separator or not of_day:
        raise ValueError(
            "Error parsing timestamp. It does not contain a 'T' according to ISO8601 format"
        )
    whole = text if any(sign in of_day for sign in "+-Z") else f"{text}Z"
    found = _DATE_TIME.match(whole)
    try:
        if found is None:
            raise ValueError  # noqa: TRY301 - one error for all wrong texts
        year, month, day, hour, minute, second, millisecond = map(int, found.groups()[:7])
        sign, zone_hours, zone_minutes = found.groups()[7:]
        zone = timedelta(hours=int(zone_hours or 0), minutes=int(zone_minutes or 0))
        at = datetime(
            year, month, day, hour, minute, second,
            tzinfo=timezone(-zone if sign == "-" else zone),
        )  # fmt: skip
        if millisecond > 999:
            raise ValueError  # noqa: TRY301
    except (ValueError, OverflowError):
        raise ValueError(f'Unparseable date: "{whole}"') from None
    return (at - _EPOCH) // timedelta(milliseconds=1) + millisecond


def parse_duration_ms(text: str) -> float:
    """Return a duration like `P1DT2H3M4.5S` in milliseconds.

    Raises:
        ValueError: the text is no such duration.
    """
    found = _DURATION.fullmatch(text)
    if found is None or (found[3] or "").upper() == "T" or not any(found.groups()[1:]):
        raise ValueError("Text cannot be parsed to a Duration")
    days, hours, minutes, seconds = (int(found[index] or 0) for index in (2, 4, 5, 6))
    part_s = float(f"0.{found[7]}") if found[7] else 0.0
    if (found[6] or "").startswith("-"):
        part_s = -part_s
    total_s = days * _DAY_S + hours * _HOUR_S + minutes * _MINUTE_S + seconds + part_s
    return (-total_s if found[1] == "-" else total_s) * 1000
