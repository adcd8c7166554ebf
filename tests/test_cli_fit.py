"""`aglets fit`, `show` and `predict`, as a shell sees them."""

from __future__ import annotations

import csv
import errno
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import aglets
from aglets import GraphSet, datasets
from aglets.cli import main

QUICK = ["--rho", "0.1", "--n-lambdas", "30", "--maxpat", "3", "--starts", "1"]
LONG = [word for rho in (1.0, 0.5, 0.1, 0.02) for word in ("--rho", str(rho))]
LONG += ["--starts", "1", "--maxpat", "4"]
#: Long enough to be interrupted.
HALF = [*LONG, "--n-lambdas", "50"]


def command(*words: str, **options) -> subprocess.Popen:
    code = "from aglets.cli import main; raise SystemExit(main())"
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def same(one: str, two: str) -> bool:
    a, b = aglets.load(one), aglets.load(two)
    return list(a.graphlets) == list(b.graphlets) and np.array_equal(a.intercept, b.intercept)


@pytest.fixture(scope="session")
def demo_model(tmp_path_factory):
    """A model of the demo data, fitted by the command line."""
    path = tmp_path_factory.mktemp("model") / "demo.aglets"
    assert main(["fit", "acids", "-o", str(path), "--quiet", *QUICK]) == 0
    return path


@pytest.fixture
def molecules(tmp_path):
    """A table of molecules with a class, a number, and a row that is none."""
    smiles = datasets.load_acids()[0].smiles.tolist()[:120]
    _, y = datasets.load_acids()
    frame = pd.DataFrame({"smiles": smiles, "kind": y[:120]})
    frame["atoms"] = [GraphSet.from_smiles([text]).n_nodes[0] * 0.5 + 0.1 for text in smiles]
    frame.loc[len(frame)] = ["C1CC", "acidic", 1.0]
    path = tmp_path / "molecules.csv"
    frame.to_csv(path, index=False)
    return path


