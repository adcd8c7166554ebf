"""Write the molecules inside the package: `python tools/make_demo.py FOLDER` (it needs RDKit).

FOLDER holds BBBP/BBBP.csv, FreeSolv/SAMPL.csv and Tox21/tox21.csv, as MoleculeNet has them.
Molecules are chosen by what they are, in the order of a hash of their SMILES, without a model. What
is kept, from where, and under which terms is written in src/aglets/datasets/DATA.md.
"""

from __future__ import annotations

import csv
import hashlib
import io
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from rdkit import Chem, rdBase

from aglets import GraphSet

TARGET = Path(__file__).parents[1] / "src" / "aglets" / "datasets"
PER_CLASS = 200
LARGEST = 30
RAREST = 10
N_TOXIC = 500
LARGEST_TOXIC = 25
NUCLEAR_AND_STRESS = ("NR-", "SR-")


def main() -> None:
    """Write all three files."""
    folder = Path(sys.argv[1])
    with rdBase.BlockLogs():
        write_barrier(folder / "BBBP" / "BBBP.csv")
        write_hydration(folder / "FreeSolv" / "SAMPL.csv")
        write_toxicity(folder / "Tox21" / "tox21.csv")


def write_barrier(path: Path) -> None:
    """Keep as many molecules that cross the blood-brain barrier as others, as graphs."""
    found: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for row in rows_of(path):
        mol = Chem.MolFromSmiles(row["smiles"])
        if mol is not None and "." not in row["smiles"] and mol.GetNumAtoms() <= LARGEST:
            flat = Chem.MolToSmiles(mol, isomericSmiles=False)
            found[flat].setdefault(row["BBBP"], Chem.MolToSmiles(mol))
    # Where stereoisomers or entries differ in their class, nobody knows which is right.
    agreed = [next(iter(by.items())) for by in found.values() if len(by) == 1]
    classes = {smiles: crosses for crosses, smiles in agreed}
    classes = without_rare_atoms(classes)
    order = by_hash(classes)
    kept = [s for c in "01" for s in [s for s in order if classes[s] == c][:PER_CLASS]]
    kept = by_hash(kept, "order")
    graphs = GraphSet.from_smiles(kept)
    file = TARGET / "demo.npz"
    np.savez_compressed(
        file,
        smiles=np.array(kept),
        crosses=np.array([classes[smiles] == "1" for smiles in kept]),
        **columns_of(graphs),
        recipe=np.array(graphs.recipe),
    )
    print(f"{len(classes)} molecules, {len(kept)} kept; {file.name}: {file.stat().st_size} bytes")


def columns_of(graphs: GraphSet) -> dict[str, np.ndarray]:
    """List the columns that `load_demo` and `load_acids` read, in small types."""
    return {
        "node_offsets": graphs.node_offsets.astype(np.int16),
        "labels": graphs.labels.astype(np.int8),
        "vocabulary": np.array(graphs.vocabulary),
        "attributes": graphs.attributes,
        "attribute_names": np.array(graphs.attribute_names),
        "edge_offsets": graphs.edge_offsets.astype(np.int16),
        "edges": graphs.edges.astype(np.int8),
        "edge_labels": graphs.edge_labels.astype(np.int8),
        "edge_vocabulary": np.array(graphs.edge_vocabulary),
    }


def without_rare_atoms(molecules: dict[str, Any]) -> dict[str, Any]:
    """Drop molecules with a kind of atom that is in fewer than ten of them."""
    kinds = {s: {kind(atom) for atom in Chem.MolFromSmiles(s).GetAtoms()} for s in molecules}
    counts = Counter(one for of_one in kinds.values() for one in of_one)
    return {s: v for s, v in molecules.items() if min(counts[one] for one in kinds[s]) >= RAREST}


def kind(atom: Chem.Atom) -> tuple[str, int, bool]:
    """Say what `GraphSet.from_smiles` makes a label of."""
    return atom.GetSymbol(), atom.GetFormalCharge(), atom.GetIsAromatic()


def write_hydration(path: Path) -> None:
    """Keep all molecules with their name and measured hydration free energy."""
    rows = [(r["iupac"], r["smiles"], r["expt"]) for r in rows_of(path)]
    write_table("hydration.csv", ("name", "smiles", "kcal_per_mol"), rows)


def write_toxicity(path: Path) -> None:
    """Keep small molecules that most assays have tested, half of them active in one or more."""
    rows: dict[str, list[str]] = {}
    for row in rows_of(path):
        assays = [name for name in row if name.startswith(NUCLEAR_AND_STRESS)]
        mol = Chem.MolFromSmiles(row["smiles"])
        small = mol is not None and 5 <= mol.GetNumAtoms() <= LARGEST_TOXIC
        tested = sum(row[name] != "" for name in assays)
        if small and "." not in row["smiles"] and tested >= 10:
            rows[row["smiles"]] = [row["mol_id"], row["smiles"], *(row[name] for name in assays)]
    rows = without_rare_atoms(rows)
    order = by_hash(rows)
    active = [s for s in order if "1" in rows[s][2:]][: N_TOXIC // 2]
    others = [s for s in order if "1" not in rows[s][2:]][: N_TOXIC // 2]
    kept = by_hash([*active, *others], "order")
    write_table("toxicity.csv", ("id", "smiles", *assays), [rows[s] for s in kept])


def write_table(name: str, header: tuple[str, ...], rows: Iterable[Iterable[str]]) -> None:
    """Write a table with plain line ends."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    (TARGET / name).write_text(text.getvalue(), encoding="utf-8", newline="\n")
    print(f"{name}: {(TARGET / name).stat().st_size} bytes")


def rows_of(path: Path) -> Iterable[dict[str, str]]:
    """Read a table as it lies in the collection."""
    with path.open(newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def by_hash(smiles: Iterable[str], purpose: str = "choice") -> list[str]:
    """Order molecules in a way that has nothing to do with them, another one for each purpose."""
    return sorted(smiles, key=lambda text: hashlib.sha256((purpose + text).encode()).hexdigest())


if __name__ == "__main__":
    main()
