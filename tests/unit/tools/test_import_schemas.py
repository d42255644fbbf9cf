from tools.import_schemas import differences, layout
from tools.message_generator.parse import parse_message

SOURCE = {
    "type": "data",
    "name": "Thing",
    "validVersions": "0-1",
    "flexibleVersions": "1+",
    "fields": [
        {"name": "TopicName", "type": "string", "versions": "0+", "nullableVersions": "1+"},
        {
            "name": "Parts",
            "type": "[]Part",
            "versions": "0+",
            "fields": [{"name": "Id", "type": "uint16", "versions": "0+"}],
        },
        {"name": "Old", "type": "bool", "versions": "0"},
        {"name": "Extra", "type": "[]int64", "versions": "1+", "taggedVersions": "1+", "tag": 2},
    ],
}


def test_layout_has_names_types_and_tags_of_one_version() -> None:
    spec = parse_message(SOURCE, "data")
    assert layout(spec, spec.root, 0) == "{topicname:STRING;parts:[]{id:UINT16;};old:BOOLEAN;}"
    assert layout(spec, spec.root, 1) == (
        "{topicname:COMPACT_NULLABLE_STRING;parts:COMPACT_[]{id:UINT16;taggedfields:<>;};"
        "taggedfields:<2=extra:COMPACT_[]INT64;>;}"
    )


def test_differences_name_message_and_version_and_show_both_sides() -> None:
    ours = {("A", 0): "x", ("B", 0): "x", ("C", 1): "x"}
    kafkas = {("A", 0): "x", ("B", 0): "y", ("C", 2): "z"}
    assert differences(ours, ours) == []
    assert differences(ours, kafkas) == [
        "B version 0: differs",
        "  schemas: x",
        "  Kafka:   y",
        "C version 1: only in schemas/",
        "C version 2: only in Kafka: z",
    ]
