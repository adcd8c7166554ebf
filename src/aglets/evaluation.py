"""How good an estimator is on graphs it never saw: nested evaluation with honest errors.

Everything an estimator chooses is chosen inside each training part; the test part is looked at
once. Training parts of different splits overlap, so their scores are not independent, and the
usual standard error is too small: intervals use the correction of Nadeau and Bengio (2003), which
adds the ratio of test to training graphs to 1 / number of splits.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold, check_cv
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from aglets.datasets.splits import ScaffoldKFold
from aglets.drawing import html
from aglets.estimators.scoring import Score, answers_of, scorer_for
from aglets.graphs import GraphSet, as_graph_set
from aglets.graphs.arrays import Floats, Rows
from aglets.graphs.leaks import LeakWarning, is_contiguous, is_measured, order_leak, size_leak
from aglets.graphs.named_columns import NamedColumns
from aglets.graphs.notes import Notices, recorded
from aglets.model.metrics import METRICS, metrics, target_metrics
from aglets.model.target import is_known
from aglets.model.target_table import known_values, target_names, target_table
from aglets.training.stratify import marks_of, stratified_folds

__all__ = ["Estimate", "Evaluation", "Split", "evaluate"]


#: What of a fitted estimator says which point it chose.
POINT = ("starts_", "rho_", "maxpat_", "lambda_ratio_")


class Estimate(NamedTuple):
    """A mean over splits, its standard error as it is, and a corrected confidence interval."""

    mean: float
    error: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} ± {self.error:.3f} (from {self.low:.3f} to {self.high:.3f})"


@dataclass(frozen=True)
class Split:
    """One training part and one test part.

    Parameters
    ----------
    n_train, n_test : int
    score : float
        Accuracy, or R², of the estimator on the test graphs, or what ``scoring`` says.
    size_score : float
        The same of a small decision tree that sees numbers of nodes and edges only.
    n_graphlets : int
    chosen : dict
        The point of the grid that the estimator chose, if it chooses.
    seconds : float
        For fitting.
    target_scores : dict of str to float
        Of several targets: the score of each, of which ``score`` is the mean.
    metrics : dict
        What people quote, by name: AUC, average precision, balanced accuracy and MCC of classes;
        R², RMSE, MAE and Spearman's correlation of numbers.
    """

    n_train: int
    n_test: int
    score: float
    size_score: float
    n_graphlets: int
    chosen: dict[str, float]
    seconds: float
    target_scores: dict[str, float] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Evaluation:
    """What `evaluate` found; prints as a table, and shows as one in notebooks.

    Parameters
    ----------
    estimator : str
        As it prints.
    score_name : str
        "accuracy", "R²", or what ``scoring`` was.
    splits : tuple of Split
    parts : str
        A mark of the splits: evaluations with the same one can be compared split by split.
    """

    estimator: str
    score_name: str
    splits: tuple[Split, ...]
    parts: str

    @property
    def scores(self) -> Floats:
        """The score of every split."""
        return np.array([split.score for split in self.splits])

    @property
    def size_scores(self) -> Floats:
        """What the size of graphs alone scores in every split."""
        return np.array([split.size_score for split in self.splits])

    @property
    def n_graphlets(self) -> Floats:
        """The number of graphlets of every split's model."""
        return np.array([split.n_graphlets for split in self.splits], dtype=np.float64)

    def estimate(self, level: float = 0.95) -> Estimate:
        """Return the mean score with its standard error and a corrected confidence interval.

        No accuracy or R² is above 1, and no accuracy below 0: there the interval ends.
        """
        return self._bounded(self.score_name, self._estimate(self.scores, level))

    def metric(self, name: str, level: float = 0.95) -> Estimate:
        """Return another number that people quote, such as "AUC" or "RMSE", in the same way."""
        known = list(self.splits[0].metrics)
        if name not in known:
            raise ValueError(
                f"Expected one of the metrics {', '.join(map(repr, known))}. Got {name!r} instead."
            )
        return self._bounded(name, self._estimate(self._values(name), level))

    def _values(self, name: str) -> Floats:
        """Return a metric in every split."""
        return np.array([split.metrics[name] for split in self.splits], dtype=np.float64)

    def _bounded(self, name: str, found: Estimate) -> Estimate:
        plain = name.removeprefix("mean ")
        ends = [(metric.low, metric.high) for metric in METRICS.values() if metric.name == plain]
        low, high = ends[0] if ends else (-np.inf, np.inf)
        return found._replace(
            low=float(np.maximum(found.low, low)), high=float(np.minimum(found.high, high))
        )

    def difference(self, other: Evaluation, level: float = 0.95) -> Estimate:
        """Return how much better this is than another on the same splits, split by split."""
        if self.parts != other.parts:
            raise ValueError(
                "Expected two evaluations on the same splits of the same graphs, but these differ; "
                "give both the same graphs, cv, n_repeats and random_state."
            )
        return self._estimate(self.scores - other.scores, level)

    def over_size(self, level: float = 0.95) -> Estimate:
        """Return how much better it is than the size of graphs alone, split by split."""
        return self._estimate(self.scores - self.size_scores, level)

    def _estimate(self, values: Floats, level: float) -> Estimate:
        from scipy.stats import t

        if not 0.0 < level < 1.0:
            raise ValueError(f"level must be between 0 and 1. Got {level!r} instead.")
        # A split whose test graphs have one class has no AUC: the others speak.
        known = ~np.isnan(values)
        values, n = values[known], int(known.sum())
        mean = float(values.mean()) if n else np.nan
        if n < 2:
            return Estimate(mean, np.nan, np.nan, np.nan)
        sizes = np.array([split.n_test / split.n_train for split in self.splits])
        ratio = float(sizes[known].mean())
        spread = float(values.std(ddof=1))
        reach = float(t.ppf(0.5 + level / 2.0, n - 1)) * spread * np.sqrt(1.0 / n + ratio)
        return Estimate(mean, spread / np.sqrt(n), mean - reach, mean + reach)

    def to_dict(self) -> dict[str, Any]:
        """Write everything as plain data."""
        return {
            "estimator": self.estimator,
            "score_name": self.score_name,
            "estimate": self.estimate()._asdict(),
            "over_size": self.over_size()._asdict(),
            "targets": self.of_targets(),
            "metrics": {name: self.metric(name)._asdict() for name in self.splits[0].metrics},
            "splits": [asdict(split) for split in self.splits],
        }

    def to_frame(self) -> Any:
        """Tabulate the splits in a pandas DataFrame, one row each."""
        import pandas as pd

        rows = [asdict(split) for split in self.splits]
        return pd.DataFrame(
            [
                row | row.pop("chosen") | row.pop("target_scores") | row.pop("metrics")
                for row in rows
            ]
        )

    def of_targets(self) -> dict[str, float]:
        """Return the mean score of each target, if there are several."""
        names = self.splits[0].target_scores
        return {
            name: float(np.nanmean([split.target_scores[name] for split in self.splits]))
            for name in names
        }

    def _rows(self) -> list[tuple[str, str]]:
        n, m = len(self.splits), self.splits[0]
        return [
            ("estimator", " ".join(self.estimator.split())),
            ("splits", f"{n}, about {m.n_train} graphs to train and {m.n_test} to test"),
            (self.score_name, str(self.estimate()) + _where(self.scores)),
            *((f"  {name}", f"{score:.3f}") for name, score in self.of_targets().items()),
            ("size of the graph only", f"{self._estimate(self.size_scores, 0.95).mean:.3f}"),
            ("better than that by", str(self.over_size())),
            *(
                (name, str(self.metric(name)) + _where(self._values(name)))
                for name in self.splits[0].metrics
                if name != self.score_name
            ),
            ("graphlets", f"{self.n_graphlets.mean():.1f} on average"),
            ("seconds to fit", f"{np.mean([split.seconds for split in self.splits]):.1f}"),
        ]

    def __str__(self) -> str:
        rows = self._rows()
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {text}" for name, text in rows)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        frame = [
            [i, split.score, split.size_score, split.n_graphlets, *split.chosen.values()]
            for i, split in enumerate(self.splits)
        ]
        head = ["split", self.score_name, "size only", "graphlets", *self.splits[0].chosen]
        return html.table(None, self._rows()) + html.details("splits", html.table(head, frame))


