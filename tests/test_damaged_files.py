"""Damaged and hostile files: one sentence that names file and place, never a foreign exception."""

from __future__ import annotations

import gzip
import json
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import aglets
from aglets import GraphSet, LagraClassifier, LagraClassifierCV, datasets, mining
from aglets.io.tu import read_tu
from aglets.training.checkpoint import read_paths, read_resumes

HUGE = "12345678901234567890"
HUGER = "12345678901234567891"


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def tu(folder: Path, **parts: str) -> Path:
    files = {"A": "1, 2\n", "graph_indicator": "1\n1\n2\n", "graph_labels": "1\n-1\n"} | parts
    for part, text in files.items():
        written(folder / f"DUO_{part}.txt", text)
    return folder


PACKED = gzip.compress(b"smiles,y\n" + b"CCO,1\n" * 1000)
BROKEN_GZ = {
    "cut short": (PACKED[:-20], "it ends too early"),
    "not packed": (b"smiles,y\nCCO,1\n", "it is damaged"),
    "damaged": (PACKED[:20] + b"\xff\xff\xff" + PACKED[23:], "it is damaged"),
    "wrong checksum": (PACKED[:-8] + b"\0\0\0\0" + PACKED[-4:], "it is damaged"),
}


@pytest.mark.parametrize("fault", BROKEN_GZ)
@pytest.mark.parametrize("name", ["a.csv.gz", "a.smi.gz", "a.sdf.gz"])
def test_a_damaged_gz_is_one_sentence_with_its_name(tmp_path, name, fault):
    content, reason = BROKEN_GZ[fault]
    path = written(tmp_path / name, content)
    readers = {".csv": GraphSet.from_table, ".smi": GraphSet.from_smiles, ".sdf": GraphSet.from_sdf}
    with pytest.raises(ValueError, match=rf"{name} cannot be unpacked: {reason}"):
        readers[Path(path.stem).suffix](path, errors="skip")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"nodes": ' * 100_000])
def test_deeply_nested_json_is_one_sentence(tmp_path, text):
    with pytest.raises(ValueError, match=r"JSON in a\.json, but its brackets are nested too"):
        GraphSet.from_json(written(tmp_path / "a.json", text))
    with pytest.raises(ValueError, match=r"JSON in line 1 of a\.jsonl, but its brackets"):
        GraphSet.from_json(written(tmp_path / "a.jsonl", text))
    header = written(tmp_path / "a.gspan", f"# aglets {text}\nt # 0\nv 0 C\n")
    with pytest.raises(ValueError, match=r"'# aglets' of a\.gspan, but its brackets"):
        GraphSet.from_gspan(header)
    names = tu(tmp_path)
    written(tmp_path / "DUO_names.json", text)
    with pytest.raises(ValueError, match=r"Expected DUO_names\.json to name the labels"):
        read_tu(names)


def test_a_deeply_nested_label_is_one_sentence(tmp_path):
    label = "[" * 300 + "]" * 300
    path = written(tmp_path / "a.json", f'[{{"nodes": [{{"label": {label}}}]}}]')
    with pytest.raises(ValueError, match=r"In a\.json: Expected lists of at most 20 levels"):
        GraphSet.from_json(path)


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"graphs": [], "keys": {"lable": "x"}}, "Expected 'keys' of the document to name"),
        ({"graphs": [], "keys": {"label": 3}}, "Expected 'keys' of the document to name"),
        ([{"nodes": [{"id": {}, "label": 1}]}], "Expected ids of nodes to be numbers"),
        ([{"nodes": [], "edges": 3}], "Expected a list of edges in graph 0, got 3"),
        ([{"nodes": [{"label": 10**400}], "y": 10**400}], "for graph 0"),
    ],
)
def test_odd_json_is_one_sentence_with_the_name(tmp_path, document, reason):
    path = written(tmp_path / "a.json", json.dumps(document))
    with pytest.raises(ValueError, match=reason) as error:
        GraphSet.from_json(path, target="y")
    assert "a.json" in str(error.value)


def test_a_huge_attribute_in_json_is_one_sentence(tmp_path):
    node = {"label": 1, "a": 10**400}
    path = written(tmp_path / "a.json", json.dumps([{"nodes": [node, {"label": 1, "a": 1}]}]))
    with pytest.raises(ValueError, match=r"In a\.json: Expected every attribute to be a number"):
        GraphSet.from_json(path, attributes=["a"])


