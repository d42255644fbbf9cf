"""The keys of a terminal."""

import pytest

from minikafka.commands.terminal import keys_of


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        (b"q", ["q"]),
        (b"/ab\x7f\r", ["/", "a", "b", "backspace", "enter"]),
        (b"\x1b[B\x1b[B\x1b[6~", ["down", "down", "page down"]),
        (b"\x1b", ["escape"]),
        (b"\x1b[1;5Cx", ["\x1b[1;5C", "x"]),
        ("ü".encode(), ["ü"]),
        (b"", []),
    ],
)
def test_keys_that_arrive_together_are_all_read(data, keys):
    assert keys_of(data) == keys
