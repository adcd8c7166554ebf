"""Keep code shown in docs/develop in step with the source it comes from.

A page names a piece of source in a comment, ``<!-- code: FILE NAME -->``, above a fenced block.
``python tools/include_code.py`` puts the source of that class or function into the block;
``--check`` changes nothing, and ends with 1 if a block is not up to date.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "develop"
BLOCK = re.compile(r"(<!-- code: (\S+) (\S+) -->\n)(?:```\w*\n.*?\n```\n)?", re.DOTALL)


def source_of(path: Path, name: str) -> str:
    """Return the source of a class, function or method by its dotted name, with its decorators."""
    text = path.read_text(encoding="utf-8")
    lines = cpp_lines(text, name) if path.suffix in (".cpp", ".hpp") else python_lines(text, name)
    if not lines:
        raise ValueError(f"{path} has no {name}.")
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[indent:] for line in lines)


def python_lines(text: str, name: str) -> list[str]:
    """Find a Python definition by its dotted name."""
    node: ast.AST = ast.parse(text)
    for part in name.split("."):
        inner = {_called(child): child for child in ast.iter_child_nodes(node)}
        if part not in inner:
            return []
        node = inner[part]
    above = [one.lineno for one in getattr(node, "decorator_list", [])]
    first = min([node.lineno, *above])  # type: ignore[attr-defined]
    return text.splitlines()[first - 1 : node.end_lineno]  # type: ignore[attr-defined]


def _called(node: ast.AST) -> str:
    """Return the name of a definition, or of the function that a statement calls."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return getattr(node.value.func, "id", "")
    return getattr(node, "name", "")


def cpp_lines(text: str, name: str) -> list[str]:
    """Find a C++ function or struct: from the comment above it to the brace that closes it."""
    lines = text.splitlines()
    start = re.compile(rf"^( *)(?!//)(?!return ).*\b{re.escape(name)}\b[^;]*$")
    for i, line in enumerate(lines):
        found = start.match(line)
        if not found:
            continue
        end = next(k for k in range(i, len(lines)) if re.match(rf"{found[1]}\}}", lines[k]))
        while i > 0 and lines[i - 1].lstrip().startswith("//"):
            i -= 1
        return lines[i : end + 1]
    return []


def filled(page: str) -> str:
    """Return a page with every block made again."""

    def block(mark: re.Match[str]) -> str:
        path = ROOT / mark[2]
        language = "cpp" if path.suffix in (".cpp", ".hpp") else "python"
        return f"{mark[1]}```{language}\n{source_of(path, mark[3])}\n```\n"

    return BLOCK.sub(block, page)


def main(words: list[str]) -> int:
    """Fill or check all pages."""
    stale = []
    for path in sorted(PAGES.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        made = filled(text)
        if made != text:
            stale.append(path)
            if "--check" not in words:
                path.write_text(made, encoding="utf-8")
    if "--check" not in words:
        return 0
    for path in stale:
        print(f"{path.relative_to(ROOT)} is not up to date: run python tools/include_code.py")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
