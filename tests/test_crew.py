"""Shards in workers that may be gone at any time: the same bits, and nothing is left lying about.

Workers of Ray are in test_engine_ray.py; here they are objects of this process, and a worker is
killed by forgetting it.
"""

from __future__ import annotations

import gc
import pickle
import random
from contextlib import nullcontext
from dataclasses import dataclass, field

import numpy as np
import pytest
from path_tools import random_set, targets

from aglets import LagraClassifier, LagraRegressor, ShardedEngine
from aglets.mining import BudgetError
from aglets.model.losses import Squared, SquaredHinge
from aglets.training.engine.crew import Crew
from aglets.training.engine.ray import N_PIECES
from aglets.training.engine.shard_starts import Shard
from aglets.training.engine.sharded import dealt, planted
from aglets.training.engine.worker import Ask, Ref, Worker, as_it_is

OPTIONS = {"maxpat": 3, "lambda_ratio": 0.3, "n_lambdas": 5, "calibration": None}


class FrailLink:
    """Workers in this process that die before or after a message, or never."""

    def __init__(self, n_workers: int, share: float = 0.0, seed: int = 0) -> None:
        self.n_workers = n_workers
        self.workers = [Worker() for _ in range(n_workers)]
        self.share, self.draw = share, random.Random(seed)

    def exchange(self, messages):
        replies = {}
        for k, message in messages.items():
            dies = self.draw.random() < self.share
            reply = None if dies and self.draw.random() < 0.5 else self.workers[k].run(message)
            if dies:
                self.workers[k] = Worker()
            replies[k] = None if dies else reply
        return replies


@dataclass(frozen=True)
class FrailEngine:
    n_workers: int
    share: float = 0.0
    crews: list = field(default_factory=list, compare=False, repr=False)

    def session(self):
        return nullcontext()

    def place(self, sample, plan):
        crew = Crew(FrailLink(self.n_workers, self.share, seed=self.n_workers))
        self.crews.append(crew)
        pieces = [crew.made(k, Shard, (one,)) for k, one in enumerate(dealt(sample, N_PIECES))]
        return planted(pieces, plan, len(sample.targets), sample.covariates is not None)


def assert_same_bits(model, other) -> None:
    assert model.objective_ == other.objective_
    assert model.coef_.tobytes() == other.coef_.tobytes()
    for one, two in zip(model.graphlets_, other.graphlets_, strict=True):
        assert one.labels == two.labels
        assert one.attributes.tobytes() == two.attributes.tobytes()


@pytest.mark.parametrize("n_workers", [1, 2, 3, 7])
def test_any_number_of_workers_gives_the_same_bits(n_workers):
    graphs = random_set(30, seed=1)
    y = targets(graphs, SquaredHinge(), 1)
    expected = LagraClassifier(engine=ShardedEngine(N_PIECES), **OPTIONS).fit(graphs, y)
    found = LagraClassifier(engine=FrailEngine(n_workers), **OPTIONS).fit(graphs, y)
    assert expected.graphlets_
    assert_same_bits(found, expected)


@pytest.mark.parametrize(
    "options",
    [{}, {"solver": "paper", "max_epochs": 6}, {"covariates": "size", "starts": 2}],
    ids=repr,
)
def test_workers_that_die_at_random_change_no_bit(options):
    graphs = random_set(30, seed=2)
    y = targets(graphs, SquaredHinge(), 2)
    validation = (graphs[:12], y[:12])
    options = {**OPTIONS, **options}
    expected = LagraClassifier(engine=ShardedEngine(N_PIECES), **options)
    expected.fit(graphs, y, validation=validation)
    engine = FrailEngine(2, share=0.05)
    found = LagraClassifier(engine=engine, **options).fit(graphs, y, validation=validation)
    assert engine.crews[0].traffic.replaced > 5
    assert_same_bits(found, expected)


