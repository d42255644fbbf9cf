import json

from minikafka.harness.page.tables import (
    Markup,
    folded,
    pairs,
    script_json,
    section,
    table,
    value_text,
)


def test_outside_text_is_escaped_and_markup_is_kept():
    drawn = table(("a<b", "c"), [("<i>", Markup("<b>x</b>"))], caption='"&"')
    assert "<td>&lt;i&gt;</td><td><b>x</b></td>" in drawn
    assert "a&lt;b" in drawn
    assert "&quot;&amp;&quot;" in drawn


def test_numbers_long_texts_and_bad_rows_have_classes():
    drawn = table(("n", "text"), [(1, "x" * 50), (2, "y")], numbers=(0,), bad=(1,))
    assert '<td class="number">1</td><td class="long">xxx' in drawn
    assert '<tr class="bad"><td class="number">2</td>' in drawn
    assert '<th scope="col" class="number">n</th>' in drawn


def test_a_table_is_focusable_and_has_a_name():
    assert 'tabindex="0" role="region" aria-label="n, text"' in table(("n", "text"), [])


def test_values_are_on_one_line():
    shown = [value_text(value) for value in (None, "", [], True, 1234, ["a", 1], {"b": 2}, 0.5)]
    assert shown == ["-", "-", "-", "yes", "1234", "a, 1", '{"b": 2}', "0.5"]


def test_pairs_are_flat_and_without_empty_values():
    drawn = pairs({"min_isr": 2, "workload": {"acks": "all", "none": {}}, "schedule": ""}, "s")
    assert "<td>min isr</td><td>2</td>" in drawn
    assert "<td>workload.acks</td><td>all</td>" in drawn
    assert "schedule" not in drawn
    assert "none" not in drawn


def test_a_section_without_content_is_left_out():
    assert section("x", "X", "", "") == ""
    assert section("x", "X", "y") == '<section id="x"><h2>X</h2>y</section>'
    assert folded("t<", "c") == "<details><summary>t&lt;</summary>c</details>"


def test_json_can_not_end_its_element():
    drawn = script_json({"a": "</script>"})
    assert "</" not in drawn
    assert json.loads(drawn) == {"a": "</script>"}
