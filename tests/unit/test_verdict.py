"""The verdict of a run, as users read it."""

import json

import pytest

from minikafka.verdict import Verdict, VerdictError

CONTENT = {
    "schema": "minikafka.verdict/1",
    "outcome": "broken",
    "sentence": "Broken: a record was lost.",
    "reasons": ["the stream did not read to the end"],
    "counts": {"acknowledged": 7},
    "promises": {"lost": {"count": 2}, "gap": {"count": None}, "moved": {"count": 0}},
    "later": "a field that this version does not know",
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "verdict.json").write_text(json.dumps(CONTENT))
    return tmp_path


@pytest.mark.parametrize("name", [".", "verdict.json"])
def test_a_verdict_is_read_from_its_folder_or_file(folder, name):
    found = Verdict.read(folder / name)
    assert not found.is_verified
    assert found.broken == {"lost": 2}
    assert found.reasons == ("the stream did not read to the end",)
    assert found.counts == {"acknowledged": 7}
    assert found.content == CONTENT


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is no JSON"),
        ("[]", "the schema is None"),
        ('{"schema": "minikafka.verdict/2"}', "the schema is 'minikafka.verdict/2'"),
        (None, "No such file"),
    ],
)
def test_what_is_no_verdict_is_named(tmp_path, text, said):
    path = tmp_path / "verdict.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(VerdictError, match=said) as caught:
        Verdict.read(path)
    assert str(path) in str(caught.value)
