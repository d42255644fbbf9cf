import pytest

from minikafka.commands.options import ToolError
from minikafka.commands.reassignment_json import parse_executable, parse_topics, read_file, to_json
from minikafka.common.ids import TopicPartition

T0 = TopicPartition("t", 0)


def test_what_is_written_is_read_again():
    text = to_json({T0: [2, 1]}, {(T0, 2): "/a"})
    (proposal,) = parse_executable(text)
    assert proposal == (T0, [2, 1], ["/a", "any"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"version":1,"partitions":[{"topic"', "not a valid JSON"),
        ("[]", "not a valid JSON"),
        ('{"version":2,"partitions":[]}', "Not supported version field value 2"),
        ('{"partitions":[1]}', '"partitions" is no list of objects'),
        ('{"partitions":[{"partition":0,"replicas":[1]}]}', '"topic" is missing'),
        ('{"partitions":[{"topic":"t","partition":true,"replicas":[1]}]}', '"partition" is'),
        ('{"partitions":[{"topic":"t","partition":0}]}', '"replicas" is missing'),
        (
            '{"partitions":[{"topic":"t","partition":0,"replicas":[1],"log_dirs":[]}]}',
            "Size of replicas list",
        ),
        (
            (
                '{"partitions":[{"topic":"t","partition":0,"replicas":[1]},'
                '{"topic":"t","partition":0,"replicas":[2]}]}'
            ),
            "duplicate topic partitions: t-0",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_said(text, said):
    with pytest.raises(ToolError) as caught:
        parse_executable(text)
    assert said in str(caught.value)


def test_topics_are_named_once():
    assert parse_topics('{"topics":[{"topic":"a"},{"topic":"b"}]}') == ["a", "b"]
    with pytest.raises(ToolError, match="duplicate entries: a"):
        parse_topics('{"topics":[{"topic":"a"},{"topic":"a"}]}')


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ToolError, match="Unable to read file"):
        read_file(str(tmp_path / "none.json"))
