"""From collected data to the page: style, script and data go into one file."""

from __future__ import annotations

import json
import os
import re
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from aglets.explain.plain import plain
from aglets.report._data import collect
from aglets.writing import check_target, write_text

__all__ = ["html", "write"]

#: Files of the script in the order in which they are joined: one subject each, helpers first.
SCRIPT_PARTS = (
    "dom",
    "colours",
    "skeleton",
    "graph",
    "axes",
    "tip",
    "links",
    "header",
    "quality",
    "attributes",
    "graphlets",
    "covariates",
    "weights",
    "path",
    "scatter",
    "explanation",
    "gallery",
    "cost",
    "main",
)


def write(
    model: Any,
    graphs: Any,
    y: Any,
    path: str | os.PathLike[str],
    *,
    title: str = "",
    max_graphs: int = 300,
    stability: Any = None,
    covariates: Any = None,
    n_jobs: int = 1,
    source: str = "",
    target: str | None = None,
    command: str | None = None,
) -> Path:
    """Write the report of a model on graphs to an HTML file.

    Parameters
    ----------
    model : fitted estimator, or LagraModel
        The slider shows the models of its path. Where they are not known, as in model files of
        format 1, the weights of the last graphlets are fitted again at larger penalties.
    graphs : GraphSet or list of graphs
        By preference ones that the model was not fitted on.
    y : array-like of shape (n_graphs,), or None
        Their classes or numbers; None leaves the quality out.
    path : path-like
        Where to write; an old file is replaced.
    title : str
        The headline.
    max_graphs : int
        Most graphs in the gallery: wrong ones come first. Everything else counts all graphs.
    stability : array-like of shape (n_graphlets,), optional
        How often each graphlet is found again, as ``clf.stability(...)`` gives it; unless given,
        what the model says of it.
    covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
        Your own of these graphs, if the model was fitted with such.
    n_jobs : int
        Number of threads.
    source : str
        What the graphs are called, such as a file.
    target : str, optional
        What is predicted, where the model does not say.
    command : str, optional
        The command that makes this page again; the call of this function unless given.

    Returns
    -------
    pathlib.Path

    Examples
    --------
    >>> import tempfile
    >>> from aglets import LagraClassifier, datasets, report
    >>> graphs, y = datasets.load_acids()
    >>> clf = LagraClassifier(maxpat=3, n_lambdas=10).fit(graphs[:200], y[:200])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = report.write(clf, graphs[200:], y[200:], f"{folder}/demo.html")
    ...     page.stat().st_size < 3_000_000
    True
    """
    check_target(path, what="the page")
    text = html(
        model,
        graphs,
        y,
        title=title,
        max_graphs=max_graphs,
        stability=stability,
        covariates=covariates,
        n_jobs=n_jobs,
        source=source,
        target=target,
        command=command or f"report.write(model, graphs, y, {os.fspath(path)!r})",
    )
    write_text(path, text)
    return Path(path)


def html(
    model: Any,
    graphs: Any,
    y: Any = None,
    *,
    title: str = "",
    max_graphs: int = 300,
    stability: Any = None,
    covariates: Any = None,
    n_jobs: int = 1,
    source: str = "",
    target: str | None = None,
    command: str | None = None,
) -> str:
    """Return the page as text; parameters as in :func:`write`."""
    # Laying out many small graphs is quicker when linear algebra does not call for more threads.
    with threadpool_limits(1):
        data = collect(
            model,
            graphs,
            y,
            max_graphs=max_graphs,
            n_jobs=n_jobs,
            stability=stability,
            covariates=covariates,
            target=target,
        )
    data["title"] = title or "What the model learned"
    data["source"] = source
    data["command"] = command or "report.html(model, graphs, y)"
    parts = {
        "TITLE": escape(data["title"]),
        "STYLE": _resource("page.css"),
        "SCRIPT": _script(),
        "DATA": _safe_json(data),
    }
    # One pass over the frame alone: what is put in is never searched for marks.
    return re.sub(
        "@(TITLE|STYLE|SCRIPT|DATA)@", lambda mark: parts[mark[1]], _resource("page.html")
    )


def _safe_json(data: Any) -> str:
    """Write JSON that cannot end the script element it stands in."""
    text = json.dumps(plain(data), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029\0":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _script() -> str:
    """Join the parts of the script: they share one scope, so the page stays a single file."""
    return "\n".join(['"use strict";', *(_resource(f"{part}.js") for part in SCRIPT_PARTS)])


def _resource(name: str) -> str:
    return files("aglets.report").joinpath("page").joinpath(name).read_text(encoding="utf-8")
