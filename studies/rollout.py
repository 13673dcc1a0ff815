"""Attention through all layers at once: rollout, flow (Abnar and Zuidema, 2020), and the graph of one target word.

Both say how much of each source token reaches each row of the decoder, if a layer did nothing but mix: the encoder's
attention, the decoder's own and cross-attention one behind the other, and at each of them a part that the residual
carries past. Values, layer normalisation and feed-forward layers are left out. The paper has stacks of self-attention;
that cross-attention hands on what the encoder's rollout says of the memory is how Ferrando et al. (2022) join them.

    rollout   along every path the shares are multiplied, and paths are added
    flow      shares are capacities: the most that can flow from a row of the last layer to one source token
    graph     the rollout of one row, edge by edge
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from studies.contributions import head_norms, shares
from studies.reading import Reading

RESIDUAL = 0.5  # the share of each row that the residual carries, as the paper has it
LEAST = 1e-9  # capacity or flow that counts


class Mixing(NamedTuple):
    """What each layer's rows are mixed of, the residual's part included.

    encoder (L, S, S) and decoder (L, T, T): rows sum to 1. cross (L, T, S) and stays (L, T), what cross-attention
    leaves to the residual: a row of both sums to 1. carried: of the diagonals of encoder (L, S) and decoder (L, T) the
    part that is the residual's, not that of a token that reads itself.
    """

    encoder: Tensor
    decoder: Tensor
    cross: Tensor
    stays: Tensor
    carried: tuple[Tensor, Tensor]


def by_weights(reading: Reading, residual: float = RESIDUAL) -> Mixing:
    """Attention weights, the mean of a layer's heads, beside a residual that has one share everywhere."""
    if not 0 <= residual <= 1:
        raise ValueError(f"residual is {residual}; it is a share, from 0 to 1.")
    encoder, decoder, cross = (reading.stack(kind).double().mean(1) for kind in ("encoder", "decoder", "cross"))
    parts = [torch.full(rows.shape[:2], residual, dtype=torch.double) for rows in (encoder, decoder)]
    return Mixing(
        parts[0].diag_embed() + (1 - residual) * encoder,
        parts[1].diag_embed() + (1 - residual) * decoder,
        (1 - residual) * cross,
        parts[1],
        (parts[0], parts[1]),
    )


def by_norms(reading: Reading) -> Mixing:
    """Lengths of what is added, beside that of what the residual carries (studies.contributions.shares)."""

    def stacked(kind: str) -> tuple[Tensor, Tensor]:
        layers = range(reading.translator.model.config.n_layers)
        tables = zip(*(shares(reading, kind, layer) for layer in layers), strict=True)
        added, stays = (torch.stack(list(rows)).double().cpu() for rows in tables)
        return added, stays

    (encoder, in_encoder), (decoder, in_decoder) = stacked("encoder"), stacked("decoder")
    carried = in_encoder, in_decoder
    return Mixing(encoder + in_encoder.diag_embed(), decoder + in_decoder.diag_embed(), *stacked("cross"), carried)


# ─── Rollout ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def rollout(mixing: Mixing) -> tuple[Tensor, Tensor]:
    """The share of each source token (T, S) and of each target token read (T, T) in each row of the last layer.

    A row of both sums to 1. Costs a few products of matrices.
    """
    memory = torch.eye(mixing.encoder.size(-1), dtype=torch.double)
    for layer in mixing.encoder:
        memory = layer @ memory
    T, S = mixing.cross.shape[1:]
    source, target = torch.zeros(T, S, dtype=torch.double), torch.eye(T, dtype=torch.double)
    for own, cross, stays in zip(mixing.decoder, mixing.cross, mixing.stays, strict=True):
        source = stays[:, None] * (own @ source) + cross @ memory
        target = stays[:, None] * (own @ target)
    return source, target


# ─── Flow ────────────────────────────────────────────────────────────────────────────────────────────────────────────


