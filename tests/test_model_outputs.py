"""Outputs: encoding, decoding, names, losses and scores of one target and of several with gaps."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.class_weight import compute_sample_weight

from aglets import GraphSet
from aglets.model import LagraModel, load
from aglets.model.losses import Huber, Logistic, Squared, SquaredHinge
from aglets.model.outputs import Outputs
from aglets.model.target import Target
from aglets.preprocessing.input_spec import InputSpec

COLOURS = np.array(["blue", "green", "red"])


def mixed(seed=0, n=40):
    """Three targets, of two classes, three classes and numbers, with a quarter of gaps each."""
    rng = np.random.default_rng(seed)
    y = np.empty((n, 3), dtype=object)
    y[:, 0] = rng.integers(0, 2, n)
    y[:, 1] = COLOURS[rng.integers(0, 3, n)]
    y[:, 2] = rng.normal(size=n)
    y[rng.random((n, 3)) < 0.25] = None
    losses = [SquaredHinge(), Logistic(), Huber(0.5)]
    outputs = Outputs.learn(y, losses, names=["toxic", "colour", "melting"])
    return y, outputs, rng.normal(size=(n, 5)), rng.uniform(0.5, 2.0, n)


def given(column):
    return np.array([value is not None for value in column])


@pytest.mark.parametrize("classes", [["no", "yes"], [3, 1, 2], [0.5, 1.5], [True, False]])
def test_what_is_encoded_and_decoded_is_the_same(classes):
    values = np.random.default_rng(0).choice(np.array(classes), 30)
    outputs = Outputs.learn(values, SquaredHinge())
    rows = outputs.encode(values)
    assert rows.shape == (1 if len(classes) == 2 else len(classes), 30)
    assert set(np.unique(rows)) == {-1.0, 1.0}
    decoded = outputs.decode(rows.T)
    assert decoded.tolist() == values.tolist()
    assert decoded.dtype == values.dtype


def test_two_classes_share_an_output_and_more_have_one_each():
    assert Outputs.of_classes(["no", "yes"]).names == ("yes",)
    assert Outputs.of_classes(COLOURS).names == ("blue", "green", "red")
    assert Outputs.of_numbers().names == (None,)


def test_several_targets_know_their_rows_names_and_losses():
    _, outputs, _, _ = mixed()
    assert outputs.n_outputs == 5
    assert outputs.slices == (slice(0, 1), slice(1, 4), slice(4, 5))
    assert outputs.target_of.tolist() == [0, 1, 1, 1, 2]
    assert outputs.names == ("toxic", "colour: blue", "colour: green", "colour: red", "melting")
    assert [loss.name for loss in outputs.losses] == [
        *("squared_hinge", "logistic", "logistic", "logistic", "huber"),
    ]
    assert outputs.evidence_for(0, -1.0) == "toxic: 0"
    assert outputs.evidence_for(2, -1.0) == "colour: not green"
    assert outputs.evidence_for(4, 1.0) is None
    assert [outputs.find(name)[1] for name in outputs.names] == [0, 1, 2, 3, 4]
    assert outputs.find("toxic") == (0, 0)
    assert outputs.find("colour") == (1, None)
    assert outputs.find(("colour", "red")) == (1, 3)


def test_gaps_are_nan_in_all_rows_of_their_target_and_only_there():
    y, outputs, _, _ = mixed()
    unknown = ~np.array([given(column) for column in y.T])
    np.testing.assert_array_equal(np.isnan(outputs.encode(y)), unknown[outputs.target_of])


@pytest.mark.parametrize("gap", [None, float("nan"), "masked", "NA"])
def test_none_nan_a_mask_and_na_are_all_unknown(gap):
    y = np.array([[1.0, 5.0], [0.0, 6.0], [1.0, 7.0], [0.0, 8.0]])
    if gap == "masked":
        table = np.ma.masked_array(y, mask=np.eye(4, 2, dtype=bool))
    elif gap == "NA":
        pd = pytest.importorskip("pandas", reason="NA is pandas'")
        table = pd.DataFrame(y, columns=["target 0", "target 1"]).astype("Float64")
        table.iloc[0, 0] = table.iloc[1, 1] = pd.NA
    else:
        table = y.astype(object)
        table[0, 0] = table[1, 1] = gap
    outputs = Outputs.learn(table, [Logistic(), Squared()])
    assert outputs.target_names == ("target 0", "target 1")
    expected = [[np.nan, -1.0, 1.0, -1.0], [5.0, np.nan, 7.0, 8.0]]
    np.testing.assert_array_equal(outputs.encode(table), expected)


def test_names_of_a_table_are_the_names_of_the_targets():
    pd = pytest.importorskip("pandas", reason="a table")
    table = pd.DataFrame({"NR-AR": [1, 0, None], "logP": [0.5, None, 1.5]})
    assert Outputs.learn(table, [Logistic(), Squared()]).target_names == ("NR-AR", "logP")


def test_the_loss_is_the_sum_over_known_cells():
    y, outputs, f, weight = mixed()
    rows = outputs.encode(y)
    slow = 0.0
    for k, loss in enumerate(outputs.losses):
        for i in range(len(y)):
            if not np.isnan(rows[k, i]):
                slow += loss.value(rows[k, i : i + 1], f[i : i + 1, k], weight[i : i + 1])
    assert outputs.loss_value(rows, f, weight) == pytest.approx(slow, rel=1e-12)


def test_scores_are_those_of_scikit_learn_over_known_cells():
    y, outputs, f, weight = mixed()
    predicted = outputs.decode(f)
    assert predicted.shape == y.shape
    expected = []
    for t, (metric, kind) in enumerate(
        [(accuracy_score, int), (accuracy_score, str), (r2_score, float)]
    ):
        k = given(y[:, t])
        truth, answer = y[k, t].astype(kind), predicted[k, t].astype(kind)
        expected.append(metric(truth, answer, sample_weight=weight[k]))
    rows = outputs.encode(y)
    np.testing.assert_allclose(outputs.scores(rows, f, weight), expected)
    assert outputs.score(rows, f, weight) == pytest.approx(np.mean(expected))
    assert [target.score_name for target in outputs.targets] == ["accuracy", "accuracy", "R²"]


def test_a_target_of_which_nothing_is_known_has_no_say_in_the_score():
    y, outputs, f, weight = mixed()
    y[:, 0] = None
    scores = outputs.scores(outputs.encode(y), f, weight)
    assert np.isnan(scores[0])
    assert outputs.score(outputs.encode(y), f, weight) == pytest.approx(scores[1:].mean())


def test_parts_of_the_score_sum_to_it():
    y, outputs, f, weight = mixed()
    rows = outputs.encode(y)
    for target, part in zip(outputs.targets, outputs.slices, strict=True):
        total = target.score_parts(rows[part], f[:, part], weight).sum()
        score = target.score(rows[part], f[:, part], weight)
        assert total == pytest.approx(score if target.classes is not None else 1.0 - score)


def test_parts_of_the_mean_score_vary_as_those_of_each_target_do():
    y, outputs, f, weight = mixed()
    rows = outputs.encode(y)
    parts = outputs.score_parts(rows, f, weight)
    expected = np.zeros(len(y))
    for t, part in enumerate(outputs.slices):
        k, sign = given(y[:, t]), -1.0 if outputs.targets[t].classes is None else 1.0
        own = outputs.targets[t].score_parts(rows[part][:, k], f[k, part], weight[k])
        expected[k] += sign * (own - own.mean()) / len(outputs.targets)
    np.testing.assert_allclose(parts, expected)
    gaps = ~np.stack([given(column) for column in y.T])[outputs.target_of]
    by_weight = np.where(gaps, 0.0, weight)
    filled = np.where(gaps, 0.0, rows)
    np.testing.assert_allclose(outputs.score_parts(filled, f, by_weight), expected)
    np.testing.assert_allclose(
        outputs.scores(filled, f, by_weight), outputs.scores(rows, f, weight)
    )


def test_weights_are_zero_at_gaps_and_balanced_within_each_target():
    y, outputs, _, weight = mixed()
    rows = outputs.encode(y)
    weights = outputs.weights(rows, np.ones(len(y)), "balanced")
    assert weights.shape == (outputs.n_outputs, len(y))
    for t, own in zip(outputs.target_of, weights, strict=True):
        k = given(y[:, t])
        assert not own[~k].any()
        expected = np.ones(k.sum())
        if outputs.targets[t].classes is not None:
            expected = compute_sample_weight("balanced", y[k, t].astype(str))
        np.testing.assert_allclose(own[k], expected)
    one = outputs.weights(rows, weight, [{1: 3.0}, None, None])
    factor = np.where(y[:, 0] == 1, 3.0, 1.0) * given(y[:, 0])
    np.testing.assert_allclose(one[0], weight * factor)
    np.testing.assert_allclose(one[1], weight * given(y[:, 1]))


def test_the_margin_is_the_way_to_another_class():
    rng = np.random.default_rng(0)
    for classes in (np.array(["no", "yes"]), COLOURS):
        target = Target(SquaredHinge(), classes)
        f = rng.normal(size=(20, target.n_outputs))
        for i, margin in enumerate(target.margin(f)):
            step = target.towards_another_class(f[i])
            assert step @ f[i] == pytest.approx(-margin)
            share = margin if target.binary else margin / 2  # winner and rival both move
            near, far = (f[[i]] + part * share * step for part in (0.99, 1.01))
            assert target.decided(near) == target.decided(f[[i]]) != target.decided(far)


def test_probabilities_of_several_targets_are_a_list_with_none_where_losses_give_none():
    y = np.array([[0, "a"], [1, "b"], [1, "c"]], dtype=object)
    outputs = Outputs.learn(y, Logistic())
    first, second = outputs.probabilities(np.random.default_rng(0).normal(size=(4, 4)))
    assert first.shape == (4, 2)
    assert second.shape == (4, 3)
    np.testing.assert_allclose(second.sum(axis=1), 1.0)
    assert Outputs.learn(y, SquaredHinge()).probabilities(np.zeros((4, 4))) == [None, None]


def test_tables_have_probabilities_where_there_are_some_and_decisions_elsewhere():
    _, outputs, f, _ = mixed()
    known = [p is not None for p in outputs.probabilities(f)]
    assert outputs.value_names(known) == [
        "decision_toxic",
        *(f"probability_colour_{colour}" for colour in COLOURS),
    ]
    values = outputs.values(f, outputs.probabilities(f))
    assert values.shape == (len(f), 4)
    np.testing.assert_array_equal(values[:, 0], f[:, 0])


@pytest.mark.parametrize(
    ("y", "losses", "message"),
    [
        ([1, 1, 1], Logistic(), r"y must hold at least two classes .* Got one class, \[1\]"),
        ([None, None], Logistic(), r"y must hold at least two classes .* Got no class, \[\]"),
        ([[1, 0], [None, 1]], Logistic(), r"y for 'target 0' must hold at least two classes"),
        ([1, "a", 2.5], Logistic(), "mixes values that cannot be sorted"),
        ([[[1]]], Logistic(), r"Got shape \(1, 1, 1\) instead"),
        ([[1, 0], [0, 1]], [Logistic()], r"Expected one loss and one name per target \(2\)"),
    ],
)
def test_targets_that_cannot_be_learned_are_refused_in_one_sentence(y, losses, message):
    with pytest.raises(ValueError, match=message):
        Outputs.learn(np.array(y, dtype=object), losses)


def test_values_that_do_not_fit_a_target_are_refused():
    y, outputs, _, _ = mixed()
    y[0, 1] = "pink"
    with pytest.raises(ValueError, match="y for 'colour' holds the class 'pink', but the model"):
        outputs.encode(y)
    y[0, 1], y[0, 2] = None, "hot"
    with pytest.raises(ValueError, match=r"y for 'melting' must hold numbers. Got .* 'hot'"):
        outputs.encode(y)
    y[0, 2] = np.inf
    with pytest.raises(ValueError, match=r"y for 'melting' must be finite. Got inf for graph 0"):
        outputs.encode(y)
    with pytest.raises(ValueError, match=r"one column per target \(3\). Got 2"):
        outputs.encode(y[:, :2])
    with pytest.raises(ValueError, match=r"one of \['yes'\]. Got 'no'"):
        Outputs.of_classes(["no", "yes"]).find("no")
    with pytest.raises(ValueError, match=r"Expected a model with one target. Got 3: toxic, colour"):
        _ = outputs.single


def test_a_loss_must_fit_its_target():
    with pytest.raises(ValueError, match="'squared' is for regression, but the target has classes"):
        Outputs.of_classes([0, 1], "squared")
    with pytest.raises(ValueError, match=r"'logistic' is for classification, but .* has numbers"):
        Outputs.of_numbers("logistic")
    with pytest.raises(ValueError, match="Several targets need different names"):
        Outputs([Target(Squared()), Target(Squared())])


def test_a_model_with_several_targets_predicts_and_is_read_from_its_file(tmp_path):
    _, outputs, _, _ = mixed()
    graphs = GraphSet.from_lists(labels=[["C"], ["N"]], edges=[[], []])
    model = LagraModel(
        graphlets=[],
        coef=np.zeros((5, 0)),
        intercept=np.array([1.0, -1.0, 0.0, 2.0, 7.5]),
        rho=1.0,
        outputs=outputs,
        input_spec=InputSpec.of(graphs),
    )
    assert model.predict(graphs).tolist() == [[1, "red", 7.5]] * 2
    assert model.decision_function(graphs).shape == (2, 5)
    model.save(tmp_path / "several.aglets")
    again = load(tmp_path / "several.aglets")
    assert again.outputs.same_as(outputs)
    assert again.outputs.targets[2].loss.epsilon == 0.5
    assert again.predict(graphs).tolist() == model.predict(graphs).tolist()
