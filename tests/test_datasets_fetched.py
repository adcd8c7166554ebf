"""Data sets from the network, the one in the package, and the GraphHopper paper's recipe."""

from __future__ import annotations

import io
import json
import re
import threading
import warnings
import zipfile
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.resources import files
from zipfile import ZIP_DEFLATED

import numpy as np
import pytest

from aglets import GraphSet, datasets
from aglets.datasets import _unpacking, fetch

# requests leaves the socket of an answer 404 to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

DUO = {
    "DUO_A.txt": "1, 2\n",
    "DUO_graph_indicator.txt": "1\n1\n2\n",
    "DUO_graph_labels.txt": "1\n-1\n",
}


HOSTILE = {
    "DAMAGED": "damaged or cut short",
    "CUT": "damaged or cut short",
    "MANY": "holds 1003 files, more than 1000",
    "TWICE": "holds TWICE_A.txt twice",
    "BOMB": "more than 200 times as many",
    "TARGETLESS": "neither TARGETLESS_graph_labels.txt nor TARGETLESS_graph_attributes.txt",
}


def packed(files: dict[str, str], how: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", how) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def damaged(files: dict[str, str]) -> bytes:
    """An archive whose last member does not have the checksum that it should have."""
    text = list(files.values())[-1].encode()
    body = packed(files)
    at = body.rindex(text, 0, body.index(b"PK\x01\x02"))
    return body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :]


@pytest.fixture
def server(monkeypatch, tmp_path):
    """A web server with data sets of our own, and an empty cache."""
    mutag = {name.replace("DUO", "MUTAG"): text for name, text in DUO.items()}
    served = {
        "/DUO.zip": packed({f"DUO/{name}": text for name, text in DUO.items()}),
        "/MUTAG.zip": packed(mutag),
        "/EVIL.zip": packed({"../../EVIL_x.txt": "", "x/EVIL_readme.exe": "", "EVIL_A.py": ""}),
        "/TORN.zip": b"PK but no archive",
    }
    many = {f"{i}.txt": "" for i in range(_unpacking.MAX_MEMBERS)}
    duo = {name: {key.replace("DUO", name): text for key, text in DUO.items()} for name in HOSTILE}
    served |= {
        "/DAMAGED.zip": damaged(duo["DAMAGED"]),
        "/CUT.zip": packed(duo["CUT"])[:-30],
        "/MANY.zip": packed(many | duo["MANY"]),
        "/TWICE.zip": packed(duo["TWICE"] | {"x/TWICE_A.txt": "1, 3\n"}),
        "/BOMB.zip": packed(duo["BOMB"] | {"BOMB_node_labels.txt": "0\n" * 2**25}, ZIP_DEFLATED),
        "/TARGETLESS.zip": packed(dict(list(duo["TARGETLESS"].items())[:2])),
    }
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            body = served.get(self.path)
            self.send_response(404 if body is None else 200)
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_):
            pass

    web = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=web.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("AGLETS_DATA", raising=False)
    monkeypatch.setattr(fetch, "URL", f"http://127.0.0.1:{web.server_port}/{{name}}.zip")
    yield asked
    web.shutdown()
    web.server_close()
    thread.join()


def test_a_data_set_is_fetched_once(server, tmp_path):
    for _ in range(2):
        graphs, y = datasets.fetch_tu("DUO")
        assert [graph.n_nodes for graph in graphs] == [2, 1]
        assert y.tolist() == [1, -1]
    assert server == ["/DUO.zip"]
    assert sorted(path.name for path in (tmp_path / "aglets").iterdir()) == ["DUO"]
    assert "DUO" in [entry.name for entry in datasets.list_tu() if entry.folder]


def test_another_version_of_a_known_set_is_a_warning(server):
    with pytest.warns(UserWarning, match="'MUTAG' is another version than .*MUTAG_A.txt"):
        datasets.fetch_tu("MUTAG")


@pytest.mark.parametrize("name", ["NOPE", "TORN", "EVIL"])
def test_a_download_that_fails_says_which_folder_to_fill(server, tmp_path, name):
    folder = tmp_path / "aglets" / name
    with pytest.raises(ValueError) as error:
        datasets.fetch_tu(name)
    assert str(error.value).startswith(f"Could not fetch the data set {name!r} from http://127.")
    assert str(error.value).endswith(
        "check the name and the network, or download it yourself and put "
        f"{name}_A.txt and the files next to it into {folder}."
    )


def test_an_archive_cannot_write_elsewhere(server, tmp_path):
    with pytest.raises(ValueError):
        datasets.fetch_tu("EVIL")
    assert not list(tmp_path.parent.glob("EVIL*"))
    assert not list(tmp_path.rglob("*.exe"))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_broken_download_leaves_nothing_behind(server, tmp_path, name):
    for _ in range(2):  # the second call must not find what the first one left
        with pytest.raises(ValueError, match=rf"Could not fetch .*{name}.*{HOSTILE[name]}"):
            datasets.fetch_tu(name)
        assert list((tmp_path / "aglets").iterdir()) == []


def test_declared_sizes_are_bounded_before_unpacking(monkeypatch, server):
    monkeypatch.setattr(_unpacking, "MAX_BYTES", 10)
    with pytest.raises(ValueError, match="unpacks to 16 bytes, more than 10"):
        datasets.fetch_tu("DUO")


def test_a_data_set_that_somebody_else_fetched_meanwhile_stays(tmp_path):
    (tmp_path / "DUO.zip").write_bytes(packed(DUO))
    (tmp_path / "DUO").mkdir()
    (tmp_path / "DUO" / "DUO_A.txt").write_text("theirs")
    _unpacking.unpack(tmp_path / "DUO.zip", "DUO", tmp_path / "DUO")
    assert (tmp_path / "DUO" / "DUO_A.txt").read_text() == "theirs"


