"""tidy: what it refuses, and what is only a warning."""

import pytest

from tools import tidy

PIECE = """
class Owner:
    def __init__(self):
        self.lines = Lines(self)


class Lines{bases}:
    def __init__(self, owner: "Owner"):
        self.owner = owner{more}
"""


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Writes a module as the only one of a tree."""
    name = "minikafka/log/lines.py"
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    monkeypatch.setattr(tidy, "ROOT", tmp_path)
    monkeypatch.setattr(tidy, "python_files", lambda: [name])
    return path.write_text


DATACLASS = PIECE.partition("    def __init__(self, owner")[0] + '    owner: "Owner"\n{bases}{more}'


@pytest.mark.parametrize("piece", [PIECE, DATACLASS])
def test_a_class_whose_only_field_is_its_owner_is_refused(tree, piece):
    tree(piece.format(bases="", more=""))
    assert list(tidy.owned_classes()) == [
        "minikafka/log/lines.py:7: Lines has no field but its owner Owner; move it there"
    ]


@pytest.mark.parametrize(("bases", "more"), [("(Protocol)", ""), ("", "\n        self.count = 0")])
def test_an_interface_or_another_field_is_a_reason_for_a_class(tree, bases, more):
    tree(PIECE.format(bases=bases, more=more))
    assert list(tidy.owned_classes()) == []


def test_a_long_file_or_class_is_a_warning_with_its_reason(tree):
    tree("# Long because: it is a table.\n" + "\n" * 80 + "class A:\n" + "    x = 1\n" * 420)
    of_file, of_class = tidy.long_pieces()
    assert of_file == "warning: minikafka/log/lines.py has 502 lines: it is a table."
    assert of_class.startswith("warning: minikafka/log/lines.py: class A has 421 lines: over 400, ")
    assert list(tidy.sizes()) == []


@pytest.mark.parametrize(
    ("use", "is_refused"),
    [
        ("log.flushes.wrote(x)", True),
        ("self.unified_log.epochs", True),
        ("a().log.local", True),
        ("log.leader_epochs, self.local, world.flushes", False),
    ],
)
def test_parts_of_a_log_belong_to_its_package(tmp_path, monkeypatch, use, is_refused):
    names = ["minikafka/log/a.py", "minikafka/raft/b.py", "tests/unit/log/test_a.py"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(use)
    monkeypatch.setattr(tidy, "ROOT", tmp_path)
    monkeypatch.setattr(tidy, "python_files", lambda: names)
    assert [each.partition(":")[0] for each in tidy.log_parts()] == names[1:2] * is_refused
