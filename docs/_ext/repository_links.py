"""Links from a page to files of the repository outside of docs: shown as the name of the file.

On a code host such links work as they are; a site has no such files, so it says where they lie.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import download_reference, pending_xref
from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]


def outside(source: Path, target: str) -> Path | None:
    """Return the file of the repository that a link names, if it is not one of the site."""
    path = (source.parent / target.partition("#")[0]).resolve()
    if not path.is_file() and path.with_name(f"{path.name}.md").is_file():
        path = path.with_name(f"{path.name}.md")  # the parser takes the ending off
    if not path.exists() or not path.is_relative_to(ROOT):
        return None
    return None if path.is_relative_to(ROOT / "docs") else path


def show_as_names(app: Sphinx, doctree: nodes.document) -> None:
    """Replace links to files outside of the site by the text and the file's place."""
    source = Path(doctree["source"])
    for node in list(doctree.findall(pending_xref)) + list(doctree.findall(download_reference)):
        path = outside(source, f"{app.srcdir}/{node.get('reftarget', '')}")
        path = path or outside(source, node.get("reftarget", ""))
        if path is None:
            continue
        name = path.relative_to(ROOT).as_posix()
        text = node.astext()
        shown = [nodes.Text(text)] if text != name else []
        place = nodes.literal(name, name)
        parts = [*shown, nodes.Text(" ("), place, nodes.Text(")")] if shown else [place]
        node.replace_self(nodes.inline("", "", *parts))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("doctree-read", show_as_names, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
