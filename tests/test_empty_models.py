"""Models without graphlets are models: they can be kept, explained and reported."""

from __future__ import annotations

import numpy as np
import pytest

import aglets
from aglets import GraphSet, LagraClassifier, LagraClassifierCV, LagraRegressor, LagraRegressorCV
from aglets.cli import main

CHAINS = GraphSet.from_lists(labels=["CCO", "CNO"] * 10, edges=[[(0, 1), (1, 2)]] * 20)
DOTS = GraphSet.from_lists(labels=["C"] * 20, edges=[[]] * 20)
HALVES = np.arange(20) % 2

CASES = {
    "lambda_max itself": (LagraClassifier(lambda_ratio=1.0), CHAINS, HALVES),
    "three classes": (LagraClassifier(lambda_ratio=1.0), CHAINS, np.arange(20) % 3),
    "graphs that are all the same": (LagraClassifier(), DOTS, HALVES),
    "graphs that are all the same, by folds": (LagraClassifierCV(cv=2), DOTS, HALVES),
    "constant targets": (LagraRegressor(), CHAINS, np.ones(20)),
    "constant targets, by folds": (LagraRegressorCV(cv=2), CHAINS, np.ones(20)),
    "covariates": (
        LagraRegressor(lambda_ratio=1.0, covariates="size", covariate_penalty=1.0),
        CHAINS,
        HALVES * 1.0,
    ),
}
SENTENCE = "No graphlet was found that helps to predict the targets; try a smaller lambda_ratio"


@pytest.fixture(params=CASES)
def fitted(request):
    estimator, graphs, y = CASES[request.param]
    model = estimator.fit(graphs, y)
    assert len(model.graphlets_) == 0
    return model, graphs, y


def test_an_empty_model_comes_back_from_its_file(fitted, tmp_path):
    model, graphs, _ = fitted
    model.save(tmp_path / "empty.aglets")
    loaded = aglets.load(tmp_path / "empty.aglets")
    assert loaded.predict(graphs).tolist() == model.predict(graphs).tolist()
    stops, kept = model.model_.stops, loaded.stops
    assert (kept is None) == (stops is None)
    if stops is not None:
        assert kept.coefs.shape == stops.coefs.shape
        assert kept.intercepts.tolist() == stops.intercepts.tolist()


def test_explanations_of_an_empty_model_say_what_to_try(fitted):
    model, graphs, y = fitted
    learned = model.explain_global(graphs, y)
    assert SENTENCE in str(learned)
    assert SENTENCE in learned._repr_html_()
    assert SENTENCE in str(model.explain(graphs[0]))
    assert model.explain(graphs[0]).decision == pytest.approx(
        np.ravel(model.model_.decision_function(graphs[:1])).max()
    )


def test_an_empty_model_is_reported_and_drawn(fitted, tmp_path):
    model, graphs, y = fitted
    page = aglets.report.write(model, graphs, y, tmp_path / "page.html")
    assert SENTENCE in page.read_text(encoding="utf-8")
    aglets.plot.PathDisplay.from_estimator(model).plot().figure_.canvas.draw()


def test_commands_on_an_empty_model_say_what_to_try(tmp_path, capsys):
    data, model = tmp_path / "DOTS", tmp_path / "dots.aglets"
    DOTS.to_tu(data, HALVES)
    assert main(["fit", str(data), "-o", str(model), "--n-lambdas", "3", "--maxpat", "2"]) == 0
    assert SENTENCE in capsys.readouterr().out
    for command in (["show", str(model)], ["explain", str(model), str(data)]):
        assert main(command) == 0
        assert SENTENCE in capsys.readouterr().out
    assert main(["report", str(model), str(data), "-o", str(tmp_path / "page.html")]) == 0
