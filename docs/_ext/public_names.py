"""The directive ``public-names``: documentation of every public name of a module.

A name that is added to ``__all__`` appears on the site by itself.
"""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

#: What scikit-learn adds to every estimator; its own pages explain it.
FOREIGN = (
    "fit_transform get_metadata_routing get_params set_params set_output set_fit_request "
    "set_predict_request set_predict_proba_request set_score_request set_decision_function_request "
    "set_transform_request set_partial_fit_request"
)


class PublicNames(SphinxDirective):
    """Document the names of a module, or only those given as content."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Write one autodoc directive per name and let Sphinx read them."""
        module = importlib.import_module(self.arguments[0])
        names = " ".join(self.content).split() or sorted(module.__all__, key=str.lower)
        lines: list[str] = []
        for name in names:
            thing = getattr(module, name)
            if inspect.ismodule(thing) or name.startswith("__"):
                continue
            lines += _documented(f"{self.arguments[0]}.{name}", thing)
        section = nodes.section(document=self.state.document)
        self.state.nested_parse(StringList(lines, source="public names"), 0, section)
        return section.children


def _documented(place: str, thing: Any) -> list[str]:
    if inspect.isclass(thing):
        options = [
            "   :members:",
            "   :inherited-members: tuple,dict,list,Exception",
            f"   :exclude-members: {FOREIGN.replace(' ', ', ')}",
        ]
        kind = "autoexception" if issubclass(thing, BaseException) else "autoclass"
        return [f".. {kind}:: {place}", *options, ""]
    return [f".. {'autofunction' if callable(thing) else 'autodata'}:: {place}", ""]


def escape_bars(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Let bars be bars: docstrings write |g|, which reStructuredText takes for a substitution."""
    for i, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            parts = re.split(r"(``.*?``)", line)
            lines[i] = "".join(p if p.startswith("``") else p.replace("|", r"\|") for p in parts)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_directive("public-names", PublicNames)
    app.connect("autodoc-process-docstring", escape_bars, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
