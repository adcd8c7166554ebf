"""The check of text files and commit messages finds what it is for."""

from __future__ import annotations

import tarfile
from pathlib import Path

import check_files
import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    ("name", "data", "fault"),
    [
        ("a.txt", b"a\r\n", "carriage returns"),
        ("a.txt", b"a", "does not end with a line feed"),
        ("a.txt", b"a \n", "blanks at the end of line 1"),
        ("a.txt", b"a\n<<<<<<< HEAD\n", "conflict mark in line 2"),
        ("a.json", b"{\n", "not valid JSON"),
        ("a.png", b"x" * 1_000_001, "1,000,001 bytes"),
    ],
)
def test_a_faulty_file_is_found(tmp_path, name, data, fault):
    path = tmp_path / name
    path.write_bytes(data)
    assert any(fault in found for found in check_files.faults(path))


def test_good_files_have_no_faults(tmp_path):
    for name, data in {"a.txt": b"a\n\nb\n", "empty.py": b"", "a.json": b"[1]\n"}.items():
        (tmp_path / name).write_bytes(data)
        assert check_files.faults(tmp_path / name) == []


def test_a_subject_may_have_72_characters():
    assert check_files.message_faults("x" * 72 + "\n\nmore") == []
    assert "73 characters" in check_files.message_faults("x" * 73)[0]
    assert check_files.message_faults("\n") == ["has no subject"]


def test_the_source_archive_has_no_records_of_benchmarks(tmp_path, monkeypatch):
    build = pytest.importorskip("scikit_build_core.build")
    monkeypatch.chdir(ROOT)
    with tarfile.open(tmp_path / build.build_sdist(str(tmp_path))) as archive:
        names = [name.split("/", 1)[-1] for name in archive.getnames()]
    assert "src/aglets/__init__.py" in names
    assert "benchmarks/same_models.py" in names
    assert not [name for name in names if name.startswith("benchmarks/") and "/results/" in name]
