"""What is fuzzed: every reader of files, on any bytes.

A target takes bytes and a folder, writes files there and reads them. It returns, or it raises
`NotOursError`: an exception that is not one of our sentences, or one that does not name the file.
`tools/fuzz.py` drives targets with atheris; `test_corpus.py` replays what is in `corpus/`.

Formats of several files are one text of sections: a line ``%%%% NAME`` begins the file NAME.
"""

from __future__ import annotations

import linecache
import warnings
import zipfile
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

import aglets
from aglets import GraphSet
from aglets.datasets._unpacking import unpack
from aglets.io.files import ReadOptions
from aglets.io.stream import batches, graphs_of
from aglets.io.tu import read_tu
from aglets.model.file import load
from aglets.training.checkpoint import read_growth, read_paths, read_resumes

SOURCE = str(Path(aglets.__file__).parent)
MARK = b"%%%% "


class NotOursError(Exception):
    """A foreign exception, or a sentence without the name of the file."""


@contextmanager
def refusing(name: str):
    """Let our own sentences about this file pass, and turn all else into `NotOursError`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (ValueError, TypeError) as error:
        if name not in str(error):
            raise NotOursError(f"does not name {name}: {error!r}") from error
        if "\n" in str(error):
            raise NotOursError(f"more than one line: {error!r}") from error
        inner = error
        while str(inner).startswith(f"In {name}:") and inner.__cause__ is not None:
            inner = inner.__cause__
        if not _raised_by_us(inner):
            raise NotOursError(f"from elsewhere: {inner!r}") from error
    except Exception as error:
        raise NotOursError(repr(error)) from error


def _raised_by_us(error: BaseException) -> bool:
    """Whether a line of ours says ``raise``, rather than that something broke there."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    file = trace.tb_frame.f_code.co_filename
    return "aglets" in file and "raise" in linecache.getline(file, trace.tb_lineno)


def sections(data: bytes) -> dict[str, bytes]:
    """Split the bytes into files by their marks; names are kept harmless."""
    found: dict[str, bytes] = {}
    for part in (b"\n" + data).removesuffix(b"\n").split(b"\n" + MARK)[1:]:
        name, _, content = part.partition(b"\n")
        text = "".join(c for c in name.decode("latin-1") if c.isalnum() or c in "_.-")
        found[text[:60] or "x"] = content
    return found


def joined(files: dict[str, bytes]) -> bytes:
    """The bytes that `sections` splits into these files."""
    parts = [MARK + name.encode() + b"\n" + content for name, content in files.items()]
    return b"".join(part + b"\n" for part in parts)


def _file(data: bytes, folder: Path, name: str) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def _zip(files: dict[str, bytes], path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return path


def fuzz_gspan(data: bytes, folder: Path) -> None:
    path = _file(data, folder, "fuzz.gspan")
    for target in (False, True):
        with refusing("fuzz.gspan"):
            GraphSet.from_gspan(path, target=target)


def fuzz_json(data: bytes, folder: Path) -> None:
    path = _file(data, folder, "fuzz.json")
    for options in ({}, {"target": "y"}, {"attributes": ["a"], "edge_label": "label"}):
        with refusing("fuzz.json"):
            GraphSet.from_json(path, **options)


def fuzz_jsonl(data: bytes, folder: Path) -> None:
    path = _file(data, folder, "fuzz.jsonl")
    with refusing("fuzz.jsonl"):
        GraphSet.from_json(path)
    _stream(path, "jsonl")


def fuzz_table(data: bytes, folder: Path) -> None:
    path = _file(data, folder, "fuzz.csv")
    with refusing("fuzz.csv"):
        GraphSet.from_table(path, target="y", errors="skip")
    _stream(path, "csv")


def fuzz_gz(data: bytes, folder: Path) -> None:
    for name, kind in (("fuzz.csv.gz", "csv"), ("fuzz.smi.gz", "smi"), ("fuzz.sdf.gz", "sdf")):
        _stream(_file(data, folder, name), kind)


def fuzz_smiles(data: bytes, folder: Path) -> None:
    path = _file(data, folder, "fuzz.smi")
    with refusing("fuzz.smi"):
        GraphSet.from_smiles(path, errors="skip")


def fuzz_sdf(data: bytes, folder: Path) -> None:
    path = _file(data, folder, "fuzz.sdf")
    with refusing("fuzz.sdf"):
        GraphSet.from_sdf(path, target="y", errors="skip")
    _stream(path, "sdf")


def _stream(path: Path, kind: str) -> None:
    with refusing(path.name):
        for rows in batches(path, ReadOptions(format=kind), size=10):
            graphs_of(rows, kind, None)


def fuzz_tu(data: bytes, folder: Path) -> None:
    place = folder / "FUZZ"
    place.mkdir(exist_ok=True)
    for old in place.iterdir():
        old.unlink()
    for name, content in sections(data).items():
        _file(content, place, f"FUZZ_{name}")
    for options in ({}, {"edge_labels": True, "edge_attributes": True}):
        with refusing("FUZZ"):
            read_tu(place, **options)


def fuzz_archive(data: bytes, folder: Path) -> None:
    aside, target = folder / "aside", folder / "FUZZ-unpacked"
    for old in (aside, target):
        _remove(old)
    aside.mkdir()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            unpack(_file(data, aside, "FUZZ.zip"), "FUZZ", target)
    except ValueError as error:
        if not _raised_by_us(error):
            raise NotOursError(repr(error)) from error
        assert not target.exists(), "a refused archive left files behind"
    except Exception as error:
        raise NotOursError(repr(error)) from error


def _remove(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    if folder.exists():
        folder.rmdir()


GRAPHS = GraphSet.from_lists(
    labels=[["C", "N", "O"], ["C"], []],
    edges=[[(0, 1), (1, 2)], [], []],
    attributes=[[[0.5, 1.0], [1.0, 2.0], [0.0, 0.0]], [[0.5, 0.5]], []],
    edge_labels=[["-", "="], [], []],
)


def fuzz_model_bytes(data: bytes, folder: Path) -> None:
    path = _file(data, folder, "fuzz.aglets")
    with refusing("fuzz.aglets"):
        load(path, max_bytes=2**22)


def fuzz_model(data: bytes, folder: Path) -> None:
    """The members of a model file; what can be loaded must be of use, and survive its file."""
    path = _zip(sections(data), folder / "fuzz.aglets")
    model = None
    with refusing("fuzz.aglets"):
        model = load(path, max_bytes=2**22)
    if model is None:
        return
    model.save(folder / "again.aglets")
    again = load(folder / "again.aglets")
    repr(again)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.predict(GRAPHS)
    except (ValueError, TypeError) as error:  # graphs that the model is not for
        if not _raised_by_us(error):
            raise NotOursError(repr(error)) from error


def fuzz_checkpoint_bytes(data: bytes, folder: Path) -> None:
    path = _file(data, folder, "fuzz.npz")
    for read in (read_paths, read_resumes, read_growth):
        with refusing("fuzz.npz"):
            read(path)


def fuzz_checkpoint(data: bytes, folder: Path) -> None:
    """The members of a file of a checkpoint."""
    path = _zip(sections(data), folder / "fuzz.npz")
    for read in (read_paths, read_resumes, read_growth):
        with refusing("fuzz.npz"):
            read(path)


TARGETS: dict[str, Callable[[bytes, Path], None]] = {
    name.removeprefix("fuzz_"): target
    for name, target in list(globals().items())
    if name.startswith("fuzz_")
}
