"""The mean of several models is a model: their graphlets together, coefficients weighted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from aglets.graphlets import Graphlet
from aglets.model.model import LagraModel
from aglets.model.training_record import for_graphlets
from aglets.preprocessing.input_spec import InputSpec
from aglets.preprocessing.scaling import AttributeScaling

__all__ = ["average_models"]


def average_models(models: Sequence[LagraModel], weights: ArrayLike | None = None) -> LagraModel:
    """Combine models into one whose f is the weighted sum of theirs.

    Graphlets that are equal (same labels, edges, attributes, pooling and rho, for the same output
    or for several) become one, with the sum of their coefficients.

    Parameters
    ----------
    models : sequence of LagraModel
        Of the same classes, labels and scaling, as an estimator's folds give them.
    weights : array-like of shape (n_models,), optional
        By default all the same, with sum 1.

    Returns
    -------
    LagraModel
        Without a path: it has none of its own. Probabilities need a loss that gives them, or
        :meth:`LagraModel.calibrated`, because no held-out graph has seen the mean.

    Examples
    --------
    >>> from aglets import LagraClassifier, datasets
    >>> graphs, y = datasets.load_acids()
    >>> clf = LagraClassifier(maxpat=2, n_lambdas=10).fit(graphs, y)
    >>> both = average_models([clf.model_at(5), clf.model_at(9)])
    >>> f = [clf.model_at(i).decision_function(graphs) for i in (5, 9)]
    >>> np.allclose(both.decision_function(graphs), (f[0] + f[1]) / 2)
    True
    """
    if not models:
        raise ValueError("Expected at least one model to average. Got none.")
    share = np.full(len(models), 1.0 / len(models)) if weights is None else np.asarray(weights)
    if share.shape != (len(models),) or not np.isfinite(share).all():
        raise ValueError(
            f"Expected one finite weight per model ({len(models)}). Got {weights!r} instead."
        )
    first = models[0]
    _check_alike(models)
    place: dict[tuple[object, ...], int] = {}
    graphlets: list[Graphlet] = []
    rhos: list[float] = []
    terms: list[tuple[int, int, float]] = []
    for model, weight in zip(models, share.tolist(), strict=True):
        each = np.broadcast_to(model.rho, len(model.graphlets))
        for j, graphlet in enumerate(model.graphlets):
            served = np.flatnonzero(model.coef[:, j]).tolist()
            # Classes have graphlets of their own, unless they were trained to share them.
            alone = len(served) == 1 and len(first.outputs.targets) == 1
            key = _key(graphlet, served[0] if alone else None, float(each[j]))
            if key not in place:
                place[key] = len(graphlets)
                graphlets.append(graphlet)
                rhos.append(float(each[j]))
            for output in served:
                terms.append((output, place[key], weight * float(model.coef[output, j])))
    coef = np.zeros((first.n_outputs, len(graphlets)))
    for output, j, value in terms:
        coef[output, j] += value
    used = np.flatnonzero(coef.any(axis=0)).tolist()
    return replace(
        first,
        graphlets=[graphlets[j] for j in used],
        coef=coef[:, used],
        intercept=np.tensordot(share, [model.intercept for model in models], 1),
        covariate_coef=np.tensordot(share, [model.covariate_coef for model in models], 1),
        rho=np.array(rhos)[used] if used else first.rho,
        path={},
        stops=None,
        stability=None,
        calibration=first.calibration_of_losses if _same_curves(models) else None,
        conformal=None,
        record=for_graphlets(first.record, None),
    ).sorted_by_weight()


def _same_curves(models: Sequence[LagraModel]) -> bool:
    """Whether all models have the same probabilities by f, as those of one fit have."""
    kept = [model.calibration_of_losses for model in models]
    curves = [None if one is None else one.curves for one in kept]
    return all(one == curves[0] for one in curves)


def _key(graphlet: Graphlet, output: int | None, rho: float) -> tuple[object, ...]:
    numbers = (graphlet.attributes, graphlet.edge_attributes)
    values = tuple(b"" if rows is None else rows.tobytes() for rows in numbers)
    # Without attributes psi is 0 or 1, whatever rho is.
    scale = rho if any(values) else None
    counted = (graphlet.pooling, graphlet.count_scale)
    return (output, scale, graphlet.structure_key, *counted, *values)


def _labels(model: LagraModel) -> InputSpec:
    return replace(model.input_spec, scaling=AttributeScaling(), covariates=None)


def _covariates(model: LagraModel) -> object:
    known = model.covariates
    return None if known is None else (known.names, known.center.tolist(), known.built_in)


def _kinds(model: LagraModel) -> list[tuple[object, ...]]:
    return [(target.name, *target.output_classes) for target in model.outputs.targets]


def _check_alike(models: Sequence[LagraModel]) -> None:
    first = models[0]
    for i, model in enumerate(models[1:], start=1):
        same = {
            "classes": _kinds(model) == _kinds(first),
            "labels and attributes": _labels(model) == _labels(first),
            "scaling": model.scaling == first.scaling,
            "loss": model.outputs.same_as(first.outputs),
            "covariates": _covariates(model) == _covariates(first),
        }
        for what, agrees in same.items():
            if not agrees:
                raise ValueError(
                    f"Expected models that agree in their {what}, but model {i} differs from "
                    "model 0; average models of one fit."
                )
