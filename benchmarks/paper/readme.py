"""The few numbers of README.md and paper/paper.md, written there by ``python -m paper.page``."""

from __future__ import annotations

from pathlib import Path

from _common import table

from .tables import NAMES, Results

#: Sets of molecules and proteins with few duplicates, and one method of each kind.
SETS = ("BZR", "COX2", "DHFR", "PROTEINS")
METHODS = (
    *("lagra-default", "lagra-best", "statistics-forest", "statistics-ebm"),
    *("wl-oa-svm", "wl-svm", "gin"),
)
BEGIN, END = "<!-- numbers: begin -->", "<!-- numbers: end -->"


def numbers(results: Results) -> str:
    """Make the table of means and standard deviations, the best mean of a set in bold."""
    found = {(method, name): results.accuracy(method, name) for method in METHODS for name in SETS}
    means = {key: values.mean() for key, values in found.items() if len(values)}

    def cell(method: str, name: str) -> str:
        if (method, name) not in means:
            return "-"
        text = f"{means[method, name]:.3f} ± {found[method, name].std():.3f}"
        best = max(mean for (_, other), mean in means.items() if other == name)
        return f"**{text}**" if means[method, name] == best else text

    rows = [[NAMES[method], *(cell(method, name) for name in SETS)] for method in METHODS]
    return table(["", *SETS], rows)


def write(results: Results, page: Path) -> None:
    """Put the table where its marks are."""
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    whole = f"{before}{BEGIN}\n{numbers(results)}\n{END}{after}"
    page.write_text(whole, encoding="utf-8")
