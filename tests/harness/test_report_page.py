"""The page of a run in a real browser (S5): light and dark, narrow and wide, by mouse and keys."""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page

from minikafka.harness.page import report, sim_page
from tests.harness.browser_page import domains, launched, opened, overflows, shown
from tests.worlds import report_evidence

RUNS = {"verified": report_evidence.verified, "broken": report_evidence.broken}
LAST_S = 19.5


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    paths = {}
    for name, make in RUNS.items():
        run = make(tmp_path_factory.mktemp(name))
        paths[name] = run.folder / "report.html"
        paths[name].write_text(report.render(run.verdict, run.events, run.tables, run.folder))
    return paths


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as browser:
        yield browser


def plot(page: Page, lane: str) -> Locator:
    return page.locator(f'[data-lane="{lane}"] .plot')


def place(page: Page, lane: str, at_s: float, y_px: float) -> tuple[float, float]:
    """Where on the screen a time of a lane is."""
    plot(page, lane).scroll_into_view_if_needed()
    box = plot(page, lane).bounding_box()
    x = page.evaluate("at => timeline.views[0].scale('x')(at)", at_s)
    left = page.evaluate("timeline.lanes[0].spec.padding.left")
    return box["x"] + left + x, box["y"] + y_px


@pytest.mark.parametrize(
    ("name", "scheme", "width"),
    list(itertools.product(("verified", "broken"), ("light", "dark"), (400, 1600))),
)
def test_the_page_is_complete_in_both_schemes_and_all_widths(pages, browser, name, scheme, width):
    """S5: the verdict is on top; nothing is loaded, nothing complains, nothing sticks out."""
    with opened(browser, pages[name], scheme, width) as page:
        sentence = page.locator("#sentence")
        assert sentence.bounding_box()["y"] < 200
        assert sentence.inner_text().startswith(f"{name.capitalize()}: ")
        lanes = page.locator(".lane h3").all_inner_texts()
        expected = [
            *("Faults", "Acknowledgements", "Errors", "Latency", "Unavailability", "Leader"),
            *("In-sync replicas (ISR)", "Eligible leader replicas (ELR)", "Transactions"),
            *("Transaction coordinator", "High watermark", "Records so far"),
        ]
        assert [lane for lane in lanes if lane != "Broken promises"] == expected
        assert ("Broken promises" in lanes) == (name == "broken")
        assert min(page.evaluate(COLORS_DRAWN)) >= 2
        assert overflows(page) == []
        for details in page.locator("details").all():
            details.evaluate("element => element.open = true")
        assert overflows(page) == []


# How many colours each lane shows.
COLORS_DRAWN = """() => [...document.querySelectorAll(".plot canvas")].map(canvas => {
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", {willReadFrequently: true});
  copy.drawImage(canvas, 0, 0);
  const {data} = copy.getImageData(0, 0, canvas.width, canvas.height);
  const seen = new Set();
  for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  return seen.size;
})"""


def test_every_way_to_zoom_changes_all_lanes_and_back(pages, browser):
    with opened(browser, pages["broken"]) as page:
        assert shown(page) == [0, LAST_S]
        page.get_by_role("button", name="Zoom in").click()
        assert shown(page) == [LAST_S / 4, LAST_S * 3 / 4]
        page.get_by_role("button", name="Later").click()
        assert shown(page) == pytest.approx([LAST_S * 3 / 8, LAST_S * 7 / 8])
        page.get_by_role("button", name="Whole run").click()
        assert shown(page) == [0, LAST_S]

        page.locator("#lanes").focus()
        page.keyboard.press("+")
        page.keyboard.press("ArrowLeft")
        assert shown(page) == pytest.approx([LAST_S / 8, LAST_S * 5 / 8])
        assert "s to 12.2 s of 19.5 s" in page.locator("#shown").inner_text()
        page.keyboard.press("0")
        assert shown(page) == [0, LAST_S]

        page.mouse.move(*place(page, "acks", 4, 20))
        page.mouse.down()
        page.mouse.move(*place(page, "acks", 8, 30))
        page.mouse.up()
        assert shown(page) == pytest.approx([4, 8], abs=0.05)

        x, y = place(page, "leader", 6, 10)
        page.mouse.move(x, y)
        page.keyboard.down("Shift")
        page.mouse.down()
        page.mouse.move(x - 200, y)
        page.mouse.up()
        page.keyboard.up("Shift")
        assert shown(page)[0] > 4.2

        page.mouse.dblclick(*place(page, "isr", 6, 10))
        assert shown(page) == [0, LAST_S]


def test_the_wheel_zooms_around_the_pointer_with_ctrl_and_scrolls_without(pages, browser):
    with opened(browser, pages["verified"]) as page:
        page.mouse.move(*place(page, "leader", 10, 10))
        page.mouse.wheel(0, 100)
        assert shown(page) == [0, LAST_S]
        page.mouse.move(*place(page, "leader", 10, 10))
        page.keyboard.down("Control")
        page.mouse.wheel(0, -200)
        page.keyboard.up("Control")
        page.wait_for_function("timeline.views[0].scale('x').domain()[0] > 1")
        begin, end = shown(page)
        assert begin < 10 < end
        assert end - begin < LAST_S / 2


