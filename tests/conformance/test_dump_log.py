"""Our kafka-dump-log prints what DumpLogSegments printed of the same files, byte for byte."""

from pathlib import Path

import pytest

from minikafka.cli.dump_log import main

DATA = Path(__file__).parent / "data" / "kafka"
DUMPS = sorted(DATA.rglob("*.dump.txt"))


@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: f"{path.parent.name}/{path.name[:20]}")
def test_output_is_that_of_kafka(dump, capsys, monkeypatch):
    monkeypatch.chdir(DATA)
    name = str(dump.relative_to(DATA)).removesuffix(".dump.txt")
    words = ["--deep-iteration", "--print-data-log"]
    if name.startswith("__cluster"):
        words = ["--cluster-metadata-decoder"]
    assert main([*words, "--files", name]) == 0
    assert capsys.readouterr().out == dump.read_text()
