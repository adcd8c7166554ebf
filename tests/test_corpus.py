"""Files that fuzzers started from, and those that they found: all are read, or refused properly."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz_targets import TARGETS, NotOursError, joined, refusing, sections

CORPUS = Path(__file__).parent / "corpus"
CASES = [(name, path) for name in TARGETS for path in sorted((CORPUS / name).iterdir())]


@pytest.mark.parametrize(("target", "path"), CASES, ids=lambda part: getattr(part, "name", part))
def test_every_file_of_the_corpus_is_read_or_refused_in_one_sentence(target, path, tmp_path):
    TARGETS[target](path.read_bytes(), tmp_path)


def test_every_target_has_a_seed_that_is_small():
    assert {name for name, _ in CASES} == set(TARGETS)
    assert all(path.stat().st_size < 20_000 for _, path in CASES)


def test_sections_come_back():
    files = {"A.txt": b"1, 2\n", "x.npy": b"\x93NUMPY\n\n", "empty": b""}
    assert sections(joined(files)) == files
    assert sections(b"no mark") == {}


def test_a_foreign_exception_is_noticed():
    for action in (lambda: [][0], lambda: int("x"), lambda: len(3)):
        with pytest.raises(NotOursError), refusing("a.txt"):
            action()