def test_fit_writes_a_model_and_says_how_good_it_is(molecules, tmp_path, capsys):
    output = tmp_path / "kind.aglets"
    words = ["fit", str(molecules), "--target", "kind", "-o", str(output), *QUICK]
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"{output}: ")
    assert "validation accuracy" in out
    assert "Note: Left out 1 of 121 rows: row 120 (line 122): 'C1CC' is not a valid SMILES." in err
    assert aglets.load(output).classes.tolist() == ["acidic", "neutral"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kind.aglets", "molecules.csv"]


def test_fit_reports_to_machines(molecules, tmp_path, capsys):
    output = tmp_path / "x.aglets"
    words = ["fit", str(molecules), "--target", "kind", "-o", str(output), "--json", *QUICK]
    assert main(words) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["model"] == str(output)
    assert summary["ended"] == "finished"
    assert summary["classes"] == ["acidic", "neutral"]
    assert summary["maxpat"] == 3
    assert 0.5 < summary["validation_score"] <= 1.0


@pytest.mark.parametrize(
    ("weights", "name"),
    [
        (["--class-weight", "balanced"], "balanced accuracy"),
        (["--class-weight", "acidic=2", "--class-weight", "neutral=1"], "weighted accuracy"),
    ],
)
def test_the_score_of_weighted_classes_is_called_so(molecules, tmp_path, weights, name, capsys):
    words = ["fit", str(molecules), "--target", "kind", "-o", str(tmp_path / "x"), *QUICK]
    assert main([*words, *weights, "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["score_name"] == name
    known = summary["held_out"].get(name)
    assert known is None or summary["validation_score"] == pytest.approx(known)


def test_fit_can_be_quiet(molecules, tmp_path, capsys):
    output = str(tmp_path / "x.aglets")
    words = ["fit", str(molecules), "--target", "kind", "-o", output, "--quiet", *QUICK]
    assert main(words) == 0
    assert capsys.readouterr().out == ""


def test_numbers_are_distinguished_from_classes(molecules, tmp_path, capsys):
    output = str(tmp_path / "atoms.aglets")
    assert main(["fit", str(molecules), "--target", "atoms", "-o", output, *QUICK]) == 0
    assert "validation R²" in capsys.readouterr().out
    assert aglets.load(output).classes is None


def test_the_seed_and_the_jobs(molecules, tmp_path):
    models = []
    for name, extra in (("a", []), ("b", ["--jobs", "2"])):
        models.append(str(tmp_path / f"{name}.aglets"))
        words = ["fit", str(molecules), "--target", "kind", "-o", models[-1], "-q", "--seed", "7"]
        assert main([*words, *QUICK, *extra]) == 0
    assert same(*models)


def test_folds_instead_of_one_part(molecules, tmp_path, capsys):
    words = ["fit", str(molecules), "--target", "kind", "-o", str(tmp_path / "f.aglets")]
    assert main([*words, *QUICK, "--folds", "3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["validation_score"] > 0.5


def test_a_time_limit_keeps_the_best_so_far(tmp_path, capsys):
    output = str(tmp_path / "t.aglets")
    assert main(["fit", "acids", "-o", output, *LONG, "--time-limit", "0.3"]) == 0
    assert "The time is over: this is the best model so far" in capsys.readouterr().out
    assert len(aglets.load(output).predict(datasets.load_acids()[0])) == 300


def test_a_fit_that_ended_early_knows_probabilities_and_its_training_graphs(tmp_path, capsys):
    output = tmp_path / "early.aglets"
    assert main(["fit", "acids", "-o", str(output), *LONG, "--time-limit", "0.3", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["ended"] == "time limit"
    assert 0.0 <= said["held_out"]["AUC"] <= 1.0
    model = aglets.load(output)
    graphs, _ = datasets.load_acids()
    assert model.predict_proba(graphs[:3]).shape == (3, 2)
    assert model.conformal is not None
    assert model.record.n_graphs == len(graphs)


def test_a_time_limit_of_nothing_leaves_one_point(tmp_path, capsys):
    output = tmp_path / "t.aglets"
    assert main(["fit", "acids", "-o", str(output), "--time-limit", "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n_graphlets"] == 0


@pytest.fixture(scope="session")
def uninterrupted(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "whole.aglets"
    assert main(["fit", "acids", "-o", str(path), "-q", *HALF]) == 0
    return str(path)


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
@pytest.mark.parametrize("how", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_an_interrupted_fit_goes_on_to_the_same_model(tmp_path, uninterrupted, how, capsys):
    output = tmp_path / "part.aglets"
    process = command("fit", "acids", "-o", str(output), *HALF, cwd=tmp_path)
    folder = tmp_path / "part.aglets.checkpoint"
    deadline = time.monotonic() + 60
    while not list(folder.glob("*.npz")) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(getattr(signal, how))
    out, err = process.communicate(timeout=60)
    assert folder.is_dir()
    if how == "SIGKILL":
        assert not output.exists()
    else:
        assert process.returncode == 1
        assert "Interrupted: this is the best model so far, and --resume goes on" in out, err
        assert "Traceback" not in err
        assert len(aglets.load(output).predict(datasets.load_acids()[0])) == 300
    assert main(["fit", "acids", "-o", str(output), *HALF, "--resume"]) == 0
    assert "paths taken from the checkpoint" in capsys.readouterr().out
    assert same(str(output), uninterrupted)
    assert not folder.exists()


def test_a_full_disk_is_reported_and_the_fit_resumes(tmp_path, capsys, monkeypatch, uninterrupted):
    output = str(tmp_path / "part.aglets")
    whole, written = os.fsync, []

    def full_after_two(file):
        written.append(file)
        if len(written) > 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        whole(file)

    with monkeypatch.context() as full:
        full.setattr("os.fsync", full_after_two)
        assert main(["fit", "acids", "-o", output, "-q", *HALF]) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert "(No space left on device); make room, and go on with --resume." in said
    assert main(["fit", "acids", "-o", output, "-q", *HALF, "--resume"]) == 0
    assert same(output, uninterrupted)


def test_output_to_a_pipe_carries_no_colours_or_bars(tmp_path):
    environment = {**os.environ, "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    process = command("fit", "acids", "-o", str(tmp_path / "x.aglets"), *QUICK, env=environment)
    out, err = process.communicate(timeout=60)
    assert "\x1b" not in out + err
    assert "\r" not in err
    process = command("show", str(tmp_path / "x.aglets"), env=environment)
    out, err = process.communicate(timeout=60)
    assert "\x1b" not in out + err


def test_a_checkpoint_of_another_fit_is_refused(tmp_path, capsys):
    output = str(tmp_path / "x.aglets")
    kept = ["--checkpoint", str(tmp_path / "kept")]
    assert main(["fit", "acids", "-o", output, *LONG, *kept, "--time-limit", "0", "-q"]) == 0
    assert main(["fit", "acids", "-o", output, *QUICK, *kept, "--resume"]) == 1
    assert "belongs to a fit of other graphs, targets or options" in capsys.readouterr().err


def test_resuming_without_a_checkpoint_starts(tmp_path):
    assert main(["fit", "acids", "-o", str(tmp_path / "x.aglets"), *QUICK, "--resume", "-q"]) == 0


def test_show_lists_graphlets_with_their_symbols(demo_model, capsys):
    assert main(["show", str(demo_model)]) == 0
    out = capsys.readouterr().out
    assert "C(-O)=O" in out
    assert "OH, charge" in out
    assert "n_hydrogens" not in out
    assert "positive means neutral, negative acidic" in out
    assert main(["show", str(demo_model), "--numbers"]) == 0
    assert "n_hydrogens" in capsys.readouterr().out
    assert main(["show", str(demo_model), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["graphlets"][0]["labels"] == ["C", "O", "O"]
    assert document["attribute_names"][1] == "n_hydrogens"
    assert main(["show", str(demo_model), "--top", "1"]) == 0
    assert "1 more graphlet; --top 0 shows all" in capsys.readouterr().out


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def new(tmp_path):
    path = tmp_path / "new.smi"
    path.write_text("CCO ethanol\nOC(=O)CC\nC1CC broken\nc1ccccc1O phenol\n")
    return path


def test_predictions_keep_the_order_and_the_place_of_what_failed(demo_model, new, capsys):
    assert main(["predict", str(demo_model), str(new)]) == 0
    out, err = capsys.readouterr()
    rows = read(out)
    assert [row["row"] for row in rows] == ["0", "1", "2", "3"]
    assert [row["name"] for row in rows] == ["ethanol", "", "broken", "phenol"]
    assert [row["smiles"] for row in rows] == ["CCO", "OC(=O)CC", "C1CC", "c1ccccc1O"]
    assert [row["prediction"] for row in rows] == ["neutral", "acidic", "", "acidic"]
    assert rows[2]["error"] == "'C1CC' is not a valid SMILES"
    assert err == (
        "Note: 1 of 4 rows could not be read: row 2 (line 3): 'C1CC' is not a valid SMILES.\n"
        "Note: No graphlet of the model occurs in 1 of 4 rows (row 0): the prediction there is the "
        "intercept alone.\n"
    )


def test_every_format_of_input_gives_the_same(demo_model, tmp_path, capsys):
    from rdkit import Chem

    smiles = datasets.load_acids()[0].smiles.tolist()[:30]
    expected = aglets.load(demo_model).predict(smiles).tolist()
    (tmp_path / "a.smi").write_text("\n".join(smiles))
    pd.DataFrame({"s": smiles}).to_csv(tmp_path / "a.csv", index=False)
    pd.DataFrame({"s": smiles}).to_parquet(tmp_path / "a.parquet")
    with Chem.SDWriter(str(tmp_path / "a.sdf")) as writer:
        for text in smiles:
            writer.write(Chem.MolFromSmiles(text))
    graphs = GraphSet.from_smiles(smiles, label_with=[])
    graphs.to_json(tmp_path / "a.json")
    graphs.to_tu(tmp_path / "A", y=[0] * 30)
    for name in ("a.smi", "a.csv", "a.parquet", "a.sdf", "a.json", "A"):
        column = ["--smiles", "s"] if name in ("a.csv", "a.parquet") else []
        assert main(["predict", str(demo_model), str(tmp_path / name), *column]) == 0, name
        assert [row["prediction"] for row in read(capsys.readouterr().out)] == expected, name


def test_json_lines_are_streamed(tmp_path, capsys):
    graphs, y, _ = datasets.make_planted(60, random_state=0)
    named = graphs.with_attributes(graphs.attributes, names=["a", "b"])
    named.to_json(tmp_path / "all.jsonl", y=y)
    keys = ["--label", "label", "--attributes", "a,b"]
    output = str(tmp_path / "p.aglets")
    words = ["fit", str(tmp_path / "all.jsonl"), "--target", "y", *keys, "-o", output, *QUICK]
    assert main([*words, "-q"]) == 0
    with (tmp_path / "all.jsonl").open("a") as file:
        file.write("no json\n")
    assert main(["predict", output, str(tmp_path / "all.jsonl"), "-q"]) == 0
    rows = read(capsys.readouterr().out)
    assert rows[-1]["error"].startswith("Expected JSON in this row, but it breaks off at column")
    assert [int(row["prediction"]) for row in rows[:-1]] == aglets.load(output).predict(
        named
    ).tolist()


def test_explanations_add_up_and_are_of_the_rows_asked_for(demo_model, new, capsys):
    assert main(["explain", str(demo_model), str(new), "--row", "3", "--row", "0"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("row 3: Predicted acidic")
    assert "row 0: Predicted neutral" in out
    assert main(["explain", str(demo_model), "acids", "--row", "5", "--json"]) == 0
    [document] = json.loads(capsys.readouterr().out)
    assert document["row"] == 5
    assert document["prediction"] == datasets.load_acids()[1][5]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_many_rows_come_back_in_order(demo_model, tmp_path, jobs):
    smiles = datasets.load_acids()[0].smiles.tolist() * 4
    (tmp_path / "many.smi").write_text("".join(f"{s} m{i}\n" for i, s in enumerate(smiles)))
    for name in ("out.csv", "out.jsonl", "out.parquet"):
        words = ["predict", str(demo_model), str(tmp_path / "many.smi"), "--jobs", jobs, "-q"]
        assert main([*words, "-o", str(tmp_path / name)]) == 0
    table = pd.read_csv(tmp_path / "out.csv")
    assert table["name"].tolist() == [f"m{i}" for i in range(len(smiles))]
    assert table["prediction"].tolist() == aglets.load(demo_model).predict(smiles).tolist()
    for other in (
        pd.read_json(tmp_path / "out.jsonl", lines=True),
        pd.read_parquet(tmp_path / "out.parquet"),
    ):
        assert other["prediction"].tolist() == table["prediction"].tolist()
        assert np.allclose(other["decision"], table["decision"], rtol=1e-5)


def test_probabilities_and_numbers(molecules, tmp_path, new, capsys):
    probable, measured = str(tmp_path / "p.aglets"), str(tmp_path / "n.aglets")
    words = ["fit", str(molecules), "-q", *QUICK]
    assert main([*words, "--target", "kind", "-o", probable, "--loss", "logistic"]) == 0
    assert main([*words, "--target", "atoms", "-o", measured]) == 0
    capsys.readouterr()
    assert main(["predict", probable, str(new), "-q"]) == 0
    row = read(capsys.readouterr().out)[0]
    assert float(row["probability_acidic"]) + float(row["probability_neutral"]) == pytest.approx(1)
    assert main(["predict", measured, str(new), "-q"]) == 0
    assert list(read(capsys.readouterr().out)[0]) == [
        *("row", "smiles", "name", "prediction", "error")
    ]


def test_a_file_keeps_no_training_graphs_if_asked(molecules, tmp_path, capsys):
    words = ["fit", str(molecules), "--target", "kind", "-q", *QUICK, "-o"]
    for name, more in (("whole", []), ("bare", ["--forget-graphs"])):
        assert main([*words, str(tmp_path / name), *more]) == 0
    assert aglets.load(tmp_path / "whole").record.neighbours.smiles
    bare = aglets.load(tmp_path / "bare")
    assert bare.record.neighbours is None
    assert all(graphlet.example is None for graphlet in bare.graphlets)
    capsys.readouterr()


def test_weights_of_classes_move_decisions_and_leave_probabilities(molecules, tmp_path, capsys):
    words = ["fit", str(molecules), "--target", "kind", "-q", *QUICK, "-o"]
    graphs = GraphSet.from_smiles(datasets.load_acids()[0].smiles.tolist()[:120])
    mean = {}
    for name, weights in (
        ("plain", []),
        ("balanced", ["--class-weight", "balanced"]),
        ("heavy", ["--class-weight", "neutral=50", "--class-weight", "acidic=1"]),
    ):
        path = str(tmp_path / f"{name}.aglets")
        assert main([*words, path, *weights]) == 0
        model = aglets.load(path)
        mean[name] = model.predict_proba(graphs).mean(axis=0), model.predict(graphs)
    for name in ("balanced", "heavy"):
        np.testing.assert_allclose(mean[name][0], mean["plain"][0], atol=0.12)
    assert (mean["heavy"][1] == "neutral").sum() >= (mean["plain"][1] == "neutral").sum()


@pytest.mark.parametrize(
    ("target", "weights", "message"),
    [
        ("kind", "strange=2", "Expected a class of the targets for --class-weight, one of acidic"),
        ("kind", "acidic=x", "Expected a number as the weight of class 'acidic'. Got 'x'"),
        ("kind", "acidic", "Expected NAME=VALUE for --class-weight"),
        ("atoms", "balanced", "--class-weight is for classes, but the targets are numbers"),
    ],
)
def test_weights_of_classes_that_make_no_sense(target, weights, message, molecules, capsys):
    words = ["fit", str(molecules), "--target", target, "-q", "--class-weight", weights]
    assert main(words) != 0
    assert message in " ".join(capsys.readouterr().err.split())


def test_several_classes_are_fitted_shown_and_interrupted(tmp_path, capsys):
    labels, y = [], []
    for i in range(60):
        labels.append(["CCO", "CCN", "CCS"][i % 3])
        y.append("xyz"[i % 3])
    graphs = GraphSet.from_lists(labels=labels, edges=[[(0, 1), (1, 2)]] * 60)
    graphs.to_tu(tmp_path / "THREE", y)
    output = str(tmp_path / "three.aglets")
    assert main(["fit", str(tmp_path / "THREE"), "-o", output, *QUICK]) == 0
    assert main(["show", output]) == 0
    assert "3 classes" in capsys.readouterr().out
    assert main(["predict", output, str(tmp_path / "THREE"), "-q"]) == 0
    assert [row["prediction"] for row in read(capsys.readouterr().out)] == y
    assert main(["fit", str(tmp_path / "THREE"), "-o", output, "--time-limit", "0.05", "-q"]) == 0
    assert aglets.load(output).n_outputs == 3


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_memory_limit_keeps_the_best_so_far(tmp_path, capsys):
    output = str(tmp_path / "m.aglets")
    limited = ["--starts", "1", "--maxpat", "8", "--rho", "1", "--rho", "0.01", "--json"]
    limited += ["--memory-limit", "0.6"]
    assert main(["fit", "acids", "-o", output, *limited]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["model"] == output
    assert summary["ended"] == "memory limit"
    assert len(aglets.load(output).predict(datasets.load_acids()[0])) == 300


@pytest.mark.data
def test_bbbp_from_table_to_predictions(data_folder, tmp_path, new, capsys):
    table = str(data_folder / "BBBP" / "BBBP.csv")
    model = str(tmp_path / "bbbp.aglets")
    words = ["fit", table, "--smiles", "smiles", "--target", "BBBP", "-o", model]
    few = ["--rho", "0.1", "--maxpat", "3", "--starts", "1", "--pooling", "best"]
    assert main([*words, *few, "--n-lambdas", "20"]) == 0
    out, err = capsys.readouterr()
    assert "Left out 11 of 2050 rows: row 59 (line 61)" in err
    assert "also rows 614, 642, 645, 646, 647, 648, 649 and 685." in err
    assert float(out.split("validation accuracy ")[1][:5]) > 0.8
    assert main(["show", model, "--top", "5", "--numbers"]) == 0
    out = capsys.readouterr().out
    assert "gasteiger" in out
    assert "0 C" in out
    assert main(["predict", model, str(new), "-q"]) == 0
    assert [row["prediction"] in ("0", "1") for row in read(capsys.readouterr().out)] == [
        *(True, True, False, True)
    ]


def test_predict_reads_standard_input(demo_model, tmp_path):
    code = "from aglets.cli import main; raise SystemExit(main())"
    predict = [sys.executable, "-c", code, "predict", str(demo_model)]
    lines = b"CC(=O)O acid\nC1CC bad\nCCO\n"
    (tmp_path / "three.smi").write_bytes(lines)
    from_stdin = ["-", "--format", "smi"]
    file, stdin, packed = (
        subprocess.run(
            [*predict, *source], input=text, capture_output=True, check=False, cwd=tmp_path
        )
        for source, text in [
            (["three.smi"], None),
            (from_stdin, lines),
            (from_stdin, gzip.compress(lines)),
        ]
    )
    assert file.stdout.count(b"\n") == 4
    for other in (stdin, packed):
        assert other.stdout == file.stdout
        assert other.stderr == file.stderr
        assert other.returncode == file.returncode
