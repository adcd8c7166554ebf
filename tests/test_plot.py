from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="figures need matplotlib")
import matplotlib as mpl

mpl.use("agg")
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.patches import Circle
from matplotlib.text import Text

from aglets import GraphSet, LagraClassifier, LagraRegressor, datasets
from aglets.drawing.layout import MIN_DISTANCE, positions
from aglets.model.file import load
from aglets.plot import (
    GraphletDisplay,
    GraphletGridDisplay,
    LocalDisplay,
    PathDisplay,
    ScatterDisplay,
    SearchDisplay,
    display_of,
)

KINDS = ("graphlet", "grid", "scatter", "path", "search", "local")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    pyplot.close("all")


def planted():
    graphs, y, _ = datasets.make_planted(120, n_motifs=2, random_state=1)
    return graphs, y, LagraClassifier(maxpat=3, lambda_ratio=0.05, n_lambdas=20).fit(graphs, y)


def demo():
    graphs, y = datasets.load_acids()
    return graphs, y, LagraClassifier(maxpat=4, lambda_ratio=0.02, n_lambdas=20).fit(graphs, y)


def tu(load_tu, name, **options):
    graphs, y = load_tu(name, **options)
    rows = np.random.default_rng(0).permutation(len(graphs))[:150]
    graphs, y = graphs[rows], y[rows]
    return graphs, y, LagraClassifier(maxpat=4, lambda_ratio=0.1, n_lambdas=20).fit(graphs, y)


@pytest.fixture(scope="module", params=["planted", "demo", "BZR", "MUTAG"])
def fitted(request):
    if request.param in ("planted", "demo"):
        return {"planted": planted, "demo": demo}[request.param]()
    load_tu = request.getfixturevalue("load_tu")
    return tu(load_tu, request.param, edge_labels=request.param == "MUTAG")


def display(kind, graphs, y, clf):
    if kind == "graphlet":
        return GraphletDisplay.from_estimator(clf)
    if kind == "grid":
        return GraphletGridDisplay.from_estimator(clf)
    if kind == "scatter":
        return ScatterDisplay.from_estimator(clf, graphs, y)
    if kind == "path":
        return PathDisplay.from_estimator(clf)
    if kind == "search":
        return SearchDisplay.from_estimator(clf)
    whys = clf.explain(graphs)
    busiest = max(whys, key=lambda why: sum(e.contribution != 0.0 for e in why.contributions))
    return LocalDisplay(busiest)


def texts_of(figure):
    hidden = [text for axes in figure.findobj(Axes) for text in never_drawn(axes)]
    return [
        text
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and text not in hidden
    ]


def never_drawn(axes):
    """Tick labels of axes that are put away, or beyond their ends."""
    frame = axes.get_window_extent()
    for axis, low, high, along in (
        (axes.xaxis, frame.x0, frame.x1, "intervalx"),
        (axes.yaxis, frame.y0, frame.y1, "intervaly"),
    ):
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
            for text in (tick.label1, tick.label2):
                middle = np.mean(getattr(text.get_window_extent(), along))
                if not axes.axison or not low - 1 <= middle <= high + 1:
                    yield text


def overlaps(one, other):
    return (
        min(one.x1, other.x1) - max(one.x0, other.x0) > 0.5
        and min(one.y1, other.y1) - max(one.y0, other.y0) > 0.5
    )


@pytest.mark.parametrize("kind", KINDS)
def test_no_two_nodes_and_no_two_texts_overlap(fitted, kind):
    figure = display(kind, *fitted).plot().figure_
    figure.canvas.draw()
    boxes = [(t.get_text(), t.get_window_extent()) for t in texts_of(figure)]
    assert boxes
    for i, (one, box) in enumerate(boxes):
        for other, second in boxes[:i]:
            assert not overlaps(box, second), f"{one!r} overlaps {other!r}"
    for axes in {patch.axes for patch in figure.findobj(Circle)}:
        circles = [patch for patch in axes.patches if isinstance(patch, Circle)]
        for i, one in enumerate(circles):
            for other in circles[:i]:
                gap = np.hypot(*np.subtract(one.center, other.center))
                assert gap > one.radius + other.radius


