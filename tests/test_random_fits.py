"""A few of the fits that `tools/random_fits.py` draws by the thousand."""

from __future__ import annotations

import numpy as np
import pytest
from random_fits import compare, draw


#: Further ones that once differed: covariates without a penalty all but separate classes.
@pytest.mark.parametrize("seed", [*range(24), 851, 876, 2014])
def test_a_random_fit_is_what_the_slow_code_says(seed):
    assert compare(draw(seed)) == []


def test_the_comparison_notices_a_wrong_number():
    case = draw(0)
    case.expect("nothing", [1.0, 2.0], [1.0, 2.0])
    assert case.differences == []
    case.expect("a number", 1.0, 1.0 + 1e-6)
    case.expect("a shape", [1.0], [[1.0]])
    case.expect("a number that is none", np.nan, 1.0)
    case.expect_below("a bound", 1.1, 1.0)
    assert len(case.differences) == 4


def test_every_option_is_drawn():
    drawn = [draw(seed) for seed in range(24)]
    assert {case.loss for case in drawn} == {"squared_hinge", "logistic", "squared", "huber"}
    for option in (
        "solver",
        "starts",
        "learn_attributes",
        "scale",
        "covariates",
        "n_jobs",
        "pooling",
    ):
        assert len({case.options[option] for case in drawn}) > 1
    assert len({case.weight is None for case in drawn}) == 2
    assert len({case.own is None for case in drawn}) == 2
    assert len({case.graphs.edge_labels is None for case in drawn}) == 2
    assert len({case.graphs.n_edge_attributes for case in drawn}) == 2
