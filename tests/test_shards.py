"""Folders of shard files: what goes in comes out, in little memory, and damage is one sentence."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from path_tools import random_set

from aglets import GraphSet, LagraClassifier, LagraClassifierCV, ShardedEngine
from aglets.cli import main
from aglets.graphs.moments import Moments
from aglets.io.files import ReadOptions, format_of, read_file
from aglets.io.shards import MANIFEST, ShardSet, writing_shards

KINDS = {
    "attributes": {},
    "labels only": {"d": 0},
    "edges": {"edge_labels": True, "edge_attributes": True},
}


def written(folder, graphs, y=None, n_shards=3, step=7):
    with writing_shards(folder, n_shards) as writer:
        for i in range(0, len(graphs), step):
            writer.add(graphs[i : i + step], None if y is None else y[i : i + step])
    return ShardSet.open(folder)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_shards", [1, 3, 50])
def test_what_is_written_is_read_again_in_its_order(tmp_path, kind, n_shards):
    graphs = random_set(20, seed=1, **KINDS[kind])
    y = np.arange(20) * 0.5
    shards = written(tmp_path / "s", graphs, y, n_shards)
    assert len(shards) == 20
    assert len(shards.files) == min(n_shards, 20)
    found, targets = shards.read()
    assert found == graphs
    assert found.vocabulary == GraphSet.concatenate([graphs[[i]] for i in range(20)]).vocabulary
    np.testing.assert_array_equal(targets, y)
    assert format_of(tmp_path / "s") == "shards"
    assert read_file(tmp_path / "s", ReadOptions())[0] == graphs


@pytest.mark.parametrize("y", [["yes", "no", "no"], [1, 0, 0], [1.5, 2.0, 2.0], ["a", 1, 1], None])
def test_targets_keep_their_kind(tmp_path, y):
    graphs = random_set(3, seed=2)
    shards = written(tmp_path / "s", graphs, y, 2, step=2)
    found = shards.read()[1]
    if y is None:
        assert found is None
        with pytest.raises(
            ValueError, match="it was written without; write it again with --target"
        ):
            _ = shards.target
        return
    expected = np.array(y if len({type(v) for v in y}) == 1 else list(map(str, y)))
    np.testing.assert_array_equal(found, expected)
    assert found.dtype.kind == expected.dtype.kind
    assert shards.target.counts == {expected[1].item(): 2, expected[0].item(): 1}


def test_facts_are_those_of_all_graphs(tmp_path):
    graphs = random_set(30, seed=3, edge_labels=True, edge_attributes=True)
    shards = written(tmp_path / "t", graphs, list(range(30)), n_shards=4)
    facts = shards.facts
    whole = shards.read()[0]
    expected = Moments.of(whole.attributes, whole.labels, len(whole.vocabulary))
    np.testing.assert_array_equal(facts.nodes.count, expected.count)
    np.testing.assert_allclose(facts.nodes.mean, expected.mean, rtol=1e-12)
    np.testing.assert_allclose(facts.nodes.squares, expected.squares, rtol=1e-10)
    everything = facts.nodes.ungrouped
    np.testing.assert_allclose(everything.mean[0], whole.attributes.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(
        np.sqrt(everything.squares[0] / everything.count[0]), whole.attributes.std(axis=0)
    )
    holds = [
        (whole[[i]].labels[:, None] == np.arange(len(whole.vocabulary))).any(0) for i in range(30)
    ]
    np.testing.assert_array_equal(facts.graphs_with, np.sum(holds, axis=0))
    assert (facts.n_graphs, facts.target.lowest, facts.target.highest) == (30, 0.0, 29.0)


def test_names_and_smiles_travel_along(tmp_path):
    graphs = random_set(4, seed=4).with_identity(names=["a", None, "c\nd", "ü"])
    found, _ = written(tmp_path / "s", graphs, n_shards=2, step=3).read()
    assert found.names.tolist() == ["a", None, "c\nd", "ü"]
    assert found.smiles is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data[:40], "is damaged"),
        (lambda data: b"x" + data[1:], "it does not begin like one"),
        (lambda data: data[:-200], "is damaged"),
        (lambda data: data[:-70] + bytes([data[-70] ^ 255]) + data[-69:], "was changed"),
        (lambda data: data.replace(b'"facts"', b'"tales"', 1)[:-2], "is damaged"),
    ],
)
def test_a_damaged_file_is_one_sentence(tmp_path, change, said):
    graphs = random_set(20, seed=5)
    written(tmp_path / "s", graphs.with_identity(names=["x" * 20] * 20), [0, 1] * 10)
    file = tmp_path / "s" / "00001.shard"
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(ValueError, match=said) as caught:
        ShardSet.open(tmp_path / "s").read()
    assert "00001.shard" in str(caught.value)
    assert "write the folder again" in str(caught.value)


def test_edges_that_lead_nowhere_are_not_let_in(tmp_path):
    from aglets.io.shards import _check

    graphs = random_set(3, seed=6)
    with pytest.raises(ValueError, match="edges to nodes that are not there"):
        _check(GraphSet(**{**graphs.__getstate__(), "edges": graphs.edges + 50}))
    with pytest.raises(ValueError, match="labels that it does not name"):
        _check(GraphSet(**{**graphs.__getstate__(), "labels": graphs.labels + 50}))


def test_missing_files_are_named(tmp_path):
    written(tmp_path / "s", random_set(6, seed=7), [0, 1] * 3)
    (tmp_path / "s" / "00002.shard").unlink()
    with pytest.raises(ValueError, match="00002.shard, but it is missing"):
        ShardSet.open(tmp_path / "s")
    (tmp_path / "s" / MANIFEST).write_text("{}")
    with pytest.raises(ValueError, match="shards.json is damaged"):
        ShardSet.open(tmp_path / "s")
    with pytest.raises(ValueError, match="has no shards.json"):
        ShardSet.open(tmp_path)


def deal(folder, *parts) -> None:
    with writing_shards(folder, 2) as writer:
        for graphs, y in parts:
            writer.add(graphs, y)


def test_inputs_must_be_alike(tmp_path):
    one, two = random_set(4, seed=8), random_set(4, seed=8, d=0)
    with pytest.raises(ValueError, match="same number of attributes in all inputs"):
        deal(tmp_path / "s", (one, None), (two, None))
    with pytest.raises(ValueError, match="targets in all inputs, or in none"):
        deal(tmp_path / "s", (one, [0, 1, 0, 1]), (one, None))
    with pytest.raises(ValueError, match="Expected graphs to write, but there are none"):
        deal(tmp_path / "s")
    assert not list(tmp_path.iterdir())


SMILES = ["CCO", "CCN", "c1ccccc1", "CC(=O)O", "not a molecule", "C1CC1"]


def test_the_command_deals_tables_in_one_pass(tmp_path, capsys):
    for name, start in (("a", 0), ("b", 3)):
        rows = [f"{text},{i % 2},id{i}" for i, text in enumerate(SMILES[start : start + 3], start)]
        (tmp_path / f"{name}.csv").write_text("smiles,y,id\n" + "\n".join(rows) + "\n")
    words = ["data", "shard", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "--target", "y"]
    words += ["--id-column", "id", "-o", str(tmp_path / "s"), "--shards", "2"]
    assert main(words) == 0
    out = capsys.readouterr()
    assert "5 graphs in 2 files" in out.out
    assert "1 of 6 rows could not be read" in out.err
    graphs, y = ShardSet.open(tmp_path / "s").read()
    expected = GraphSet.from_smiles([text for text in SMILES if "not" not in text])
    assert graphs == expected
    assert graphs.ids.tolist() == ["id0", "id1", "id2", "id3", "id5"]
    assert y.tolist() == [0, 1, 0, 1, 1]
    assert main(words) == 1
    assert "holds 00000.shard; delete it first" in " ".join(capsys.readouterr().err.split())


def test_the_command_takes_other_formats(tmp_path, capsys):
    from rdkit import Chem

    with Chem.SDWriter(str(tmp_path / "m.sdf")) as writer:
        for i, text in enumerate(["CCO", "CCN", "C1CC1"]):
            mol = Chem.MolFromSmiles(text)
            mol.SetProp("y", str(i * 0.5))
            writer.write(mol)
    expected, y = GraphSet.from_sdf(tmp_path / "m.sdf", target="y")
    GraphSet.from_lists(labels=["CO", "CN"], edges=[[(0, 1)], []]).to_json(
        tmp_path / "g.jsonl", y=[1, 0]
    )
    for source, target in (("m.sdf", "y"), ("g.jsonl", "y"), ("acids", None)):
        words = ["data", "shard", source if target is None else str(tmp_path / source)]
        words += ["-o", str(tmp_path / f"s-{source}"), "--shards", "2", "-q"]
        assert main([*words, *([] if target is None else ["--target", target])]) == 0
    found, targets = ShardSet.open(tmp_path / "s-m.sdf").read()
    assert found == expected
    np.testing.assert_array_equal(targets, y)
    assert ShardSet.open(tmp_path / "s-g.jsonl").read()[1].tolist() == [1, 0]
    assert len(ShardSet.open(tmp_path / "s-acids")) == 300
    capsys.readouterr()


def test_memory_does_not_grow_with_the_graphs(tmp_path):
    """Ten times the rows, the same peak but for a few megabytes."""
    code = (
        "import sys, resource; from aglets.io.shards import writing_shards; import numpy as np\n"
        "from aglets import GraphSet\n"
        "edges = [(i, i + 1) for i in range(7)]\n"
        "rows = [np.ones((8, 3))] * 500\n"
        "part = GraphSet.from_lists([list('CCOCCNCC')] * 500, [edges] * 500, rows)\n"
        "with writing_shards(sys.argv[1], 4) as w:\n"
        "    for _ in range(int(sys.argv[2])): w.add(part, [0, 1] * 250)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    peaks = [
        int(subprocess.check_output([sys.executable, "-c", code, str(tmp_path / f"s{n}"), str(n)]))
        for n in (60, 240)
    ]
    assert json.loads((tmp_path / "s240" / MANIFEST).read_text())["n_graphs"] == 120_000
    assert peaks[1] < peaks[0] + 60_000


@pytest.mark.parametrize("scale", ["standard", "label", "none"])
def test_a_fit_to_shards_is_that_to_the_graphs_but_for_rounding(tmp_path, scale):
    graphs = random_set(40, seed=9, edge_attributes=True)
    y = np.where(graphs.n_nodes > np.median(graphs.n_nodes), "large", "small")
    shards = written(tmp_path / "s", graphs, y.tolist(), n_shards=3)
    options = {"maxpat": 3, "lambda_ratio": 0.3, "n_lambdas": 5, "scale": scale}
    expected = LagraClassifier(calibration=None, **options).fit(graphs, y)
    models = [
        LagraClassifier(engine=engine, **options).fit(shards)
        for engine in (None, ShardedEngine(1), ShardedEngine(3))
    ]
    assert expected.graphlets_
    for model in models:
        assert [h.labels for h in model.graphlets_] == [h.labels for h in expected.graphlets_]
        assert model.objective_ == pytest.approx(expected.objective_, rel=1e-8)
        np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-5, atol=1e-6)
    # Every file is a shard, whatever was asked for.
    assert models[1].coef_.tobytes() == models[2].coef_.tobytes()
    assert models[0].predict(graphs[:5]).tolist() == expected.predict(graphs[:5]).tolist()


def test_a_fit_to_shards_takes_nothing_else(tmp_path):
    shards = written(tmp_path / "s", random_set(6, seed=10), [0, 1] * 3)
    with pytest.raises(ValueError, match="takes nothing but the graphs.* Got y= as well"):
        LagraClassifier().fit(shards, [0, 1] * 3)
    with pytest.raises(ValueError, match="LagraClassifierCV chooses on graphs in memory"):
        LagraClassifierCV().fit(shards)


def test_engines_of_the_command_line(tmp_path, capsys):
    words = ["fit", "acids", "-o", str(tmp_path / "m.aglets"), "-q"]
    assert main([*words, "--shards", "2"]) == 1
    assert main([*words, "--address", "auto"]) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert "Expected --shards only with --engine ray or sharded" in said
    assert "Expected --address only with --engine ray" in said


def test_graphs_in_shards_keep_their_labels(tmp_path):
    shards = written(tmp_path / "s", random_set(20, seed=1), np.arange(20) % 2)
    with pytest.raises(ValueError, match="taken with the labels that they have. Got node_labels="):
        LagraClassifier(engine=ShardedEngine(2), node_labels="degree").fit(shards)
