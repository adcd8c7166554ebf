"""Read a model file without aglets, and predict with it: ``python read_model.py MODEL``.

A reference for other languages. It covers models without counts, edge attributes and covariates.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile

import numpy as np


def read(path):
    """Return model.json and all arrays."""
    with zipfile.ZipFile(path) as archive:
        model = json.loads(archive.read("model.json"))
        names = [name for name in archive.namelist() if name.endswith(".npy")]
        load = {name[:-4]: io.BytesIO(archive.read(name)) for name in names}
    return model, {name: np.load(data, allow_pickle=False) for name, data in load.items()}


def graphlets(model, arrays):
    """Yield labels, attributes and edges, as {ends: label}, of each graphlet."""
    for j in range(model["n_graphlets"]):
        nodes = slice(*arrays["node_offsets"][j : j + 2])
        rows = slice(*arrays["edge_offsets"][j : j + 2])
        labels = [model["vocabulary"][code] for code in arrays["labels"][nodes]]
        edges = {tuple(ends): None for ends in arrays["edges"][rows].tolist()}
        if "edge_labels" in arrays:
            kinds = [model["edge_vocabulary"][code] for code in arrays["edge_labels"][rows]]
            edges = dict(zip(edges, kinds, strict=True))
        yield labels, arrays["attributes"][nodes], edges


def cost(pattern, graph, factor, chosen=()):
    """Return the smallest squared distance of all matches that begin with the nodes chosen."""
    labels, z, edges = pattern
    v = len(chosen)
    if v == len(labels):
        return float(np.sum(((z - graph["attributes"][list(chosen)]) / factor) ** 2))
    best = np.inf
    for u, label in enumerate(graph["labels"]):
        match = (*chosen, u)
        kept = all(
            graph["edges"].get(frozenset((match[a], match[b])), False) == kind
            for (a, b), kind in edges.items()
            if max(a, b) == v
        )
        if u not in chosen and label == labels[v] and kept:
            best = min(best, cost(pattern, graph, factor, match))
    return best


def decision(model, arrays, graph):
    """Compute f of a graph: its labels, attributes, and edges as {frozenset of ends: label}."""
    unknown = {"pooling", "edge_attributes", "covariate_coef"} & set(arrays)
    if unknown or len(arrays["node_factor"]) > 1:
        raise NotImplementedError("This reader does not know such models.")
    rho = model["rho"] if model["rho"] is not None else arrays["rho"]
    costs = [cost(pattern, graph, arrays["node_factor"][0]) for pattern in graphlets(model, arrays)]
    return arrays["intercept"] + arrays["coef"] @ np.exp(-rho * np.array(costs))


if __name__ == "__main__":
    model, arrays = read(sys.argv[1])
    for weight, (labels, z, edges) in zip(arrays["coef"][0], graphlets(model, arrays), strict=True):
        print(f"{weight:+.4f}  {labels}  {edges}  {z.round(2).tolist()}")
