"""A page of a run in headless Chromium, and checks for any page."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)

# Elements that overflow the window, and text that overflows its box. An element that scrolls
# (tables, log lines) is measured from outside only.
_OVERFLOWS = """() => {
  const found = [];
  const inside = element => element.parentElement?.closest(".scroll, pre");
  for (const element of document.body.querySelectorAll("*")) {
    const box = element.getBoundingClientRect();
    if (!box.width || !box.height || inside(element) || element.closest("#tip")) continue;
    const name = element.tagName + "." + element.className + " " + element.textContent.slice(0, 40);
    if (box.right > innerWidth + 0.5 || box.left < -0.5) found.push("out of the window: " + name);
    const scrolls = element.matches(".scroll, pre");
    if (!scrolls && element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline")
      found.push("does not fit: " + name);
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page scrolls sideways");
  return found;
}"""


def chromium() -> str:
    """The browser's path; a machine without one fails with what to do."""
    named = os.environ.get("MINIKAFKA_CHROMIUM", "")
    found = named or next(filter(None, map(shutil.which, _NAMES)), "")
    if not found:
        pytest.fail(
            "The page is tested in Chromium: install it (apt-get install chromium) or name it in"
            " MINIKAFKA_CHROMIUM.",
            pytrace=False,
        )
    return found


@contextmanager
def launched() -> Iterator[Browser]:
    """A browser of the machine."""
    path = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(
    browser: Browser, path: Path, scheme: Any = "light", width: int = 1600
) -> Iterator[Page]:
    """The page, drawn; at its end nothing may have been asked of a network or complained of."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    complaints: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    page.wait_for_function("window.timeline")
    page.evaluate("timeline.drawn()")
    try:
        yield page
    finally:
        context.close()
    assert complaints == []
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []


def overflows(page: Page) -> list[str]:
    """Elements that overflow; [] if none."""
    found: list[str] = page.evaluate(_OVERFLOWS)
    return found


def lane_ids(page: Page) -> set[str]:
    """The lanes of the time axis."""
    return set(page.evaluate("timeline.lanes.map(lane => lane.id)"))


def domains(page: Page) -> list[list[float]]:
    """The part of the axis that each lane shows."""
    found: list[list[float]] = page.evaluate(
        "timeline.drawn().then(() => timeline.views.map(view => view.scale('x').domain()))"
    )
    return found


def shown(page: Page) -> list[float]:
    """The part of the axis that all lanes show."""
    every = domains(page)
    assert all(one == every[0] for one in every), every
    return every[0]
