"""Commands with several targets: names, patterns, gaps, and a column for each."""

from __future__ import annotations

import csv
import json
import shlex
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from test_report import data_of

import aglets
from aglets import GraphSet, LagraClassifier, datasets
from aglets.cli import main
from aglets.graphs.named_columns import NamedColumns
from aglets.io.files import ReadOptions
from aglets.io.labelled import labelled_batches

pytest.importorskip("rdkit")

SMILES = ["CCO", "CCN", "CCCO", "CC(=O)O", "CCCN", "c1ccccc1O", "CCCl", "CC(C)O", "CCCCN", "CCC"]
QUICK = ["--maxpat", "2", "--rho", "0.1", "--starts", "1", "--n-lambdas", "5"]


class Ran(NamedTuple):
    exit_code: int
    output: str


def run(*words):
    """Run a command; notes and errors count as output."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(word) for word in words])
    return Ran(code, err.getvalue() + out.getvalue())


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Alcohols and amines, of which some cells are empty, and a size that is measured."""
    rng = np.random.default_rng(0)
    rows = []
    for i in range(60):
        smiles = SMILES[i % 10]
        row = {
            "NR-OH": int("O" in smiles),
            "NR-amine": "yes" if "N" in smiles else "no",
            "logP": round(len(smiles) + rng.normal(), 3),
        }
        for name in row:
            row[name] = "" if rng.random() < 0.2 else row[name]
        rows.append({"id": i, "smiles": smiles, **row})
    rows.append({"id": 60, "smiles": "CCOC", "NR-OH": "", "NR-amine": "", "logP": ""})
    path = tmp_path_factory.mktemp("targets") / "assays.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture(scope="module")
def model(table):
    path = table.with_name("assays.aglets")
    result = run("fit", table, "--target", "NR-*,logP", "-o", path, *QUICK)
    assert result.exit_code == 0, result.output
    assert "3 targets" in result.output
    return path


def test_gaps_of_a_table_are_unknown_and_rows_without_any_target_are_left_out(table):
    with pytest.warns(UserWarning, match="there is no value in any of 3 target columns"):
        graphs, y = GraphSet.from_table(table, target=["NR-*", "logP"], errors="skip")
    assert isinstance(y, NamedColumns)
    assert y.names == ("NR-OH", "NR-amine", "logP")
    assert y.shape == (len(graphs), 3)
    assert {type(v) for v in y[:, 0]} == {int, type(None)}
    assert {type(v) for v in y[:, 1]} == {str, type(None)}
    assert y[5:9].names == y.names
    with pytest.warns(UserWarning, match="no value in column 'NR-OH'"):
        _, one = GraphSet.from_table(table, target=["NR-O?"], errors="skip")
    assert one.ndim == 1


def test_a_model_of_classes_and_numbers_predicts_a_column_for_each(table, model, tmp_path):
    loaded = aglets.load(model)
    assert loaded.outputs.target_names == ("NR-OH", "NR-amine", "logP")
    assert [each is None for each in loaded.classes] == [False, False, True]
    result = run("predict", model, table, "-o", tmp_path / "p.csv", "--explain")
    assert result.exit_code == 0, result.output
    with (tmp_path / "p.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 61
    predicted = loaded.predict(GraphSet.from_smiles([row["smiles"] for row in rows]))
    for name, column in zip(loaded.outputs.target_names, predicted.T, strict=True):
        given = [row[f"prediction_{name}"] for row in rows]
        if name == "logP":
            np.testing.assert_allclose(np.array(given, float), column.astype(float), rtol=1e-4)
        else:
            assert given == [str(value) for value in column]
        assert any(row[f"explanation_{name}"] for row in rows)
    assert "decision_NR-OH" in rows[0]


def test_show_and_explain_name_targets(table, model):
    assert "3 targets: NR-OH (2 classes)" in run("show", model).output
    document = json.loads(run("show", model, "--json").output)
    assert document["targets"] == ["NR-OH", "NR-amine", "logP"]
    every = run("explain", model, table, "--row", "3")
    assert every.exit_code == 0
    for name in ("NR-OH", "NR-amine", "logP"):
        assert f"Predicted {name}:" in every.output
    one = json.loads(run("explain", model, table, "--output", "logP", "--json").output)
    assert [entry["target"] for entry in one] == ["logP"]
    assert run("explain", model, table, "--output", "pH").exit_code != 0


def test_a_model_of_one_target_knows_the_truth_of_a_table_by_its_column(table, tmp_path):
    path, page = tmp_path / "one.aglets", tmp_path / "page.html"
    assert run("fit", table, "--target", "NR-OH", "-o", path, *QUICK).exit_code == 0
    assert aglets.load(path).target_column == "NR-OH"
    assert run("report", path, table, "-o", page).exit_code == 0
    [view] = data_of(page.read_text(encoding="utf-8"))["views"]
    assert view["target"] == "NR-OH"
    whole = pd.read_csv(table)
    assert view["quality"]["n"] == whole["NR-OH"].notna().sum()
    # Without the column, or without a value in it, there is nothing to compare with.
    smiles = whole["smiles"].tolist()[:20]
    for lines in (["smiles", *smiles], ["smiles,NR-OH", *(f"{text}," for text in smiles)]):
        new = tmp_path / "new.csv"
        new.write_text("\n".join(lines) + "\n")
        assert run("report", path, new, "-o", page).exit_code == 0
        [view] = data_of(page.read_text(encoding="utf-8"))["views"]
        assert view["quality"] is None
        assert len(view["shown"]) == len(smiles)


def test_the_name_of_a_series_is_the_column_of_the_target(tmp_path):
    graphs, y = datasets.load_acids()
    for named, column in (
        (pd.Series(y[:60], name="acid"), "acid"),
        (pd.DataFrame({"acid": y[:60]}), "acid"),
        (pd.Series(y[:60]), None),
        (y[:60], None),
    ):
        clf = LagraClassifier(maxpat=2, n_lambdas=4).fit(graphs[:60], named)
        clf.save(tmp_path / "m.aglets")
        assert aglets.load(tmp_path / "m.aglets").target_column == column
        assert clf.model_.outputs.target_names == (None,)


def test_evaluate_reports_each_target_and_the_mean(table):
    words = ["evaluate", table, "--target", "NR-OH,NR-amine", "--folds", "2", "--maxpat", "2"]
    result = run(*words, "--rho", "0.1", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.output.splitlines()[-1])
    assert list(found["targets"]) == ["NR-OH", "NR-amine"]
    assert found["score_name"] == "mean accuracy"
    assert found["estimate"]["mean"] == pytest.approx(np.mean(list(found["targets"].values())))


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("NR-OH,NR-x", "the target 'NR-x' in assays.csv, but there are 'id', 'smiles', 'NR-OH'"),
        ("SR-*", r"targets that match 'SR-*' in assays.csv"),
    ],
)
def test_names_that_are_not_columns_are_refused_in_one_sentence(table, target, message, tmp_path):
    result = run("fit", table, "--target", target, "-o", tmp_path / "x.aglets")
    assert result.exit_code != 0
    assert message in " ".join(result.output.split())
    assert "--target COLUMN" in " ".join(result.output.split())