def outside(figure):
    """Name the texts that reach beyond the figure."""
    figure.canvas.draw()
    frame = figure.bbox
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts_of(figure)]
    return [
        text
        for text, box in boxes
        if box.x0 < frame.x0 - 1.0
        or box.y0 < frame.y0 - 1.0
        or box.x1 > frame.x1 + 1.0
        or box.y1 > frame.y1 + 1.0
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_no_tick_and_no_name_is_cut_off_at_the_edge_of_a_figure(fitted, kind):
    assert outside(display(kind, *fitted).plot().figure_) == []


@pytest.mark.parametrize("unit", [2.5e-6, 3.0e7])
@pytest.mark.parametrize("kind", ["path", "search", "scatter"])
def test_ticks_of_any_size_are_whole(unit, kind):
    graphs, _ = datasets.load_acids()
    graphs = graphs[:80]
    y = unit * (graphs.n_edges - 10.3)
    reg = LagraRegressor(maxpat=2, n_lambdas=8).fit(graphs, y)
    assert outside(display(kind, graphs, y, reg).plot().figure_) == []


@pytest.mark.parametrize("kind", KINDS)
def test_displays_draw_on_given_axes_and_leave_the_style_alone(fitted, kind):
    before = dict(mpl.rcParams)
    figure, ax = pyplot.subplots(figsize=(7, 6))
    shown = display(kind, *fitted)
    assert shown.plot(ax=ax) is shown
    assert shown.ax_ is ax
    assert shown.figure_ is figure
    figure.canvas.draw()
    assert dict(mpl.rcParams) == before


def test_the_same_display_gives_the_same_picture_twice(tmp_path):
    graphs, y, clf = demo()
    pictures = []
    for name in ("one.png", "two.png"):
        display("local", graphs, y, clf).plot().figure_.savefig(tmp_path / name)
        pictures.append((tmp_path / name).read_bytes())
    assert pictures[0] == pictures[1]


@pytest.mark.parametrize(
    ("n", "edges"),
    [
        (1, []),
        (2, [(0, 1)]),
        (3, [(0, 1), (1, 2)]),
        (3, [(0, 1), (1, 2), (0, 2)]),
        (4, [(u, v) for v in range(4) for u in range(v)]),
        (9, [(0, v) for v in range(1, 9)]),
        (6, []),
        (40, [(v - 1, v) for v in range(1, 40)]),
        (30, [(u, v) for v in range(30) for u in range(v)]),
        (31, [((v - 1) // 2, v) for v in range(1, 31)]),
    ],
)
def test_nodes_are_never_laid_out_too_close(n, edges):
    x = positions(n, edges)
    assert x.shape == (n, 2)
    assert np.isfinite(x).all()
    gaps = np.linalg.norm(x[:, None] - x[None], axis=2)[np.triu_indices(n, 1)]
    assert gaps.size == 0 or gaps.min() >= MIN_DISTANCE - 1e-9
    assert np.array_equal(x, positions(n, edges))


@pytest.mark.data
@pytest.mark.parametrize("name", ["BZR", "ENZYMES", "SYNTHETIC"])
def test_whole_data_sets_are_laid_out_without_overlaps(load_tu, name):
    graphs, _ = load_tu(name)
    for graph in graphs[:25]:
        x = positions(graph.n_nodes, graph.edges)
        gaps = np.linalg.norm(x[:, None] - x[None], axis=2)[np.triu_indices(len(x), 1)]
        assert gaps.min() >= MIN_DISTANCE - 1e-9


def test_explanations_plot_themselves():
    graphs, _, clf = planted()
    for explanation in (
        clf.explain(graphs[0]),
        clf.explain_global(),
        clf.explain_global().graphlets[0],
    ):
        assert explanation.plot().figure_ is not None
    with pytest.raises(TypeError, match="Expected a LocalExplanation"):
        display_of(3)


def test_strange_labels_and_names_are_drawn_as_they_are():
    labels = ["$x^2$ <b>", "a" * 200, "☃", r"\frac{"]
    graphs = GraphSet.from_lists(
        labels=[[labels[i % 4], labels[0]] for i in range(20)],
        edges=[[(0, 1)]] * 20,
        attributes=[[[float(i % 2)], [0.0]] for i in range(20)],
        attribute_names=["$y_{"],
    )
    clf = LagraClassifier(maxpat=2).fit(graphs, np.where(np.arange(20) % 4 == 1, "$a", "b_$"))
    for kind in ("graphlet", "grid", "path", "search", "local"):
        figure = display(kind, graphs, None, clf).plot().figure_
        figure.canvas.draw()


def test_regression_and_many_classes_are_drawn():
    graphs, y = datasets.load_acids()
    reg = LagraRegressor(maxpat=2, n_lambdas=10).fit(graphs, graphs.n_nodes.astype(float))
    three = LagraClassifier(maxpat=2, n_lambdas=10).fit(graphs, np.arange(300) % 3)
    for clf in (reg, three):
        for kind in ("graphlet", "grid", "path", "search", "local"):
            display(kind, graphs, y, clf).plot().figure_.canvas.draw()
    assert ScatterDisplay.from_estimator(three, graphs, np.arange(300) % 3).boundary is None


def test_all_classes_have_marks_of_one_size_in_the_legend():
    psi = np.vstack([np.zeros((30, 2)), np.random.default_rng(0).random((30, 2))])
    shown = ScatterDisplay(psi, np.arange(60) // 30, ("C", "O"), (0, 1), None, None).plot()
    sizes = [handle.get_sizes().tolist() for handle in shown.ax_.get_legend().legend_handles]
    assert len(sizes) == 2
    assert sizes[0] == sizes[1]


def lines_of(display):
    """Every curve of coefficients as drawn: x and y of the topmost panel."""
    panel = display.plot(n_named=100).ax_.child_axes[0]
    return [line.get_xydata() for line in panel.lines if len(line.get_xdata()) > 2]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_model_from_a_file_draws_the_coefficients_at_the_points_it_keeps(tmp_path, n_classes):
    graphs, y = datasets.load_acids()
    target = y if n_classes == 2 else np.arange(300) % 3
    options = {"maxpat": 3, "lambda_ratio": 0.02, "n_lambdas": 50, "covariates": "size"}
    clf = LagraClassifier(**options).fit(graphs, target)
    clf.model_.save(tmp_path / "x.aglets")
    model = load(tmp_path / "x.aglets")
    for output in range(model.n_outputs):
        kept = PathDisplay.from_estimator(model, output=output)
        whole = PathDisplay.from_estimator(clf, output=output)
        rows = np.searchsorted(-whole.lambdas, -kept.coef_lambdas)
        assert np.array_equal(whole.lambdas[rows], kept.coef_lambdas)
        assert len(set(rows)) == len(rows) == 20
        for ours, truth in ((kept.coefs, whole.coefs), (kept.covariates, whole.covariates)):
            seen = {name: values[rows] for name, values in truth.items() if values[rows].any()}
            assert seen
            assert set(ours) == set(seen)
            for name, values in seen.items():
                assert ours[name] == pytest.approx(values, rel=1e-12)
        drawn = lines_of(kept)
        assert len(drawn) == len(kept.coefs) + len(kept.covariates)
        assert all(np.array_equal(line[:, 0], kept.coef_lambdas) for line in drawn)


def test_what_cannot_be_drawn_is_said_in_a_sentence():
    graphs, y = datasets.load_acids()
    empty = LagraClassifier(lambda_ratio=1.0, n_lambdas=1).fit(graphs, y)
    with pytest.raises(ValueError, match="A scatter needs two graphlets. The model has 0"):
        ScatterDisplay.from_estimator(empty, graphs, y)
    with pytest.raises(ValueError, match="rank must be from 0 to -1"):
        GraphletDisplay.from_estimator(empty)
    with pytest.raises(ValueError, match="output must be from 0 to 0. Got 4"):
        PathDisplay.from_estimator(empty, output=4)
    GraphletGridDisplay.from_estimator(empty).plot()


def test_a_scatter_of_numbers_has_a_scale_and_not_a_class_per_number():
    graphs, _ = datasets.load_acids()
    sizes = graphs.n_nodes.astype(float)
    reg = LagraRegressor(maxpat=2, n_lambdas=5, pooling=("best",)).fit(graphs, sizes)
    shown = ScatterDisplay.from_estimator(reg, graphs, sizes).plot()
    assert shown.classes is None
    assert shown.ax_.get_legend() is None
    [dots] = shown.ax_.collections
    assert sorted(dots.get_array()) == sorted(sizes)


def test_a_grid_says_how_many_graphlets_it_leaves_out():
    graphs, y = datasets.load_acids()
    rng = np.random.default_rng(0)
    noisy = np.where(rng.random(300) < 0.2, np.roll(y, 1), y)
    clf = LagraClassifier(maxpat=2, lambda_ratio=0.1, n_lambdas=10).fit(graphs, noisy)
    n = len(clf.graphlets_)
    assert n > 2
    display = GraphletGridDisplay.from_estimator(clf)
    said = [text.get_text() for text in texts_of(display.plot(n_each=1).figure_)]
    assert f"1 of {n} graphlets; n_each=None draws all" in said
    whole = display.plot(n_each=None).figure_
    assert not any("n_each" in text.get_text() for text in texts_of(whole))


def test_a_path_of_one_of_many_classes_is_named():
    graphs, _ = datasets.load_acids()
    three = np.array(["small", "middle", "large"])[np.digitize(graphs.n_nodes, [10, 13])]
    clf = LagraClassifier(maxpat=2, n_lambdas=4).fit(graphs, three)
    for k, name in enumerate(clf.classes_):
        shown = PathDisplay.from_estimator(clf, output=k).plot()
        said = [text.get_text() for text in texts_of(shown.figure_)]
        assert f"{name} against the rest" in said


def test_figures_of_empty_models_say_that_they_are_empty():
    graphs, y = datasets.load_acids()
    clf = LagraClassifier(lambda_ratio=1.0, n_lambdas=1).fit(graphs, y)
    for shown in (GraphletGridDisplay.from_estimator(clf), LocalDisplay(clf.explain(graphs[0]))):
        said = " ".join(text.get_text() for text in texts_of(shown.plot().figure_))
        assert "has no graphlets" in said


def test_drawings_of_letters_are_drawn_at_their_places():
    square = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]]
    graphs = GraphSet.from_lists(
        labels=[[0] * 4] * 2,
        edges=[[(0, 1), (1, 2), (2, 3)]] * 2,
        attributes=[square, square[::-1]],
    )
    clf = LagraClassifier(maxpat=2, n_lambdas=3).fit(graphs[[0, 1] * 10], [0, 1] * 10)
    figure = LocalDisplay(clf.explain(graphs[0])).plot().figure_
    centres = np.array([circle.center for circle in figure.findobj(Circle)])
    steps = np.diff(centres, axis=0)
    assert np.allclose(steps / steps[0, 0], np.diff(square, axis=0) / 2.0)
    # Nodes without labels are dots: nothing is written in them.
    assert not any(text.get_text() == "0" for text in texts_of(figure) if text.axes in figure.axes)
