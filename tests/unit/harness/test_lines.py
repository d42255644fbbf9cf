import json

from minikafka.harness.lines import EventLog, Tail


def test_a_reader_follows_a_writer(tmp_path):
    log, tail = EventLog(tmp_path / "e.jsonl"), Tail(tmp_path / "e.jsonl")
    assert tail.read() == []
    first = log.write("a", value=1)
    second = log.write("b", value={"0": 2})
    assert tail.read() == [first, second]
    assert tail.read() == []
    third = log.append({"at_ms": 5, "event": "c"})
    assert tail.read() == [third]


def test_an_incomplete_line_is_not_read_until_it_ends(tmp_path):
    path = tmp_path / "e.jsonl"
    tail = Tail(path)
    whole = json.dumps({"at_ms": 1, "event": "ä"}, ensure_ascii=False) + "\n"
    data = whole.encode()
    path.write_bytes(data + data[:9])
    assert len(tail.read()) == 1
    with path.open("ab") as file:
        file.write(data[9:])
    assert tail.read() == [{"at_ms": 1, "event": "ä"}]


def test_a_line_that_a_killed_writer_left_torn_is_cut_off_before_another_appends(tmp_path):
    log = EventLog(tmp_path / "e")
    log.repair()
    assert not log.path.exists()
    log.write("one")
    with log.path.open("a") as file:
        file.write('{"at_ms": 1, "ev')
    tail = Tail(log.path)
    assert [event["event"] for event in tail.read()] == ["one"]
    log.repair()
    log.write("two")
    assert [event["event"] for event in tail.read()] == ["two"]
