from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from path_tools import ALL_LOSSES

# Drawing many small graphs is slow at times, above all on a busy machine; that is not a fault.
settings.register_profile(
    "aglets", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("aglets")


# A shell starts background jobs with Ctrl-C ignored, and so would be what tests start to interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of the public data sets: $AGLETS_DATA.

    Without it tests skip, unless AGLETS_REQUIRE_DATA=1 says that they must not.
    """
    named = os.environ.get("AGLETS_DATA")
    if named and Path(named).is_dir():
        return Path(named)
    reason = "needs the public data sets; set AGLETS_DATA to the folder that holds BZR, AIDS, ..."
    if os.environ.get("AGLETS_REQUIRE_DATA") == "1":
        pytest.fail(reason)
    return pytest.skip(reason)


@pytest.fixture(scope="session")
def load_tu(data_folder: Path):
    """`datasets.load_tu` on the public data sets, each read once per session."""
    from functools import cache

    from aglets import datasets

    plain = {"edge_labels": False}
    return cache(lambda name, **options: datasets.load_tu(data_folder / name, **plain | options))


@pytest.fixture(scope="session")
def bbbp_smiles(data_folder: Path) -> list[str]:
    """The molecules of BBBP that RDKit can read."""
    import csv

    from rdkit import Chem, rdBase

    with rdBase.BlockLogs(), (data_folder / "BBBP" / "BBBP.csv").open() as file:
        listed = [row["smiles"] for row in csv.DictReader(file)]
        return [text for text in listed if Chem.MolFromSmiles(text) is not None]


@pytest.fixture(params=ALL_LOSSES, ids=repr)
def loss(request):
    """Every loss."""
    return request.param


@pytest.fixture(params=["fast", "paper"])
def solver(request):
    """Every solver."""
    return request.param


@pytest.fixture
def small_grid(monkeypatch):
    """Make automatic grids small, for tests that ask whether commands run, not what they choose."""
    monkeypatch.setattr("aglets.estimators._grids.RHO_UNITS", (0.3,))
    monkeypatch.setattr("aglets.estimators._grids.FURTHER_STARTS", {4: (1,)})
    monkeypatch.setattr("aglets.estimators._grids.MORE_STARTS", {})
    monkeypatch.setattr("aglets.estimators._grids.SPARSE_MAXPATS", (2, 3))
    from aglets import LagraClassifierCV, LagraRegressorCV

    for estimator in (LagraClassifierCV, LagraRegressorCV):
        monkeypatch.setitem(estimator.__init__.__kwdefaults__, "n_lambdas", 20)