def test_no_network_is_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("AGLETS_DATA", raising=False)
    monkeypatch.setattr(fetch, "URL", "http://127.0.0.1:9/{name}.zip")
    with pytest.raises(ValueError, match="Could not fetch the data set 'MUTAG' from http"):
        datasets.fetch_tu("MUTAG")


@pytest.mark.parametrize("name", ["../x", "", "a/b", 3])
def test_only_names_are_fetched(name):
    with pytest.raises(ValueError, match="Expected the name of a TU data set"):
        datasets.fetch_tu(name)


def test_data_at_hand_need_no_network(monkeypatch, tmp_path):
    (tmp_path / "DUO").mkdir()
    for name, text in DUO.items():
        (tmp_path / "DUO" / name).write_text(text)
    monkeypatch.setenv("AGLETS_DATA", str(tmp_path))
    monkeypatch.setattr(fetch, "URL", "http://127.0.0.1:9/{name}.zip")
    assert len(datasets.fetch_tu("DUO")[0]) == 2
    assert {entry.name: entry.folder for entry in datasets.list_tu()}["DUO"] == tmp_path / "DUO"


@pytest.mark.parametrize(
    ("load", "options", "classes"),
    [
        (datasets.load_acids, {"label_with": []}, ["acidic", "neutral"]),
        (datasets.load_demo, {}, ["blocked", "crosses"]),
    ],
)
def test_molecules_inside_the_package_are_what_their_smiles_give(load, options, classes):
    graphs, y = load()
    again = GraphSet.from_smiles(graphs.smiles.tolist(), **options)
    assert graphs.recipe == again.recipe
    assert np.abs(graphs.attributes - again.attributes).max() < 1e-3  # RDKit may differ a little
    assert again.with_attributes(graphs.attributes) == graphs
    assert sorted(set(y)) == classes
    assert (y == classes[0]).sum() * 2 == len(y)


@pytest.mark.data
def test_the_demo_is_what_the_tool_chooses_from_public_data(data_folder, monkeypatch, tmp_path):
    import make_demo

    monkeypatch.setattr(make_demo, "TARGET", tmp_path)
    monkeypatch.setattr("sys.argv", ["make_demo.py", str(data_folder)])
    make_demo.main()
    inside = files("aglets.datasets")
    for name in ("hydration.csv", "toxicity.csv"):
        assert (tmp_path / name).read_bytes() == inside.joinpath(name).read_bytes()
    with np.load(tmp_path / "demo.npz") as made:
        assert made["smiles"].tolist() == datasets.demo_smiles()


def test_the_demo_cannot_be_predicted_from_file_order_and_says_its_terms():
    graphs, y = datasets.load_demo()
    assert not graphs.describe(y).warnings
    terms = files("aglets.datasets").joinpath("DATA.md").read_text(encoding="utf-8")
    for name in ("demo.npz", "hydration.csv", "toxicity.csv"):
        assert re.search(rf"`{name}`.*CC0 1.0", terms)


def test_the_acids_follow_their_rule():
    from rdkit import Chem

    acid, phenol = (Chem.MolFromSmarts(text) for text in ("C(=O)[OH]", "[OH]c"))
    molecules = map(Chem.MolFromSmiles, datasets.load_acids()[0].smiles.tolist())
    rule = [mol.HasSubstructMatch(acid) or mol.HasSubstructMatch(phenol) for mol in molecules]
    assert (datasets.load_acids()[1] == np.where(rule, "acidic", "neutral")).all()


def test_the_acids_are_not_predicted_by_size_or_order():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graphs, y = datasets.load_acids()
    acidic = y == "acidic"
    assert abs(graphs.n_nodes[acidic].mean() - graphs.n_nodes[~acidic].mean()) < 1.5
    assert abs(acidic[:150].mean() - 0.5) < 0.1


def test_synthetic_graphs_differ_by_what_the_paper_says():
    graphs, y = datasets.make_synthetic(random_state=3)
    assert len(graphs) == 300
    assert (y == 0).sum() == 150
    assert (graphs.n_nodes == 100).all()
    assert (graphs.n_edges == 196).all()
    codes = graphs.labels.reshape(300, 100)
    assert (codes == codes[0]).all()
    pairs = [set(map(tuple, graph.edges.tolist())) for graph in graphs]
    shared = [len(pairs[0] & other) for other in pairs[1:]]
    same = [count for count, target in zip(shared, y[1:], strict=True) if target == y[0]]
    other = [count for count, target in zip(shared, y[1:], strict=True) if target != y[0]]
    expected = {0: 186, 1: 176}  # two graphs of a class differ in twice as many edges
    assert abs(np.mean(same) - expected[int(y[0])]) < 1
    assert abs(np.mean(other) - 181) < 1


def test_synthetic_data_are_repeatable_and_checked():
    one, _ = datasets.make_synthetic(4, random_state=1)
    two, _ = datasets.make_synthetic(4, random_state=1)
    assert one == two
    assert one != datasets.make_synthetic(4, random_state=2)[0]
    bare, _ = datasets.make_synthetic(4, noise=0, rewired=(0, 0), permuted=(0, 0), random_state=1)
    assert all(graph == bare[0] for graph in bare)
    with pytest.raises(ValueError, match="Expected at most 3 edges between 3 nodes, got 4"):
        datasets.make_synthetic(n_nodes=3, n_edges=4)
    with pytest.raises(ValueError, match="move at most 1 edges and to permute at most 3"):
        datasets.make_synthetic(n_nodes=3, n_edges=2, rewired=(2, 1))


def test_the_recipe_of_the_acids_is_json():
    assert json.loads(datasets.load_acids()[0].recipe)["molecule"]["edge_labels"] is True
