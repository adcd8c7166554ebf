"""Make the pictures of the documentation from embedded and made-up data.

Run it with `python tools/make_pictures.py [FOLDER]`; FOLDER is docs/images unless given. Pictures
of the report need Chromium and playwright, and are left out where those are missing.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from aglets import LagraClassifier, datasets, plot, report

ROOT = Path(__file__).parents[1]
DPI = 130
#: Its row in the demo: the molecule at the top of the README.
NORFENEFRINE = 301
TITLE = "Which molecules cross the blood-brain barrier?"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
#: Name of a picture -> width and height of the window, part of the page to begin at, dark or light.
SHOTS = {
    "report": ((1100, 1000), None, "light"),
    "report_graphs": ((1100, 1000), "#gallery", "light"),
    "report_dark": ((1100, 800), "#graphlets", "dark"),
    "report_phone": ((390, 800), "#graphlets", "light"),
}


def main(folder: Path) -> None:
    """Fit three models, and draw what there is to see in them."""
    folder.mkdir(parents=True, exist_ok=True)
    graphs, y = datasets.load_acids()
    train, test = slice(0, None, 2), slice(1, None, 2)
    acids = LagraClassifier(maxpat=4, lambda_ratio=0.05).fit(
        graphs[train], y[train], validation=(graphs[test], y[test])
    )
    rings, target, _ = datasets.make_planted(200, flip_y=0.05, random_state=1)
    motifs = LagraClassifier(rho=1.0, lambda_ratio=0.05).fit(rings, target)
    learned = acids.explain_global()
    displays = {
        "graphlet": plot.GraphletDisplay(learned.graphlets[0]),
        "grid": plot.GraphletGridDisplay(learned),
        "scatter": plot.ScatterDisplay.from_estimator(motifs, rings, target),
        "path": plot.PathDisplay.from_estimator(acids),
        "search": plot.SearchDisplay.from_estimator(acids),
        "local": plot.LocalDisplay(motifs.explain(rings[int(np.argmax(target))])),
        "local_molecule": plot.LocalDisplay(acids.explain(graphs[1])),
    }
    for name, display in displays.items():
        display.plot().figure_.savefig(folder / f"{name}.png", dpi=DPI)
    molecules, crosses = datasets.load_demo()
    barrier = LagraClassifier(maxpat=4, lambda_ratio=0.1).fit(molecules[:300], crosses[:300])
    picture = plot.LocalDisplay(barrier.explain(molecules[NORFENEFRINE]))
    picture.plot().figure_.savefig(folder / "molecule.png", dpi=DPI)
    photograph(barrier, molecules[300:], crosses[300:], folder)
    for picture in sorted(folder.glob("*.png")):
        shrink(picture)


def photograph(clf: LagraClassifier, graphs: Any, y: Any, folder: Path) -> None:
    """Take pictures of the report in Chromium."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        sys.stderr.write("No Chromium with playwright here: no pictures of the report.\n")
        return
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        page_file = report.write(clf, graphs, y, Path(place) / "r.html", title=TITLE)
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for name, ((width, height), anchor, scheme) in SHOTS.items():
            page = browser.new_page(
                viewport={"width": width, "height": height}, color_scheme=scheme
            )
            page.goto(page_file.as_uri())
            if anchor is not None:
                page.evaluate("a => document.querySelector(a).scrollIntoView()", anchor)
                page.wait_for_timeout(700)
            page.screenshot(path=folder / f"{name}.png")
            page.close()
        browser.close()


def shrink(picture: Path) -> None:
    """Keep 128 colours and at most 900 pixels: enough to see, small enough to keep."""
    image = Image.open(picture).convert("RGB")
    image.thumbnail((900, 900))
    image.quantize(128).save(picture, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images")