def _where(values: Floats) -> str:
    """Say in how many splits a score is defined, unless it is in all."""
    known = int((~np.isnan(values)).sum())
    return "" if known == len(values) else f", defined in {known} of {len(values)} splits"


def evaluate(
    estimator: Any,
    graphs: Any,
    y: ArrayLike,
    *,
    cv: Any = 5,
    n_repeats: int = 1,
    scoring: Any = None,
    covariates: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Evaluation:
    """Measure how good an estimator is on graphs it never saw.

    For every split the estimator is fitted again on the training part, with all that it chooses,
    and scored once on the test part. So the scores are unbiased, unlike the validation scores of
    the point that was chosen, which are the best of many.

    Parameters
    ----------
    estimator : LagraClassifierCV, LagraRegressorCV or another estimator of graphs
        Is cloned. A ``random_state`` of None is set, so that results can be repeated.
    graphs : GraphSet or list of graphs
    y : array-like or DataFrame of shape (n_graphs,) or (n_graphs, n_targets)
        NaN or None is where a value is unknown. The score of several targets is the mean of
        theirs.
    cv : int, "scaffold", splitter or iterable, default=5
        So many folds, shuffled and with the proportions of classes; five folds of molecules such
        that no scaffold is trained on and tested (:class:`aglets.datasets.ScaffoldKFold`, which
        makes any number); or as a scikit-learn splitter says, such as
        :class:`aglets.datasets.TimeFolds`.
    n_repeats : int, default=1
        Number of times to shuffle into folds; more make the mean steadier.
    scoring : str or callable, optional
        What the score is, as in scikit-learn: "roc_auc", "average_precision", "balanced_accuracy",
        "matthews_corrcoef", "neg_root_mean_squared_error", "neg_mean_absolute_error", "r2" or
        another name; or a function of (estimator, graphs, y). Also "spearman". Else accuracy or R².
        The metrics that people quote are computed in any case.
    covariates : array-like or DataFrame of shape (n_graphs, n_own), optional
        Your own covariates, for ``fit`` and ``score``.
    random_state : int, default=0
        Seed of the shuffling.
    n_jobs : int, optional
        How many splits to evaluate side by side, with joblib; each then uses one thread.

    Returns
    -------
    Evaluation

    Warns
    -----
    LeakWarning
        If the size of graphs alone predicts the targets; or if the test parts are stretches of the
        file, and the order of the file predicts the class.

    Examples
    --------
    >>> from aglets import LagraClassifierCV, datasets, evaluate
    >>> graphs, y = datasets.load_acids()
    >>> quick = LagraClassifierCV(rhos=(0.1,), maxpats=(2,), starts=1, n_lambdas=10)
    >>> found = evaluate(quick, graphs, y, cv=3)
    >>> len(found.scores), found.score_name
    (3, 'accuracy')
    >>> low, high = found.estimate().low, found.estimate().high
    >>> bool(low <= found.scores.mean() <= high)
    True
    """
    given = as_graph_set(graphs)
    targets = target_table(y, len(given))
    if targets.ndim == 2:
        targets = NamedColumns(targets, target_names(y, targets.shape[1]))
    if targets.ndim == 2 and scoring is not None:
        raise ValueError(
            f"scoring is for one target. Got {scoring!r} for {targets.shape[1]}; evaluate them one "
            "by one, or see the metrics of an evaluation without it."
        )
    score = scorer_for(scoring, estimator, covariates)
    splits = _splits(estimator, given, targets, cv, n_repeats, random_state)
    _warn(given, targets, splits)
    template = clone(estimator)
    if getattr(template, "random_state", 0) is None:
        template.set_params(random_state=random_state)
    if n_jobs not in (None, 1) and "n_jobs" in template.get_params():
        template.set_params(n_jobs=1)
    table = (
        covariates if covariates is None or hasattr(covariates, "iloc") else np.asarray(covariates)
    )
    evaluated = Parallel(n_jobs=n_jobs)(
        delayed(_evaluated)(clone(template), given, targets, table, score, train, test)
        for train, test in splits
    )
    with Notices() as together:
        for _, notices in evaluated:
            together.extend(notices)
    return Evaluation(
        estimator=repr(estimator),
        score_name=_score_name(estimator, targets) if scoring is None else score.name,
        splits=tuple(split for split, _ in evaluated),
        parts=_mark(given, splits),
    )


def _splits(
    estimator: Any, graphs: GraphSet, y: NDArray[Any], cv: Any, n_repeats: int, random_state: int
) -> list[tuple[Rows, Rows]]:
    classes = is_classifier(estimator)
    if y.ndim == 2 and isinstance(cv, (int, np.integer)):
        marks = marks_of(y, [not is_measured(known_values(column)) for column in y.T])
        seeds = range(random_state, random_state + n_repeats)
        return [fold for seed in seeds for fold in stratified_folds(marks, int(cv), seed)]
    if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
        folds = RepeatedStratifiedKFold if classes else RepeatedKFold
        splitter = folds(n_splits=int(cv), n_repeats=n_repeats, random_state=random_state)
    elif n_repeats != 1:
        raise ValueError(
            f"n_repeats is for a number of folds. Got n_repeats={n_repeats} with a splitter of "
            "your own; repeat in the splitter instead."
        )
    elif isinstance(cv, str):
        if cv != "scaffold":
            raise ValueError(
                f"cv must be a number of folds, 'scaffold', a splitter or a list. Got {cv!r}."
            )
        splitter = ScaffoldKFold(random_state=random_state)
    else:
        splitter = check_cv(cv, y, classifier=classes)
    # Only scaffolds ask what the graphs are.
    given: Any = graphs if isinstance(splitter, ScaffoldKFold) else np.arange(len(y))
    found: Iterable[tuple[Rows, Rows]] = splitter.split(given, y)
    return [(np.asarray(train), np.asarray(test)) for train, test in found]


def _warn(graphs: GraphSet, y: NDArray[Any], splits: list[tuple[Rows, Rows]]) -> None:
    if y.ndim == 2:
        return  # of a dozen targets one follows the size by chance
    cut = all(is_contiguous(test) for _, test in splits)
    for text in (size_leak(graphs, y), order_leak(y) if cut else None):
        if text is not None:
            warnings.warn(text, LeakWarning, stacklevel=3)


def _evaluated(
    estimator: Any,
    graphs: GraphSet,
    y: NDArray[Any],
    covariates: Any,
    score: Score,
    train: Rows,
    test: Rows,
) -> tuple[Split, Notices]:
    start = time.perf_counter()
    with recorded() as notices:
        estimator.fit(graphs[train], y[train], **_own(covariates, train))
    seconds = time.perf_counter() - start
    with warnings.catch_warnings():
        # Parts of one data set may lack each other's labels: no news for the user.
        warnings.simplefilter("ignore", UserWarning)
        own = _own(covariates, test)
        if y.ndim == 2:
            value = float(estimator.score(graphs[test], y[test], **own))
            of_targets, quoted = _of_targets(estimator, graphs[test], y[test], own)
        else:
            answers = answers_of(estimator, graphs[test], y[test], own)
            value = score.of(estimator, graphs[test], y[test], answers, own)
            of_targets, quoted = {}, metrics(answers)
    chosen = {
        name.rstrip("_"): float(getattr(estimator, name))
        for name in POINT
        if hasattr(estimator, name)
    }
    split = Split(
        n_train=len(train),
        n_test=len(test),
        score=value,
        size_score=_size_score(estimator, graphs, y, score, train, test),
        n_graphlets=len(getattr(estimator, "graphlets_", ())),
        chosen=chosen,
        seconds=seconds,
        target_scores=of_targets,
        metrics=quoted,
    )
    return split, notices


def _of_targets(
    estimator: Any, graphs: GraphSet, y: NDArray[Any], own: dict[str, Any]
) -> tuple[dict[str, float], dict[str, float]]:
    """Score each of several targets, and take the mean of each metric over them."""
    outputs = estimator.model_.outputs
    f = outputs.as_table(estimator.model_.decision_function(graphs, own.get("covariates")))
    encoded = outputs.encode(y)
    scores = outputs.scores(encoded, f, np.ones(len(f)))
    found = [
        target_metrics(target, encoded[at], f[:, at])
        for target, at in zip(outputs.targets, outputs.slices, strict=True)
    ]
    known: dict[str, list[float]] = {}
    for part in found:
        for name, value in part.items():
            known.setdefault(name, []).extend([] if np.isnan(value) else [value])
    means = {
        f"mean {name}": float(np.mean(values)) if values else np.nan
        for name, values in known.items()
    }
    return dict(zip(map(str, outputs.target_names), scores.tolist(), strict=True)), means


def _score_name(estimator: Any, y: NDArray[Any]) -> str:
    name = "accuracy" if is_classifier(estimator) else "R²"
    if y.ndim == 1:
        return name
    kinds = {is_measured(known_values(column)) for column in y.T}
    return f"mean {name}" if len(kinds) == 1 else "mean score"


def _own(covariates: Any, rows: Rows) -> dict[str, Any]:
    if covariates is None:
        return {}
    return {
        "covariates": covariates.iloc[rows] if hasattr(covariates, "iloc") else covariates[rows]
    }


def _size_score(
    estimator: Any, graphs: GraphSet, y: NDArray[Any], score: Score, train: Rows, test: Rows
) -> float:
    if y.ndim == 2:
        each = [_size_score_of(graphs, column, train, test) for column in np.asarray(y).T]
        return float(np.nanmean(each))
    sizes = np.column_stack([graphs.n_nodes, graphs.n_edges])
    kind = DecisionTreeClassifier if is_classifier(estimator) else DecisionTreeRegressor
    tree = kind(max_depth=2, random_state=0).fit(sizes[train], y[train])
    answers = answers_of(tree, sizes[test], y[test], {})
    return score.of(tree, sizes[test], y[test], answers, {})


def _size_score_of(graphs: GraphSet, y: NDArray[Any], train: Rows, test: Rows) -> float:
    """Score the size of graphs for one of several targets, where it is known."""
    known = is_known(y)
    train, test = train[known[train]], test[known[test]]
    if not len(test):
        return float("nan")
    sizes = np.column_stack([graphs.n_nodes, graphs.n_edges])
    kind = DecisionTreeRegressor if is_measured(known_values(y)) else DecisionTreeClassifier
    tree = kind(max_depth=2, random_state=0).fit(sizes[train], known_values(y[train]))
    return float(tree.score(sizes[test], known_values(y[test])))


def _mark(graphs: GraphSet, splits: list[tuple[Rows, Rows]]) -> str:
    from hashlib import sha256

    digest = sha256(graphs.node_offsets.tobytes() + graphs.labels.tobytes())
    for train, test in splits:
        digest.update(train.tobytes() + b"/" + test.tobytes())
    return digest.hexdigest()[:16]