@pytest.mark.parametrize("number", ["1e300", HUGE, "-1e300", "inf", "9" * 400])
@pytest.mark.parametrize("part", ["A", "graph_indicator", "graph_labels", "node_labels"])
def test_numbers_too_large_for_a_tu_file_are_named_with_their_line(tmp_path, part, number):
    texts = {
        "A": f"1, 2\n1, {number}\n",
        "graph_indicator": f"1\n{number}\n2\n",
        "graph_labels": f"1\n{number}\n",
        "node_labels": f"1\n{number}\n3\n",
    }
    with pytest.raises(ValueError, match=rf"DUO_{part}\.txt.*in line 2"):
        read_tu(tu(tmp_path, **{part: texts[part]}))


def test_different_labels_of_a_tu_file_never_become_one(tmp_path):
    with pytest.raises(ValueError, match="cannot be distinguished"):
        read_tu(tu(tmp_path, node_labels=f"{HUGE}\n{HUGER}\n1\n"))
    large = [2**62, 2**62 + 1, 1]
    graphs, _ = read_tu(tu(tmp_path, node_labels="".join(f"{n}\n" for n in large)))
    assert graphs[0].labels == large[:2]


def test_codes_of_a_tu_file_count_from_zero_in_its_names(tmp_path):
    folder = tu(tmp_path, node_labels="-1\n0\n1\n")
    written(tmp_path / "DUO_names.json", '{"labels": ["C", "N"]}')
    with pytest.raises(ValueError, match=r"Expected DUO_names\.json to name the labels"):
        read_tu(folder)


@pytest.mark.parametrize("number", [HUGE, "9" * 400, "1e999", "9" * 5000])
def test_targets_of_more_than_64_bits_are_named_with_their_file(tmp_path, number):
    table = written(tmp_path / "a.csv", f"smiles,y\nCCO,1\nCC,{number}\n")
    with pytest.raises(ValueError, match=r"targets in a\.csv .* for graph 1"):
        GraphSet.from_table(table, target="y")
    text = written(tmp_path / "a.gspan", f"t # 0 1\nv 0 C\nt # 1 {number}\nv 0 C\n")
    with pytest.raises(ValueError, match=r"targets in a\.gspan .* for graph 1"):
        GraphSet.from_gspan(text, target=True)


def test_labels_of_gspan_text_stay_apart(tmp_path):
    text = f"t # 0\nv 0 {HUGE}\nv 1 {HUGER}\n"
    assert GraphSet.from_gspan(written(tmp_path / "a.gspan", text))[0].labels == [
        int(HUGE),
        int(HUGER),
    ]
    text = "t # 0\nv 0 3\nv 1 03\n"
    assert GraphSet.from_gspan(written(tmp_path / "a.gspan", text))[0].labels == ["3", "03"]


def test_an_infinite_attribute_of_gspan_text_names_the_file(tmp_path):
    path = written(tmp_path / "a.gspan", "t # 0\nv 0 C 1e999\n")
    with pytest.raises(ValueError, match=r"In a\.gspan: Expected finite attributes, but got inf"):
        GraphSet.from_gspan(path)


def test_attributes_that_cannot_be_squared_are_named_with_file_and_place(tmp_path):
    path = written(tmp_path / "a.gspan", "t # 0\nv 0 C 1e300\n")
    with pytest.raises(
        ValueError, match=r"In a\.gspan: .*1e\+150.* got 1e\+300 in graph 0 at node 0"
    ):
        GraphSet.from_gspan(path)
    with pytest.raises(ValueError, match=r"DUO_node_attributes\.txt.* got 1e\+300 in line 2"):
        read_tu(tu(tmp_path, node_attributes="1\n-1e300\n2\n"))


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("a.gspan", GraphSet.from_gspan),
        ("a.json", GraphSet.from_json),
        ("a.jsonl", GraphSet.from_json),
        ("a.smi", GraphSet.from_smiles),
        ("a.csv", GraphSet.from_table),
    ],
)
def test_text_that_is_not_utf8_names_file_and_line(tmp_path, name, read):
    start = {"a.csv": b"smiles\n", "a.smi": b"CC\n", "a.gspan": b"t # 0\n"}.get(name, b"\n")
    path = written(tmp_path / name, start + "Größe\n".encode("latin-1"))
    with pytest.raises(ValueError, match=rf"the byte 0xf6 in line 2 of {name} is not"):
        read(path)


