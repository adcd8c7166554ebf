"""What is zero but for rounding is shown as 0, wherever attributes are shown."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from aglets import Graphlet, GraphSet, report
from aglets.cli import main
from aglets.explain import explain_global
from aglets.graphlets.residue import NEGLIGIBLE, without_residue
from aglets.model import LagraModel
from aglets.model.outputs import Outputs
from aglets.preprocessing.input_spec import InputSpec
from aglets.preprocessing.scaling import SCALES

RESIDUE = 5.1e-11


@pytest.fixture(params=SCALES)
def shown(request):
    """A model with rounding residue in an attribute that is about 0.03 large, and its graphs."""
    rng = np.random.default_rng(0)
    graphs = GraphSet.from_lists(
        labels=[["C", "O"]] * 40,
        edges=[[(0, 1)]] * 40,
        attributes=rng.normal(size=(40, 2, 2)) * (0.03, 5.0) + (0.0, 20.0),
        attribute_names=["charge", "mass"],
    )
    graphlet = Graphlet(labels="CO", edges=[(0, 1)], attributes=[[RESIDUE, 19.0], [-0.013, 22.0]])
    model = LagraModel(
        graphlets=[graphlet],
        coef=np.array([[2.0]]),
        intercept=np.array([-1.0]),
        rho=1.0,
        outputs=Outputs.of_classes(["no", "yes"]),
        input_spec=InputSpec.of(graphs, request.param),
    )
    return model, graphs


def test_a_value_is_kept_or_zero_by_its_part_of_what_is_usual():
    usual = np.array([1e-9, 1.0, 1e9])
    kept, lost = 2.0 * NEGLIGIBLE * usual, 0.5 * NEGLIGIBLE * usual
    assert np.array_equal(without_residue(np.array([kept, -kept]), usual), [kept, -kept])
    assert not without_residue(np.array([lost, -lost]), usual).any()


def test_a_label_with_small_units_of_its_own_keeps_its_values():
    graphs = GraphSet.from_lists(
        labels=[["big", "small"]] * 2,
        edges=[[(0, 1)]] * 2,
        attributes=[[[1e6], [1.0]], [[3e6], [2.0]]],
    )
    model = LagraModel(
        graphlets=[Graphlet(labels=["small"], edges=[], attributes=[[1.5]])],
        coef=np.array([[1.0]]),
        intercept=np.zeros(1),
        rho=1.0,
        outputs=Outputs.of_numbers(),
        input_spec=InputSpec.of(graphs, "label"),
    )
    assert explain_global(model, graphs).graphlets[0].shown_attributes == 1.5


def test_residue_where_all_nodes_of_the_label_have_zero_is_zero():
    graphs = GraphSet.from_lists(
        labels=[["C", "F"]] * 2, edges=[[(0, 1)]] * 2, attributes=[[[1.0], [0.0]], [[2.0], [0.0]]]
    )
    model = LagraModel(
        graphlets=[Graphlet(labels="F", edges=[], attributes=[[1e-17]])],
        coef=np.array([[1.0]]),
        intercept=np.zeros(1),
        rho=1.0,
        outputs=Outputs.of_numbers(),
        input_spec=InputSpec.of(graphs),
    )
    assert explain_global(model, graphs).graphlets[0].shown_attributes == 0.0


def test_figures_show_residue_as_zero(shown):
    pytest.importorskip("matplotlib", reason="figures need matplotlib").use("agg")
    from matplotlib import pyplot
    from matplotlib.text import Text

    figure = explain_global(*shown).graphlets[0].plot().figure_
    texts = {text.get_text() for text in figure.findobj(Text)}
    pyplot.close("all")
    assert {"0", "-0.013", "19", "22"} <= texts
    assert not any("e-" in text for text in texts)


def test_pages_show_residue_as_zero(shown):
    model, graphs = shown
    page = report.html(model, graphs)
    [text] = re.findall(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)
    [view] = json.loads(text)["views"]
    assert view["graphlets"][0]["attributes"] == [[0.0, 19.0], [-0.013, 22.0]]


def test_tables_of_the_command_line_and_of_notebooks_show_residue_as_zero(shown, tmp_path, capsys):
    model, _ = shown
    model.save(tmp_path / "x.aglets")
    assert main(["show", str(tmp_path / "x.aglets")]) == 0
    out = capsys.readouterr().out
    assert "-0.013" in out
    assert "e-" not in out
    assert "<td>0</td>" in model.graphlets[0]._repr_html_()
    assert main(["show", str(tmp_path / "x.aglets"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["graphlets"][0]["attributes"][0][0] == RESIDUE
