"""`aglets predict`: one row per input row, with the columns of the input, and notes said once."""

from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from rdkit import Chem

import aglets
from aglets import GraphSet, LagraClassifier, LagraRegressor
from aglets.cli import main

ALCOHOLS = ["CCO", "CCCO", "CC(C)O", "OCCO", "c1ccccc1O", "OCC#N"]
AMINES = ["CCN", "CCCN", "CC(C)N", "NCCN", "c1ccccc1N", "NCC#N"]
SMILES = [text for pair in zip(ALCOHOLS, AMINES, strict=True) for text in pair]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "m.aglets"
    y = ["alcohol", "amine"] * 6
    LagraClassifier(maxpat=2, n_lambdas=5).fit(SMILES, y).save(path)
    return str(path)


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def table(tmp_path):
    """Six rows, of which two cannot be read, with columns of the user's own."""
    path = tmp_path / "new.csv"
    path.write_text(
        'id,mol,"a, b",weight,prediction\n'
        'X-1,C1CC,"one, two",1.50,old\n'
        "X-2,CCO,,2,old\n"
        "X-3,,three,3e0,old\n"
        "X-4,CCN,four,-0,old\n"
    )
    return path


def test_the_columns_of_a_table_are_copied_as_they_are(model, table, capsys):
    assert main(["predict", model, str(table), "--smiles", "mol"]) == 0
    out, err = capsys.readouterr()
    rows = read(out)
    first, *_, last = names = list(rows[0])
    assert names[:6] == ["row", "id", "mol", "a, b", "weight", "prediction"]
    assert names[6] == "aglets_prediction"
    assert (first, last) == ("row", "error")
    given = read(table.read_text())
    assert [{name: row[name] for name in given[0]} for row in rows] == given
    assert [row["aglets_prediction"] for row in rows] == ["", "alcohol", "", "amine"]
    assert [row["error"] for row in rows] == [
        "'C1CC' is not a valid SMILES", "", "there is no SMILES", ""
    ]  # fmt: skip
    assert "2 of 4 rows could not be read: row 0 (line 2): 'C1CC'" in " ".join(err.split())


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_every_output_has_one_row_per_input_row(model, table, tmp_path, jobs):
    for ending in ("csv", "jsonl", "parquet"):
        output = tmp_path / f"out.{ending}"
        words = ["predict", model, str(table), "--smiles", "mol", "-o", str(output), "-q"]
        assert main([*words, "--jobs", jobs]) == 0
    tables = [
        pd.read_csv(tmp_path / "out.csv"),
        pd.read_json(tmp_path / "out.jsonl", lines=True),
        pd.read_parquet(tmp_path / "out.parquet"),
    ]
    for found in tables:
        assert found["row"].tolist() == [0, 1, 2, 3]
        assert found["id"].tolist() == ["X-1", "X-2", "X-3", "X-4"]
        assert found["aglets_prediction"].isna().tolist() == [True, False, True, False]


def test_types_of_parquet_columns_stay(model, tmp_path):
    given = pd.DataFrame(
        {"smiles": ["CCO", "?"], "n": [3, 4], "x": [0.123456789, 2.0], "b": [True, False]}
    )
    given.to_parquet(tmp_path / "in.parquet")
    for ending in ("parquet", "csv"):
        words = ["predict", model, str(tmp_path / "in.parquet"), "-q"]
        assert main([*words, "-o", str(tmp_path / f"out.{ending}")]) == 0
    found = pd.read_parquet(tmp_path / "out.parquet")
    pd.testing.assert_frame_equal(found[list(given)], given, check_dtype=False)
    assert found["x"].dtype == np.float64
    assert pd.read_csv(tmp_path / "out.csv")["x"].tolist() == given["x"].tolist()


def test_properties_of_sdf_records_are_copied(model, tmp_path, capsys):
    path = tmp_path / "new.sdf"
    with Chem.SDWriter(str(path)) as writer:
        for name, text in (("first", "CCO"), ("second", "CCN")):
            mol = Chem.MolFromSmiles(text)
            mol.SetProp("_Name", name)
            mol.SetProp("IC50 (nM)", f"{len(name)}.5")
            mol.SetProp("note", "two\nlines")
            writer.write(mol)
    packed = tmp_path / "new.sdf.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for source in (path, packed):
        assert main(["predict", model, str(source), "-q"]) == 0
        rows = read(capsys.readouterr().out)
        assert [row["name"] for row in rows] == ["first", "second"]
        assert [row["IC50 (nM)"] for row in rows] == ["5.5", "6.5"]
        assert rows[0]["note"] == "two\nlines"
        assert [row["prediction"] for row in rows] == ["alcohol", "amine"]


