"""The page on model files: its schema fits what is written, and its reader predicts the same."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from aglets import LagraClassifier, LagraRegressor, datasets

ROOT = Path(__file__).parents[1]
SCHEMA = json.loads((ROOT / "docs" / "how-to" / "model-schema.json").read_text(encoding="utf-8"))
READER = runpy.run_path(str(ROOT / "examples" / "read_model.py"))
QUICK = {"maxpat": 3, "n_lambdas": 6, "lambda_ratio": 0.2}


def acids():
    graphs, y = datasets.load_acids()
    return graphs[:80], y[:80]


def plain():
    graphs, y = acids()
    return LagraClassifier(**QUICK).fit(graphs, y)


def counting_numbers():
    graphs, _ = acids()
    return LagraRegressor(**QUICK, pooling=("best", "sum")).fit(graphs, graphs.n_edges * 1.0)


def several_targets():
    graphs, y = acids()
    return LagraClassifier(**QUICK).fit(graphs, np.column_stack([y, graphs.n_nodes > 11]))


def with_covariates():
    graphs, y = acids()
    return LagraClassifier(**QUICK, covariates="size").fit(graphs, y)


@pytest.mark.parametrize("made", [plain, counting_numbers, several_targets, with_covariates])
def test_model_files_follow_the_schema(made, tmp_path):
    made().save(tmp_path / "m.aglets")
    document, _ = READER["read"](tmp_path / "m.aglets")
    jsonschema.validate(document, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert set(document) <= set(SCHEMA["properties"])


def test_the_schema_refuses_what_is_not_a_model(tmp_path):
    plain().save(tmp_path / "m.aglets")
    document, _ = READER["read"](tmp_path / "m.aglets")
    for wrong in ({"format": "other"}, {"rho": 0.0}, {"n_graphlets": -1}, {"loss": None}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(document | wrong, SCHEMA, cls=jsonschema.Draft202012Validator)


def test_the_reader_of_seventy_lines_predicts_what_aglets_predicts(tmp_path):
    clf = plain()
    clf.save(tmp_path / "m.aglets")
    model, arrays = READER["read"](tmp_path / "m.aglets")
    graphs = datasets.load_acids()[0][80:100]
    found = [READER["decision"](model, arrays, as_dict(graph))[0] for graph in graphs]
    assert np.allclose(found, clf.decision_function(graphs), rtol=0, atol=1e-9)
    assert len((ROOT / "examples" / "read_model.py").read_text().splitlines()) <= 70


def as_dict(graph):
    pairs = zip(graph.edges.tolist(), graph.edge_labels, strict=True)
    edges = {frozenset(ends): kind for ends, kind in pairs}
    return {"labels": graph.labels, "attributes": graph.attributes, "edges": edges}


@pytest.mark.parametrize("made", [counting_numbers, with_covariates])
def test_the_reader_says_what_it_does_not_know(made, tmp_path):
    made().save(tmp_path / "m.aglets")
    model, arrays = READER["read"](tmp_path / "m.aglets")
    with pytest.raises(NotImplementedError, match="does not know such models"):
        READER["decision"](model, arrays, as_dict(datasets.load_acids()[0][0]))
