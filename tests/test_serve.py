"""The server of a page: what it answers, what it refuses with a sentence, and that it stays up."""

from __future__ import annotations

import csv
import io
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from aglets import GraphSet, LagraClassifier, LagraRegressor
from aglets.cli import main
from aglets.explain import explain_local
from aglets.serve import Limits, make_app

pytest.importorskip("fastapi", reason="needs aglets[serve]")
pytest.importorskip("httpx2", reason="needs httpx2 from PyPI")
from fastapi.testclient import TestClient

ACIDS = ["CC(=O)O", "OC(=O)c1ccccc1", "CCC(=O)O", "OC(=O)CN", "CCCC(=O)O", "OC(=O)CCO"]
OTHERS = ["CCO", "COC", "CCN", "c1ccccc1", "CC(C)C", "CCOC(=O)C"]


@pytest.fixture(scope="module")
def model():
    graphs = GraphSet.from_smiles(ACIDS + OTHERS)
    y = ["acid"] * len(ACIDS) + ["other"] * len(OTHERS)
    return LagraClassifier(maxpat=3, n_lambdas=10).fit(graphs, y).model_


@pytest.fixture(scope="module")
def client(model):
    with TestClient(make_app(model, name="acids", limits=Limits(max_nodes=50))) as client:
        yield client


def ask(client, **question):
    return client.post("/api/explain", json=question)


def test_an_answer_is_the_explanation_of_the_model(client, model):
    [why] = ask(client, smiles="CCCCC(=O)O").json()["explanations"]
    truth = explain_local(model, GraphSet.from_smiles(["CCCCC(=O)O"]))[0]
    assert why["prediction"] == truth.prediction
    assert why["decision"] == truth.decision
    assert why["text"] == str(truth)
    total = why["intercept"] + sum(one["contribution"] for one in why["contributions"])
    assert abs(total - why["decision"]) < 1e-12
    assert why["picture"].startswith("<svg")


def test_the_model_is_described(client, model):
    found = client.get("/api/model").json()
    assert found["name"] == "acids"
    assert found["molecules"] is True
    assert [g["name"] for g in found["graphlets"]] == [g.name for g in model.graphlets]


def test_the_page_loads_nothing_from_elsewhere(client):
    page = client.get("/")
    assert page.status_code == 200
    assert "http" not in page.text.replace("http://www.w3.org", "")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    for name in ("page.js", "page.css", "api.js", "openchemlib.js"):
        assert client.get(f"/files/{name}").status_code == 200
    assert client.get("/docs").status_code == 200
    assert client.get("/files/../app.py").status_code == 404


def test_the_description_for_programs_lists_all_calls(client):
    assert set(client.get("/openapi.json").json()["paths"]) == {
        "/api/model",
        "/api/explain",
        "/api/predict",
    }


@pytest.mark.parametrize(
    ("question", "status", "words"),
    [
        ({"smiles": "C1CC"}, 422, "could not be read"),
        ({"smiles": 7}, 422, "to be text"),
        ({}, 422, "either 'smiles' or 'graph'"),
        ({"smiles": "C", "graph": {}}, 422, "either 'smiles' or 'graph'"),
        ({"graph": {"nodes": "x"}}, 422, "could not be read"),
        ({"smiles": "C" * 5000}, 413, "at most 50 nodes. Got 5000"),
        ({"graph": {"nodes": [{"id": i} for i in range(51)], "links": []}}, 413, "Got 51"),
        ([1], 422, "JSON object"),
    ],
)
def test_what_cannot_be_answered_gets_a_sentence(client, question, status, words):
    found = client.post("/api/explain", json=question)
    assert found.status_code == status
    assert words in found.json()["error"]
    assert ask(client, smiles="CCO").status_code == 200


def test_what_is_not_json_gets_a_sentence(client):
    for body in (b"{", b"\xff\xfe", b"[" * 100_000):
        found = client.post("/api/explain", content=body)
        assert found.status_code == 422
        assert "Expected JSON" in found.json()["error"]


def test_a_body_that_is_too_large_is_refused(model):
    app = make_app(model, limits=Limits(max_bytes=100, max_table_bytes=100))
    with TestClient(app) as client:
        for place in ("/api/explain", "/api/predict"):
            found = client.post(place, content=b"x" * 101)
            assert found.status_code == 413
            assert "at most 100 bytes" in found.json()["error"]


def test_other_names_of_the_server_are_not_answered(model):
    with TestClient(make_app(model, hosts=["localhost"]), base_url="http://elsewhere") as client:
        assert client.get("/api/model").status_code == 400


