"""The served page in a real browser: typed into, drawn on, by keyboard, on a phone, in the dark."""

from __future__ import annotations

import threading
import time

import pytest
from test_report_browser import axe_core, browser  # noqa: F401

from aglets import GraphSet, LagraClassifier
from aglets.serve import make_app

uvicorn = pytest.importorskip("uvicorn", reason="needs aglets[serve]")

HARMFUL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def address():
    graphs = GraphSet.from_smiles(["CC(=O)O", "OC(=O)CN", "CCC(=O)O", "CCO", "COC", "CCN"] * 2)
    y = (["acid"] * 3 + ["other"] * 3) * 2
    model = LagraClassifier(maxpat=3, n_lambdas=10).fit(graphs, y).model_
    app = make_app(model, name=HARMFUL)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}/"
    server.should_exit = True
    thread.join(10)


@pytest.fixture
def page(browser, address):  # noqa: F811
    trouble = []
    context = browser.new_context()
    page = context.new_page()
    page.on("pageerror", lambda error: trouble.append(str(error)))
    own = (address, "data:", "blob:")
    page.on("request", lambda one: one.url.startswith(own) or trouble.append(one.url))
    page.goto(address)
    page.wait_for_selector(".card")
    yield page
    context.close()
    assert not trouble


def test_typing_a_molecule_explains_it(page):
    page.fill("#question", "CCCC(=O)O")
    page.wait_for_selector(".headline")
    assert "acid" in page.text_content(".headline")
    assert page.query_selector(".pictures svg") is not None


def test_an_explanation_says_how_far_to_trust_it(page):
    page.fill("#question", "CCCC(=O)O")
    page.wait_for_selector(".trust li")
    assert "nearest training molecules" in page.text_content(".trust")


def test_a_wrong_molecule_gets_a_sentence_and_a_right_one_an_answer(page):
    page.fill("#question", "C1CC")
    page.wait_for_selector("#answer .error")
    assert "could not be read" in page.text_content("#answer")
    page.fill("#question", "CCO")
    page.wait_for_selector(".headline")


def test_drawing_changes_the_answer(page):
    page.fill("#question", "CCO")
    page.wait_for_selector(".headline")
    page.click("#draw")
    page.wait_for_timeout(1500)
    box = page.query_selector("#editor").bounding_box()
    page.mouse.click(box["x"] + 0.8 * box["width"], box["y"] + 0.5 * box["height"])
    page.wait_for_function("document.querySelector('#question').value !== 'CCO'")


def test_names_stay_text(page):
    assert page.text_content("#title") == HARMFUL
    assert page.query_selector("#title img") is None


def test_the_keyboard_is_enough(page):
    page.focus("#question")
    page.keyboard.type("CC(=O)O")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector(".headline")


def test_a_table_is_predicted(page, tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("smiles\nCCO\nCC(=O)O\n")
    page.set_input_files("#file", table)
    with page.expect_download() as download:
        page.click("#many button")
    lines = download.value.path().read_text().splitlines()
    assert len(lines) == 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_it_fits_the_screen(browser, address, scheme, width):  # noqa: F811
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800})
    page = context.new_page()
    page.goto(address)
    page.fill("#question", "CC(=O)O")
    page.wait_for_selector(".headline")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault_in_the_served_page(browser, address, scheme):  # noqa: F811
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(address)
    page.fill("#question", "CC(=O)O")
    page.wait_for_selector(".headline")
    page.evaluate(axe_core().read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")["violations"]
    assert [(fault["id"], fault["nodes"][0]["html"]) for fault in found] == []
    context.close()
