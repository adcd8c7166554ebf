"""What a new user types is understood, or answered with what to type instead."""

from __future__ import annotations

import json
import re
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from aglets import GraphSet, LagraClassifier, LagraClassifierCV, LagraRegressor, __version__, load
from aglets.cli import main
from aglets.graphs import as_graph_set
from aglets.io.tu import read_tu
from aglets.preprocessing.starts import starting_vectors


def alcohols(n: int = 10) -> tuple[GraphSet, list[str]]:
    graphs = GraphSet.from_lists(
        labels=["CCO", "CO", "CCN", "CN"] * n, edges=[[(0, 1), (1, 2)], [(0, 1)]] * 2 * n
    )
    return graphs, ["alcohol", "alcohol", "amine", "amine"] * n


def test_version_is_printed(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"aglets {__version__}\n"


def test_an_average_over_folds_makes_five_of_them_unless_cv_says_more():
    graphs, y = alcohols()
    options = {"maxpats": (2,), "n_lambdas": 5, "random_state": 0, "average": "folds"}
    implied = LagraClassifierCV(**options).fit(graphs, y)
    asked = LagraClassifierCV(cv=5, **options).fit(graphs, y)
    assert {member.fold for member in implied.members_} == set(range(5))
    assert implied.members_ == asked.members_
    assert (implied.decision_function(graphs) == asked.decision_function(graphs)).all()


def test_networkx_graphs_without_labels_are_graphs_of_one_label():
    nx = pytest.importorskip("networkx")
    plain = [nx.path_graph(3), nx.cycle_graph(4)] * 10
    for read in (GraphSet.from_networkx(plain), as_graph_set(plain)):
        assert read.vocabulary == (0,)
        assert read.n_edges.tolist() == [2, 4] * 10
    model = LagraRegressor(maxpat=4, n_lambdas=5).fit(plain, [0.0, 1.0] * 10)
    assert model.predict(plain[:2]).shape == (2,)


def test_networkx_attributes_without_labels_need_no_label_either():
    nx = pytest.importorskip("networkx")
    graph = nx.path_graph(2)
    nx.set_node_attributes(graph, {0: 0.5, 1: 1.5}, "charge")
    assert GraphSet.from_networkx([graph], attributes="charge").attributes.tolist() == [
        [0.5],
        [1.5],
    ]
    # What was not named is not ignored.
    with pytest.raises(ValueError, match=r"lacks 'label' \(it has 'charge'\); name the keys"):
        GraphSet.from_networkx([graph])


class Data(SimpleNamespace):
    """Stands for PyTorch Geometric's class, which is known by the name of its package."""

    __module__ = "torch_geometric.data"


def test_data_of_pyg_is_read_by_predict_as_it_was_in_fit():
    def atom(charge: float, *one_hot: float) -> list[float]:
        return [charge, *one_hot]

    def molecule(last: list[float]) -> Data:
        return Data(
            x=np.array([atom(0.1, 1, 0, 0), atom(0.2, 1, 0, 0), last]),
            edge_index=np.array([[0, 1], [1, 2]]),
            edge_attr=None,
            num_nodes=3,
        )

    data = [molecule(atom(0.8, 0, 1, 0)), molecule(atom(0.7, 0, 0, 1))] * 6
    graphs = GraphSet.from_pyg(
        data, label_slice=slice(1, None), attr_slice=[0], label_values=("C", "O", "N")
    )
    assert json.loads(graphs.recipe)["pyg"]["label_slice"] == {"slice": [1, None, None]}
    model = LagraClassifier(maxpat=2, n_lambdas=5).fit(graphs, ["O", "N"] * 6)
    assert model.predict(data[:2]).tolist() == ["O", "N"]


def test_labels_that_text_cannot_say_leave_pyg_without_a_recipe():
    data = [Data(x=np.eye(2), edge_index=np.array([[0], [1]]), edge_attr=None, num_nodes=2)]
    graphs = GraphSet.from_pyg(data, label_slice=[0, 1], label_values=[("C", 1), ("C", 2)])
    assert graphs.recipe is None
    with pytest.raises(TypeError, match="do not distinguish labels from attributes"):
        as_graph_set(data, graphs.recipe)


def test_edge_labels_that_are_not_used_are_named(tmp_path, capsys):
    graphs = GraphSet.from_lists(
        labels=["CO", "CN"] * 5, edges=[[(0, 1)]] * 10, edge_labels=[["-"]] * 10
    )
    graphs.to_tu(tmp_path / "DUO", y=[0, 1] * 5)
    with pytest.warns(UserWarning, match="DUO has edge labels, which are not used; read"):
        read, _ = GraphSet.from_tu(tmp_path / "DUO")
    assert read.edge_labels is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_tu(tmp_path / "DUO", edge_labels=False)[0].edge_labels is None
        assert read_tu(tmp_path / "DUO", edge_labels=True)[0].edge_vocabulary == ("-",)
    assert main(["data", "info", str(tmp_path / "DUO")]) == 0
    note = " ".join(capsys.readouterr().err.split())
    assert note.count("has edge labels") == 1
    assert "read them with --edge-labels, or leave them out without this note" in note


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--rho", "-1"], "Invalid value for '--rho': -1 is not a number greater than 0."),
        (["--rho", "0"], "Invalid value for '--rho': 0 is not a number greater than 0."),
        (["--maxpat", "0"], "Invalid value for '--maxpat': 0 is not a number from 1 to "),
        (["--rho", "1", "--rho", "1"], "'--rho': the same number is given twice."),
    ],
)
@pytest.mark.parametrize("command", ["fit", "evaluate"])
def test_refused_options_are_called_what_the_user_typed(
    command, given, words, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert main([command, "acids", *given]) != 0
    said = re.sub(r"[\s│╭─╮╰╯]+", " ", capsys.readouterr().err)
    assert words in said
    assert "rhos" not in said


def test_parameters_of_estimators_are_called_by_their_options(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["fit", "acids", "--jobs", "0"]) == 1
    assert capsys.readouterr().err.startswith("--jobs must be an int in the range")


def test_a_missing_column_is_answered_with_the_option_to_give(tmp_path, capsys):
    table = tmp_path / "t.csv"
    table.write_text("mol,y\nCCO,1\n")
    with pytest.raises(ValueError, match=r"'mol' and 'y'; name the right one with smiles='mol'\."):
        GraphSet.from_table(table)
    assert main(["fit", str(table), "--target", "y"]) == 1
    assert "name the right one with --smiles mol." in " ".join(capsys.readouterr().err.split())
    assert main(["fit", str(table), "--smiles", "mol", "--target", "z"]) == 1
    assert "name the right one with --target COLUMN." in " ".join(capsys.readouterr().err.split())


def test_starts_of_nearly_equal_atoms_warn_of_nothing():
    close = [[1e-20 * i] for i in range(5)]
    graphs = GraphSet.from_lists(labels=["C" * 6], edges=[[]], attributes=[[*close, [1.0]]])
    assert starting_vectors(graphs, 4).type_starts.max() == 1.0


@pytest.mark.parametrize("estimator", [LagraClassifier, LagraRegressor])
def test_a_loaded_model_scores_as_the_estimator_that_was_saved(estimator, tmp_path):
    graphs, classes = alcohols()
    y = classes if estimator is LagraClassifier else np.arange(40.0) % 4
    weight = np.linspace(0.5, 2.0, 40)
    fitted = estimator(maxpat=2, n_lambdas=5).fit(graphs, y)
    fitted.save(tmp_path / "m.aglets")
    model = load(tmp_path / "m.aglets")
    assert model.score(graphs, y) == pytest.approx(fitted.score(graphs, y))
    assert model.score(graphs, y, weight) == pytest.approx(fitted.score(graphs, y, weight))
