from tools.spec_coverage import citations, cited, page, problems, rules

KNOWN = rules(
    "| rule | x |\n| --- | --- |\n| H1 | one |\n| H2 | two |\n| H3 | three |\n| U1 | un |\n"
)

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


def test_rules_are_the_rows_of_the_table():
    assert KNOWN == {"H1": "one", "H2": "two", "H3": "three", "U1": "un"}


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
    assert [line.split()[0] for line in told] == ["docs/rules.md", "H3", "U1", "H1"]
    assert "| H1 | one | `tests/t.py` |" in page(KNOWN, found)
    assert "| H2 | two | none yet |" in page(KNOWN, found)
