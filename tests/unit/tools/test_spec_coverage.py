from tools.rule_citations import citations, cited
from tools.spec_coverage import in_order, page, problems

KNOWN = {"H1": "one", "H2": "two", "H3": "three", "U1": "un"}

SOURCE = '''
"""About H3."""

def test_a():
    """H1: so it is."""

class Machine:
    @rule()
    async def step(self):
        # U1-U8, as far as they are known
        assert "H2"
'''


def test_a_range_names_every_rule_in_it():
    assert cited("Rules H1-H3, U1", KNOWN) == ["H1", "H2", "H3", "U1"]
    assert cited("H2-3 but not XH1 or H12", KNOWN) == ["H2", "H3"]


def test_docstrings_and_comments_cite_and_other_strings_do_not():
    assert sorted(citations(SOURCE, KNOWN)) == [
        ("H1", "test_a"), ("H3", "the whole file"), ("U1", "step"),
    ]  # fmt: skip


def test_missing_rules_and_outdated_pending_rules_are_reported():
    found = {"H1": {"tests/t.py": ["test_a"]}, "H2": {}, "H3": {}, "U1": {}}
    told = problems(KNOWN, found, ("H1", "H2", "Z9"))
    assert [line.split()[0] for line in told] == ["minikafka/rules.py", "H3", "U1", "H1"]
    text = page(KNOWN, found, {rule: [] for rule in KNOWN})
    assert "**H1: one**\n\n- `tests/t.py`\n" in text
    assert "**H2: two**\n\n- no test\n" in text


def test_unit_tests_of_the_deciding_modules_come_first():
    files = {
        "tests/golden/test_a.py": ["test"],
        "tests/unit/log/test_a.py": ["test"],
        "tests/unit/replica/test_b.py": ["test"],
        "tests/unit/replica/test_c.py": ["test"],
    }
    assert in_order(files, ["replica/c", "replica/_b", "replica/unknown"]) == [
        "tests/unit/replica/test_c.py",
        "tests/unit/replica/test_b.py",
        "tests/unit/log/test_a.py",
        "tests/golden/test_a.py",
    ]
