"""The files with keys of signed tokens: the start, and changes while the node runs."""

import logging
import sys

import pytest

from minikafka.common.events import KeyFileChanged
from minikafka.server.key_files import KeyFileError, KeyFiles
from tests.unit.security.signed_tokens import entry, key_set


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "jwks.json"
    path.write_text(key_set(entry("p256")))
    return path


def test_a_change_is_an_event_when_the_file_is_whole(path):
    files = KeyFiles([str(path)])
    assert files.changes() == files.changes() == []
    text = key_set(entry("other"), entry("p384"))
    path.write_text(text[:20])
    assert files.changes() == []
    path.write_text(text)
    assert files.changes() == []
    assert files.changes() == [KeyFileChanged(str(path), text)]
    assert files.changes() == []


def test_keys_stay_if_the_new_file_cannot_be_used(path, caplog):
    files = KeyFiles([str(path)])
    before = path.read_text()
    with caplog.at_level(logging.INFO):
        path.write_text("broken")
        for _ in range(4):
            assert files.changes() == []
        path.unlink()
        for _ in range(4):
            assert files.changes() == []
    assert files.texts == {str(path): before}
    errors = [each.getMessage() for each in caplog.records]
    assert len(errors) == 2
    assert all(str(path) in each and "those in use stay" in each for each in errors)
    path.write_text(before)
    assert [bool(files.changes()) for _ in range(3)] == [False, True, False]


@pytest.mark.parametrize(
    ("content", "reason"),
    [(None, "cannot be read"), (b"\xff", "is no JSON"), (b" " * (1 << 20) + b" ", "more than")],
)
def test_a_start_needs_usable_keys(path, content, reason):
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(KeyFileError, match=reason) as caught:
        KeyFiles([str(path)])
    assert str(caught.value).startswith(f"sasl.oauthbearer.jwks.endpoint.url: {path}")


def test_the_extra_that_is_missing(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jwt", None)
    monkeypatch.delitem(sys.modules, "minikafka.security.key_set", raising=False)
    with pytest.raises(KeyFileError, match=r"pip install 'minikafka\[security\]'"):
        KeyFiles([str(path)])


def test_skipped_keys_are_logged(path, caplog):
    path.write_text(key_set(entry("p256"), {"kty": "new"}))
    KeyFiles([str(path)])
    assert "1 keys cannot be used" in caplog.text