def test_words_are_refused_where_numbers_are_asked_for(table, tmp_path):
    words = ["fit", table, "--target", "NR-*", "--task", "numbers", "-o", tmp_path / "x.aglets"]
    text = " ".join(run(*words).output.split())
    assert "the targets 'NR-amine' are words such as" in text
    words = ["fit", table, "--target", "NR-*", "--loss", "huber", "-o", tmp_path / "x.aglets"]
    assert "The loss 'huber' is not for classes" in " ".join(run(*words).output.split())


def test_several_properties_of_sdf_and_keys_of_json_may_be_targets(tmp_path):
    from rdkit import Chem

    path = tmp_path / "some.sdf"
    with Chem.SDWriter(str(path)) as writer:
        for i, smiles in enumerate(SMILES):
            mol = Chem.MolFromSmiles(smiles)
            mol.SetProp("NR-a", str(i % 2))
            if i % 3:
                mol.SetProp("NR-b", str(i / 7))
            writer.write(mol)
    _, y = GraphSet.from_sdf(path, target=["NR-*"])
    assert y.names == ("NR-a", "NR-b")
    assert [value is None for value in y[:, 1]] == [i % 3 == 0 for i in range(10)]
    items = [
        {
            "nodes": [{"id": 0, "label": "C"}],
            "edges": [],
            "graph": {"a": i, **({"b": "x"} if i else {})},
        }
        for i in range(3)
    ]
    _, y = GraphSet.from_json(items, target=["a", "b"])
    assert y.tolist() == [[0, None], [1, "x"], [2, "x"]]
    with pytest.raises(ValueError, match="the target 'c' in the graphs"):
        GraphSet.from_json(items, target=["a", "c"])


def test_a_file_read_a_part_at_a_time_takes_one_target(table):
    options = ReadOptions(target=("NR-OH", "logP"))
    with pytest.raises(ValueError, match=r"Got several, 'NR-OH', 'logP'; name one"):
        next(labelled_batches(table, options))


def test_the_list_of_test_graphs_can_be_reported_on_as_the_table_can(table, tmp_path, capsys):
    for targets in ("NR-OH", "NR-OH,NR-amine"):
        output = tmp_path / f"{targets}.aglets"
        words = ["fit", str(table), "--target", targets, *QUICK, "-o", str(output), "--test", "0.3"]
        assert main([*words, "--json"]) == 0
        tested = json.loads(capsys.readouterr().out)["test"]
        command = shlex.split(tested["report"])
        assert "--target" not in command
        command[-1] = str(tmp_path / "page.html")
        assert main(command[1:]) == 0
        capsys.readouterr()
        listed, whole = pd.read_csv(tested["file"]), pd.read_csv(table)
        names = targets.split(",")
        pd.testing.assert_frame_equal(
            listed[names],
            whole.loc[listed["row"], names].reset_index(drop=True),
            check_dtype=False,
        )


def test_a_target_with_the_name_of_another_column_is_called_target(table, tmp_path):
    frame = pd.read_csv(table).dropna(subset="NR-OH").rename(columns={"NR-OH": "row"})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    output = tmp_path / "m.aglets"
    words = ["fit", str(tmp_path / "rows.csv"), "--target", "row", *QUICK, "-o", str(output)]
    assert main([*words, "--test", "0.3", "-q"]) == 0
    listed = pd.read_csv(f"{output}.test.csv")
    assert listed["target"].tolist() == frame["row"].iloc[listed["row"]].tolist()
