"""The report in a real browser: opened from disk, clicked, typed into, measured.

Needs Chromium and playwright; the check of accessibility needs axe-core (npm), named by $AXE_CORE
or under node_modules. What is missing is skipped with a reason.
"""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from test_report import HARMFUL, strange_page

from aglets import (
    Graphlet,
    GraphSet,
    LagraClassifier,
    LagraModel,
    LagraRegressor,
    datasets,
    mining,
    report,
)
from aglets.model.outputs import Outputs
from aglets.preprocessing.input_spec import InputSpec
from aglets.report import _bounds as bounds

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
    graphs, y = datasets.load_acids()
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
    shown = page.locator("#graphlet-cards article").all_text_contents()
    assert all("#8" in text for text in shown)
    assert len(shown) < len(everything)
    page.fill("#graphlet-filter", "")
    page.select_option("#graphlet-sign", "for:acidic")
    assert 0 < len(names_of(page)) <= len(everything)
    assert all(
        "evidence for class acidic" in text
        for text in page.locator("#graphlet-cards article").all_text_contents()
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
    assert "Wrong: it is" in cards.first.text_content()
    page.select_option("#gallery-kind", "wrong")
    assert cards.count() == page.locator("#gallery-cards .wrong").count() > 0
    page.select_option("#gallery-kind", "all")
    page.fill("#gallery-search", "42")
    assert "Molecule 42" in page.locator("#gallery-cards h3").all_text_contents()
    page.fill("#gallery-search", "carboxylic acid")
    assert cards.count() > 0
    assert "of 300 molecules" in page.text_content("#gallery-count")
    page.fill("#gallery-search", "")
    before = cards.count()
    page.click("#gallery-more")
    assert cards.count() > before


def test_hover_and_focus_name_the_graph_of_a_dot(open_page, page_file):
    page = open_page(page_file)
    dot = page.locator("#scatter-plot .dot").first
    dot.scroll_into_view_if_needed()
    assert page.locator("#tip").is_hidden()
    dot.hover(force=True)
    assert "match" in page.text_content("#tip")
    assert page.locator("#tip").is_visible()
    page.mouse.move(0, 0)
    dot.focus()
    assert page.locator("#tip").is_visible()
    before = page.inner_html("#scatter-plot")
    page.select_option("#scatter-x", "1")
    page.select_option("#scatter-y", "0")
    assert page.inner_html("#scatter-plot") != before


def test_numbers_lead_to_the_graphs_that_they_count(open_page, page_file):
    page = open_page(page_file)
    link = page.locator("#graphlet-cards article a").first
    number = int(link.text_content().split(" of ")[0])
    link.click()
    assert page.text_content("#gallery-count").startswith(f"{number} of 300 molecules")
    assert "with graphlet #1" in page.text_content("#gallery-filter")
    page.click("#gallery-filter button")
    assert page.text_content("#gallery-count").startswith("300 of 300")
    cell = page.locator("#confusion td a").first
    count = cell.text_content()
    cell.click()
    assert page.text_content("#gallery-count").startswith(f"{count} of 300")
    back = page.locator("#gallery-cards td.name a").first
    target = back.get_attribute("href")
    back.click()
    assert page.locator(target).count() == 1
    assert page.evaluate("location.hash") == target


def test_best_matches_lead_to_their_graph(open_page, page_file):
    page = open_page(page_file)
    card = page.locator("#graphlet-cards article").first
    card.locator("summary", has_text="All numbers").click()
    link = card.locator("dd a").first
    wanted = link.get_attribute("href")
    link.click()
    assert page.locator(wanted).count() == 1
    assert page.locator("#gallery-cards article").count() == 1


def test_a_row_of_an_explanation_marks_its_part_alone(open_page, page_file):
    page = open_page(page_file)
    card = page.locator("#gallery-cards article").first
    whole = card.locator(".drawing").inner_html()
    card.locator("td.name a").first.focus()
    assert card.locator(".drawing").inner_html() != whole or card.locator("td.name a").count() == 1
    assert card.locator(".drawing .up, .drawing .down").count() > 0


def test_smarts_are_copied(open_page, page_file):
    page = open_page(page_file)
    button = page.locator("#graphlet-cards article button").first
    button.click()
    sync_api.expect(button).to_have_text("Copied")


def test_a_page_about_training_graphs_says_so(open_page, page_file):
    page = open_page(page_file)
    assert page.text_content("#badge") == "training data"
    assert "Measured on training data" in page.text_content("#banner")
    assert page.locator("#banner").is_visible()


#: Texts of figures that reach beyond their picture; a turned one has its middle where it is drawn.
CUT_OFF = """() => [...document.querySelectorAll("figure svg")].flatMap((root) => {
    const box = root.viewBox.baseVal;
    return [...root.querySelectorAll("text")].filter((text) => {
        const b = text.getBBox(), m = text.transform.baseVal.consolidate();
        const turned = Boolean(m);
        const w = turned ? b.height : b.width, h = turned ? b.width : b.height;
        const x = b.x + b.width / 2 , y = b.y + b.height / 2;
        const cx = turned ? +text.getAttribute("x") : x;
        const cy = turned ? +text.getAttribute("y") : y;
        return cx - w / 2 < box.x - 1 || cx + w / 2 > box.x + box.width + 1
            || cy - h / 2 < box.y - 1 || cy + h / 2 > box.y + box.height + 1;
    }).map((text) => text.textContent);
})"""


def test_nothing_of_a_figure_is_cut_off(open_page, page_file):
    page = open_page(page_file)
    assert page.evaluate(CUT_OFF) == []
    assert page.locator("#decisions .zero").count() == 1


#: Whether two numbers below an axis, or two next to one, touch.
TOUCHING = """() => [...document.querySelectorAll("figure svg")].flatMap((root) => {
    const texts = [...root.querySelectorAll("text")],
        ticks = texts.filter((text) => /^.?[\\d.e+]+.?\\d*$/.test(text.textContent)),
        boxes = ticks.map((text) => [text.textContent, text.getBBox()]);
    return boxes.flatMap(([one, a], i) => boxes.slice(0, i).filter(([, b]) =>
        Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x) > 1 &&
        Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y) > 3
    ).map(([other]) => one + " and " + other));
})"""


@pytest.mark.parametrize("unit", [2.5e-6, 1.0, 3.0e7])
def test_ticks_of_any_size_are_whole_and_apart(open_page, tmp_path, unit):
    graphs, _ = datasets.load_acids()
    graphs = graphs[:80]
    y = unit * (graphs.n_edges - 10.3)
    reg = LagraRegressor(maxpat=2, n_lambdas=8).fit(graphs, y)
    page = open_page(report.write(reg, graphs, y, tmp_path / "numbers.html", max_graphs=10))
    assert page.locator("#quality-body figure svg").count() == 2
    assert page.evaluate(CUT_OFF) == []
    assert page.evaluate(TOUCHING) == []


@pytest.fixture(scope="module")
def many_classes(tmp_path_factory):
    """A page of a model that distinguishes thirty classes."""
    rng = np.random.default_rng(0)
    names = [f"class number {k}" for k in range(30)]
    graphs = GraphSet.from_lists(
        labels=[[f"L{k}", "x"] for k in range(30)] * 4, edges=[[(0, 1)]] * 120
    )
    model = LagraModel(
        graphlets=[Graphlet(labels=[f"L{k}", "x"], edges=[(0, 1)]) for k in range(30)],
        coef=np.eye(30) * 2.0,
        intercept=np.full(30, -1.0),
        rho=1.0,
        outputs=Outputs.of_classes(names),
        input_spec=InputSpec.of(graphs),
    )
    y = np.array(names * 4)
    y[rng.permutation(120)[:30]] = names[0]
    return report.write(model, graphs, y, tmp_path_factory.mktemp("many") / "many.html")


def test_thirty_classes_are_all_legible(open_page, many_classes):
    page = open_page(many_classes, viewport={"width": 1280, "height": 900})
    table = page.locator("#confusion")
    assert table.locator("thead th").count() == 32
    box = table.bounding_box()
    assert box["x"] + box["width"] <= 1280
    sizes = page.evaluate(
        """[...document.querySelectorAll("#confusion th, #confusion td")].map((cell) =>
            [cell.scrollWidth - cell.clientWidth, parseFloat(getComputedStyle(cell).fontSize)])"""
    )
    assert all(extra <= 1 and size >= 11 for extra, size in sizes)


def test_weights_of_all_classes_are_in_one_table(open_page, many_classes):
    page = open_page(many_classes)
    page.click("#weights-table summary")
    rows = page.locator("#weights-table tbody tr")
    assert rows.count() == 30
    assert page.locator("#weights-table thead th").count() == 30
    said = [text for text in rows.nth(4).locator("td").all_text_contents() if text]
    assert said == ["+2"]


def test_targets_with_gaps_have_views_with_cards_for_the_strongest_graphlets(
    open_page, tmp_path, monkeypatch
):
    monkeypatch.setattr(bounds, "MAX_CARDS", 4)
    monkeypatch.setattr(bounds, "MIN_CARDS", 1)
    monkeypatch.setattr(bounds, "MAX_ANSWERS", 100)
    graphs, y = datasets.load_acids()
    both = np.array([y, np.roll(y, 1)], dtype=object).T
    both[::3, 1] = None
    clf = LagraClassifier(maxpat=3, lambda_ratio=0.05, n_lambdas=10, sharing="group")
    clf.fit(graphs, both)
    page = open_page(report.write(clf, graphs, both, tmp_path / "two.html", max_graphs=20))
    for target in range(2):
        page.locator("#targets button").nth(target).click()
        # Two, and those that the explanations need.
        n = len(names_of(page))
        assert 2 <= n <= 6
        said = f" {n} of {len(clf.graphlets_)} are shown: the strongest"
        assert said in page.text_content("#graphlet-help")
        assert "all other graphlets" in page.text_content("#gallery-cards")
        count = page.text_content("#gallery-count")
        assert f"50 molecules that are listed here, of {len(graphs)}" in count


def test_classes_have_tabs_and_explanations_of_any_class(open_page, many_classes):
    page = open_page(many_classes)
    tabs = page.locator("#class-tabs button")
    assert tabs.count() == 31
    assert len(names_of(page)) == 30
    tabs.nth(3).click()
    assert len(names_of(page)) == 1
    assert tabs.nth(3).get_attribute("aria-pressed") == "true"
    page.select_option("#gallery-output", "5")
    total = page.locator("#gallery-cards tr.total").first.text_content()
    assert "decision for class class number 5" in total


@pytest.fixture(scope="module")
def several_targets(tmp_path_factory):
    graphs, y = datasets.load_acids()
    table = np.column_stack([y, np.where(graphs.n_nodes > 11, "large", "small")]).astype(object)
    table[::3, 0] = None
    clf = LagraClassifier(maxpat=2, lambda_ratio=0.1, n_lambdas=8, calibration=None)
    clf.fit(graphs, table)
    return report.write(clf, graphs, table, tmp_path_factory.mktemp("page") / "several.html")


def test_targets_with_gaps_have_whole_pages_of_their_own(open_page, several_targets):
    page = open_page(several_targets)
    said = page.locator("#summary").text_content()
    assert "on the 200 of 300 molecules whose value is known" in said
    for target in range(2):
        page.locator("#targets button").nth(target).click()
        assert page.locator("#rerun-body").text_content().startswith("Made with aglets")
        assert page.locator("#scatter-plot .dot").count() > 1
        assert page.locator("#lambda").count() == 1
        assert page.locator("#graphlet-cards article").count() > 0
    assert "unknown" not in page.locator("#scatter-plot").text_content()
    # Numbers of graphlets are those of a target, so the table of all has none.
    page.locator("#weights summary").click()
    names = page.locator("#weights tbody th").all_text_contents()
    assert names
    assert not any(text.startswith("#") for text in names)


def test_graphs_are_found_by_the_smarts_of_a_graphlet(open_page, page_file):
    page = open_page(page_file)
    first = page.locator("#graphlet-cards article").first
    smarts = first.locator("code").first.text_content()
    first.locator("a").first.click()
    n_first = int(page.locator("#gallery-count").text_content().split(" ")[0])
    page.get_by_role("button", name="Show all again").click()
    page.fill("#gallery-search", smarts)
    found = int(page.locator("#gallery-count").text_content().split(" ")[0])
    assert n_first <= found < 300


def test_regression_has_parity_and_residuals_with_zero_marked(open_page, tmp_path):
    graphs, _ = datasets.load_acids()
    sizes = graphs.n_nodes.astype(float)
    reg = LagraRegressor(maxpat=2, n_lambdas=5).fit(graphs[:100], sizes[:100])
    page = open_page(report.write(reg, graphs[100:], sizes[100:], tmp_path / "numbers.html"))
    said = page.text_content("#quality-body")
    assert "Residuals" in said
    assert "RMSE" in said
    assert page.locator("#quality-body .zero").count() == 1
    assert page.text_content("#badge") == "test data"
    assert page.locator("#banner").is_hidden()
    assert page.locator("#gallery-output-label").is_hidden()


def test_no_sentence_names_a_colour_that_the_dark_page_lacks(open_page, page_file):
    page = open_page(page_file, color_scheme="dark")
    text = page.text_content("main").lower()
    assert "black" not in text
    assert "white" not in text


def test_an_empty_model_is_said_to_be_empty(open_page, tmp_path):
    graphs, y = datasets.load_acids()
    clf = LagraClassifier(lambda_ratio=1.0, n_lambdas=1).fit(graphs, y)
    page = open_page(report.write(clf, graphs, y, tmp_path / "empty.html"))
    assert "The model has no graphlets" in page.text_content("#empty")
    assert page.locator("#empty").is_visible()


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


def test_measures_are_legible_on_a_phone(open_page, page_file):
    page = open_page(page_file, viewport={"width": 375, "height": 800})
    boxes = page.evaluate(
        """() => [...document.querySelectorAll("#metrics tr")].map((row) => [...row.children]
            .filter((cell) => !cell.matches(".name") && cell.offsetWidth)
            .map((cell) => [cell.offsetLeft, cell.scrollWidth - cell.clientWidth]))"""
    )
    assert len({tuple(left for left, _ in row) for row in boxes}) == 1  # heads stand above numbers
    assert all(hidden <= 0 for row in boxes for _, hidden in row)
    size = page.evaluate(
        "parseFloat(getComputedStyle(document.querySelector('#metrics')).fontSize)"
    )
    name = page.locator("#metrics tbody th", has_text="average precision").bounding_box()
    assert name["height"] < 4 * size  # two lines of whole words


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


def test_names_that_look_like_html_are_shown_as_text(open_page, tmp_path):
    graphs, y = datasets.load_acids()
    names = [f"{HARMFUL[i % 2]} {i}" for i in range(40)]
    graphs = graphs[:40].with_identity(
        names=names, ids=list(map(str, range(40))), smiles=graphs.smiles[:40].tolist()
    )
    clf = LagraClassifier(maxpat=2, n_lambdas=5).fit(graphs, y[:40])
    path = report.write(
        clf, graphs, y[:40], tmp_path / "names.html", source=HARMFUL[0], target=HARMFUL[1]
    )
    page = open_page(path)
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2
    assert HARMFUL[1] in page.text_content("#facts")
    shown = page.locator("#gallery-cards h3").all_text_contents()
    assert any(HARMFUL[0][:20] in name for name in shown)
    page.fill("#gallery-search", names[7])
    assert page.locator("#gallery-cards article").count() == 1


def test_a_thousand_molecules_and_sixty_graphlets_open_in_three_seconds(open_page, tmp_path):
    graphs, y = datasets.load_acids()
    rows = np.arange(1000) % 300
    clf = LagraClassifier(maxpat=4, lambda_ratio=0.5, n_lambdas=2).fit(graphs, y)
    patterns = mining.frequent(graphs, min_support=20, maxpat=4)[:60]
    rng = np.random.default_rng(0)
    model = replace(
        clf.model_,
        graphlets=[
            Graphlet(
                labels=pattern.labels,
                edges=pattern.edges,
                edge_labels=pattern.edge_labels,
                attributes=np.zeros((len(pattern.labels), 4)),
            )
            for pattern in patterns
        ],
        coef=rng.normal(size=(1, 60)),
        path={},
        stops=None,
    )
    path = report.write(model, graphs[rows], y[rows], tmp_path / "large.html", max_graphs=1000)
    assert path.stat().st_size < 3_000_000
    start = time.perf_counter()
    page = open_page(path)
    page.wait_for_selector("#gallery-cards article")
    assert time.perf_counter() - start < 3.0
    assert page.locator("#graphlet-cards article").count() == 60


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
