"""LagraModel is f(G) = beta_0 + sum beta psi, and takes only graphs like those it was fitted on."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from aglets import Graphlet, GraphSet, LagraClassifier, datasets
from aglets.model import LagraModel
from aglets.model.outputs import Outputs
from aglets.preprocessing.input_spec import InputSpec


def chain(labels, attributes=None, **columns):
    k = len(labels)
    return GraphSet.from_lists(
        labels=[list(labels)],
        edges=[[(j, j + 1) for j in range(k - 1)]],
        attributes=None if attributes is None else [attributes],
        **columns,
    )


def model_of(graphs, graphlets, coef, intercept=0.0, scale="none", **settings):
    settings = {"rho": 0.5, "loss": "squared_hinge", "classes": np.array([0, 1])} | settings
    classes, loss = settings.pop("classes"), settings.pop("loss")
    return LagraModel(
        graphlets=graphlets,
        coef=np.atleast_2d(coef),
        intercept=np.atleast_1d(intercept),
        outputs=Outputs.of_numbers(loss) if classes is None else Outputs.of_classes(classes, loss),
        input_spec=InputSpec.of(graphs, scale),
        **settings,
    )


def test_decision_is_the_sum_of_scores_times_coefficients():
    graphs = chain("CO", [[1.0], [3.0]])
    graphlets = [
        Graphlet(labels=["C"], edges=[], attributes=[[0.0]]),
        Graphlet(labels=["C", "O"], edges=[(0, 1)], attributes=[[1.0], [2.0]]),
    ]
    model = model_of(graphs, graphlets, [[2.0, -3.0]], 0.25)
    psi = np.exp([-0.5 * 1.0, -0.5 * 1.0])
    np.testing.assert_allclose(model.transform(graphs), [psi])
    np.testing.assert_allclose(model.decision_function(graphs), [0.25 + psi @ [2.0, -3.0]])
    assert [graphlet.coef for graphlet in model.graphlets] == [2.0, -3.0]


def test_graphlets_stay_in_the_users_units_whatever_the_scale():
    rng = np.random.default_rng(0)
    graphs = GraphSet.concatenate(
        [chain("CCO", rng.normal(size=(3, 2)) * [1000.0, 0.01]) for _ in range(20)]
    )
    for scale in ("standard", "label"):
        rows = graphs.attributes[:2]
        graphlet = Graphlet(labels=["C", "C"], edges=[(0, 1)], attributes=rows)
        model = model_of(graphs, [graphlet], [[1.0]], scale=scale)
        # The graphlet is a piece of graph 0, so it is contained perfectly there.
        np.testing.assert_allclose(model.transform(graphs[[0]]), [[1.0]])
        np.testing.assert_array_equal(model.graphlets[0].attributes, rows)


def test_one_output_per_class_beyond_two():
    graphs = GraphSet.concatenate([chain("C"), chain("N"), chain("O")])
    graphlets = [Graphlet(labels=[s], edges=[], attributes=[[]]) for s in "CNO"]
    model = model_of(graphs, graphlets, np.eye(3), np.zeros(3), classes=np.array(["c", "n", "o"]))
    assert model.decision_function(graphs).shape == (3, 3)
    assert list(model.predict(graphs)) == ["c", "n", "o"]
    assert list(model.output) == [0, 1, 2]


def test_probabilities_are_the_logistic_function_and_sum_to_one():
    graphs = GraphSet.concatenate([chain("C"), chain("N"), chain("O")])
    graphlets = [Graphlet(labels=[s], edges=[], attributes=[[]]) for s in "CN"]
    model = model_of(graphs, graphlets, [[800.0, -40.0]], 0.0, loss="logistic")
    p = model.predict_proba(graphs)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_allclose(p[:, 1], [1.0, 1 / (1 + np.exp(40.0)), 0.5], rtol=1e-12)
    many = model_of(
        graphs, graphlets, np.zeros((3, 2)), [-1e4, -1e4, -1e4],
        loss="logistic", classes=np.arange(3),
    )  # fmt: skip
    np.testing.assert_allclose(many.predict_proba(graphs), 1 / 3)


def test_without_calibration_a_model_says_what_to_do():
    graphs = chain("C")
    hinge = model_of(graphs, [], np.zeros((1, 0)))
    with pytest.raises(ValueError, match=r"has no calibration.*model\.calibrated\(graphs, y\)"):
        hinge.predict_proba(graphs)
    with pytest.raises(ValueError, match=r"no record of its errors.*predict_set needs; fit it"):
        hinge.predict_set(graphs)
    with pytest.raises(ValueError, match=r"predict_interval is for models of numbers; predict_set"):
        hinge.predict_interval(graphs)


def test_a_model_without_graphlets_answers_with_its_intercept():
    graphs = GraphSet.concatenate([chain("C"), chain("N")])
    model = model_of(graphs, [], np.zeros((1, 0)), 0.5)
    assert model.transform(graphs).shape == (2, 0)
    np.testing.assert_array_equal(model.decision_function(graphs), [0.5, 0.5])
    assert repr(model) == "LagraModel(2 classes, 0 graphlets, rho=0.5)"


@pytest.mark.parametrize(
    ("coef", "intercept", "settings", "message"),
    [
        ([[1.0, 2.0]], [0.0], {}, r"coef of shape \(1, 0\)"),
        (np.zeros((1, 0)), [0.0, 1.0], {}, "one intercept per output"),
        (np.zeros((1, 0)), [np.nan], {}, "must be finite"),
        (np.zeros((1, 0)), [0.0], {"rho": 0.0}, r"rho must be in the range \(0, inf\)\. Got 0"),
        (np.zeros((1, 0)), [0.0], {"classes": np.array([1])}, "at least two classes"),
    ],
)
def test_a_model_that_cannot_be_is_refused(coef, intercept, settings, message):
    with pytest.raises(ValueError, match=message):
        model_of(chain("C"), [], coef, intercept, **settings)


def test_labels_never_seen_are_warned_of_once_and_match_nothing():
    train = chain("CCO")
    graphs = GraphSet.concatenate([chain("C"), chain("CBr"), chain(["C", "I", "I"])])
    model = model_of(train, [Graphlet(labels=["C"], edges=[], attributes=[[]])], [[1.0]])
    with pytest.warns(UserWarning, match=r"Labels 'B' in graph 1, 'I' in graph 2, 'r' in graph 1"):
        psi = model.transform(graphs)
    np.testing.assert_array_equal(psi, 1.0)
    with pytest.warns(
        UserWarning,
        match=r"Label 'N' in graph 0 was never seen in fit; its nodes can match no graphlet\.",
    ) as caught:
        assert model.transform(chain("N"))[0, 0] == 0.0
    assert caught[0].filename == __file__  # it points at the caller


def test_labels_of_a_larger_set_that_do_not_occur_are_not_known():
    both = GraphSet.concatenate([chain("C"), chain("N")])
    assert InputSpec.of(both[[0]]).vocabulary == ("C",)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert InputSpec.of(both[[0]]).to_model_units(both[[0]]).vocabulary == ("C",)


def test_attribute_widths_and_names_must_agree():
    train = chain("CO", np.zeros((2, 2)), attribute_names=("x", "y"))
    known = InputSpec.of(train)
    with pytest.raises(
        ValueError, match=r"Expected 2 attributes per node \(x, y\), as in fit, but"
    ):
        known.to_model_units(chain("CO", np.zeros((2, 3))))
    with pytest.raises(ValueError, match="were named x, y in fit, but these graphs have y, x"):
        known.to_model_units(chain("CO", np.zeros((2, 2)), attribute_names=("y", "x")))
    assert known.to_model_units(chain("CO", np.zeros((2, 2)))).n_attributes == 2


def test_edge_labels_and_attributes_are_asked_for_or_left_out():
    plain = chain("CO")
    rich = chain("CO", edge_labels=[["-"]], edge_attributes=[[[0.5]]])
    with pytest.raises(ValueError, match="Expected graphs with edge labels, as in fit"):
        InputSpec.of(rich).to_model_units(plain)
    with pytest.raises(ValueError, match="Expected 1 attributes per edge, as in fit"):
        InputSpec.of(rich).to_model_units(chain("CO", edge_labels=[["-"]]))
    brought = InputSpec.of(plain).to_model_units(rich)
    assert brought.edge_labels is None
    assert brought.edge_attributes is None
    with pytest.warns(UserWarning, match=r"Edge label '=' in graph 0 was never seen in fit"):
        InputSpec.of(rich).to_model_units(
            chain("CO", edge_labels=[["="]], edge_attributes=[[[0.5]]])
        )


def test_a_match_holds_the_graphs_in_both_units_with_scores_and_embeddings():
    graphs = GraphSet.concatenate([chain("CO", [[1.0], [3.0]]), chain("N", [[5.0]])])
    graphlets = [Graphlet(labels=["C", "O"], edges=[(0, 1)], attributes=[[1.0], [2.0]])]
    model = model_of(graphs, graphlets, [[2.0]], scale="standard")
    found = model.match(graphs)
    assert found.graphs is graphs
    assert found.scaled == model.input_spec.to_model_units(graphs)
    np.testing.assert_array_equal(found.psi, model.transform(graphs))
    assert found.embeddings[0][0].tolist() == [0, 1]
    assert found.occurs.tolist() == [[True], [False]]


def test_a_graphlet_of_a_fit_is_built_once(monkeypatch):
    graphs, y = datasets.load_acids()
    clf = LagraClassifier(maxpat=2, n_lambdas=10).fit(graphs, y)
    built = []
    init = Graphlet.__init__
    monkeypatch.setattr(
        Graphlet, "__init__", lambda self, **parts: built.append(1) or init(self, **parts)
    )
    assert len(clf.model_at(9).graphlets) == len(built) > 0
