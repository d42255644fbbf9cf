"""Tables of groups that the recorded cases do not have."""

from minikafka.admin.groups import CONSUMER, GroupDescription, GroupMember
from minikafka.commands import consumer_groups
from minikafka.common.ids import TopicPartition
from minikafka.messages.find_coordinator import Coordinator

T0 = [TopicPartition("t", 0)]


def test_members_of_both_protocols_have_a_column_for_it(monkeypatch, capsys):
    members = [
        GroupMember("a", None, "c", "/h", T0, 4, T0, is_upgraded=True),
        GroupMember("b", None, "c", "/h", [], 4, [], is_upgraded=False),
    ]
    at = Coordinator("g", 1, "h", 9092)
    group = GroupDescription("g", CONSUMER, "Stable", "uniform", at, members, 4, 4)
    monkeypatch.setattr(consumer_groups, "describe_group", lambda *_: group)
    consumer_groups.print_members(None, ["g"], verbose=True)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in lines[1:]] == ["UPGRADED", "true", "false"]
    assert lines[2].split() == ["g", "a", "/h", "c", "1", "4", "t:0", "4", "t:0", "true"]
