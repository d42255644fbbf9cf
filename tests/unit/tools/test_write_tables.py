import re

from minikafka.rules import GROUPS, RULES
from tools import write_tables


def test_the_page_of_rules_has_every_rule_once_in_short_and_once_in_full():
    page = write_tables.rules_text()
    rows = re.findall(r"^\| ([A-Z]\d+) \| (.+?) \| (.*) \| (.+) \|$", page, re.MULTILINE)
    assert [row[:2] for row in rows] == [(name, rule.short) for name, rule in RULES.items()]
    assert [row[0] for row in rows if not row[2].strip()] == []
    assert all(page.count(f"\n**{name}.** ") == 1 for name in RULES)


def test_every_group_has_a_title():
    assert {name[0] for name in RULES} == set(GROUPS)