def test_counts_survive_workers_that_die():
    graphs = random_set(30, seed=3)
    y = targets(graphs, Squared(), 3)
    expected = LagraRegressor(engine=ShardedEngine(N_PIECES), **OPTIONS).fit(graphs, y)
    found = LagraRegressor(engine=FrailEngine(3, share=0.05), **OPTIONS).fit(graphs, y)
    assert expected.graphlets_
    assert_same_bits(found, expected)


def test_a_path_takes_few_rounds_per_lambda():
    """Making objects costs no round, and a search asks at once for what the last one visited."""
    graphs = random_set(40, seed=4)
    engine = FrailEngine(2)
    model = LagraClassifier(engine=engine, maxpat=4, lambda_ratio=0.2, n_lambdas=8)
    model.fit(graphs, targets(graphs, SquaredHinge(), 4))
    n_epochs = sum(point.n_epochs for point in model.path_)
    assert engine.crews[0].traffic.rounds < 30 * n_epochs


def test_workers_forget_what_nobody_holds():
    link = FrailLink(1)
    crew = Crew(link)
    root = crew.made(0, as_it_is, ("abc",))
    assert crew.ask([root], "upper", [()]) == ["ABC"]
    assert len(link.workers[0]._objects) == 1
    other = crew.made(0, as_it_is, ("x",))
    del root
    gc.collect()
    assert crew.ask([other], "upper", [()]) == ["X"]
    assert list(link.workers[0]._objects.values()) == ["x"]


class Chain:
    """An object whose moves are made elsewhere."""

    alive = 0

    def __init__(self, steps: tuple[int, ...] = ()) -> None:
        self.steps = steps

    def moved(self, step: int) -> Chain:
        return Chain((*self.steps, step))

    def value(self) -> tuple[int, ...]:
        return self.steps

    def gradient(self) -> int:
        return len(self.steps)


def test_what_is_made_again_on_the_way_is_dropped_after_its_last_use():
    link = FrailLink(1)
    crew = Crew(link)
    here = crew.made(0, Chain, ())
    for step in range(50):
        [here] = crew.ask([here], "moved", [(step,)])
        crew.ask([here], "value", [()])
    link.workers[0] = Worker()  # gone, and nobody noticed
    crew._present[0].clear()
    assert crew.ask([here], "value", [()]) == [tuple(range(50))]
    assert len(link.workers[0]._objects) == 1


def test_what_comes_early_is_not_asked_for_again():
    crew = Crew(FrailLink(1))
    here = crew.made(0, Chain, ((1, 2),))
    assert crew.ask([here], "value", [()]) == [(1, 2)]
    rounds = crew.traffic.rounds
    assert crew.ask([here], "gradient", [()]) == [2]
    assert crew.traffic.rounds == rounds


class Fussy:
    def complain(self, error: Exception) -> None:
        raise error


class UnsendableError(Exception):
    def __reduce__(self):
        raise TypeError("not through a pipe")


def test_errors_of_workers_are_raised_by_the_driver():
    crew = Crew(FrailLink(1))
    here = crew.made(0, Fussy, ())
    with pytest.raises(BudgetError, match="too much"):
        crew.ask([here], "complain", [(BudgetError("too much"),)])
    worker = Worker()
    worker._objects[0] = Fussy()
    worker._objects[1] = UnsendableError("in words")
    reply = pickle.loads(worker.run(pickle.dumps([[Ask(0, "complain", (Ref(1),))]])))
    assert str(reply.answers[0].error) == "in words"


def test_the_budget_of_a_search_holds_for_workers_that_died():
    graphs = random_set(30, seed=5)
    y = targets(graphs, SquaredHinge(), 5)
    options = {**OPTIONS, "max_work": 6_000, "maxpat": 4}
    models = []
    for engine in (FrailEngine(2), FrailEngine(2, share=0.03)):
        model = LagraClassifier(engine=engine, **options)
        with pytest.warns(RuntimeWarning, match="the search needs more than"):
            models.append(model.fit(graphs, y))
    assert models[1].maxpat_ == models[0].maxpat_
    assert [p.work for p in models[1].path_] == [p.work for p in models[0].path_]
    np.testing.assert_array_equal(models[1].coef_, models[0].coef_)