@pytest.mark.parametrize(
    ("lane", "at_s", "y_px", "said"),
    [
        ("leader", 8, 10, r"partition 0: leader 2 \(7\.0 s to "),
        ("leader", 6, 10, r"partition 0: leader none \(5\.5 s to 7\.0 s\)\nfault: kill 1"),
        ("isr", 8, 10, r"partition 0: ISR 2 \("),
        ("elr", 8, 10, r"partition 0: ELR 1 \("),
        ("windows", 6, 10, r"partition 0: 2\.0 s \("),
        ("acks", 15, 30, r"confluent-kafka \(p1\): 6\d 1/s\naiokafka \(p2\): 6\d 1/s"),
        ("errors", 19.05, 20, r"unknown: 150 1/s"),
        ("latency", 15, 30, r"median: \d+\.?\d* ms\np99"),
        ("hwm", 15, 30, r"partition 0: 4\d\d ?\npartition 1"),
        ("faults", 7, 28, r"kill 1: SIGKILL to node 1 \(5\.0 s to 9\.0 s\)"),
        ("faults", 15, 28, r"full-disk 3: not done: not done: mounting is not permitted here"),
        ("transactions", 3.2, 10, r"p1: committed, 1,003 records \(3\.0 s to 3\.3 s\)"),
        ("transactions", 7.2, 28, r"loop 1: aborted, 1,007 records"),
        ("transactions", 5.2, 10, r"p1: unknown, 1,005 records"),
        ("coordinators", 3, 10, r"p1: node 1 \(0\.0 s to 5\.5 s\)"),
        ("coordinators", 6, 28, r"loop 1: node none \(5\.5 s to 7\.0 s\)"),
        ("anomalies", 4, 10, r"lost: \d+ \("),
    ],
)
def test_hovering_shows_the_values_at_that_time(pages, browser, lane, at_s, y_px, said):
    with opened(browser, pages["broken"]) as page:
        page.mouse.move(*place(page, lane, at_s, y_px))
        page.wait_for_selector("#tip:not([hidden])")
        assert re.search(said, page.locator("#tip").inner_text()), page.locator("#tip").inner_text()
        assert page.evaluate(
            "timeline.views.every(view => Math.abs(view.signal('pointer') - 0) > 1)"
        )
        page.mouse.move(2, 2)
        page.wait_for_selector("#tip", state="hidden")


# For each lane the share of a column of pixels that is another than ten pixels before it.
EDGES = """at => timeline.views.map((view, index) => {
  const canvas = document.querySelectorAll(".plot canvas")[index];
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", {willReadFrequently: true});
  copy.drawImage(canvas, 0, 0);
  const {left, top, bottom} = timeline.lanes[index].spec.padding;
  const ratio = canvas.width / canvas.clientWidth;
  const x = Math.round((left + view.scale("x")(at)) * ratio), height = canvas.height - (top + bottom) * ratio;
  const column = x => copy.getImageData(x, top * ratio, 1, height).data;
  const here = [column(x - 1), column(x)], before = column(x - 10);
  let other = 0;
  for (let i = 0; i < before.length; i += 4)
    if (here.some(one => [0, 1, 2, 3].some(c => Math.abs(one[i + c] - before[i + c]) > 24))) other += 1;
  return other / (before.length / 4);
})"""


def test_a_fault_is_marked_across_all_lanes(pages, browser):
    """S5: its begin is a line through every lane, from its first pixel to its last."""
    with opened(browser, pages["verified"]) as page:
        _, *lanes = page.evaluate(EDGES, report_evidence.KILLED_S)
        assert len(lanes) == 11
        assert all(share > 0.9 for share in lanes), lanes
        _, *elsewhere = page.evaluate(EDGES, 12.5)
        assert all(share < 0.5 for share in elsewhere), elsewhere


def luminance(color: str) -> float:
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


SPANS = re.compile(r"node-\d|leader-none|isr-\w+|elr-\w+|transaction-\w+|window|fault|broken")


def test_colours_differ_between_schemes_and_have_contrast(pages, browser):
    """WCAG 2.2: contrast 4.5 for text, 3 for graphics."""
    themes = {}
    for scheme in ("light", "dark"):
        with opened(browser, pages["broken"], scheme) as page:
            theme = themes[scheme] = page.evaluate("timeline.theme()")
            assert page.evaluate("timeline.views.map(view => view.signal('theme'))")[0] == theme
        for name, color in theme.items():
            if name in {"line", "card", "inside"}:
                continue
            least = 4.5 if name in {"ink", "soft", "broken"} else 3
            assert contrast(color, theme["card"]) >= least, (scheme, name)
            if SPANS.fullmatch(name):
                assert contrast(color, theme["inside"]) >= 4.5, (scheme, name)
    assert all(themes["light"][name] != themes["dark"][name] for name in themes["light"])


