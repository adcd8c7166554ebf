"""One mining tree over several shards, each of which has its own tree of its own graphs.

The joint tree holds what can be written without graphs: codes, and under which name each shard
knows them. A search goes down by rounds: per code, every shard gives its part of g, split by the
sign of the residual; the parts are added, so that g and the bound of Theorem 2.1 are those of all
graphs together; the codes whose bound exceeds lambda are expanded in every shard, and their
children united. A child that some shard lacks is one that its graphs do not hold. So the result is
exact, and has the order of a single tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

from aglets import _core
from aglets.graphs.arrays import Bools, Codes, Floats, Ints
from aglets.mining import Found, Pattern, Starts
from aglets.training.engine.calls import ask, ask_each

__all__ = ["JointTree"]

#: The search for lambda_max expands all codes whose bound is above this part of the best one.
LOOK_AHEAD = 0.5

BACKWARD, FORWARD = 0, 1


class _Known:
    """g and g_bar of codes, asked for once; of likely codes in one round, with the first."""

    def __init__(self, ask: Callable[[Ints], tuple[Floats, Floats]], likely: Ints) -> None:
        self._ask = ask
        self._likely = likely
        self._row: dict[int, int] = {}
        self._g: list[Floats] = []

    def of(self, codes: Ints) -> tuple[Floats, Floats]:
        """Return g and g_bar, a row per code."""
        wanted = codes if self._row else np.union1d(codes, self._likely)
        new = np.array([code for code in wanted.tolist() if code not in self._row], dtype=np.int64)
        if len(new):
            self._row |= dict(zip(new.tolist(), count(len(self._row)), strict=False))
            self._g.append(np.stack(self._ask(new)))
        g, g_bar = np.concatenate(self._g, axis=1)[:, [self._row[code] for code in codes.tolist()]]
        return g, g_bar


class JointTree:
    """Codes of all shards together, grown on demand and kept.

    Parameters
    ----------
    parts : sequence of LocalPlacement
        The shards.
    starts : Starts
        Node types, the same in all shards.
    """

    def __init__(self, parts: Sequence[Any], starts: Starts) -> None:
        self._parts = parts
        self._starts = starts
        # One row per code: parent, from, to, label, type and number of nodes; names in the shards.
        self._codes = np.empty((0, 6), dtype=np.int32)
        self._members = np.empty((0, len(parts)), dtype=np.int64)
        # First child and number of children, backward and forward; -1 until they have been made.
        self._first = np.empty((2, 0), dtype=np.int64)
        self._count = np.empty((2, 0), dtype=np.int64)
        self._places: dict[int, tuple[int, ...]] = {}
        # Codes are minimum in the canonical order of types and edge labels.
        self._types, self._edge_labels = ask(parts, "order")[0]
        roots = [
            (np.column_stack([np.zeros((len(types), 5), dtype=np.int64), types]), names)
            for names, types in ask(parts, "roots")
        ]
        made = self._united(roots)
        self._roots = np.arange(made, dtype=np.int64)

    def search(
        self,
        graphs: Sequence[Any],
        scores: Sequence[Any],
        lam: float,
        size: int,
        pooling: tuple[str, ...],
        likely: Ints,
        sharing: float,
    ) -> tuple[Found, Ints]:
        """Find every code of at most `size` nodes with |g| > lam, in tree order.

        A code comes once for each channel in which it violates; with several outputs |g| is the
        dual norm of their penalty. Codes that are likely to be visited are asked for in one round
        at the beginning: those of the last search, which are the second thing that is returned.
        What is found does not depend on them.
        """
        codes, n_visited, n_before = self._roots, 0, len(self._codes)
        found: list[tuple[Ints, Ints, Floats, Floats, Floats]] = []
        visited = [self._roots[:0]]
        known = _Known(lambda codes: self._gradients(graphs, scores, codes), likely)
        while len(codes):
            n_visited += len(codes)
            visited.append(codes)
            g, g_bar = known.of(codes)
            sizes = _norms(g, sharing)
            at, channel = np.nonzero(sizes > lam)
            own = (g[at, channel], g_bar[at, channel], sizes[at, channel])
            found.append((codes[at], channel, *own))
            codes = self._children(codes[(_norms(g_bar, sharing) > lam).any(axis=1)], size)
        nodes, channels, g, g_bar, norms = (
            np.concatenate([part[j] for part in found]) for j in range(5)
        )
        places = [
            (*self._place(node), channel)
            for node, channel in zip(nodes.tolist(), channels.tolist(), strict=True)
        ]
        order = np.array(sorted(range(len(nodes)), key=places.__getitem__), dtype=np.intp)
        met = Found(
            nodes=nodes[order],
            g=g[order],
            g_bar=g_bar[order],
            sizes=self._codes[nodes[order], 5],
            n_visited=n_visited,
            n_made=len(self._codes) - n_before,
            channels=channels[order].astype(np.int32),
            norms=norms[order],
            pooling=pooling,
        )
        return met, np.concatenate(visited)

    def largest(
        self, graphs: Sequence[Any], scores: Sequence[Any], size: int, sharing: float
    ) -> tuple[float, int]:
        """Largest |g| of codes of at most `size` nodes, and the number of nodes of its code."""
        best, n_nodes = 0.0, 0
        codes, bounds = self._roots, np.empty(0)
        waiting = np.empty(0, dtype=np.int64)
        while True:
            if len(codes):
                g, g_bar = self._gradients(graphs, scores, codes)
                sizes = _norms(g, sharing).max(axis=1)
                top = int(sizes.argmax())
                if sizes[top] > best:
                    best, n_nodes = float(sizes[top]), int(self._codes[codes[top], 5])
                waiting = np.concatenate([waiting, codes])
                bounds = np.concatenate([bounds, _norms(g_bar, sharing).max(axis=1)])
            waiting, bounds = waiting[bounds > best], bounds[bounds > best]
            if not len(waiting):
                return best, n_nodes
            now = bounds > LOOK_AHEAD * bounds.max()
            codes = self._children(waiting[now], size)
            waiting, bounds = waiting[~now], bounds[~now]

    def members(self, nodes: Ints) -> Ints:
        """Return the names of codes in the shards, shape (n_codes, n_shards), -1 where none is."""
        return self._members[nodes]

    def pattern(self, node: int) -> Pattern:
        """Write out a code."""
        chain = []
        while node >= 0:
            chain.append(self._codes[node])
            node = int(chain[-1][0])
        codes = np.array(chain[::-1])
        edges = np.ascontiguousarray(codes[1:, 1:3])
        forward = edges[:, 0] < edges[:, 1]
        types = self._types[np.concatenate([codes[:1, 4], codes[1:, 4][forward]])]
        labels = self._edge_labels[codes[1:, 3]]
        return Pattern(types, self._starts.type_labels[types], edges, labels)

    def find(self, pattern: Pattern) -> int:
        """Return the code of a pattern that `pattern` gave, grown if need be."""
        own_types, own_labels = np.argsort(self._types), np.argsort(self._edge_labels)
        types = own_types[pattern.types]
        at = np.flatnonzero(self._codes[self._roots, 4] == types[0])
        node = int(self._roots[at[0]]) if len(at) else -1
        labels = own_labels[pattern.edge_labels]
        for (start, end), label in zip(pattern.edges, labels, strict=True):
            if node < 0:
                break
            children = self._children(np.array([node]), len(pattern.types))
            rows = self._codes[children]
            same = (rows[:, 1] == start) & (rows[:, 2] == end) & (rows[:, 3] == label)
            if start < end:
                same &= rows[:, 4] == types[end]
            node = int(children[same][0]) if same.any() else -1
        if node < 0:
            raise ValueError(
                "Expected a pattern of these training graphs, but none of them holds it; it must "
                "come from the same graphs and starts."
            )
        return node

    def _gradients(
        self, graphs: Sequence[Any], scores: Sequence[Any], codes: Ints
    ) -> tuple[Floats, Floats]:
        """G and g_bar over all shards: by code and channel, and by output if there are several."""
        members = self._members[codes]
        present = members >= 0
        asked = [
            (score, np.ascontiguousarray(members[present[:, k], k]))
            for k, score in enumerate(scores)
        ]
        answers = ask_each(graphs, "signed_sums", asked)
        up, down = np.zeros((2, len(codes), *answers[0][0].shape[1:]))
        for k, (plus, minus) in enumerate(answers):
            up[present[:, k]] += plus
            down[present[:, k]] += minus
        return up - down, np.maximum(up, down)

    def _children(self, codes: Ints, size: int) -> Ints:
        """Return the children of codes for patterns of at most `size` nodes, made if missing."""
        small = self._codes[codes, 5] < size
        missing = (self._first[BACKWARD, codes] < 0) | (small & (self._first[FORWARD, codes] < 0))
        if missing.any():
            self._expand(codes[missing], size)
        first, count = self._first[:, codes], self._count[:, codes]
        count = np.where([np.ones_like(small), small], count, 0)
        starts, counts = first.T.ravel(), count.T.ravel()
        ends = np.cumsum(counts)
        total = int(ends[-1]) if len(ends) else 0
        return np.asarray(np.arange(total) + np.repeat(starts - (ends - counts), counts))

    def _expand(self, codes: Ints, size: int) -> None:
        """Let all shards grow the children of codes, and unite them."""
        members = self._members[codes]
        present = members >= 0
        asked = [
            (np.ascontiguousarray(members[present[:, k], k]), size) for k in range(members.shape[1])
        ]
        answers = []
        for k, (parents, names, edges, types) in enumerate(
            ask_each(self._parts, "children", asked)
        ):
            parent = codes[np.flatnonzero(present[:, k])[parents]]
            start, end, label = edges.astype(np.int64).T
            forward = start < end
            # Siblings in the order of DFS codes: rings first, then growth from the tip upwards.
            ranks = np.column_stack(
                [
                    np.where(forward, FORWARD, BACKWARD),
                    np.where(forward, -start, end),
                    label,
                    np.where(forward, types, 0),
                ]
            )
            rows = np.column_stack([parent, ranks, types])
            new = self._first[ranks[:, 0], parent] < 0
            answers.append((rows[new], names[new]))
        small = self._codes[codes, 5] < size
        for kind, made in ((BACKWARD, np.ones(len(codes), dtype=bool)), (FORWARD, small)):
            none_yet = codes[made & (self._first[kind, codes] < 0)]
            self._first[kind, none_yet] = 0  # even if there are none
        self._united(answers)

    def _united(self, answers: Sequence[tuple[Ints, Ints]]) -> int:
        """Append codes given as (parent, kind, rank..., type) by every shard; count them."""
        rows = np.concatenate([rows for rows, _ in answers])
        if not len(rows):
            return 0
        keys, at = np.unique(rows, axis=0, return_inverse=True)
        at = at.ravel()
        members = np.full((len(keys), len(answers)), -1, dtype=np.int64)
        position = 0
        for k, (own, names) in enumerate(answers):
            members[at[position : position + len(own)], k] = names
            position += len(own)
        n_before = len(self._codes)
        roots = n_before == 0
        self._codes = np.concatenate([self._codes, self._written(keys, roots)])
        self._members = np.concatenate([self._members, members])
        not_made = np.full((2, len(keys)), -1, dtype=np.int64)
        self._first = np.concatenate([self._first, not_made], axis=1)
        self._count = np.concatenate([self._count, np.zeros_like(not_made)], axis=1)
        if not roots:
            groups, first, counts = np.unique(
                keys[:, :2], axis=0, return_index=True, return_counts=True
            )
            self._first[groups[:, 1], groups[:, 0]] = n_before + first
            self._count[groups[:, 1], groups[:, 0]] = counts
        return len(keys)

    def _written(self, keys: Ints, roots: bool) -> Codes:
        """Write rows (parent, from, to, label, type, number of nodes) of new codes."""
        parent, kind, rank, label, _, types = keys.T
        if roots:
            ones = np.ones_like(parent)
            return np.column_stack([-ones, -ones, -ones, -ones, types, ones]).astype(np.int32)
        forward: Bools = kind == FORWARD
        above = self._codes[parent, 5]
        # Rings are closed at the tip, which is the last node; growth adds a node after it.
        start = np.where(forward, -rank, above - 1)
        end = np.where(forward, above, rank)
        rows = [parent, start, end, label, types, above + forward]
        return np.column_stack(rows).astype(np.int32)

    def _place(self, node: int) -> tuple[int, ...]:
        """Where a code stands in tree order: its places among siblings, from the root down."""
        if node not in self._places:
            parent = int(self._codes[node, 0])
            if parent < 0:
                self._places[node] = (node,)
            else:
                # Codes of one parent and kind are neighbours in order, rings before growth.
                forward = bool(self._codes[node, 1] < self._codes[node, 2])
                self._places[node] = (*self._place(parent), int(forward), node)
        return self._places[node]


def _norms(g: Floats, sharing: float) -> Floats:
    """Sizes of gradients by code and channel; over outputs, the dual norm of the penalty."""
    if g.ndim == 2:
        return np.abs(g)
    rows = np.ascontiguousarray(g.reshape(-1, g.shape[2]))
    return _core.dual_norms(rows, sharing).reshape(g.shape[:2])
