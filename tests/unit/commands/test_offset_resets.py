"""Resets of offsets that the recorded cases do not have."""

import pytest

from minikafka.admin.groups import CLASSIC, GroupDescription
from minikafka.commands import offset_resets
from minikafka.commands.offset_resets import OffsetReset, reset_offsets
from minikafka.commands.options import Options, ToolError
from minikafka.common.ids import TopicPartition
from minikafka.messages.find_coordinator import Coordinator

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


@pytest.fixture
def asked(monkeypatch):
    """The timestamps for which offsets are asked; a group without members, a topic `t`."""
    asked = []

    def list_offsets(_, partitions, timestamp):
        asked.append(timestamp)
        return dict.fromkeys(partitions, 7)

    group = GroupDescription("g", CLASSIC, "Empty", "", Coordinator("g", 1, "h", 9092), [])
    monkeypatch.setattr(offset_resets, "describe_group", lambda *_: group)
    monkeypatch.setattr(offset_resets, "list_offsets", list_offsets)
    monkeypatch.setattr(offset_resets, "leaders", lambda *_: {T0: 1, T1: 1})
    return asked


def reset(*named, **options):
    given = Options({"topic": list(named), **options})
    reset_offsets(None, OffsetReset(given, None, None), ["g"])


@pytest.mark.parametrize("named", [("t:0,0",), ("t:1,0", "t:0")])
def test_a_partition_that_is_named_twice_is_refused(asked, named):
    with pytest.raises(ToolError, match=r"^Duplicate key t-0: "):
        reset(*named, **{"to-latest": True})
    assert asked == []


@pytest.mark.parametrize("duration", ["P999999999999D", "-P999999999999D"])
def test_a_duration_out_of_range_is_refused(asked, duration):
    with pytest.raises(ToolError, match="^Instant exceeds minimum or maximum instant$"):
        reset("t:0", **{"by-duration": [duration]})
    assert asked == []


def test_a_warning_has_the_prefix_of_a_log(asked, capsys):
    given = Options({"topic": ["t:0"], "to-offset": ["9"]})
    reset_offsets(None, OffsetReset(given, 9, None), ["g"])
    (line,) = capsys.readouterr().err.splitlines()
    assert line[0] == "["
    assert line.split("] ")[1] == (
        "WARN New offset (9) is higher than latest offset for topic partition t-0."
        " Value will be set to 7 (org.apache.kafka.tools.OffsetsUtils)"
    )
    assert len(asked) == 2
