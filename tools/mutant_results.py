"""What became of mutants: kept as it comes, so that a run can be ended and continued."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

from quality_page import interval, origin

#: What becomes of a mutant; those killed later were noticed only after they had survived once, and
#: those that are unsettled were tried with some quick tests only.
OUTCOMES = ("killed", "killed later", "survived", "unsettled", "not reached", "not tried")


class Results:
    """What became of each mutant, by file and source."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}

    def add(self, key: str, outcome: str) -> None:
        """Keep what became of a mutant; that it survived once is not forgotten."""
        again = outcome == "killed" and self.of(key) in ("killed later", "survived", "not reached")
        self.known[key] = "killed later" if again else outcome
        partial = self.path.with_suffix(".partial")
        partial.write_text(json.dumps(self.known, indent=0))
        partial.replace(self.path)

    def of(self, key: str) -> str:
        """Return what became of a mutant."""
        return self.known.get(key, "not tried")

    def waits(self, key: str, again: bool, quick: bool = False) -> bool:
        """Whether a mutant is still to be tried, or to be tried again."""
        waiting = ["not tried"] if quick else ["not tried", "unsettled"]
        return self.of(key) in waiting + (["survived", "not reached", "unsettled"] if again else [])


def key_of(name: str, source: str) -> str:
    """Name a mutant by its file and its whole source: other code is another mutant."""
    return f"{name} {sha256(source.encode()).hexdigest()[:16]}"


def summary(outcomes: list[str], seed: int, files: list[Path]) -> str:
    """Say how many mutants of files were noticed, out of how many, and how sure that is."""
    n = len(outcomes)
    tried = n - outcomes.count("not tried")
    if not tried:
        return "Not measured yet."
    first = outcomes.count("killed")
    now = first + outcomes.count("killed later")
    unsettled = outcomes.count("unsettled")
    drawn, sure = f"All {n} mutants were tried", ""
    if tried < n:
        low, high = interval(first, tried)
        sure = f" (95 % interval for all mutants: {low:.1f} to {high:.1f} %)"
        drawn = f"A sample: {tried} of {n} mutants, drawn at random with seed {seed}, were tried"
    return (
        f"{drawn} ({origin(*files)}). When first tried {first} were noticed: "
        f"{100 * first / tried:.1f} %{sure}. With the tests that were then added for survivors, "
        f"{now} of these are: {100 * now / tried:.1f} %."
        + (
            f" For {unsettled} that are counted as not noticed only the quickest tests were run; "
            "others may notice them, so that this share is a lower bound."
            if unsettled
            else ""
        )
    )


def is_enough(outcomes: list[str], asked: float) -> bool:
    """Whether this share, in percent, of the mutants that were tried was noticed."""
    killed = outcomes.count("killed") + outcomes.count("killed later")
    return 100 * killed >= asked * (len(outcomes) - outcomes.count("not tried"))
