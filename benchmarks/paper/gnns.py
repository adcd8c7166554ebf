"""Graph neural networks with PyTorch Geometric: GCN, GAT, GIN and DGCNN, on one thread.

GCN, GAT and GIN have the layout that the paper cites (You et al. 2021, GraphGym): one layer before
and three of message passing with batch normalisation, sum pooling, a head of two layers, Adam with
a cosine schedule. DGCNN has its authors' layout (Zhang et al. 2018) but a larger learning rate, for
500 epochs at theirs are not affordable here. Nodes carry their label as one-hot and attributes
standardised by the training nodes. Setting and epoch have the best validation accuracy, among
equals the lowest validation loss.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (everybody's name for it)
from _common import cpu_seconds
from torch import nn
from torch_geometric.nn import GATConv, GCNConv, GINConv, SimpleConv, global_add_pool
from torch_geometric.nn.aggr import SortAggregation

from aglets import GraphSet

from .protocol import Fitted, Ready, Split

#: Epochs: fewer for sets of many graphs, where each has more steps.
EPOCHS, EPOCHS_OF_MANY, MANY = 60, 20, 1000
WEIGHT_DECAY = 5e-4


@dataclass(frozen=True)
class Batch:
    """Some graphs as one: features, edges in both directions, and the graph of each node."""

    x: torch.Tensor
    edges: torch.Tensor
    graph: torch.Tensor
    y: torch.Tensor

    @property
    def n_graphs(self) -> int:
        return len(self.y)


class Batches:
    """Cuts batches out of a data set."""

    def __init__(self, graphs: GraphSet, y: np.ndarray, train: np.ndarray) -> None:
        labels = np.eye(len(graphs.vocabulary))[graphs.labels]
        own = np.concatenate([np.arange(*graphs.node_offsets[i : i + 2]) for i in train])
        mean, deviation = graphs.attributes[own].mean(axis=0), graphs.attributes[own].std(axis=0)
        scaled = (graphs.attributes - mean) / np.where(deviation > 0, deviation, 1)
        features = torch.tensor(np.hstack([labels, scaled]), dtype=torch.float32)
        self.x = features.split(graphs.n_nodes.tolist())
        both = np.vstack([graphs.edges, graphs.edges[:, ::-1]])
        order = np.argsort(
            np.tile(np.repeat(np.arange(len(graphs)), graphs.n_edges), 2), kind="stable"
        )
        edges = torch.tensor(np.ascontiguousarray(both[order].T, dtype=np.int64))
        self.edges = edges.split((2 * graphs.n_edges).tolist(), dim=1)
        self.y = torch.tensor((y > 0).astype(np.int64))
        self.width = features.shape[1]

    def batch(self, rows: np.ndarray) -> Batch:
        sizes = torch.tensor([len(self.x[i]) for i in rows])
        starts = torch.cumsum(sizes, 0) - sizes
        moved = [self.edges[i] + start for i, start in zip(rows, starts.tolist(), strict=True)]
        return Batch(
            torch.cat([self.x[i] for i in rows]),
            torch.cat(moved, dim=1),
            torch.repeat_interleave(torch.arange(len(rows)), sizes),
            self.y[torch.from_numpy(np.asarray(rows))],
        )


class MessagePassing(nn.Module):
    """GraphGym's network around a kind of convolution."""

    def __init__(
        self, width: int, hidden: int, convolution: Callable[[int], nn.Module], unit: bool
    ):
        super().__init__()
        self.before = nn.Sequential(
            nn.Linear(width, hidden, bias=False), nn.BatchNorm1d(hidden), nn.ReLU()
        )
        self.convolutions = nn.ModuleList(convolution(hidden) for _ in range(3))
        self.norms = nn.ModuleList(nn.BatchNorm1d(hidden) for _ in range(3))
        self.head = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 2))
        self.unit = unit

    def forward(self, batch: Batch) -> torch.Tensor:
        x = self.before(batch.x)
        for convolution, norm in zip(self.convolutions, self.norms, strict=True):
            x = norm(convolution(x, batch.edges)).relu()
        if self.unit:
            x = F.normalize(x, dim=1)
        return self.head(global_add_pool(x, batch.graph, batch.n_graphs))


