"""The report in a real browser: opened from disk, clicked, typed into, measured.

Needs Chromium and playwright; the check of accessibility needs axe-core (npm), named by $AXE_CORE
or under node_modules. What is missing is skipped with a reason.
"""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import numpy as np
import pytest
from test_report import HARMFUL, strange_page

from aglets import Graphlet, LagraClassifier, LagraModel, datasets, report
from aglets.model.outputs import Outputs
from aglets.preprocessing.input_spec import InputSpec

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright from PyPI")
ROOT = Path(__file__).parents[1]
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
if CHROMIUM is None:
    pytest.skip("needs Chromium on the path", allow_module_level=True)


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    graphs, y = datasets.load_demo()
    # Some wrong classes make a model with many graphlets, and mistakes to show.
    turned = np.random.default_rng(0).permutation(300)[:40]
    y[turned] = np.where(y[turned] == "acidic", "neutral", "acidic")
    clf = LagraClassifier(maxpat=3, lambda_ratio=0.05, n_lambdas=20).fit(graphs[:200], y[:200])
    return report.write(clf, graphs, y, tmp_path_factory.mktemp("page") / "report.html")


@pytest.fixture
def open_page(browser):
    """Open a file; at the end, nothing but that file may have been asked for, and no error said."""
    contexts, trouble, asked = [], [], []

    def opened(path: Path, **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("dialog", lambda dialog: trouble.append(dialog.message))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert trouble == []
    assert all(url.startswith(("file:", "data:")) for url in asked)
    assert len({url for url in asked if url.startswith("file:")}) <= 1


def names_of(page):
    return page.locator("#graphlet-cards h3").all_text_contents()


def test_cards_are_sorted_and_filtered(open_page, page_file):
    page = open_page(page_file)
    everything = names_of(page)
    assert len(everything) > 2
    page.select_option("#graphlet-sort", "name")
    by_name = names_of(page)
    assert sorted(by_name) == sorted(everything)
    page.select_option("#graphlet-sort", "weight")
    assert names_of(page) == everything
    page.fill("#graphlet-filter", "#8")  # an oxygen in SMARTS
    shown = names_of(page)
    assert all("#8" in name for name in shown)
    assert len(shown) < len(everything)
    page.fill("#graphlet-filter", "")
    page.select_option("#graphlet-sign", "for:acidic")
    assert 0 < len(names_of(page)) <= len(everything)
    assert all(
        "for acidic" in text for text in page.locator("#graphlet-cards article").all_text_contents()
    )


def test_the_slider_changes_the_picture_and_follows_the_keyboard(open_page, page_file):
    page = open_page(page_file)
    last, pictures = page.text_content("#lambda-says"), page.inner_html("#lambda-thumbs")
    page.focus("#lambda")
    page.keyboard.press("Home")
    assert "0 graphlets" in page.text_content("#lambda-says")
    assert page.locator("#lambda-thumbs svg").count() == 0
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert page.locator("#lambda-thumbs svg").count() > 0
    page.keyboard.press("End")
    assert page.text_content("#lambda-says") == last
    assert page.inner_html("#lambda-thumbs") == pictures


def test_the_gallery_starts_with_mistakes_and_is_searched(open_page, page_file):
    page = open_page(page_file)
    cards = page.locator("#gallery-cards article")
    assert "but it is" in cards.first.text_content()
    page.select_option("#gallery-kind", "wrong")
    assert cards.count() == page.locator("#gallery-cards .wrong").count() > 0
    page.select_option("#gallery-kind", "all")
    page.fill("#gallery-search", "42")
    assert page.locator("#gallery-cards h3").all_text_contents() == ["Graph 42"]
    page.fill("#gallery-search", "acidic")
    assert "acidic" in cards.first.text_content()
    before = cards.count()
    page.click("#gallery-more")
    assert cards.count() > before


def test_hover_and_focus_name_the_graph_of_a_dot(open_page, page_file):
    page = open_page(page_file)
    dot = page.locator("#scatter-plot .dot").first
    dot.scroll_into_view_if_needed()
    assert page.locator("#tip").is_hidden()
    dot.hover(force=True)
    assert "psi" in page.text_content("#tip")
    assert page.locator("#tip").is_visible()
    page.mouse.move(0, 0)
    dot.focus()
    assert page.locator("#tip").is_visible()
    before = page.inner_html("#scatter-plot")
    page.select_option("#scatter-x", "1")
    page.select_option("#scatter-y", "0")
    assert page.inner_html("#scatter-plot") != before


def test_links_lead_from_graphlets_to_graphs_and_back(open_page, page_file):
    page = open_page(page_file)
    link = page.locator("#graphlet-cards article a").first
    number = link.text_content()
    link.click()
    assert page.locator("#gallery-cards h3").all_text_contents() == [f"Graph {number}"]
    assert page.evaluate("location.hash") == f"#graph-{number}"
    back = page.locator("#gallery-cards td.name a").first
    target = back.get_attribute("href")
    back.click()
    assert page.locator(target).count() == 1
    assert page.evaluate("location.hash") == target


def test_the_keyboard_reaches_everything(open_page, page_file):
    page = open_page(page_file)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#graphlets"
    for wanted in ("graphlet-sort", "graphlet-sign", "graphlet-filter"):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == wanted


def test_dark_and_light_follow_the_system_and_the_button(open_page, page_file):
    background = "getComputedStyle(document.body).backgroundColor"
    light = open_page(page_file, color_scheme="light")
    dark = open_page(page_file, color_scheme="dark")
    white, black = light.evaluate(background), dark.evaluate(background)
    assert white != black
    light.click("#theme")
    assert light.evaluate(background) == black
    dark.click("#theme")
    assert dark.evaluate(background) == white


def test_a_phone_needs_no_scrolling_sideways(open_page, page_file):
    page = open_page(page_file, viewport={"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_print_hides_the_controls(open_page, page_file):
    page = open_page(page_file)
    page.emulate_media(media="print")
    assert page.locator("nav").is_hidden()
    assert page.locator("#graphlet-sort").is_hidden()
    assert page.locator("#graphlet-cards article").first.is_visible()


def test_harmful_labels_are_shown_as_text(open_page, tmp_path):
    path = tmp_path / "strange.html"
    path.write_text(strange_page(), encoding="utf-8")
    page = open_page(path, viewport={"width": 360, "height": 740})
    assert page.text_content("h1") == HARMFUL[0]
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2
    assert page.locator("#gallery-cards article").count() > 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def axe_core() -> Path:
    named = os.environ.get("AXE_CORE", "")
    for path in (Path(named), ROOT / "node_modules" / "axe-core" / "axe.min.js"):
        if path.is_file():
            return path
    return pytest.skip("needs axe-core: npm install axe-core, or name axe.min.js in $AXE_CORE")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault_in_accessibility(open_page, page_file, scheme):
    script = axe_core().read_text(encoding="utf-8")
    page = open_page(page_file, color_scheme=scheme)
    page.evaluate(script)
    found = page.evaluate("axe.run()")["violations"]
    assert [(fault["id"], fault["nodes"][0]["html"][:200]) for fault in found] == []


def test_a_thousand_graphs_and_a_hundred_graphlets_open_in_three_seconds(open_page, tmp_path):
    graphs, y, _ = datasets.make_planted(1000, random_state=0)
    rng = np.random.default_rng(0)
    graphlets = [
        Graphlet(
            labels=rng.choice(list("ABCD"), 3).tolist(),
            edges=[(0, 1), (1, 2)],
            attributes=rng.normal(size=(3, 2)),
        )
        for _ in range(100)
    ]
    model = LagraModel(
        graphlets=graphlets,
        coef=rng.normal(size=(1, 100)),
        intercept=np.zeros(1),
        rho=0.3,
        outputs=Outputs.of_classes([-1, 1]),
        input_spec=InputSpec.of(graphs),
    )
    path = report.write(model, graphs, y, tmp_path / "large.html")
    start = time.perf_counter()
    page = open_page(path)
    page.wait_for_selector("#gallery-cards article")
    assert time.perf_counter() - start < 3.0
    assert page.locator("#graphlet-cards article").count() == 100