def test_nothing_is_written_before_a_row_could_be_read(model, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("aglets.cli.predict.BATCH", 2)
    bad, late = tmp_path / "bad.smi", tmp_path / "late.smi"
    bad.write_text("C1\n" * 5)
    late.write_text("C1\n" * 5 + "CCO\n")
    for output in ([], ["-o", str(tmp_path / "out.csv")]):
        assert main(["predict", model, str(bad), *output]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert "none of its 5 rows could be read: row 0 (line 1): 'C1' is not a valid" in err
        assert "nothing is written." in err
    assert not (tmp_path / "out.csv").exists()
    assert main(["predict", model, str(late), "-q"]) == 0
    assert [row["prediction"] for row in read(capsys.readouterr().out)] == [""] * 5 + ["alcohol"]


def test_notes_on_all_rows_are_said_once(model, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("aglets.cli.predict.BATCH", 2)
    path = tmp_path / "odd.smi"
    path.write_text("CCO\nCC[Si](C)(C)C\nC[Se]C\nC[B]C\nCCN\nC[Se]CC\n" * 3)
    for jobs in ("1", "2"):
        assert main(["predict", model, str(path), "--jobs", jobs]) == 0
        notes = [line for line in capsys.readouterr().err.splitlines() if line]
        assert len(notes) == 3
        assert "gasteiger_charge is not defined for all atoms of 6 of 18 molecules" in notes[0]
        assert "(the first is row 2)" in notes[0]
        assert "never seen in fit; their nodes can match no graphlet." in notes[1]
        assert "'Si' in row 1" in notes[1]
        assert "'Se' in row 2" in notes[1]
        assert "No graphlet of the model occurs in " in notes[2]


def test_rows_without_graphlets_are_noted_once(model, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("aglets.cli.predict.BATCH", 2)
    path, texts = tmp_path / "bare.smi", ["C", "CCO", "C1", "[Na+].[Cl-]", "OCO", *["CF"] * 6]
    path.write_text("\n".join(texts))
    assert main(["predict", model, str(path)]) == 0
    out, err = capsys.readouterr()
    assert err.count("No graphlet") == 1
    assert "occurs in 8 of 11 rows (rows 0, 3, 5, 6, 7, ...): the prediction there is" in err
    read_rows = [row for row, text in enumerate(texts) if text != "C1"]
    with pytest.warns(UserWarning, match="never seen in fit"):
        psi = aglets.load(model).transform([texts[row] for row in read_rows])
    assert [row for row, values in zip(read_rows, psi, strict=True) if not values.any()] == [
        0, 3, *range(5, 11)
    ]  # fmt: skip
    assert len({row["decision"] for row in read(out)[5:]}) == 1


def test_a_model_without_graphlets_has_no_rows_without_them(tmp_path, capsys):
    path, data = tmp_path / "empty.aglets", tmp_path / "new.smi"
    data.write_text("CCO\n")
    LagraClassifier(maxpat=1, lambda_ratio=1.0).fit(SMILES, ["alcohol", "amine"] * 6).save(path)
    assert main(["predict", str(path), str(data)]) == 0
    assert "No graphlet" not in capsys.readouterr().err


def test_reasons_name_the_atoms_of_every_place_that_counts(tmp_path, capsys):
    path, data = tmp_path / "counts.aglets", tmp_path / "new.smi"
    diols = ["OCCO", "OCC(O)CO", "OCCCO", "NCCN", "NCC(N)CN", "NCCCN"]
    data.write_text("OCCCCO\n")
    options = {"maxpat": 2, "n_lambdas": 5, "pooling": ("sum",), "random_state": 0}
    LagraClassifier(**options).fit(diols * 3, (["diol"] * 3 + ["amine"] * 3) * 3).save(path)
    assert main(["predict", str(path), str(data), "--explain"]) == 0
    reasons = read(capsys.readouterr().out)[0]["explanation"].split("; ")
    mol = Chem.MolFromSmiles("OCCCCO")
    for reason in reasons:
        name, where = reason.rsplit(" at ", 1)
        name = name.split(" ")[0]
        found = {
            tuple(sorted(match)) for match in mol.GetSubstructMatches(Chem.MolFromSmarts(name))
        }
        named = [tuple(sorted(map(int, place.split("-")))) for place in where.split(", ")]
        assert len(named) == len(set(named))
        assert set(named) == found


@pytest.mark.parametrize("name", ["out.csv.gz", "out.jsonl.gz"])
def test_results_are_packed_if_the_name_says_so(model, table, tmp_path, name):
    words = ["predict", model, str(table), "--smiles", "mol", "-q", "-o"]
    packed, plain = tmp_path / name, tmp_path / name.removesuffix(".gz")
    for output in (packed, plain):
        assert main([*words, str(output)]) == 0
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    again = packed.read_bytes()
    assert main([*words, str(packed)]) == 0
    assert packed.read_bytes() == again


def test_tables_are_read_from_standard_input(model, table, capsys):
    words = [sys.executable, "-c", "from aglets.cli import main; raise SystemExit(main())"]
    words += ["predict", model, "-", "--format", "csv", "--smiles", "mol", "-q"]
    for text in (table.read_bytes(), gzip.compress(table.read_bytes())):
        done = subprocess.run(words, input=text, capture_output=True, check=True)
        rows = read(done.stdout.decode())
        assert [row["id"] for row in rows] == ["X-1", "X-2", "X-3", "X-4"]


def test_fit_leaves_out_what_cannot_be_read_and_lists_it(tmp_path, capsys):
    path = tmp_path / "t.csv"
    lines = [f"{text},{'no' if i % 2 else 'yes'}" for i, text in enumerate(SMILES)]
    path.write_text("\n".join(["smiles,active", *lines, "C1CC,yes", "CC,"]))
    output = str(tmp_path / "m.aglets")
    words = ["fit", str(path), "--target", "active", "-o", output, "--rho", "1", "--n-lambdas", "5"]
    assert main([*words, "--maxpat", "2"]) == 0
    err = " ".join(capsys.readouterr().err.split())
    assert "Left out 2 of 14 rows: row 12 (line 14): 'C1CC' is not a valid SMILES; row 13" in err
    assert "there is no value in column 'active'" in err


def test_covariates_are_columns_of_the_table(tmp_path, capsys):
    # y is the number of nitrogen atoms and twice the user's own number.
    rng = np.random.default_rng(0)
    own = rng.normal(size=24).round(3)
    texts = SMILES * 2
    y = 2.0 * own + np.array([text.upper().count("N") for text in texts])
    frame = pd.DataFrame({"smiles": texts, "own": own, "other": rng.normal(size=24), "y": y})
    frame.to_csv(tmp_path / "t.csv", index=False)
    output = str(tmp_path / "m.aglets")
    words = ["fit", str(tmp_path / "t.csv"), "--target", "y", "-o", output, "-q", "--maxpat", "2"]
    words += ["--rho", "1", "--n-lambdas", "10", "--task", "numbers"]
    assert main([*words, "--covariate-columns", "own, other"]) == 0
    model = aglets.load(output)
    assert model.covariates.own == ("own", "other")
    options = {"rhos": (1.0,), "maxpats": (2,), "n_lambdas": 10, "random_state": 0}
    same = aglets.LagraRegressorCV(**options).fit(
        GraphSet.from_smiles(texts), y, covariates=frame[["own", "other"]]
    )
    assert (same.model_.covariate_coef == model.covariate_coef).all()
    new = tmp_path / "new.csv"
    new.write_text("other,smiles,own\n0.5,CCN,1\n0.5,CCN,2\nx,CCN,3\n,CCN,4\n")
    assert main(["predict", output, str(new), "-q"]) == 0
    rows = read(capsys.readouterr().out)
    assert float(rows[1]["prediction"]) - float(rows[0]["prediction"]) == pytest.approx(
        model.covariate_coef[0, 0], rel=1e-4
    )
    assert [row["error"] for row in rows[2:]] == [
        "expected a number in column 'other', got 'x'",
        "there is no number in column 'other'",
    ]
    new.write_text("smiles\nCCN\n")
    assert main(["predict", output, str(new)]) == 1
    assert "there is no column 'own', a covariate of the model" in capsys.readouterr().err
    assert main(["evaluate", *words[1:4], "--rho", "1", "--maxpat", "2", "--folds", "2",
                 "--covariate-columns", "own", "--json"]) == 0  # fmt: skip
    assert json.loads(capsys.readouterr().out)["estimate"]["mean"] > 0.5


def test_covariates_that_are_not_numbers_are_named(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("smiles,y,c\nCCO,1,2\nCCN,0,\nCCC,1,z\n")
    words = ["fit", str(path), "--target", "y", "--covariate-columns"]
    assert main([*words, "c"]) == 1
    err = capsys.readouterr().err
    assert "row 1 (line 3): there is no number in column 'c'; row 2 (line 4): expected a" in err
    assert main([*words, "d"]) == 1
    assert "Expected a column 'd' in t.csv" in capsys.readouterr().err
    assert main(["fit", "acids", "--covariate-columns", "c"]) == 1
    assert "Expected a table in a file for --covariate-columns, but acids is" in (
        capsys.readouterr().err
    )


def test_a_regressor_predicts_numbers_next_to_the_columns(tmp_path, capsys):
    LagraRegressor(maxpat=1, n_lambdas=3).fit(SMILES, [1.0, 2.0] * 6).save(tmp_path / "r.aglets")
    (tmp_path / "n.smi").write_text("CCO ethanol\n")
    assert main(["predict", str(tmp_path / "r.aglets"), str(tmp_path / "n.smi"), "-q"]) == 0
    [row] = read(capsys.readouterr().out)
    assert list(row) == ["row", "smiles", "name", "prediction", "error"]
