from __future__ import annotations

import json
import re

import numpy as np
import pytest

from aglets import LagraClassifier, LagraClassifierCV, LagraRegressor, datasets, report
from aglets.cli import main
from aglets.model.file import load


@pytest.fixture(scope="module")
def planted():
    graphs, y, [motif] = datasets.make_planted(120, motif_size=3, flip_y=0.1, random_state=2)
    clf = LagraClassifier(maxpat=3, rho=0.5, lambda_ratio=0.02, n_lambdas=15).fit(graphs, y)
    return graphs, y, motif, clf


def test_the_planted_graphlet_is_found_again_and_noise_is_not(planted):
    graphs, y, motif, clf = planted
    stability = clf.stability(graphs, y, n_rounds=10)
    assert stability.shape == (len(clf.graphlets_),)
    assert ((stability >= 0.0) & (stability <= 1.0)).all()
    learned = clf.explain_global(stability=stability)
    top = learned.graphlets[0]
    assert sorted(top.graphlet.labels) == sorted(motif.labels)
    assert top.stability == 1.0
    assert min(entry.stability for entry in learned.graphlets) < 0.8


def test_stability_does_not_depend_on_the_number_of_jobs(planted):
    graphs, y, _, clf = planted
    once = clf.stability(graphs, y, n_rounds=4)
    twice = clf.set_params(n_jobs=2).stability(graphs, y, n_rounds=4)
    clf.set_params(n_jobs=None)
    assert np.array_equal(once, twice)


def test_stability_stands_in_every_table(planted):
    graphs, y, _, clf = planted
    stability = clf.stability(graphs, y, n_rounds=3)
    learned = clf.explain_global(graphs, y, stability=stability)
    assert "stability 100%" in str(learned)
    assert (learned.to_frame()["stability"] <= 1.0).all()
    assert learned.to_dict()["graphlets"][0]["stability"] == 1.0
    assert "stability" in learned._repr_html_()
    assert '"stability":1.0' in report.html(clf, graphs, y, stability=stability)
    assert clf.explain_global().graphlets[0].stability is None


def test_a_model_file_with_stability_shows_it_in_every_command(tmp_path, capsys):
    model, page = str(tmp_path / "demo.aglets"), tmp_path / "page.html"
    options = ["--rho", "0.1", "--n-lambdas", "10", "--maxpat", "2", "--stability", "3", "-q"]
    assert main(["fit", "acids", "-o", model, *options]) == 0
    kept = load(model).stability
    assert kept is not None
    assert set(np.round(3 * kept)) <= {0.0, 1.0, 2.0, 3.0}
    assert main(["show", model]) == 0
    assert "stable" in capsys.readouterr().out
    assert main(["show", model, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["graphlets"]
    assert sorted(entry["stability"] for entry in shown) == sorted(kept.tolist())
    assert main(["report", model, "acids", "-o", str(page)]) == 0
    found = re.findall(r'"stability":([\d.]+)', page.read_text(encoding="utf-8"))
    assert sorted(map(float, found)) == pytest.approx(sorted(kept.tolist()))


def test_stability_of_numbers_and_of_chosen_models():
    graphs, y, _ = datasets.make_planted(60, motif_size=3, random_state=0)
    reg = LagraRegressor(maxpat=2, n_lambdas=5).fit(graphs, graphs.n_nodes.astype(float))
    assert len(reg.stability(graphs, graphs.n_nodes.astype(float), n_rounds=2)) == len(
        reg.graphlets_
    )
    chosen = LagraClassifierCV(maxpats=(2, 3), rhos=(0.1,), n_lambdas=5).fit(graphs, y)
    assert len(chosen.stability(graphs, y, n_rounds=2)) == len(chosen.graphlets_)


def test_wrong_numbers_are_said_in_a_sentence(planted):
    graphs, y, _, clf = planted
    with pytest.raises(ValueError, match="stability needs n_rounds of at least 1"):
        clf.stability(graphs, y, n_rounds=0)
    with pytest.raises(ValueError, match="stability must hold one number per graphlet"):
        clf.explain_global(stability=[0.5, 0.5, 0.5] * 40)
