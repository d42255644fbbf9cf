"""Sequences as data: what is done to a cluster, and what a partition of each topic is afterwards.

A file of `sequences/` has `about`, `brokers`, `session` ("short", or "long" where nodes come back
within it), `topics` (name -> replicas and `min.insync.replicas`) and `steps`. A step has `do`, and
for each topic a row as Apache Kafka 4.3.1 showed it:

    leader=1 epoch=0 isr=1,3 elr= last=2 offline=2 all=4 one=5

`last` is LastKnownElr, `epoch` the leader epoch, `all` and `one` the offset that a record got which
was written with acks=all and acks=1 after the step, or the error; they are missing where there is
no leader. `answer` is the error code of what was asked for, `replicas` stands where they are others
than at first. Lists are sets: sorted. A step after which no broker runs has no rows. `here` names, for a topic, the rule of the specification by
which minikafka differs, and how: {"t": {"rule": "E10", "row": "elr=1,3"}} replaces these columns.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent / "sequences"
COLUMNS = (
    "answer", "leader", "epoch", "isr", "elr", "last", "offline", "replicas", "all", "one",
)  # fmt: skip
STATE = ("leader", "epoch", "isr", "elr", "last", "offline", "replicas")

Row = dict[str, str]


@dataclass
class Step:
    do: list[str]
    rows: dict[str, Row] = field(default_factory=dict)
    here: dict[str, tuple[str, Row]] = field(default_factory=dict)

    def expected(self, topic, here):
        row = self.rows[topic]
        if here and topic in self.here:
            row = row | self.here[topic][1]
        return row

    @property
    def text(self):
        return " ".join(self.do)


@dataclass
class Topic:
    replicas: list[int]
    min_isr: int


@dataclass
class Sequence:
    name: str
    about: str
    brokers: int
    session: str
    topics: dict[str, Topic]
    steps: list[Step]
    read: dict[str, list[str]] = field(default_factory=dict)
    """What a consumer reads of each topic at the end."""
    needs: str = ""
    """An API that the sequence needs, by its key's name."""


def names():
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def load(name):
    data = json.loads((FOLDER / f"{name}.json").read_text())
    topics = {
        topic: Topic(it["replicas"], it["min.insync.replicas"])
        for topic, it in data["topics"].items()
    }
    steps = [
        Step(
            it["do"].split(),
            {topic: parse(it[topic]) for topic in topics if topic in it},
            {
                topic: (change["rule"], parse(change["row"]))
                for topic, change in it.get("here", {}).items()
            },
        )
        for it in data["steps"]
    ]
    return Sequence(
        name, data["about"], data["brokers"], data["session"], topics, steps,
        data.get("read", {}), data.get("needs", ""),
    )  # fmt: skip


def save(sequence):
    steps = []
    for step in sequence.steps:
        it = {"do": step.text} | {topic: text(row) for topic, row in step.rows.items()}
        if step.here:
            it["here"] = {
                topic: {"rule": rule, "row": text(row)} for topic, (rule, row) in step.here.items()
            }
        steps.append(it)
    data = {
        "about": sequence.about,
        "brokers": sequence.brokers,
        "session": sequence.session,
        "topics": {
            name: {"replicas": topic.replicas, "min.insync.replicas": topic.min_isr}
            for name, topic in sequence.topics.items()
        },
        "steps": steps,
        "read": sequence.read,
    }
    if sequence.needs:
        data["needs"] = sequence.needs
    lines = json.dumps(data, indent=1)
    # Rows and lists of numbers on one line each.
    (FOLDER / f"{sequence.name}.json").write_text(_compact(lines) + "\n")


def _compact(lines):
    out, depth = [], 0
    for line in lines.splitlines():
        if depth:
            out[-1] += line.strip() + (" " if line.endswith(",") else "")
            depth += line.endswith("[") - line.strip().startswith("]")
        else:
            out.append(line)
            depth = int(line.endswith("[") and '"steps"' not in line)
    return "\n".join(line.rstrip() for line in out)


def parse(words):
    row = dict(word.split("=", 1) for word in words.split())
    assert set(row) <= set(COLUMNS), words
    return row


def text(row):
    return " ".join(f"{column}={row[column]}" for column in COLUMNS if column in row)


def members(words):
    return {int(word) for word in words.split(",") if word}


def numbers(items):
    return ",".join(str(item) for item in sorted(items))
