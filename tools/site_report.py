"""Write the report on the landing page of the site: ``python tools/site_report.py FILE``."""

from __future__ import annotations

import sys
from pathlib import Path

from aglets import LagraClassifierCV, datasets, report


def main() -> None:
    """Fit the molecules of the package on two thirds of them and report on the rest."""
    page = Path(sys.argv[1])
    page.parent.mkdir(parents=True, exist_ok=True)
    graphs, y = datasets.load_demo()
    clf = LagraClassifierCV(random_state=0).fit(graphs[100:], y[100:])
    report.write(clf, graphs[:100], y[:100], page, title="Molecules of the demo")


if __name__ == "__main__":
    main()
