"""The documents: links, the order of reading, numbers of differences, tables of faults."""

import re
from pathlib import Path

import pytest

from minikafka.harness.plan.schedule import KINDS
from minikafka.rules import RULES

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
NAMES = [path.name for path in DOCUMENTS]


def anchors(path):
    """The anchors of a document's headings, as GitHub derives them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", re.sub(r"\[(.+?)\]\(.+?\)", r"\1", text)).lower().replace(" ", "-")
        for text in headings
    }


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_links_lead_to_files_and_headings(path):
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", path.read_text(encoding="utf-8")):
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_the_reading_order_has_every_document():
    text = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([\w/-]+\.md)\)", text))
    docs = ROOT / "docs"
    assert linked == {str(path.relative_to(docs)) for path in docs.rglob("*.md")} - {"README.md"}


def test_differences_are_numbered_by_section_and_name_files():
    text = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    letters = []
    for section in text.split("\n## ")[1:]:
        rows = re.findall(r"^\| ([A-Z])(\d+) \|", section, re.MULTILINE)
        letter = rows[0][0]
        assert rows == [(letter, str(number)) for number in range(1, len(rows) + 1)]
        letters.append(letter)
    assert len(letters) == len(set(letters))
    # A letter of a rule would make the citation of a row one of the rule.
    assert not set(letters) & {name[0] for name in RULES}
    for name in re.findall(r"`([a-z_]+/\w+\.py)` \|$", text, re.MULTILINE):
        assert (ROOT / "minikafka" / name).exists(), name


def test_the_page_of_faults_has_every_kind_with_its_parameters():
    text = (ROOT / "docs" / "verify-faults.md").read_text(encoding="utf-8")
    table = text[text.index("## Kinds") : text.index("## How faults are done")]
    rows = {
        name: dict(re.findall(r"`(\w+)` \((\w+)\)", parameters))
        for name, parameters in re.findall(r"^\| `([\w-]+)` \| .+ \| (.*)\|$", table, re.MULTILINE)
    }
    assert rows == {
        name: {key: str(it.default).lower() for key, it in kind.parameters.items()}
        for name, kind in KINDS.items()
    }
