"""The CSV of offset resets is what Apache Kafka's tool writes, and reads."""

import pytest

from minikafka.commands.options import ToolError
from minikafka.commands.reset_plan import csv_of, read_plan
from minikafka.common.ids import TopicPartition

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


@pytest.mark.parametrize(
    ("text", "groups", "plan"),
    [
        ("t,0,5\nt,1,6\n", ["g"], {"g": {T0: 5, T1: 6}}),
        ('"t",0,5', ["g"], {"g": {T0: 5}}),
        ("t,1\n", ["g"], {"g": {T1: 0}}),
        ("g,t,0,5\nh,t,1,6\n", ["g"], {"g": {T0: 5}, "h": {T1: 6}}),
        ("g,t,0,5\n", ["g", "h"], {"g": {T0: 5}}),
        ("t,0,5\n\n", ["g"], {"g": {T0: 5}}),
        ("t,0,5\r\nt,1,6\r\n", ["g"], {"g": {T0: 5, T1: 6}}),
        ("g\u2028,t,0,5\n", ["h"], {"g\u2028": {T0: 5}}),
    ],
)
def test_read(tmp_path, text, groups, plan):
    (tmp_path / "plan.csv").write_text(text)
    assert read_plan(str(tmp_path / "plan.csv"), groups) == plan


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "t,0,5\n\nt,1,6\n",
        "t,0,x\n",
        "t,0,5\nt,0,5,6\n",
        f"{'t' * 200_000},0,5\n",
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, text):
    (tmp_path / "plan.csv").write_text(text)
    with pytest.raises(ToolError, match=r"plan\.csv"):
        read_plan(str(tmp_path / "plan.csv"), ["g"])


def test_long_and_odd_texts_are_quoted():
    long = TopicPartition("l" * 25, 0)
    assert csv_of([('a "b"', {T0: 1, long: 2})], has_groups=True) == (
        f'"a ""b""",t,0,1\n"a ""b""","{"l" * 25}",0,2\n'
    )
    assert csv_of([("g", {T0: 1})], has_groups=False) == "t,0,1\n"


@pytest.mark.parametrize(("groups", "has_groups"), [(["g"], False), (["g", "h,i"], True)])
def test_an_export_can_be_read(tmp_path, groups, has_groups):
    """The tool prints an export as a line of its own, so that the file ends with an empty line."""
    plan = {group: {T0: 5, T1: 6} for group in groups}
    (tmp_path / "plan.csv").write_text(csv_of(plan.items(), has_groups=has_groups) + "\n")
    assert read_plan(str(tmp_path / "plan.csv"), groups) == plan
