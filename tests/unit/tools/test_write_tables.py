from minikafka.rules import GROUPS, RULES
from tools import write_tables
from tools.spec_coverage import rules


def test_the_page_of_rules_has_every_rule_once_in_short_and_once_in_full():
    page = write_tables.rules_text()
    assert rules(page) == {name: rule.short for name, rule in RULES.items()}
    assert all(page.count(f"\n**{name}.** ") == 1 for name in RULES)


def test_every_group_has_a_title():
    assert {name[0] for name in RULES} == set(GROUPS)


def test_prose_is_wrapped_and_no_cell_is_long():
    for line in write_tables.rules_text().splitlines():
        assert len(line) <= 100