def test_lanes_follow_a_change_of_the_scheme(pages, browser):
    with opened(browser, pages["verified"], "light") as page:
        light = page.evaluate("timeline.views[3].signal('theme').ink")
        page.emulate_media(color_scheme="dark")
        page.wait_for_function("ink => timeline.views[3].signal('theme').ink !== ink", arg=light)
        assert page.evaluate("timeline.views[3].signal('theme')") == page.evaluate(
            "timeline.theme()"
        )


def test_lanes_follow_the_width_of_the_window(pages, browser):
    with opened(browser, pages["verified"], width=1600) as page:
        wide = page.evaluate("timeline.views[0].width()")
        page.set_viewport_size({"width": 500, "height": 900})
        page.wait_for_function("wide => timeline.views[0].width() < wide - 500", arg=wide)
        page.evaluate("timeline.drawn()")
        assert overflows(page) == []


def test_an_anomaly_names_its_record_and_shows_itself_on_the_axis(pages, browser):
    with opened(browser, pages["broken"]) as page:
        row = page.locator("#anomaly-lost tbody tr").first
        assert row.locator("td").first.inner_text() == "p1#180"
        row.locator("[data-at]").click()
        begin, end = shown(page)
        assert begin < 3.1 < end
        assert end - begin == pytest.approx(5)
        log = page.locator("#anomaly-lost details").last
        log.locator("summary").click()
        assert "tick 7" in log.locator("pre").inner_text()


def test_everything_can_be_reached_by_keys_and_has_a_name(pages, browser):
    with opened(browser, pages["broken"]) as page:
        reached = set()
        for _ in range(12):
            page.keyboard.press("Tab")
            reached.add(
                page.evaluate(
                    "document.activeElement.getAttribute('aria-label') || document.activeElement.textContent"
                )
            )
        assert {"Zoom in", "Zoom out", "Earlier", "Later", "Whole run"} <= reached
        assert any(name.startswith("Lanes over the time") for name in reached)
        labels = page.locator(".plot").evaluate_all(
            "all => all.map(one => one.getAttribute('aria-label'))"
        )
        assert all("tables below" in label for label in labels)


@pytest.mark.parametrize(("scheme", "width"), [("light", 400), ("dark", 1600)])
def test_the_page_of_a_simulated_run_is_whole_and_names_its_messages(
    browser, tmp_path, scheme, width
):
    path = tmp_path / "run.html"
    path.write_text(sim_page.render(SIMULATED))
    with opened(browser, path, scheme, width) as page:
        assert overflows(page) == []
        assert min(page.evaluate(COLORS_DRAWN)) >= 2
        begin, end = shown(page)
        assert begin == pytest.approx(9.0)
        assert 9.01 < end < 9.02
        page.evaluate("timeline.show(8.9999, 9.0009)")
        middle = "timeline.lanes[1].height / 2 + timeline.lanes[1].spec.padding.top"
        page.mouse.move(*place(page, "hosts", 9.0002, page.evaluate(middle)))
        said = page.locator("#tip").inner_text()
        assert "n1 to n2: Fetch\nsent at 9.000000 s, arrived 0.400 ms later" in said
        page.get_by_role("button", name="Whole run").click()
        assert shown(page)[0] == 0


SIMULATED = sim_page.SimulatedRun(
    title="minikafka sim, seed 7",
    violation="H1: t-0: the high watermark moves",
    command="minikafka sim --seed 7",
    simulated_s=9.01,
    figures={"steps": 1234},
    settings="brokers 2",
    transcript=[
        "    0.000000  n1       starts",
        "    0.060000  n2       starts",
        "    0.070000  n2       serves clients",
        "    0.080000  t-0      leader 2 epoch 0 ISR [2, 1]",
        "    9.005000  t-0      leader 2 epoch 0 ISR [2] ELR [1]",
    ],
    planned=[{"at_s": 4.0, "for_s": 3.0, "what": "power 2"}],
    messages=[
        {
            "sent_us": 9_000_000 + 2_000 * number,
            "arrived_us": 9_000_400 + 2_000 * number if number < 3 else None,
            "source": "n1",
            "target": "n2",
            "what": "Fetch",
            "is_request": True,
        }
        for number in range(4)
    ],
    ends=[
        {"at_us": 1_000_000, "partition": "t-0", "leader": 2, "offset": 5},
        {"at_us": 9_000_000, "partition": "t-0", "leader": 2, "offset": 9},
    ],
)


def test_an_hour_of_a_hundred_partitions_can_be_opened(browser, tmp_path):
    run = report_evidence.large(tmp_path, 3_600, 100)
    path = tmp_path / "report.html"
    path.write_text(report.render(run.verdict, run.events, run.tables))
    with opened(browser, path) as page:
        assert len(domains(page)) == 9
        assert page.evaluate("timeline.lanes.map(lane => lane.id)").count("elr") == 1
        page.get_by_role("button", name="Zoom in").click()
        assert shown(page) == pytest.approx([900, 2_700], abs=1)
        assert overflows(page) == []
