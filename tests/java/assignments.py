"""The assignors of both divide the same random groups."""

import json
import tempfile
from pathlib import Path

from tests.conformance import assignments as groups


def compare(programs, *, most, record):
    """Print how many groups have the same assignment; write Kafka's if it is to be recorded."""
    cases = [(seed, *each) for seed in range(most) for each in groups.histories(seed)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "groups"
        file.write_text("\n".join(groups.as_json(*each[1:3]) for each in cases))
        answers = programs.run("Assignments", file).splitlines()
    found = {}
    same = 0
    for (seed, _, group, targets), answer in zip(cases, answers, strict=True):
        theirs = json.loads(answer)
        ours = {name: groups.plain(targets.get(name, {})) for name in group.subscribers}
        same += ours == {name: theirs.get(name, {}) for name in group.subscribers}
        found.setdefault(seed, []).append({name: its for name, its in theirs.items() if its})
    print(f"{same} of {len(cases)} groups have the same assignment")
    if record:
        groups.DATA.write_text(
            "{\n"
            + ",\n".join(f'"{seed}": {json.dumps(row)}' for seed, row in found.items())
            + "\n}\n"
        )
    return 0
