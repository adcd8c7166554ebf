"""Write the seeds of the fuzzers, small files of every format, to tests/corpus."""

from __future__ import annotations

import gzip
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from fuzz_targets import joined  # noqa: E402

from aglets import GraphSet, LagraClassifier, LagraClassifierCV  # noqa: E402
from aglets.training.checkpoint import Checkpoint  # noqa: E402
from aglets.training.fitting import Task  # noqa: E402
from aglets.training.path import PathPoint  # noqa: E402

MOLECULE = """one
     RDKit          2D

  2  1  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 C   0  0
    1.2990    0.7500    0.0000 O   0  0
  1  2  1  0
M  END
>  <y>
1

$$$$
"""


def small_set() -> GraphSet:
    """Twelve graphs with everything: attributes, names, labels and attributes of edges."""
    rng = np.random.default_rng(0)
    return GraphSet.from_lists(
        labels=[["C", "N", "O"], ["C", "O"]] * 6,
        edges=[[(0, 1), (1, 2)], [(0, 1)]] * 6,
        attributes=[rng.normal(size=(3 - i % 2, 2)).round(2) for i in range(12)],
        edge_labels=[["-", "="], ["-"]] * 6,
        attribute_names=["a", "b"],
    )


def members(path: Path) -> dict[str, bytes]:
    """Read the files in a zip."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def folder_of(place: Path, prefix: str) -> dict[str, bytes]:
    """Read the files of a TU folder, without the name of the set."""
    return {path.name.removeprefix(prefix): path.read_bytes() for path in sorted(place.iterdir())}


class Parts(Checkpoint):
    """Keeps paths as they are on the way."""

    def end(self, task: Task, paths: Sequence[list[PathPoint]]) -> None:
        """Let the path stay under way."""


def files_of_a_checkpoint(folder: Path, graphs: GraphSet, y: list[int]) -> list[Path]:
    """Write a path that is finished and one that is under way."""
    estimator = LagraClassifierCV(maxpats=(2,), rhos=(1.0,), n_lambdas=3, random_state=0)
    files = []
    for kind, ending in ((Checkpoint, "*.npz"), (Parts, "*.npz.part")):
        place = folder / kind.__name__
        place.mkdir(parents=True)
        with kind(place, "0" * 64, every=0.0) as kept:
            estimator.fit(graphs, y, callback=kept)
            files.append(sorted(place.glob(ending))[0].rename(folder / ending.strip("*")))
    return files


def seeds(scratch: Path) -> dict[str, list[bytes]]:
    """Make the seeds of every target."""
    graphs, y = small_set(), [0, 1] * 6
    three = graphs[:3]
    three.to_gspan(scratch / "a.gspan", y=y[:3])
    three.to_json(scratch / "a.json", y=y[:3])
    three.to_json(scratch / "a.jsonl", y=y[:3])
    three.to_tu(scratch / "FUZZ", y[:3])
    bare = GraphSet.from_lists(labels=[[1, 2], [3]], edges=[[(0, 1)], []])
    bare.to_tu(scratch / "BARE", y[:2])
    models = []
    for options in ({}, {"covariates": "size", "covariate_penalty": 1.0, "loss": "logistic"}):
        LagraClassifier(maxpat=2, n_lambdas=3, **options).fit(graphs, y).save(scratch / "m")
        models.append((scratch / "m").read_bytes())
        models.append(joined(members(scratch / "m")))
    kept = files_of_a_checkpoint(scratch / "checkpoint", graphs, y)
    table = b'smiles,y\nCCO,1\n"CC",0.5\nc1ccccc1,\n'
    tu, plain = folder_of(scratch / "FUZZ", "FUZZ_"), folder_of(scratch / "BARE", "BARE_")
    with zipfile.ZipFile(scratch / "a.zip", "w") as archive:
        for name, content in plain.items():
            archive.writestr(f"FUZZ/FUZZ_{name}", content)
    return {
        "gspan": [(scratch / "a.gspan").read_bytes(), b"t # 0 1\nv 0 1 0.5\nt # -1\n"],
        "json": [(scratch / "a.json").read_bytes(), b'{"nodes": [{"id": 1}], "links": []}'],
        "jsonl": [(scratch / "a.jsonl").read_bytes()],
        "table": [table, b"smiles\ty\nC\tyes\n"],
        "gz": [gzip.compress(table, mtime=0)],
        "smiles": [b"CCO one\nc1ccccc1\ttwo\n# no\n[Na+].[Cl-]\n"],
        "sdf": [MOLECULE.encode()],
        "tu": [joined(tu), joined(plain)],
        "archive": [(scratch / "a.zip").read_bytes()],
        "model_bytes": models[0:1],
        "model": models[1::2],
        "checkpoint_bytes": [kept[0].read_bytes()],
        "checkpoint": [joined(members(path)) for path in kept],
    }


def main() -> None:
    """Write all seeds."""
    with tempfile.TemporaryDirectory() as scratch:
        for target, contents in seeds(Path(scratch)).items():
            folder = ROOT / "tests" / "corpus" / target
            folder.mkdir(parents=True, exist_ok=True)
            for i, content in enumerate(contents):
                (folder / f"seed-{i}").write_bytes(content)


if __name__ == "__main__":
    main()
