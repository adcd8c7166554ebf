"""Find words that readers stumble over, and names that were replaced: one word per thing.

``python tools/check_words.py`` prints a line per finding, ``--list`` what it looks for. Phrases are
looked for in all text of the tree (names, docstrings, comments, messages, docs, page of the
report); old names among the identifiers of Python and C++.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACES = ("src", "docs", "cpp", "bindings", "benchmarks", "examples", "tools", "tests", ".")
SUFFIXES = {".py", ".md", ".js", ".html", ".css", ".hpp", ".cpp", ".pyi"}
#: These files list the words, or are data.
LEFT_OUT = ("tools/check_words.py", "tests/test_words.py", "tests/corpus", "src/aglets/_core.pyi")
RECORDS = re.compile(r"benchmarks/(\w+/)?results/")


@dataclass(frozen=True)
class Phrase:
    """A pattern, and what to write instead."""

    pattern: str
    instead: str


@dataclass(frozen=True)
class Finding:
    """A place in a file where a phrase or an old name stands."""

    path: str
    line: int
    text: str
    instead: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text!r}; write {self.instead}"


#: What may stay, by file, with the reason.
ALLOWED = {
    ("benchmarks/accuracy/ideas.py", "beside"): "the name of a kept record",
    ("CHANGELOG.md", "speaks for"): "says what the old name was",
    ("CHANGELOG.md", "least"): "says what the old name was",
}

#: `_` counts as a blank, so that a name is read like a phrase.
PHRASES = (
    Phrase(r"\b(un)?told\b", "classified, reported, given, known"),
    Phrase(r"\btell(s|ing)?\b", "distinguish, predict, say, show, describe"),
    Phrase(r"\banew\b|\bagain and again\b", "again, repeatedly"),
    Phrase(r"(?<!there )(?<!There )\b(is|are|was|were) no (?!longer|more)", "is not a"),
    Phrase(
        r"\b(nodes?|edges?|graphs?|graphlets?|bytes|products|ms|seconds?|one|thread|times|SMILES)"
        r" an? (graph|node|line|file|second|process|step|row|label|split|class|fold|edge|set)\b",
        "per",
    ),
    Phrase(r"\bto hand (it )?on\b", "to share"),
    Phrase(r"\bowed to\b|\blies? above\b|\bin vain\b|\blife is not like that\b", "the plain thing"),
    Phrase(r"\bweighti(er|est)\b", "larger weight, largest weight"),
    Phrase(r"(?<!at )(?<!At )\bleast\b", "minimum, smallest, fewest"),
    Phrase(
        r"\bmost (seconds|nodes|bytes|fits|rows|steps|rounds|vectors|work|lambdas|embeddings)\b",
        "maximum (number of)",
    ),
    Phrase(r"\bspeaks? (for|against)\b|\bspoke for\b|\ba sign of\b", "evidence for"),
    Phrase(r"\bknown(: \w+)? = \w+(\.\w+)*\.input (spec|format)\b", "input_spec"),
    Phrase(r"\bbeside\b", "next to, compared with, and"),
)

#: A function or a method called so is an old name; a variable is not.
CALLED = {"prepared", "reading"}

#: Names that were replaced; a name in C++ may be part of a file's name.
NAMES = {
    "bring": "InputSpec.to_model_units",
    "prepared": "InputSpec.to_model_units",
    "agis_prepared": "model.match",
    "Frame": "InputSpec",
    "InputFormat": "InputSpec",
    "input_format": "input_spec",
    "Columns": "CovariateDesign or ColumnScaling",
    "Fork": "Resume",
    "Forks": "BranchPoints",
    "Here": "Resume",
    "LastStop": "StoredState",
    "Begun": "Resume",
    "KeptState": "StoredState",
    "Watch": "FitCallback",
    "pause": "snapshot",
    "Stops": "PathModels",
    "judging": "standard_error",
    "watching": "progress",
    "reading": "sources",
    "_globally": "_global",
    "_locally": "_local",
    "sites": "embedding",
    "site": "embedding",
    "bank_calls": "batch_matching",
    "budgets": "limits",
    "hang_on": "root_at",
    "go_on": "branch",
    "tops_arena": "is_arena_root",
    "FloatArray": "Floats",
}


def files() -> Iterator[Path]:
    """Yield all files to look at."""
    seen = set()
    for place in PLACES:
        found = (ROOT / place).glob("*.md") if place == "." else (ROOT / place).rglob("*")
        for path in sorted(found):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix in SUFFIXES and path.is_file() and path not in seen:
                seen.add(path)
                if not name.startswith(LEFT_OUT) and not RECORDS.match(name):
                    yield path


def phrases_in(text: str, path: str = "") -> list[Finding]:
    """Find phrases, also where a line ends within one."""
    # Blanks keep their number, so that a place in one text is the same place in the other.
    flat = re.sub(r"\n[ #/*]*", lambda gap: " " + "\0" * (len(gap[0]) - 1), text)
    plain = re.sub(r"_", " ", flat)
    at = [i for i, sign in enumerate(plain) if sign != "\0"]
    plain = plain.replace("\0", "")
    return [
        Finding(path, text.count("\n", 0, at[hit.start()]) + 1, hit[0], phrase.instead)
        for phrase in PHRASES
        for hit in re.finditer(phrase.pattern, plain, flags=re.IGNORECASE)
        if (path, hit[0]) not in ALLOWED
    ]


def python_names(text: str) -> Iterator[tuple[str, int]]:
    """Yield every identifier of a Python file that it defines or passes, with its line."""
    for node in ast.walk(ast.parse(text)):
        line = getattr(node, "lineno", 0)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name, line
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func.attr, line
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield from [(node.id, line)] if node.id not in CALLED else []
        elif isinstance(node, ast.Attribute):
            yield from [(node.attr, line)] if node.attr not in CALLED else []
        elif isinstance(node, (ast.arg, ast.keyword)) and node.arg:
            yield from [(node.arg, line)] if node.arg not in CALLED else []


def names_in(text: str, path: str) -> list[Finding]:
    """Find names that were replaced, and files called so."""
    stem = Path(path).stem
    found = [(stem, 1)] if stem in NAMES else []
    if path.endswith(".py"):
        found += [(name, line) for name, line in python_names(text) if name in NAMES]
    elif path.endswith((".cpp", ".hpp")):
        found += [
            (hit[0], text.count("\n", 0, hit.start()) + 1)
            for hit in re.finditer(r"\b[A-Za-z_]+\b", _without_comments(text))
            if hit[0] in NAMES
        ]
    return [Finding(path, line, name, NAMES[name]) for name, line in found]


def _without_comments(text: str) -> str:
    """Blank out comments of C++, so that all else keeps its place."""
    return re.sub(r"//.*", lambda comment: " " * len(comment[0]), text)


def findings() -> list[Finding]:
    """Look through the whole tree."""
    found = []
    for path in files():
        name, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        found += phrases_in(text, name)
        if name.startswith(("src/", "cpp/", "bindings/")):
            found += names_in(text, name)
    return found


def main(words: list[str]) -> int:
    """Print what is looked for, or what is found."""
    if "--list" in words:
        for phrase in PHRASES:
            print(f"{phrase.pattern}: write {phrase.instead}")
        for name, instead in NAMES.items():
            print(f"{name}: is {instead} now")
        return 0
    found = [one for one in findings() if not words or one.path.startswith(tuple(words))]
    for one in found:
        print(one)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
