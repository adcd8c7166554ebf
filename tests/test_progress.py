"""What a fit shows of itself while it runs."""

from __future__ import annotations

import io
import re
import sys

import numpy as np
import pytest
from rich.console import Console

import aglets.training.progress as progress_module
from aglets import LagraClassifier, LagraClassifierCV, LagraRegressor, datasets
from aglets.training.fitting import FitCallback
from aglets.training.progress import (
    PlainLines,
    Several,
    ShowProgress,
    Silent,
    Status,
    TerminalBar,
    clock_text,
    display_for,
)

QUICK = {"starts": 1, "rhos": (0.5, 0.1), "maxpats": (2,), "n_lambdas": 6, "random_state": 0}


@pytest.fixture(scope="module")
def planted():
    graphs, y, _ = datasets.make_planted(40, random_state=1)
    return graphs, y


class Kept(Silent):
    def __init__(self):
        self.all = []

    def show(self, status):
        self.all.append(status)


class Clock:
    """One second passes whenever somebody looks."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 1.0
        return self.now


@pytest.mark.parametrize("folds", ["holdout", 3])
def test_progress_grows_to_its_end_and_time_left_falls_to_zero(planted, folds):
    kept = Kept()
    LagraClassifierCV(**QUICK, cv=folds).fit(*planted, callback=ShowProgress(kept, clock=Clock()))
    done = [status.done for status in kept.all]
    assert done == sorted(done)
    assert all(status.done <= status.total for status in kept.all)
    assert kept.all[-1].done == kept.all[-1].total
    assert kept.all[-1].left == 0.0
    assert all(status.left is not None and status.left >= 0.0 for status in kept.all)
    assert [status.elapsed for status in kept.all] == [1.0 + k for k in range(len(done))]


def test_a_line_says_lambda_score_graphlets_and_time_left(planted):
    kept = Kept()
    model = LagraClassifierCV(**QUICK).fit(*planted, callback=ShowProgress(kept))
    lines = [status.line() for status in kept.all]
    assert "holdout maxpat 2 rho 0.5: lambda " in lines[0]
    assert "validation 0." in lines[0] or "validation 1." in lines[0]
    assert ", 0 graphlets; 1 of " in lines[0]
    assert any(
        " rho 0.5 best+sum sqrt: " in line or " rho 0.1 best+sum sqrt: " in line for line in lines
    )
    refitted = model.path_[-1].n_nonzero
    assert f"refit maxpat 2 rho {model.rho_:.3g}" in lines[-1]
    assert f"{refitted} graphlet" in lines[-1]


def test_folds_of_calibration_are_shown_but_other_callbacks_do_not_see_them(planted):
    class Tasks(FitCallback):
        def __init__(self):
            self.stages = []

        def begin(self, task, training_set):
            self.stages.append(task.stage)

    kept, tasks = Kept(), Tasks()
    model = LagraClassifier(maxpat=2, n_lambdas=4)
    model.fit(*planted, callback=Several((tasks, ShowProgress(kept))))
    assert tasks.stages == ["fit"]
    stages = list(dict.fromkeys(status.text.split(" maxpat")[0] for status in kept.all))
    assert stages == ["fit", "calibration 0", "calibration 1", "calibration 2"]
    assert {status.total for status in kept.all} == {16}


def test_progress_changes_no_model(planted, capsys):
    quiet = LagraClassifierCV(**QUICK).fit(*planted)
    shown = LagraClassifierCV(**QUICK, verbose=2).fit(*planted)
    assert shown.graphlets_ == quiet.graphlets_
    np.testing.assert_array_equal(shown.coef_, quiet.coef_)
    seen = capsys.readouterr()
    assert seen.out == ""
    assert seen.err.count("\n") > 12
    assert {line[:8] for line in seen.err.splitlines()} == {"aglets: "}


@pytest.mark.parametrize("value", [1, True])
def test_verbose_writes_how_it_ended_even_if_it_was_quick(planted, capsys, value):
    graphs, y = planted
    LagraRegressor(maxpat=1, n_lambdas=3, verbose=value).fit(graphs, y.astype(float))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("aglets: calibration 2 maxpat 1 rho 0.1 best+sum: lambda ")
    assert re.search(r" graphlets; 12 of 12 points, \d+ s$", lines[0])


def test_nothing_is_shown_unless_asked_for(planted, capsys):
    LagraClassifier(maxpat=1, n_lambdas=3).fit(*planted)
    assert capsys.readouterr() == ("", "")


def test_verbose_must_be_a_number(planted):
    with pytest.raises(ValueError, match=r"'verbose' parameter .* must be an int in the range"):
        LagraClassifier(verbose="yes").fit(*planted)


def test_a_line_comes_every_ten_seconds_even_if_nothing_happens():
    waits = []

    def wait(seconds):
        waits.append(seconds)
        return len(waits) > 3

    stream = io.StringIO()
    lines = PlainLines(stream, wait=wait)
    lines.show(Status("fit", 1, 4, 10.0, 30.0))
    lines.beat()
    assert waits == [10.0] * 4
    assert stream.getvalue() == "aglets: fit; 1 of 4 points, 10 s, about 30 s left\n" * 3


def test_nothing_is_written_before_the_first_point():
    answers = iter([False, True])
    stream = io.StringIO()
    PlainLines(stream, wait=lambda seconds: next(answers)).beat()
    assert stream.getvalue() == ""


def test_a_terminal_gets_a_bar():
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=120)
    with TerminalBar(console) as bar:
        bar.show(Status("fit [a]: lambda 1", 3, 4, 10.0, 75.0))
    assert "fit [a]: lambda 1" in stream.getvalue()
    assert "3/4" in stream.getvalue()
    assert "1 min 15 s left" in stream.getvalue()


def test_the_display_fits_the_stream(monkeypatch):
    assert isinstance(display_for(0), Silent)
    assert isinstance(display_for(1), PlainLines)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert isinstance(display_for(1), TerminalBar)
    assert isinstance(display_for(2), PlainLines)
    monkeypatch.setattr(progress_module.importlib.util, "find_spec", lambda name: None)
    assert isinstance(display_for(1), PlainLines)


def test_paths_from_a_checkpoint_count_as_done_but_not_as_fast(planted):
    class Known(FitCallback):
        def __init__(self):
            self.paths = {}

        def begin(self, task, training_set):
            return self.paths.get(task)

        def end(self, task, paths):
            self.paths[task] = [list(path) for path in paths]

    known, kept = Known(), Kept()
    LagraClassifierCV(**QUICK).fit(*planted, callback=known)
    del known.paths[list(known.paths)[-1]]  # the fit on all graphs
    clock = Clock()
    progress = ShowProgress(kept, clock=clock)
    LagraClassifierCV(**QUICK).fit(*planted, callback=Several((known, progress)))
    known_part = [status for status in kept.all if "refit" not in status.text]
    assert all(status.left is None for status in known_part)
    first = kept.all[len(known_part)]
    assert first.left == first.elapsed * (first.total - first.done)  # one point was walked


def test_durations_are_written_in_the_units_people_use():
    assert [clock_text(t) for t in (0.2, 59.6, 61, 3599, 7265)] == [
        "0 s",
        "1 min 0 s",
        "1 min 1 s",
        "59 min 59 s",
        "2 h 1 min",
    ]
