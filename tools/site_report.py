"""Write the report on the landing page of the site: ``python tools/site_report.py FILE``."""

from __future__ import annotations

import sys
from pathlib import Path

from aglets import LagraClassifier, datasets, report


def main() -> None:
    """Fit 300 molecules of the package with a model short enough to read; report on the others."""
    page = Path(sys.argv[1])
    page.parent.mkdir(parents=True, exist_ok=True)
    graphs, y = datasets.load_demo()
    clf = LagraClassifier(maxpat=4, lambda_ratio=0.1).fit(graphs[:300], y[:300])
    title = "Which molecules cross the blood-brain barrier?"
    report.write(clf, graphs[300:], y[300:], page, title=title)


if __name__ == "__main__":
    main()
