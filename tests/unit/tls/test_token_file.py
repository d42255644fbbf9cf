"""The file with the token of a login: what is read, and errors that do not show it."""

import pytest

from minikafka.security.oauthbearer import unsigned
from minikafka.tls.token_file import TokenFileError, read_token

_TOKEN = unsigned({"sub": "node", "exp": 1})


def test_a_token_has_no_spaces_around_it(tmp_path):
    path = tmp_path / "token"
    path.write_text(f"\n {_TOKEN}\n")
    assert read_token(str(path)) == _TOKEN


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "cannot be read: No such file"),
        (b"", "has no token to log in with"),
        (b"s3cret", "has no token to log in with: the token has not three parts"),
        (b"s3cret.s3cret.s3cret", "has no token to log in with: a part of the token is not JSON"),
        (b"a.bnVsbA.s3cret", "has no token to log in with: a part of the token is no JSON object"),
        (unsigned({"sub": "s3cret"}).encode(), "the token has no claim exp"),
        (_TOKEN.encode() + b"\x01auth=Bearer s3cret", "has no token to log in with"),
        (b"x" * ((1 << 16) + 1), "has more than 65536 bytes"),
    ],
)
def test_other_files_are_refused(tmp_path, content, reason):
    path = tmp_path / "token"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(TokenFileError) as caught:
        read_token(str(path))
    assert str(caught.value).startswith(
        f"sasl.oauthbearer.token.endpoint.url: {path}: {reason}"
    ) or (reason in str(caught.value))
    assert "s3cret" not in str(caught.value)


def test_a_path_that_is_none():
    with pytest.raises(TokenFileError, match="is no path of a file"):
        read_token("a\0b")
