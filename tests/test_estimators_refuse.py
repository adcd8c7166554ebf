"""What the estimators refuse, each with a sentence that says what was expected and what came."""

from __future__ import annotations

import numpy as np
import pytest

from aglets import GraphSet, LagraClassifier, LagraClassifierCV, LagraRegressor
from aglets.datasets import make_planted

QUICK = {"n_lambdas": 8, "maxpat": 2, "max_epochs": 10, "tol": 1e-2, "calibration": None}


@pytest.fixture(scope="module")
def planted():
    graphs, y, _ = make_planted(60, motif_size=3, background_size=(3, 6), random_state=0)
    return graphs, y


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rho": -0.1}, r"'rho' parameter of LagraClassifier must be a float in the range "
                        r"\(0, inf\)\. Got -0\.1 instead\."),
        ({"rho": "1"}, r"'rho' .* Got '1' instead"),
        ({"maxpat": 0}, r"'maxpat' parameter .* an int in the range \[1, 64\]\. Got 0 instead"),
        ({"maxpat": 2.5}, r"'maxpat' .* Got 2\.5 instead"),
        ({"maxpat": True}, r"'maxpat' .* Got True instead"),
        ({"lambda_ratio": 0.0}, r"'lambda_ratio' .* a float in the range \(0, 1\]\. Got 0\.0"),
        ({"lambda_ratio": 2.0}, r"'lambda_ratio' .* Got 2\.0"),
        ({"n_lambdas": 0}, r"'n_lambdas' .* \[1, inf\)"),
        ({"loss": "hinge"}, r"'loss' .* 'squared_hinge' or 'logistic' or .* Got 'hinge'"),
        ({"scale": "max"}, r"'scale' .* 'standard' or 'none' or 'label'"),
        ({"solver": "slow"}, r"'solver' .* 'fast' or 'paper'"),
        ({"learn_attributes": 1}, r"'learn_attributes' .* True or False\. Got 1"),
        ({"class_weight": "even"}, r"'class_weight' .* 'balanced' or None"),
        ({"tol": -1}, r"'tol' .* \[0, inf\)"),
        ({"n_jobs": 0}, r"'n_jobs' "),
        ({"max_seconds": 0}, r"'max_seconds' .* or None\. Got 0"),
        ({"rho": 0, "maxpat": 0}, r"'rho' .*'maxpat' "),
    ],
)  # fmt: skip
def test_parameters_are_checked_at_fit(parameters, message, planted):
    with pytest.raises(ValueError, match=message):
        LagraClassifier(**parameters).fit(*planted)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rhos": ()}, "'rhos' parameter of LagraClassifierCV must be 'auto', or a list"),
        ({"rhos": (1.0, 1.0)}, "'rhos' .* each different"),
        ({"rhos": 0.1}, "'rhos' .* Got 0.1"),
        ({"maxpats": (0,)}, "'maxpats' "),
        ({"cv": 1}, "'cv' "),
        ({"cv": "folds"}, "'cv' "),
        ({"select": "auc"}, "'select' .* 'loss' or 'score'"),
        ({"validation_fraction": 1.0}, "'validation_fraction' "),
        ({"lambda_min_ratio": 1.0}, "'lambda_min_ratio' "),
    ],
)
def test_parameters_of_the_grid_are_checked_at_fit(parameters, message, planted):
    with pytest.raises(ValueError, match=message):
        LagraClassifierCV(**parameters).fit(*planted)


def test_targets_are_checked(planted):
    graphs, y = planted
    with pytest.raises(ValueError, match=r"one target per graph \(60\)\. Got 59"):
        LagraClassifier().fit(graphs, y[:-1])
    with pytest.raises(ValueError, match=r"two classes .* Got one class, \[1\], instead"):
        LagraClassifier().fit(graphs, np.ones(60, dtype=int))
    with pytest.raises(ValueError, match="at least two classes"):
        LagraClassifier().fit(graphs, y, sample_weight=(y > 0).astype(float))
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        LagraClassifier().fit(graphs, None)
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        LagraClassifier().fit(graphs, y + 0.5 * np.arange(60) / 61)
    with pytest.raises(ValueError, match="y must hold numbers"):
        LagraRegressor().fit(graphs, np.where(y > 0, "a", "b"))
    with pytest.raises(ValueError, match=r"y must be finite\. Got inf for graph 3 instead"):
        LagraRegressor().fit(graphs, np.where(np.arange(60) == 3, np.inf, y))


def test_validation_is_checked(planted):
    graphs, y = planted
    with pytest.raises(TypeError, match=r"validation must be a tuple \(graphs, y\)"):
        LagraClassifier().fit(graphs, y, validation=graphs)
    with pytest.raises(ValueError, match=r"validation holds the class 7, but .* \[-1, 1\]"):
        LagraClassifier().fit(graphs, y, validation=(graphs[:2], [1, 7]))


def test_graphs_without_nodes_cannot_be_learned_from():
    graphs = GraphSet.from_lists(labels=[[], []], edges=[[], []])
    with pytest.raises(ValueError, match="LagraClassifier needs graphs with nodes"):
        LagraClassifier().fit(graphs, [0, 1])


def test_a_single_graph_is_not_a_list_of_graphs(planted):
    graphs, y = planted
    with pytest.raises(TypeError, match=r"\[graph\]"):
        LagraClassifier().fit(graphs[0], y)


def test_other_attributes_and_labels_are_noticed_at_predict(planted):
    graphs, y = planted
    model = LagraClassifier(**QUICK).fit(graphs, y)
    with pytest.raises(ValueError, match="Expected 2 attributes per node, as in fit"):
        model.predict(GraphSet.from_lists(labels=["A"], edges=[[]], attributes=[[[0.0]]]))
    stranger = GraphSet.from_lists(labels=["AZ"], edges=[[(0, 1)]], attributes=[np.zeros((2, 2))])
    with pytest.warns(UserWarning, match="Label 'Z' in graph 0 was never seen in fit"):
        model.predict(stranger)
