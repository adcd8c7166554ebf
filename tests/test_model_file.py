"""Models survive their files, and files that are not models are refused in one sentence."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pickle
import struct
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from aglets import Graphlet, GraphSet
from aglets.model import LagraModel
from aglets.model._archive import decode_value, encode_value
from aglets.model.file import ARRAYS, load, save
from aglets.model.outputs import Outputs
from aglets.model.path_models import PathModels
from aglets.preprocessing.input_spec import InputSpec


def make_graphs(vocabulary=("C", "N", "O"), n=10, seed=0, edge_columns=False):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 6, size=n)
    edge_columns = (
        {
            "edge_labels": [[("-", 1)] * (k - 1) for k in sizes],
            "edge_attributes": [rng.normal(size=(k - 1, 1)) for k in sizes],
        }
        if edge_columns
        else {}
    )
    picks = [rng.integers(len(vocabulary), size=k) for k in sizes]
    return GraphSet.from_lists(
        labels=[[vocabulary[j] for j in pick] for pick in picks],
        edges=[[(j, j + 1) for j in range(k - 1)] for k in sizes],
        attributes=[rng.normal(size=(k, 2)) * [100.0, 0.1] for k in sizes],
        attribute_names=("charge", "mass"),
        **edge_columns,
    )


def make_model(graphs=None, scale="standard", classes=("no", "yes"), loss=None):
    graphs = make_graphs() if graphs is None else graphs
    known = InputSpec.of(graphs, scale)
    labels = list(known.vocabulary)
    edge_label = None if known.edge_vocabulary is None else [known.edge_vocabulary[0]]
    edge_row = [[0.2]] if known.n_edge_attributes else None
    graphlets = [
        Graphlet(labels=[labels[0]], edges=[], attributes=[[10.0, 0.05]],
                 edge_labels=None if edge_label is None else [],
                 edge_attributes=None if edge_row is None else np.zeros((0, 1))),
        Graphlet(labels=labels[:2], edges=[(0, 1)], attributes=[[1.0, 0.1], [-20.0, 0.0]],
                 edge_labels=edge_label, edge_attributes=edge_row),
        Graphlet(labels=labels[-1:], edges=[], attributes=[[0.0, 0.0]],
                 edge_labels=None if edge_label is None else [],
                 edge_attributes=None if edge_row is None else np.zeros((0, 1))),
    ]  # fmt: skip
    if classes is None or len(classes) == 2:
        coef, intercept = np.array([[0.7, -1.25, 1 / 3]]), np.array([0.1])
    else:
        coef, intercept = np.diag([0.7, -1.25, 1 / 3]), np.array([0.1, -0.2, 0.0])
    return LagraModel(
        graphlets=graphlets,
        coef=coef,
        intercept=intercept,
        rho=0.3,
        outputs=(
            Outputs.of_numbers(loss or "huber")
            if classes is None
            else Outputs.of_classes(classes, loss or "squared_hinge")
        ),
        input_spec=known,
        path={"lam": np.array([2.0, 1.0]), "validation_loss": np.array([np.nan, 0.5])},
        stops=PathModels(
            points=[0, 1],
            graphlets=graphlets[:2],
            coefs=[np.zeros_like(coef[:, :2]), 0.5 * coef[:, :2]],
            intercepts=[intercept, -intercept],
        ),
        stability=[0.5, 1.0, 0.25],
    )


@pytest.mark.parametrize("scale", ["standard", "none", "label"])
@pytest.mark.parametrize("edge_columns", [False, True])
@pytest.mark.parametrize("classes", [None, ("no", "yes"), (1, 2, 3)])
def test_saved_model_predicts_the_same(tmp_path, scale, edge_columns, classes):
    graphs = make_graphs(edge_columns=edge_columns)
    model = make_model(graphs, scale, classes)
    model.save(tmp_path / "model.aglets")
    again = load(tmp_path / "model.aglets")
    np.testing.assert_array_equal(again.decision_function(graphs), model.decision_function(graphs))
    np.testing.assert_array_equal(again.predict(graphs), model.predict(graphs))
    assert again.input_spec == model.input_spec
    assert again.scaling == model.scaling
    assert (again.rho, again.loss, again.version) == (model.rho, model.loss, model.version)
    np.testing.assert_equal(dict(again.path), dict(model.path))
    np.testing.assert_array_equal(again.stability, model.stability)
    np.testing.assert_array_equal(again.stops.points, model.stops.points)
    for stop in range(2):
        np.testing.assert_array_equal(
            again.at_stop(stop).decision_function(graphs),
            model.at_stop(stop).decision_function(graphs),
        )
    for mine, theirs in zip(model.graphlets, again.graphlets, strict=True):
        assert list(mine.labels) == list(theirs.labels)
        assert mine.coef == theirs.coef
        np.testing.assert_array_equal(mine.edges, theirs.edges)
        np.testing.assert_array_equal(mine.attributes, theirs.attributes)


def test_equal_models_are_equal_files(tmp_path):
    make_model().save(tmp_path / "a")
    make_model().save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize(
    "vocabulary",
    [
        ("C", "N", "O\ud800\n"),
        (1, 2, 10**30),
        (1.5, 0.1 + 0.2, float("inf")),
        (False, True),
        (("C", 1), ("C", 1.5), ("C", None, (True,))),
        (None, 3, "3"),
    ],
)
def test_labels_keep_their_type_and_value(tmp_path, vocabulary):
    graphs = make_graphs(vocabulary, n=30)
    model = make_model(graphs)
    save(model, tmp_path / "m")
    again = load(tmp_path / "m").input_spec.vocabulary
    assert again == model.input_spec.vocabulary
    assert [type(value) for value in again] == [type(v) for v in model.input_spec.vocabulary]


@pytest.mark.parametrize(
    "classes",
    [
        np.array([-1, 1]),
        np.array([0, 1], dtype=np.uint8),
        np.array([False, True]),
        np.array(["active", "none"]),
        np.array(["a", "b"], dtype=object),
        np.array([0.5, 1.5], dtype=np.float32),
    ],
)
def test_classes_keep_their_dtype(tmp_path, classes):
    save(make_model(classes=classes), tmp_path / "m")
    again = load(tmp_path / "m").classes
    assert again.dtype == classes.dtype
    np.testing.assert_array_equal(again, classes)


def test_tuples_of_classes_come_back_as_tuples(tmp_path):
    classes = np.empty(2, dtype=object)
    classes[:] = [("a", 1), ("b", None)]
    save(make_model(classes=classes), tmp_path / "m")
    assert list(load(tmp_path / "m").classes) == [("a", 1), ("b", None)]


def test_labels_of_other_types_are_refused_before_anything_is_written(tmp_path):
    graphs = make_graphs((frozenset("a"), frozenset("b"), frozenset("c")))
    with pytest.raises(TypeError, match="Labels in a file must be of type str, int"):
        make_model(graphs).save(tmp_path / "m")
    assert os.listdir(tmp_path) == []


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "m"
    make_model().save(path)
    before = path.read_bytes()
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        make_model(scale="none").save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["m"]


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        load(tmp_path / "nowhere.aglets")


def test_any_truncation_is_refused(tmp_path):
    path = tmp_path / "m"
    make_model().save(path)
    data = path.read_bytes()
    for length in range(0, len(data), 97):
        path.write_bytes(data[:length])
        with pytest.raises(ValueError, match="not a usable aglets model file"):
            load(path)


def test_a_flipped_byte_never_crashes(tmp_path):
    path = tmp_path / "m"
    make_model().save(path)
    data = path.read_bytes()
    rng = np.random.default_rng(0)
    for position in rng.integers(len(data), size=150):
        damaged = bytearray(data)
        damaged[position] ^= int(rng.integers(1, 256))
        path.write_bytes(bytes(damaged))
        with contextlib.suppress(ValueError):  # dates and such carry no meaning
            assert isinstance(load(path), LagraModel)


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"PK\x03\x04", pickle.dumps({"a": 1}), b"\x00" * 1000]
)
def test_foreign_files_are_refused(tmp_path, content):
    (tmp_path / "m").write_bytes(content)
    with pytest.raises(ValueError, match="it is not a zip archive, or it is damaged"):
        load(tmp_path / "m")


def rewritten(path, change=None, arrays=None, extra=None, remove=()):
    """Save a good model, then forge its content."""
    make_model().save(path)
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(content["model.json"])
    if change is not None:
        change(document)
    content["model.json"] = json.dumps(document).encode()
    for name, array in (arrays or {}).items():
        buffer = io.BytesIO()
        np.save(buffer, array, allow_pickle=True)
        content[f"{name}.npy"] = buffer.getvalue()
    content.update(extra or {})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            if name not in remove:
                archive.writestr(name, data)
    return path


def test_a_newer_format_asks_for_an_upgrade_whatever_it_holds(tmp_path):
    path = rewritten(
        tmp_path / "m",
        lambda d: d.update(format_version=99, aglets_version="9.0"),
        extra={"wonders.npy": b"x"},
    )
    with pytest.raises(ValueError, match=r"written by aglets 9\.0 in format 99.*upgrade aglets"):
        load(path)


def test_a_file_of_format_1_is_read_without_stops_and_stability(tmp_path):
    def older(document):
        document["format_version"] = 1
        del document["n_stop_graphlets"]

    added = [name for name in ARRAYS if name.startswith("stop_")] + ["stability"]
    path = rewritten(tmp_path / "m", older, remove=[f"{name}.npy" for name in added])
    again = load(path)
    assert again.stops is None
    assert again.stability is None
    graphs = make_graphs()
    np.testing.assert_array_equal(again.predict(graphs), make_model().predict(graphs))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(format="other"), "written by another program"),
        (lambda d: d.pop("format"), "written by another program"),
        (lambda d: d.update(format_version="1"), "'format_version' in model.json should be a int"),
        (lambda d: d.update(format_version=0), "format version is 0"),
        (lambda d: d.update(rho="big"), "'rho' in model.json should be a float"),
        (lambda d: d.update(rho=-1.0), "rho must be in the range"),
        (lambda d: d.pop("loss"), "'loss' in model.json should be a str"),
        (lambda d: d.update(n_graphlets=10**18), "'n_graphlets' in model.json is 10"),
        (lambda d: d.update(n_graphlets=-1), "'n_graphlets' in model.json is -1"),
        (lambda d: d.update(n_graphlets=4), r"node_offsets.npy has shape \(4,\), expected \(5\)"),
        (lambda d: d.update(n_attributes=3, attribute_names=None), "node_shift.npy has shape"),
        (lambda d: d.update(attribute_names=["a"]), "'attribute_names' in model.json should be 2"),
        (lambda d: d.update(vocabulary=["C"]), "labels.npy points outside of the vocabulary"),
        (lambda d: d.update(vocabulary=["C", "C", "N"]), "holds a value twice"),
        (lambda d: d.update(vocabulary=[{"code": "x"}]), "a label is not of a known kind"),
        (lambda d: d.update(vocabulary=[["C"]]), "a label is not of a known kind"),
        (lambda d: d.update(classes={"dtype": "<U999999999", "values": ["a", "b"]}), "of dtype"),
        (lambda d: d.update(classes={"dtype": "str", "values": ["a", 1]}), "should be strings"),
        (lambda d: d.update(classes={"dtype": "int8", "values": [1, 2**70]}), "not fit dtype int8"),
        (lambda d: d.update(classes={"dtype": "int8", "values": [1]}), "at least two classes"),
        (lambda d: d.update(classes={"dtype": "int8", "values": [1, 2, 3]}), "coef.npy has shape"),
        (lambda d: d.update(scale="log"), "scale 'log' is not known"),
        (lambda d: d.update(path_columns=["a", "b", "c"]), "path.npy has shape"),
        (lambda d: d.update(edge_vocabulary=["-"]), "edge_labels.npy is missing"),
        (lambda d: d.update(n_stop_graphlets=3), r"stop_coefs.npy has shape \(2, 2\), expected"),
        (lambda d: d.update(n_stop_graphlets=10**18), "'n_stop_graphlets' in model.json is 10"),
        (lambda d: d.pop("n_stop_graphlets"), "'n_stop_graphlets' in model.json should be a int"),
    ],
)
def test_a_forged_document_is_refused(tmp_path, change, message):
    with pytest.raises(ValueError, match=f"not a usable aglets model file: .*{message}"):
        load(rewritten(tmp_path / "m", change))


class Bomb:
    def __reduce__(self):
        return (os.system, ("exit 1",))


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"coef": np.zeros((1, 2))}, r"coef.npy has shape \(1, 2\), expected \(1, 3\)"),
        ({"coef": np.zeros((1, 3), dtype=np.float32)}, "not a plain array of numbers"),
        ({"coef": np.zeros((1, 3), dtype=np.int64)}, "expected .* of kind 'f'"),
        ({"coef": np.array([[0.0, np.nan, 1.0]])}, "coef.npy holds numbers that are not finite"),
        ({"attributes": np.full((4, 2), np.inf)}, "attributes.npy holds numbers that are not"),
        ({"attributes": np.array([[Bomb()]])}, "not a plain array of numbers"),
        ({"node_offsets": np.array([0, 3, 1, 4])}, "node_offsets.npy does not count upwards"),
        ({"node_offsets": np.array([0, 2**62, -(2**62), 4])}, "does not count upwards"),
        ({"labels": np.array([0, 0, 1, -1], dtype=np.int32)}, "points outside of the vocabulary"),
        ({"node_factor": np.zeros((1, 2))}, "node_factor.npy holds numbers that are not positive"),
        ({"node_shift": np.zeros((2, 2)), "node_factor": np.ones((2, 2))}, "2 rows for 3 labels"),
        ({"edges": np.array([[0, 7]], dtype=np.int32)}, ""),
        ({"stability": np.array([0.1, 0.2])}, r"stability.npy has shape \(2,\), expected \(3\)"),
        ({"stability": np.array([0.1, 0.2, 1.5])}, "stability must be one number from 0 to 1"),
        ({"stop_points": np.array([1, 0])}, "points of stops must be positions that grow"),
        ({"stop_points": np.array([-1, 0])}, "points of stops must be positions that grow"),
        ({"stop_points": np.array([0])}, r"stop_coefs.npy has shape \(2, 2\), expected \(1, 2\)"),
        ({"stop_points": np.array([0.0, 1.0])}, "stop_points.npy has shape .* of kind 'i'"),
        ({"stop_coefs": np.array([[0.0, np.inf], [0.0, 1.0]])}, "numbers that are not finite"),
        ({"stop_intercepts": np.zeros((2, 2))}, "stop_intercepts.npy has shape"),
        ({"stop_node_offsets": np.array([0, 3, 1])}, "stop_node_offsets.npy does not count"),
        ({"stop_labels": np.array([0, 0, 9], dtype=np.int32)}, "points outside of the vocabulary"),
    ],
)
def test_forged_arrays_are_refused(tmp_path, arrays, message):
    with pytest.raises(ValueError, match=f"not a usable aglets model file: .*{message}"):
        load(rewritten(tmp_path / "m", arrays=arrays))


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"../../evil.npy": b"x"}, r"unknown member '\.\./\.\./evil\.npy'"),
        ({"/etc/passwd": b"x"}, "unknown member '/etc/passwd'"),
        ({"code.py": b"x"}, r"unknown member 'code\.py'"),
        ({"model.json": b"[" * 100_000}, "model.json is not proper JSON"),
        ({"model.json": b"[]"}, "model.json is not a JSON object"),
        ({"model.json": b"\xff\xfe"}, "model.json is not proper JSON"),
        ({"model.json": b'{"rho": NaN}'}, "model.json is not proper JSON"),
        ({"coef.npy": b"\x93NUMPY\x01\x00\x06\x00(((((\n"}, "coef.npy is not a plain array"),
        ({"coef.npy": b"no"}, "coef.npy is not a plain array"),
    ],
)
def test_hostile_members_are_refused(tmp_path, extra, message):
    with pytest.raises(ValueError, match=f"not a usable aglets model file: .*{message}"):
        load(rewritten(tmp_path / "m", extra=extra))


def test_an_array_cannot_claim_more_than_it_holds(tmp_path):
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 99999999999), }"
    block = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header) + 1) + header + b"\n"
    with pytest.raises(ValueError, match=r"coef\.npy says shape \(1, 99999999999\) but holds 0"):
        load(rewritten(tmp_path / "m", extra={"coef.npy": block}))


def test_a_missing_document_or_array_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"it holds no model\.json"):
        load(rewritten(tmp_path / "m", remove=("model.json",)))
    with pytest.raises(ValueError, match=r"coef\.npy is missing"):
        load(rewritten(tmp_path / "m", remove=("coef.npy",)))
    with pytest.raises(ValueError, match=r"stop_labels\.npy is missing"):
        load(rewritten(tmp_path / "m", remove=("stop_labels.npy",)))


def test_a_member_given_twice_is_refused(tmp_path):
    path = rewritten(tmp_path / "m")
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("model.json", b"{}")
    with pytest.raises(ValueError, match=r"it holds 'model\.json' twice"):
        load(path)


def test_a_zip_bomb_is_refused_by_what_it_declares(tmp_path):
    path = rewritten(tmp_path / "m", extra={"coef.npy": b"\x00" * 2**22})
    assert path.stat().st_size < 2**16
    with pytest.raises(ValueError, match=r"it unpacks to \d+ bytes, more than the 1048576 allowed"):
        load(path, max_bytes=2**20)


def test_a_zip_bomb_is_refused_by_what_it_really_holds(tmp_path):
    path = rewritten(tmp_path / "m", extra={"coef.npy": b"\x00" * 2**22})
    size = struct.pack("<I", 2**22)
    forged = path.read_bytes().replace(size, struct.pack("<I", 100))
    path.write_bytes(forged)
    with pytest.raises(ValueError, match="damaged or cut short|not as long as the archive says"):
        load(path, max_bytes=2**20)


def test_a_file_larger_than_allowed_is_not_opened(tmp_path):
    (tmp_path / "m").write_bytes(b"\x00" * 5000)
    with pytest.raises(ValueError, match="it has 5000 bytes, more than the 1000 allowed"):
        load(tmp_path / "m", max_bytes=1000)


def test_encrypted_members_are_refused(tmp_path):
    path = rewritten(tmp_path / "m")
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02")
    data[at + 8] |= 1
    path.write_bytes(bytes(data))
    with pytest.raises(ValueError, match="is encrypted"):
        load(path)


def test_values_round_trip_through_json():
    for value in ("a", 1, 1.0, True, None, (), ((1, ("b",)), -0.0), float("-inf")):
        again = decode_value(json.loads(json.dumps(encode_value(value))))
        assert again == value
        assert repr(again) == repr(value)
    assert encode_value(np.int64(3)) == 3
    assert encode_value(np.str_("x")) == "x"


def test_predicting_from_a_file_imports_no_trainer(tmp_path):
    make_model().save(tmp_path / "m")
    code = (
        "import sys\n"
        "from aglets.model.file import load\n"
        "from aglets import GraphSet\n"
        f"model = load({str(tmp_path / 'm')!r})\n"
        "graphs = GraphSet.from_lists(labels=[['C']], edges=[[]], attributes=[[[1.0, 2.0]]])\n"
        "model.predict(graphs)\n"
        "bad = [m for m in sys.modules if m.split('.')[0] in ('sklearn', 'scipy')\n"
        "       or m.startswith('aglets.training')]\n"
        "assert not bad, bad\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
