"""A catalogue of bad command lines: for each, its exit code and the sentence on the screen."""

from __future__ import annotations

import sys

import pytest
from test_bad_input import CASES, CO, check, text

from aglets import GraphSet, datasets
from aglets.cli import main

TABLE = "smiles,y\nCCO,1\nCCN,0\n"

# The words on the command line, the exit code, and the sentence on standard error.
COMMANDS: dict[str, tuple] = {
    "no such command": (["fly"], 2, "No such command 'fly'."),
    "no such option": (["count", "acids", "--maxpat", "2", "--fast"], 2, "No such option: --fast"),
    "a word for a number": (
        ["count", "acids", "--maxpat", "two"],
        2,
        "Invalid value for '--maxpat'",
    ),
    "a missing option": (["count", "acids"], 2, "Missing option '--maxpat'"),
    "a missing argument": (["show"], 2, "Missing argument 'MODEL'"),
    "an unknown format": (
        ["count", "acids", "--maxpat", "2", "--format", "xml"],
        2,
        "Invalid value for '--format'",
    ),
    "an unknown name": (
        ["count", "NOPE", "--maxpat", "2"],
        1,
        "Expected a file or a TU data set named 'NOPE', but found none in {}/aglets/NOPE; download "
        "it with aglets data fetch NOPE, set AGLETS_DATA to the folder that holds its folder, or "
        "give a path such as ./NOPE.",
    ),
    "no such file": (
        ["count", "{}/nope.csv", "--maxpat", "2"],
        1,
        "Expected a file, but there is no {}/nope.csv.",
    ),
    "an unknown ending": (
        ["count", "{}/a.xyz", "--maxpat", "2"],
        1,
        "Expected a file that ends in .csv, .gspan, .json, .jsonl, .ndjson, .parquet, .pq, .sdf, "
        ".sd, .smi, .smiles, .tsv, .tab, got '{}/a.xyz'; name its format: csv, gspan, json, jsonl, "
        "parquet, sdf, shards, smi, tsv, tu.",
    ),
    "an option for another format": (
        ["count", "acids", "--maxpat", "2", "--smiles", "s"],
        1,
        "The option 'smiles' means nothing for the format 'tu'; leave it out.",
    ),
    "a maxpat of nothing": (
        ["count", "acids", "--maxpat", "0"],
        1,
        "maxpat must be a number of nodes in the range [1, 64]. Got 0 instead.",
    ),
    "an unknown atom attribute": (
        ["count", "{}/t.csv", "--maxpat", "2", "--attributes", "colour"],
        1,
        "Expected attributes to name some of gasteiger_charge, crippen_logp, crippen_mr, tpsa, "
        "n_hydrogens, degree, in_ring, aromatic, atomic_number, formal_charge, mass, got 'colour'.",
    ),
    "rows that cannot be read": (
        ["count", "{}/bad.smi", "--maxpat", "2", "--errors", "raise"],
        1,
        "Could not read 1 of 2 rows: row 1 (line 2): 'C1CC' is not a valid SMILES; correct them, "
        "or leave them out with --errors skip.",
    ),
    "a support below nothing": (
        ["frequent", "acids", "--maxpat", "2", "--min-support", "-1"],
        2,
        "Invalid value for '--min-support'",
    ),
    "fit: no target": (
        ["fit", "{}/t.csv"],
        1,
        "Expected a target to predict of {}/t.csv; name the column, property or key with --target.",
    ),
    "fit: no such target": (
        ["fit", "{}/t.csv", "--target", "active"],
        1,
        "Expected a column 'active' in t.csv, but its columns are 'smiles' and 'y'; name the "
        "right one with --target COLUMN.",
    ),
    "fit: one class": (
        ["fit", "{}/one.csv", "--target", "y", "-o", "{}/m"],
        1,
        "y must hold at least two classes (of graphs with a positive weight). "
        "Got one class, [1], instead.",
    ),
    "fit: a negative rho": (
        ["fit", "acids", "--rho", "-1", "-o", "{}/m"],
        2,
        "Invalid value for '--rho': -1 is not a number greater than 0.",
    ),
    "fit: a huge maxpat": (
        ["fit", "acids", "--maxpat", "100", "-o", "{}/m"],
        2,
        "Invalid value for '--maxpat': 100 is not a number from 1 to 64.",
    ),
    "fit: a loss for numbers": (
        ["fit", "acids", "--task", "classes", "--loss", "huber", "-o", "{}/m"],
        1,
        "The loss 'huber' is not for classes; for classes there are 'squared_hinge', 'logistic' "
        "and 'softmax', for numbers 'squared' and 'huber'.",
    ),
    "fit: words as numbers": (
        ["fit", "acids", "--task", "numbers", "-o", "{}/m"],
        1,
        "Expected numbers to predict, but the targets are words such as 'neutral'; give --task "
        "classes.",
    ),
    "fit: a folder to write to": (
        ["fit", "acids", "-o", "{}"],
        1,
        "Expected a file to write the model to, but {} is a folder.",
    ),
    "fit: a folder that is not a checkpoint": (
        ["fit", "acids", "-o", "{}/m", "--checkpoint", "{}"],
        1,
        "Expected an empty folder, a new one or a checkpoint, but {} holds something else (CO); "
        "name a folder of its own.",
    ),
    "fit: a small memory limit": (
        ["fit", "acids", "-o", "{}/m", "--memory-limit", "0.01", "--maxpat", "5", "--starts", "1"],
        1,
        "The search needs more than the memory limit, and there is no model to save yet; raise "
        "--memory-limit, or lower --maxpat.",
    ),
    "show: no such model": (
        ["show", "{}/nope.aglets"],
        1,
        "Expected a file, but there is no {}/nope.aglets.",
    ),
    "show: no model": (
        ["show", "{}/t.csv"],
        1,
        "{}/t.csv is not a usable aglets model file: it is not a zip archive, or it is damaged "
        "or cut short. Save the model again, or fetch a fresh copy.",
    ),
    "predict: no such data": (
        ["predict", "{}/demo.aglets", "{}/nope.smi"],
        1,
        "Expected a file, but there is no {}/nope.smi.",
    ),
    "predict: no such column": (
        ["predict", "{}/demo.aglets", "{}/t.csv", "--smiles", "S"],
        1,
        "Expected a column 'S' in t.csv, but its columns are 'smiles' and 'y'; name the right one "
        "with --smiles smiles.",
    ),
    "predict: an unknown ending": (
        ["predict", "{}/demo.aglets", "{}/t.csv", "-o", "{}/a.xls"],
        1,
        "Expected the output to end in .csv, .jsonl, .ndjson, .parquet, .pq, got '{}/a.xls'; or "
        "name its format with --to.",
    ),
    "predict: packed Parquet": (
        ["predict", "{}/demo.aglets", "{}/t.csv", "-o", "{}/a.parquet.gz"],
        1,
        "Expected the output to end in .csv, .jsonl, .ndjson, .parquet, .pq, got "
        "'{}/a.parquet.gz'; or name its format with --to.",
    ),
    "predict: standard input of no known format": (
        ["predict", "{}/demo.aglets", "-"],
        1,
        "Expected the format of standard input; name it with --format: csv, gspan, json, jsonl, "
        "parquet, sdf, shards, smi, tsv, tu.",
    ),
    "evaluate: a score that nobody knows": (
        ["evaluate", "{}/t.csv", "--target", "y", "--scoring", "auc"],
        1,
        "Expected scoring to be one of roc_auc, average_precision, accuracy, balanced_accuracy, "
        "matthews_corrcoef, r2, neg_root_mean_squared_error, neg_mean_absolute_error, spearman, or "
        "another name in sklearn.metrics.get_scorer_names(). Got 'auc' instead.",
    ),
    "predict: Parquet on the screen": (
        ["predict", "{}/demo.aglets", "{}/t.csv", "--to", "parquet"],
        1,
        "Expected a file for Parquet; name it with --output.",
    ),
    "predict: other attributes": (
        ["predict", "{}/demo.aglets", "{}/CO"],
        1,
        "Expected 4 attributes per node (gasteiger_charge, n_hydrogens, degree, in_ring), as in "
        "fit, but these graphs have 0; give the same attributes in the same order.",
    ),
    "explain: no such row": (
        ["explain", "{}/demo.aglets", "{}/t.csv", "--row", "1", "--row", "9"],
        1,
        "Expected rows of {}/t.csv, counted from 0, but there is no row 9.",
    ),
    "explain: a row that cannot be read": (
        ["explain", "{}/demo.aglets", "{}/bad.smi", "--row", "1"],
        1,
        "Could not read row 1 (line 2): 'C1CC' is not a valid SMILES.",
    ),
    "convert: to molecules": (
        ["data", "convert", "acids", "{}/a.smi"],
        1,
        "Expected to write gspan, json, jsonl or tu, got 'smi'; graphs have no SMILES.",
    ),
    "convert: to a folder without targets": (
        ["data", "convert", "{}/t.csv", "{}/T"],
        1,
        "Expected a target for every graph, for a TU folder has to list them; name the target to "
        "read.",
    ),
    "fetch: a path": (
        ["data", "fetch", "../x"],
        1,
        "Expected the name of a TU data set, such as 'MUTAG', got '../x'; load_tu reads a folder.",
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("commands")
    text(place, "t.csv", TABLE)
    text(place, "one.csv", "smiles,y\n" + "CCO,1\n" * 20)
    text(place, "bad.smi", "CCO\nC1CC\n")
    CO.to_tu(place / "CO", y=[1])
    assert main(["fit", "acids", "-o", str(place / "demo.aglets"), "-q", "--n-lambdas", "5"]) == 0
    return place


@pytest.mark.parametrize("name", COMMANDS)
def test_the_command_says(name, folder, capsys, monkeypatch):
    words, code, sentence = COMMANDS[name]
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    monkeypatch.delenv("AGLETS_DATA", raising=False)
    monkeypatch.chdir(folder)
    assert main([word.replace("{}", str(folder)) for word in words]) == code
    said = capsys.readouterr().err
    if code == 2:  # usage: a panel around the sentence, in the words of typer
        assert sentence in " ".join(said.replace("│", " ").split())
    else:
        check(said.rstrip("\n"), sentence, folder)
        assert said.count("\n") == 1


def test_the_catalogue_is_long():
    assert len(CASES) + len(COMMANDS) >= 100


@pytest.mark.parametrize(
    ("library", "act", "extra"),
    [
        ("networkx", lambda: CO.to_networkx(), "'aglets[plot]'"),
        ("igraph", lambda: CO.to_igraph(), "igraph"),
        ("torch", lambda: CO.to_pyg(), "'aglets[pyg]'"),
        ("rdkit.Chem", lambda: GraphSet.from_smiles(["C"]), "'aglets[chem]'"),
        ("pyarrow.parquet", lambda: GraphSet.from_table("a.parquet"), "'aglets[chem]'"),
        ("pooch", lambda: datasets.fetch_tu("NO_SUCH_SET"), "'aglets[data]'"),
    ],
)
def test_a_missing_library_is_named_with_how_to_get_it(library, act, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError) as error:
        act()
    said = str(error.value)
    assert said.startswith(f"The library {library.split('.')[0]!r} is needed for ")
    assert said.endswith(f"but cannot be imported; install it with: pip install {extra}")
