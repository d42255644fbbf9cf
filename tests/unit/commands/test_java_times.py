"""Times and durations are read as Java reads them."""

import pytest

from minikafka.commands.java_times import parse_date_time, parse_duration_ms

AT_MS = 1_700_000_000_000


@pytest.mark.parametrize(
    ("text", "after_ms"),
    [
        ("2023-11-14T22:13:20.000", 0),
        ("2023-11-14T22:13:20.5Z", 5),
        ("2023-11-14T23:13:20.000+01:00", 0),
        ("2023-11-14T21:13:20.250-01", 250),
        ("2023-11-14T23:13:20.000+01:75", 0),
    ],
)
def test_times(text, after_ms):
    assert parse_date_time(text) == AT_MS + after_ms


@pytest.mark.parametrize(
    "text", ["2023-11-14T22:13:20", "2023-13-14T22:13:20.000", "2023-11-14", "T", "xTy"]
)
def test_what_is_no_time(text):
    with pytest.raises(ValueError, match=r"Unparseable date|does not contain a 'T'"):
        parse_date_time(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("PT0S", 0),
        ("P1DT2H3M4.5S", 93_784.5),
        ("pt1h", 3600),
        ("-PT1H", -3600),
        ("PT-1.5S", -1.5),
    ],
)
def test_durations(text, seconds):
    assert parse_duration_ms(text) == seconds * 1000


@pytest.mark.parametrize("text", ["", "P", "PT", "1h", "P1W", "P1DT", "PT1D"])
def test_what_is_no_duration(text):
    with pytest.raises(ValueError, match="Duration"):
        parse_duration_ms(text)