def test_fifty_questions_at_a_time_are_all_answered(client):
    molecules = ["C" * n + "C(=O)O" for n in range(1, 26)] * 2
    with ThreadPoolExecutor(50) as pool:
        found = list(pool.map(lambda smiles: ask(client, smiles=smiles), molecules))
    assert all(one.status_code == 200 for one in found)
    decisions = [one.json()["explanations"][0]["decision"] for one in found]
    assert decisions[:25] == decisions[25:]


def test_too_many_questions_and_slow_ones_are_refused(model, monkeypatch):
    gate = threading.Event()

    def slow(*arguments):
        gate.wait(10)
        return []

    monkeypatch.setattr("aglets.serve.app.explained", slow)
    limits = Limits(max_seconds=0.2, max_waiting=1, threads=1)
    with TestClient(make_app(model, limits=limits)) as client:
        first = ask(client, smiles="C")
        assert first.status_code == 503
        assert "no answer within 0.2 seconds" in first.json()["error"]
        second = ask(client, smiles="C")
        assert "Too many questions" in second.json()["error"]
        gate.set()
        for _ in range(50):
            if client.get("/api/model").status_code == 200:
                break
            time.sleep(0.05)
        assert ask(client, smiles="C").status_code == 200


def test_a_table_comes_back_row_by_row(client, model):
    rows = [["id", "mol", "prediction"]]
    rows += [[f"m{i}", smiles, "mine"] for i, smiles in enumerate((ACIDS + OTHERS) * 60)]
    rows[5][1] = "not a molecule"
    rows[7][1] = "C" * 60
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    found = client.post("/api/predict?smiles=mol", content=text.getvalue().encode())
    assert found.status_code == 200
    back = list(csv.DictReader(io.StringIO(found.text)))
    assert [row["id"] for row in back] == [row[0] for row in rows[1:]]
    assert {row["prediction"] for row in back} == {"mine"}
    good = [row for row in back if not row["error"]]
    assert len(good) == len(back) - 2
    assert back[6]["error"] == "has more than 50 atoms"
    truth = model.predict(GraphSet.from_smiles([row["mol"] for row in good]))
    assert [row["aglets_prediction"] for row in good] == truth.tolist()


def test_the_command_listens_on_this_machine_only_unless_asked(
    model, tmp_path, monkeypatch, capsys
):
    started = []
    monkeypatch.setattr("uvicorn.run", lambda app, **options: started.append((app, options)))
    model.save(tmp_path / "acids.aglets")
    assert main(["serve", str(tmp_path / "acids.aglets"), "--port", "8123"]) == 0
    [(app, options)] = started
    assert (options["host"], options["port"]) == ("127.0.0.1", 8123)
    assert "Open http://127.0.0.1:8123" in capsys.readouterr().err
    with TestClient(app, base_url="http://127.0.0.1:8123") as client:
        assert client.get("/api/model").json()["name"] == "acids"
    with TestClient(app, base_url="http://elsewhere") as client:
        assert client.get("/api/model").status_code == 400


@pytest.mark.parametrize(
    ("body", "words"), [(b"", ""), (b"a,b\n1,2\n", "smiles"), (b"smiles\n", "rows")]
)
def test_a_table_without_molecules_gets_a_sentence(client, body, words):
    found = client.post("/api/predict", content=body)
    assert found.status_code == 422
    assert words in found.json()["error"]


def test_graphs_that_are_not_molecules_are_sent_as_json():
    graphs = GraphSet.from_json(
        [
            {
                "nodes": [{"id": i, "label": "<b>" if i % 2 else "a", "x": i} for i in range(n)],
                "links": [{"source": i, "target": i + 1} for i in range(n - 1)],
            }
            for n in range(2, 12)
        ],
        label="label",
        attributes=["x"],
    )
    model = LagraRegressor(maxpat=2, n_lambdas=5).fit(graphs, np.arange(10.0)).model_
    with TestClient(make_app(model)) as client:
        graph = json.loads(json.dumps({"nodes": [{"id": 0, "label": "<b>", "x": 1}], "links": []}))
        [why] = ask(client, graph=graph).json()["explanations"]
        assert why["decision"] == pytest.approx(
            model.predict(GraphSet.from_json([graph], label="label", attributes=["x"]))[0]
        )
        assert "<b>" not in why["picture"]
        assert "not fitted on molecules" in ask(client, smiles="C").json()["error"]
        assert "reads no SMILES" in client.post("/api/predict", content=b"x").json()["error"]