class Network:
    """Nodes joined by edges that let so much through: Dinic's algorithm for the most that flows between two (1970)."""

    def __init__(self, edges: Sequence[tuple[int, int, float]]):
        """edges: from node, to node, capacity. Edge 2n is the n-th, 2n + 1 its way back, empty at first."""
        n = 1 + max(max(start, end) for start, end, _ in edges)
        self.leaving: list[list[int]] = [[] for _ in range(n)]
        self.end, self.capacity = list[int](), list[float]()
        for start, end, capacity in edges:
            for here, there, most in ((start, end, capacity), (end, start, 0.0)):
                self.leaving[here].append(len(self.end))
                self.end.append(there)
                self.capacity.append(most)

    def levels(self, left: list[float], source: int, sink: int) -> list[int]:
        """How many edges with something left each node is away from the source; -1: none lead there in time."""
        levels, queue = [-1] * len(self.leaving), [source]
        levels[source] = 0
        for node in queue:
            if node == sink:
                break
            for edge in self.leaving[node]:
                if left[edge] > LEAST and levels[self.end[edge]] < 0:
                    levels[self.end[edge]] = levels[node] + 1
                    queue.append(self.end[edge])
        return levels

    def most(self, source: int, sink: int) -> float:
        """The maximum flow from one node to another: along shortest ways until none is left, then along longer ones."""
        left, flow = self.capacity.copy(), 0.0
        out, back = self.leaving[source], (edge ^ 1 for edge in self.leaving[sink])
        bound = min(sum(left[edge] for edge in out), sum(left[edge] for edge in back))  # no cut is wider than these
        while flow < bound - LEAST and (levels := self.levels(left, source, sink))[sink] > 0:
            flow += self.blocked(left, levels, source, sink)
        return flow

    def blocked(self, left: list[float], levels: list[int], source: int, sink: int) -> float:
        """Fill the ways that step down the levels until each holds a full edge; left is brought up to date."""
        flow, node, path = 0.0, source, list[int]()
        tried = [0] * len(levels)  # of the edges that leave each node, how many lead no further
        while True:
            if node == sink:
                narrowest = min(left[edge] for edge in path)
                flow += narrowest
                for edge in path:
                    left[edge] -= narrowest
                    left[edge ^ 1] += narrowest
                full = next(place for place, edge in enumerate(path) if left[edge] <= LEAST)
                node = self.end[path[full] ^ 1]
                del path[full:]
            if tried[node] < len(self.leaving[node]):
                edge = self.leaving[node][tried[node]]
                if left[edge] > LEAST and levels[self.end[edge]] == levels[node] + 1:
                    path.append(edge)
                    node = self.end[edge]
                else:
                    tried[node] += 1
            elif not path:
                return flow
            else:
                node = self.end[path.pop() ^ 1]
                tried[node] += 1


def network(mixing: Mixing) -> tuple[Network, list[int], list[int]]:
    """The layers as a network, with the nodes of the last rows (T) and those of the source tokens (S).

    A row of the decoder is two nodes: what has left cross-attention, and before it what has left self-attention; the
    ways to the target's own embeddings lead to no source token and are left out.
    """
    (L, S, _), T = mixing.encoder.shape, mixing.decoder.size(-1)
    edges = list[tuple[int, int, float]]()

    def join(starts: range, ends: range, capacities: Tensor) -> None:
        rows = enumerate(capacities.tolist())
        edges.extend((starts[i], ends[j], most) for i, row in rows for j, most in enumerate(row) if most > LEAST)

    encoder = [range(level * S, (level + 1) * S) for level in range(L + 1)]
    first = (L + 1) * S
    after_own, after_cross = ([range(first + n * T, first + (n + 1) * T) for n in range(k, 2 * L, 2)] for k in (0, 1))
    for layer in range(L):
        join(encoder[layer + 1], encoder[layer], mixing.encoder[layer])
        join(after_cross[layer], encoder[L], mixing.cross[layer])
        if layer:
            join(after_cross[layer], after_own[layer], mixing.stays[layer].diag())
            join(after_own[layer], after_cross[layer - 1], mixing.decoder[layer])
    return Network(edges), list(after_cross[-1]), list(encoder[0])


def flow(mixing: Mixing) -> Tensor:
    """The most that flows from each row of the last layer to each source token: (T, S), each by itself.

    Of many layers little is left to say: no row can give more than 1, no token take more than its column of the
    encoder's first layer, and where the ways between are wide, the smaller of the two flows. Costs T·S maximum flows,
    each about a millisecond in a model of 6 layers and 10 tokens.
    """
    joined, rows, tokens = network(mixing)
    return torch.tensor([[joined.most(row, token) for token in tokens] for row in rows], dtype=torch.double)


