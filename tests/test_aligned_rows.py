"""Predictions for lists of molecules keep their rows, whether or not all can be read."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from rdkit import Chem

from aglets import GraphSet, LagraClassifier, LagraRegressor, load

ALCOHOLS = ["CCO", "CCCO", "CC(C)O", "OCCO", "c1ccccc1O", "OCC#N"]
AMINES = ["CCN", "CCCN", "CC(C)N", "NCCN", "c1ccccc1N", "NCC#N"]
SMILES = [text for pair in zip(ALCOHOLS, AMINES, strict=True) for text in pair]
#: Good ones in rows 1 and 3.
GIVEN = ["not a molecule", "CCO", None, "CCN", float("nan"), "C(C)(C)(C)(C)C", ""]
GOOD = [1, 3]
COUNTED = "5 of 7 rows could not be read and have no prediction .*row 0: 'not a molecule' is not a"


@pytest.fixture(scope="module")
def clf() -> LagraClassifier:
    y = ["alcohol", "amine"] * 6
    return LagraClassifier(maxpat=2, n_lambdas=5, loss="logistic").fit(SMILES, y)


@pytest.fixture(scope="module")
def reg() -> LagraRegressor:
    return LagraRegressor(maxpat=2, n_lambdas=5).fit(SMILES, [1.0, 3.0] * 6)


def good(values: np.ndarray) -> np.ndarray:
    """The rows of molecules, after checking that all others are empty."""
    assert len(values) == len(GIVEN)
    bad = np.delete(np.arange(len(GIVEN)), GOOD)
    assert pd.isna(values[bad]).all()
    return values[GOOD]


@pytest.mark.parametrize("given", [list, pd.Series, lambda x: np.array(x, dtype=object)])
@pytest.mark.parametrize("method", ["predict", "decision_function", "predict_proba", "transform"])
def test_molecules_that_cannot_be_read_have_a_fill_value(clf, method, given):
    with pytest.warns(UserWarning, match=COUNTED):
        found = getattr(clf, method)(given(GIVEN))
    expected = getattr(clf, method)(["CCO", "CCN"])
    assert good(found).tolist() == expected.tolist()
    assert found.dtype == (object if method == "predict" else np.float64)


def test_numbers_that_cannot_be_predicted_are_nan(reg):
    with pytest.warns(UserWarning, match=COUNTED):
        found = reg.predict(GIVEN)
    assert found.dtype == np.float64
    assert (good(found) == reg.predict(["CCO", "CCN"])).all()


def test_without_faults_types_and_warnings_are_as_ever(clf):
    assert clf.predict(["CCO"]).dtype.kind == "U"


def test_rdkit_molecules_that_are_none_keep_their_place(clf):
    molecules = [Chem.MolFromSmiles("CCO"), None, Chem.MolFromSmiles("CCN")]
    with pytest.warns(UserWarning, match="1 of 3 rows .*row 1: RDKit could not read it"):
        assert clf.predict(molecules).tolist() == ["alcohol", None, "amine"]


def test_explanations_keep_their_place(clf):
    with pytest.warns(UserWarning, match=COUNTED):
        found = clf.explain(GIVEN)
    assert [i for i, why in enumerate(found) if why is not None] == GOOD
    assert found[1].prediction == "alcohol"
    with pytest.raises(ValueError, match="Could not read 1 of 1 molecules: row 0: 'C1' is not a"):
        clf.explain("C1")


def test_a_list_without_any_molecule_has_no_prediction(clf):
    for nothing in (["?"], [None, None]):
        with pytest.warns(UserWarning, match="could not be read and have no prediction"):
            assert clf.predict(nothing).tolist() == [None] * len(nothing)
        with pytest.warns(UserWarning, match="could not be read and have no prediction"):
            assert np.isnan(clf.decision_function(nothing)).all()


def test_covariates_follow_the_rows_that_can_be_read():
    own = pd.DataFrame({"own": np.arange(12.0)})
    reg = LagraRegressor(maxpat=1, n_lambdas=3).fit(SMILES, np.arange(12) % 5, covariates=own)
    whole = reg.predict(["CCO", "CCN"], covariates=[[4.0], [9.0]])
    for table in ([[1.0], [4.0], [9.0]], pd.DataFrame({"own": [1.0, 4.0, 9.0]})):
        with pytest.warns(UserWarning, match="1 of 3 rows"):
            found = reg.predict(["?", "CCO", "CCN"], covariates=table)
        assert np.isnan(found[0])
        assert (found[1:] == whole).all()


def test_a_loaded_model_fills_alike(clf, tmp_path):
    clf.save(tmp_path / "m.aglets")
    model = load(tmp_path / "m.aglets")
    with pytest.warns(UserWarning, match=COUNTED):
        assert good(model.predict(GIVEN)).tolist() == ["alcohol", "amine"]


def test_fits_and_scores_need_every_molecule(clf):
    y = ["alcohol", "amine"] * 6
    bad = ["C1", *SMILES[1:]]
    words = r"Could not read 1 of 12 molecules.*from_smiles\(molecules, errors='skip'\), with y\["
    with pytest.raises(ValueError, match=words):
        LagraClassifier().fit(bad, y)
    unread = "but 1 of 12 cannot, the first in row 0; leave them out first"
    with pytest.warns(UserWarning), pytest.raises(ValueError, match=unread):
        clf.score(bad, y)
    with pytest.raises(ValueError, match=words):
        clf.model_.score(bad, y)


def test_skipped_rows_leave_targets_to_be_taken(clf):
    with pytest.warns(UserWarning, match="Left out 1 of 3 rows: row 1"):
        graphs = GraphSet.from_smiles(["CCO", "C1", "CCN"], errors="skip")
    y = np.array(["alcohol", "?", "amine"])
    assert clf.score(graphs, y[graphs.rows]) == 1.0