def test_text_in_utf16_names_the_file(tmp_path):
    path = written(tmp_path / "a.gspan", "t # 0\nv 0 C\n".encode("utf-16"))
    with pytest.raises(ValueError, match=r"the byte 0xff in line 1 of a\.gspan"):
        GraphSet.from_gspan(path)


@pytest.fixture(scope="module")
def model_file(tmp_path_factory):
    graphs, y, _ = datasets.make_planted(40, random_state=0)
    path = tmp_path_factory.mktemp("model") / "m.aglets"
    LagraClassifier(maxpat=2, n_lambdas=5).fit(graphs, y).save(path)
    return path


@contextmanager
def suppress_named(name):
    """Let pass nothing, or one sentence that names the file."""
    try:
        yield
    except ValueError as error:
        if name not in str(error):
            raise


def test_every_damaged_byte_of_a_model_file_gives_a_sentence_with_its_name(model_file, tmp_path):
    content = model_file.read_bytes()
    rng = np.random.default_rng(0)
    # The directory at the end says where everything is: damage all of it, and some of the rest.
    places = [*range(len(content) - 1500, len(content)), *rng.integers(0, len(content), 500)]
    for place in places:
        damaged = bytearray(content)
        damaged[place] ^= int(rng.integers(1, 256))
        path = written(tmp_path / "damaged.aglets", bytes(damaged))
        with suppress_named("damaged.aglets"):
            aglets.load(path)


@pytest.mark.parametrize("read", [read_paths, read_resumes])
def test_every_damaged_byte_of_a_checkpoint_gives_a_sentence_with_its_name(tmp_path, read):
    content = (Path(__file__).parent / "corpus" / "checkpoint_bytes" / "seed-0").read_bytes()
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(content), 1000):
        damaged = bytearray(content)
        damaged[place] ^= int(rng.integers(1, 256))
        path = written(tmp_path / "damaged.npz", bytes(damaged))
        with suppress_named("damaged.npz"):
            read(path)
    for length in (0, 1, 100, len(content) - 1):
        with pytest.raises(ValueError, match=r"the file .*damaged\.npz of a checkpoint"):
            read(written(tmp_path / "damaged.npz", content[:length]))


def test_an_unknown_loss_in_a_model_file_is_one_sentence(model_file, tmp_path):
    import zipfile

    path = tmp_path / "odd.aglets"
    with zipfile.ZipFile(model_file) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b'"squared_hinge"', b'"cubed_hinge"'))
    with pytest.raises(ValueError, match=r"odd\.aglets .*the loss 'cubed_hinge' is not known"):
        aglets.load(path)


@pytest.mark.parametrize("n_jobs", [2**40, 10**30, 0])
def test_absurd_numbers_of_threads_are_one_sentence(n_jobs):
    graphs = GraphSet.from_lists(labels=["CO", "CN"] * 6, edges=[[(0, 1)]] * 12)
    for estimator in (LagraClassifier(n_jobs=n_jobs), LagraClassifierCV(n_jobs=n_jobs, cv=2)):
        with pytest.raises(ValueError, match=r"'n_jobs' parameter .* must be an int in the range"):
            estimator.fit(graphs, [0, 1] * 6)
    with pytest.raises(ValueError, match="n_jobs must be a number of threads from 1 to 1024"):
        mining.count(graphs, maxpat=2, n_jobs=n_jobs)


@pytest.mark.parametrize("y", [[0, 1], [0, 0, 1], [0, 1, 0, 1], [0, 1, 2, 0]])
@pytest.mark.parametrize("cv", ["holdout", 5])
def test_too_few_graphs_to_hold_some_out_are_counted_in_our_words(y, cv):
    graphs = GraphSet.from_lists(labels=["CO", "CN", "CC", "OO"][: len(y)], edges=[[]] * len(y))
    with pytest.raises(ValueError, match=rf"Expected enough graphs .*got {len(y)} in \d classes"):
        LagraClassifierCV(cv=cv).fit(graphs, y)
