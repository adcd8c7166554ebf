"""Other packages add losses and formats: estimators, files and the command line take them."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from aglets import GraphSet, LagraClassifier, LagraRegressor, LagraRegressorCV, load
from aglets.cli import main
from aglets.io.files import ReadOptions, read_file, write_file
from aglets.io.registry import FORMATS, Format, register_format
from aglets.model.losses import LOSSES, Huber, Loss, Option, Squared, register_loss

PACKAGE = '''
import numpy as np

from aglets import GraphSet
from aglets.io.registry import Format
from aglets.model.losses import Loss, Option


class Expectile(Loss):
    """Squared errors; answers that are too low cost ``ratio`` times as much."""

    name = "expectile"
    task = "regression"
    options = {"ratio": Option(3.0, 0.0, help="what an answer that is too low costs")}

    def _factor(self, y, f):
        return np.where(y > f, self.ratio, 1.0)

    def value(self, y, f, w):
        return 0.5 * float(w @ (self._factor(y, f) * (y - f) ** 2))

    def residual(self, y, f, w):
        return w * self._factor(y, f) * (y - f)

    def curvature(self, y, f, w):
        return w * self._factor(y, f)

    def curvature_bound(self, w):
        return w * max(self.ratio, 1.0)

    def intercept_interval(self, y, offset, w):
        return float((y - offset).min()), float((y - offset).max())


def read(path, options):
    """One chain per line: labels, then the target, if asked for."""
    rows = [line.split() for line in path.read_text().splitlines() if line.strip()]
    names = [row[0][:: int(options.further.get("every", 1))] for row in rows]
    edges = [[(i, i + 1) for i in range(len(name) - 1)] for name in names]
    graphs = GraphSet.from_lists(labels=[list(name) for name in names], edges=edges)
    if options.target is None:
        return graphs
    return graphs, np.array([float(row[1]) for row in rows])


def write(graphs, path, y):
    lines = ["".join(graph.labels) for graph in graphs]
    path.write_text("\\n".join(lines if y is None else map("{} {}".format, lines, y)))


CHAINS = Format("chains", (".chains",), read, ("target", "every"), write)
'''
NAMES = ("CCO", "CO", "CCN", "CN", "CCCO", "CNC")


@pytest.fixture
def toy(monkeypatch):
    """What another package would define, known until the test ends."""
    content: dict = {"__name__": "toy"}
    exec(PACKAGE, content)
    for registry in (LOSSES, FORMATS):
        len(registry)  # everything of this package is in it now
        monkeypatch.setattr(registry, "_things", dict(registry._things))
    register_loss(content["Expectile"])
    register_format(content["CHAINS"])
    return content


@pytest.fixture
def chains(tmp_path):
    rng = np.random.default_rng(0)
    names = rng.choice(NAMES, 60)
    y = [round(2.0 * name.count("O") + 0.1 * rng.normal(), 3) for name in names]
    path = tmp_path / "data.chains"
    path.write_text("\n".join(f"{name} {value}" for name, value in zip(names, y, strict=True)))
    return path


def test_a_loss_of_another_package_is_fitted_by_name_and_as_an_object(toy, chains):
    graphs, y = read_file(chains, ReadOptions(target="y"))
    by_name = LagraRegressor(loss="expectile", maxpat=2, n_lambdas=10).fit(graphs, y)
    loss = toy["Expectile"](ratio=3.0)
    as_object = LagraRegressor(loss=loss, maxpat=2, n_lambdas=10).fit(graphs, y)
    np.testing.assert_array_equal(by_name.coef_, as_object.coef_)
    squared = LagraRegressor(maxpat=2, n_lambdas=10).fit(graphs, y)
    # Answers that are too low cost more, so that there are fewer of them.
    assert (by_name.predict(graphs) >= y).sum() > (squared.predict(graphs) >= y).sum()
    one = toy["Expectile"](ratio=1.0)
    same = LagraRegressor(loss=one, maxpat=2, n_lambdas=10).fit(graphs, y)
    np.testing.assert_allclose(same.predict(graphs), squared.predict(graphs), atol=1e-6)


def test_a_loss_is_chosen_with_a_grid_and_kept_in_the_file_with_its_options(toy, chains, tmp_path):
    graphs, y = read_file(chains, ReadOptions(target="y"))
    loss = toy["Expectile"](ratio=5.0)
    fitted = LagraRegressorCV(loss=loss, rhos=(1.0,), maxpats=(2,), n_lambdas=8, random_state=0)
    fitted.fit(graphs, y).save(tmp_path / "m.aglets")
    again = load(tmp_path / "m.aglets")
    assert again.outputs.single.loss == loss
    np.testing.assert_array_equal(again.predict(graphs), fitted.predict(graphs))


def test_losses_of_another_task_and_unknown_ones_are_refused(toy, chains):
    graphs, y = read_file(chains, ReadOptions(target="y"))
    with pytest.raises(
        ValueError, match="must be 'squared_hinge' or 'logistic' or .* Got 'expectile'"
    ):
        LagraClassifier(loss="expectile").fit(graphs, y > 1)
    with pytest.raises(ValueError, match="must be 'squared_hinge' or 'logistic' or .* Got Squared"):
        LagraClassifier(loss=Squared()).fit(graphs, y > 1)
    with pytest.raises(ValueError, match=r"'squared' or 'huber' or 'expectile', .* Got 'cubed'"):
        LagraRegressor(loss="cubed").fit(graphs, y)
    with pytest.raises(ValueError, match=r"'ratio' parameter of Expectile must be a float"):
        toy["Expectile"](ratio=-1.0)
    with pytest.raises(ValueError, match=r"Expectile has no option 'tau'; its options are: ratio"):
        toy["Expectile"](tau=1.0)


def test_a_file_whose_loss_is_not_installed_says_so(toy, chains, tmp_path, monkeypatch):
    graphs, y = read_file(chains, ReadOptions(target="y"))
    LagraRegressor(loss="expectile", maxpat=1, n_lambdas=3).fit(graphs, y).save(tmp_path / "m")
    monkeypatch.delitem(LOSSES._things, "expectile")
    with pytest.raises(ValueError, match="the loss 'expectile' is not known; if a package"):
        load(tmp_path / "m")


def test_the_options_of_huber_are_kept_in_the_file(tmp_path):
    graphs = GraphSet.from_lists(labels=["C", "O"] * 10, edges=[[]] * 20)
    y = graphs.labels.astype(float)
    LagraRegressor(loss=Huber(0.25)).fit(graphs, y).save(tmp_path / "m.aglets")
    assert load(tmp_path / "m.aglets").outputs.single.loss.epsilon == 0.25


def test_a_format_of_another_package_is_read_and_written(toy, chains, tmp_path):
    graphs, y = read_file(chains, ReadOptions(target="y"))
    assert len(graphs) == len(y) == 60
    write_file(graphs, tmp_path / "copy.chains", y)
    again, targets = read_file(tmp_path / "copy.chains", ReadOptions(target="y"))
    assert again == graphs
    np.testing.assert_array_equal(targets, y)
    shorter, none = read_file(chains, ReadOptions(further={"every": "2"}))
    assert none is None
    assert shorter.n_nodes.sum() < graphs.n_nodes.sum()
    with pytest.raises(ValueError, match="'smiles' means nothing for the format 'chains'"):
        read_file(chains, ReadOptions(smiles="x"))
    with pytest.raises(ValueError, match="'often' means nothing for the format 'chains'"):
        read_file(chains, ReadOptions(further={"often": "2"}))


def test_the_command_line_takes_both(toy, chains, tmp_path, capsys):
    model = tmp_path / "m.aglets"
    words = ["fit", str(chains), "--target", "y", "--maxpat", "2", "--n-lambdas", "6"]
    words += ["--loss", "expectile", "--loss-option", "ratio=7", "-o", str(model), "--quiet"]
    assert main(words) == 0
    assert load(model).outputs.single.loss == toy["Expectile"](ratio=7.0)
    assert main(["predict", str(model), str(chains), "-o", str(tmp_path / "p.csv"), "-q"]) == 0
    with open(tmp_path / "p.csv", newline="") as file:
        assert len(list(csv.DictReader(file))) == 60
    capsys.readouterr()
    assert main(["data", "info", str(chains), "--json", "--format-option", "every=2"]) == 0
    assert json.loads(capsys.readouterr().out)
    assert main(["data", "convert", str(chains), str(tmp_path / "a.json"), "--target", "y"]) == 0
    for wrong, message in {
        ("--loss", "cubed"): "'cubed' is not one of 'squared_hinge', 'logistic',",
        ("--loss", "expectile", "--loss-option", "ratio=many"): "Expected a number for the option",
        ("--loss", "expectile", "--loss-option", "ratio"): "Expected NAME=VALUE for --loss-option",
        ("--format", "rings"): "'rings' is not one of",
    }.items():
        assert main(["fit", str(chains), "--target", "y", "-o", str(model), *wrong]) != 0
        assert message in " ".join(capsys.readouterr().err.replace("│", " ").split())


def test_an_installed_package_is_found_by_its_entry_points(chains, tmp_path):
    (tmp_path / "toy_package.py").write_text(PACKAGE)
    info = tmp_path / "toy_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy_package\nVersion: 1.0\n")
    points = ["[aglets.losses]", "expectile = toy_package:Expectile"]
    points += ["[aglets.formats]", "chains = toy_package:CHAINS", "broken = no_such_module:X"]
    (info / "entry_points.txt").write_text("\n".join(points))
    words = ["fit", str(chains), "--target", "y", "--loss", "expectile", "--maxpat", "1"]
    words += ["--n-lambdas", "4", "-o", str(tmp_path / "m.aglets"), "--quiet"]
    run = subprocess.run(
        [sys.executable, "-c", "import sys; from aglets.cli import main; sys.exit(main())", *words],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "The format 'broken' of no_such_module:X is left out" in run.stderr
    assert Path(tmp_path, "m.aglets").is_file()


def test_a_loss_and_a_format_are_what_the_package_says_they_are():
    assert issubclass(LOSSES["huber"], Loss)
    assert isinstance(LOSSES["huber"].options["epsilon"], Option)
    assert isinstance(FORMATS["gspan"], Format)
    assert all(form.name == name for name, form in FORMATS.items())