# ─── The graph of one target word ────────────────────────────────────────────────────────────────────────────────────


def graph(reading: Reading, row: int, threshold: float = 0.02, mixing: Mixing | None = None) -> dict[str, Any]:
    """What one row of the decoder is made of, through all layers, joined: nodes and edges as plain lists.

    Begins with 1 at the row of the last layer; along each edge goes its share of what its upper end holds. An edge is
    kept from `threshold` on, a node where an edge is. mixing: `by_norms` if not given.

    Nodes: stack ("encoder" or "decoder"), level (0 the embedding, n what leaves layer n), place, piece, amount.
    Edges: kind (of an attention, or "residual"), layer (from 0), head (the one with the longest contribution, None for
    the residual), from and to (places in nodes), amount.
    """
    mixing = mixing or by_norms(reading)
    T = len(mixing.stays[0])
    if not 0 <= row < T:
        raise ValueError(f"There is no row {row}; the rows of this translation are 0 to {T - 1}.")
    strongest = {kind: head_norms(reading, kind).argmax(1) for kind in ("encoder", "decoder", "cross")}  # (L, T, S)
    amounts, edges = spread_out(mixing, row)
    tokens = {"encoder": reading.source_pieces, "decoder": reading.target_pieces}
    nodes, places = list[dict[str, Any]](), dict[tuple[str, int, int], int]()

    def place_of(node: tuple[str, int, int]) -> int:
        if node not in places:
            stack, level, place = node
            amount = amounts[stack, level][place].item()
            places[node] = len(nodes)
            nodes.append(dict(stack=stack, level=level, place=place, piece=tokens[stack][place], amount=amount))
        return places[node]

    place_of(("decoder", len(mixing.cross), row))
    rows = list[dict[str, Any]]()
    for stack, kind, layer, table in edges:
        for i, j in (table >= max(threshold, LEAST)).nonzero().tolist():
            lower = ("encoder", len(mixing.encoder), j) if kind == "cross" else (stack, layer, j)
            ends = {"from": place_of((stack, layer + 1, i)), "to": place_of(lower)}
            head = strongest[kind][layer, i, j].item() if kind in strongest else None
            rows.append(dict(kind=kind, layer=layer, head=head, amount=table[i, j].item()) | ends)
    return {"nodes": nodes, "edges": rows}


Edges = tuple[str, str, int, Tensor]  # stack, kind, layer, and what goes from each of its rows to each key


def spread_out(mixing: Mixing, row: int) -> tuple[dict[tuple[str, int], Tensor], list[Edges]]:
    """What each node holds of one row, by stack and level, and what goes along each edge, from the top down."""
    L, T, S = mixing.cross.shape
    held, edges = {("decoder", L): torch.eye(T, dtype=torch.double)[row]}, list[Edges]()
    memory = torch.zeros(S, dtype=torch.double)
    for layer in reversed(range(L)):
        above = held["decoder", layer + 1][:, None]  # (T, 1)
        cross = above * mixing.cross[layer]  # (T, S)
        left = above * mixing.stays[layer][:, None]  # (T, 1)
        own, passed = left * mixing.decoder[layer], (left[:, 0] * mixing.carried[1][layer]).diag()  # (T, T)
        edges += [("decoder", "cross", layer, cross), ("decoder", "decoder", layer, own - passed)]
        edges.append(("decoder", "residual", layer, passed))
        memory, held["decoder", layer] = memory + cross.sum(0), own.sum(0)
    held["encoder", len(mixing.encoder)] = memory
    for layer in reversed(range(len(mixing.encoder))):
        above = held["encoder", layer + 1]  # (S,)
        own, passed = above[:, None] * mixing.encoder[layer], (above * mixing.carried[0][layer]).diag()  # (S, S)
        edges += [("encoder", "encoder", layer, own - passed), ("encoder", "residual", layer, passed)]
        held["encoder", layer] = own.sum(0)
    return held, edges