class SortPooling(nn.Module):
    """DGCNN: mean convolutions, the k nodes with the largest last channel, 1-D convolutions."""

    def __init__(self, width: int, hidden: int, k: int):
        super().__init__()
        widths = [width, 32, 32, 32, 1]
        self.linear = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
        self.mean = SimpleConv(aggr="mean", combine_root="self_loop")
        self.sort = SortAggregation(k)
        total = sum(widths[1:])
        self.first = nn.Conv1d(1, 16, total, total)
        self.second = nn.Conv1d(16, 32, 5)
        self.head = nn.Sequential(
            nn.Linear(32 * (k // 2 - 4), hidden), nn.ReLU(), nn.Dropout(0.5), nn.Linear(hidden, 2)
        )

    def forward(self, batch: Batch) -> torch.Tensor:
        x, channels = batch.x, []
        for linear in self.linear:
            x = torch.tanh(self.mean(linear(x), batch.edges))
            channels.append(x)
        x = self.sort(torch.cat(channels, dim=1), batch.graph, dim_size=batch.n_graphs)
        x = F.max_pool1d(self.first(x.unsqueeze(1)).relu(), 2, 2)
        return self.head(self.second(x).relu().flatten(1))


@dataclass(frozen=True)
class Setting:
    """One training: which network, its width and its learning rate."""

    network: str
    hidden: int
    rate: float
    epochs: int = EPOCHS
    epochs_of_many: int = EPOCHS_OF_MANY

    def build(self, data: Batches, graphs: GraphSet) -> nn.Module:
        if self.network == "DGCNN":
            # 60 % of the graphs are cut; two pooled convolutions need at least ten nodes.
            k = max(10, int(np.sort(graphs.n_nodes)[int(0.6 * len(graphs))]))
            return SortPooling(data.width, self.hidden, k)
        convolution: dict[str, Callable[[int], nn.Module]] = {
            "GCN": lambda h: GCNConv(h, h, bias=False),
            "GAT": lambda h: GATConv(h, h, bias=False),
            "GIN": lambda h: GINConv(nn.Sequential(nn.Linear(h, h), nn.ReLU(), nn.Linear(h, h))),
        }
        unit = self.network != "GIN"
        return MessagePassing(data.width, self.hidden, convolution[self.network], unit)


@dataclass
class Best:
    """The best state so far of one training."""

    accuracy: float = -1.0
    loss: float = np.inf
    epoch: int = 0
    network: nn.Module | None = None


def trained(setting: Setting, graphs: GraphSet, data: Batches, parts: Split) -> Best:
    """Train one network and keep its best epoch by validation."""
    torch.manual_seed(parts.seed)
    shuffle = np.random.default_rng(parts.seed)
    network = setting.build(data, graphs)
    epochs = setting.epochs if len(graphs) < MANY else setting.epochs_of_many
    size = 32 if len(graphs) < 500 else 64
    optimizer = torch.optim.Adam(network.parameters(), lr=setting.rate, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    validation = data.batch(parts.validation)
    best = Best()
    for epoch in range(1, epochs + 1):
        network.train()
        order = shuffle.permutation(parts.train)
        for start in range(0, len(order), size):
            if len(order) - start < 2:  # batch normalisation needs two graphs
                break
            batch = data.batch(order[start : start + size])
            optimizer.zero_grad()
            F.cross_entropy(network(batch), batch.y).backward()
            optimizer.step()
        schedule.step()
        scores = predicted(network, validation)
        accuracy = (scores.argmax(1) == validation.y).double().mean().item()
        loss = F.cross_entropy(scores, validation.y).item()
        if (accuracy, -loss) > (best.accuracy, -best.loss):
            best = Best(accuracy, loss, epoch, copy.deepcopy(network))
    return best


@torch.no_grad()
def predicted(network: nn.Module, batch: Batch) -> torch.Tensor:
    """Scores of both classes."""
    network.eval()
    return network(batch)


def over(settings: Sequence[Setting]) -> Callable[[GraphSet, np.ndarray], Ready]:
    """Train every setting and take the best by validation."""

    def prepare(graphs: GraphSet, y: np.ndarray) -> Ready:
        torch.set_num_threads(1)

        def fit(parts: Split) -> Fitted:
            data = Batches(graphs, y, parts.train)
            best, chosen = Best(), settings[0]
            cpu: dict[str, Any] = {}
            for setting in settings:
                start = cpu_seconds()
                one = trained(setting, graphs, data, parts)
                cpu[f"{setting.hidden}, {setting.rate}"] = round(cpu_seconds() - start, 2)
                if (one.accuracy, -one.loss) > (best.accuracy, -best.loss):
                    best, chosen = one, setting
            network = best.network
            assert network is not None
            return Fitted(
                lambda rows: np.where(predicted(network, data.batch(rows)).argmax(1) > 0, 1, -1),
                best.accuracy,
                {"hidden": chosen.hidden, "rate": chosen.rate, "epoch": best.epoch, "cpu": cpu},
            )

        return Ready(fit)

    return prepare


SETTINGS = {
    "gcn": [Setting("GCN", hidden, 0.01) for hidden in (64, 128, 256)],
    "gat": [Setting("GAT", hidden, 0.01) for hidden in (64, 128)],
    "gin": [Setting("GIN", hidden, 0.005) for hidden in (64, 128)],
    "dgcnn": [Setting("DGCNN", 128, rate) for rate in (0.001, 0.005)],
}
METHODS = {name: over(settings) for name, settings in SETTINGS.items()}
QUICK = {
    name: over([replace(settings[0], epochs=5, epochs_of_many=2)])
    for name, settings in SETTINGS.items()
}
