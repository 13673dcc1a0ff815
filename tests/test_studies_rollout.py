"""Rollout against paths that are walked one by one, flow against Edmonds and Karp, the graph against both."""

import itertools
import math
from collections import deque

import pytest
import torch
import toys_evidence

from studies import rollout
from studies.reading import Reading

pytestmark = pytest.mark.usefixtures("one_thread")
L, S, T = 2, 4, 3


@pytest.fixture(scope="module")
def mixing() -> rollout.Mixing:
    """Rows that sum to 1, the decoder's causal, some cells empty."""
    generator = torch.Generator().manual_seed(7)

    def rows(*shape: int) -> torch.Tensor:
        table = torch.rand(*shape, generator=generator, dtype=torch.double) ** 3
        return table * (torch.rand(*shape, generator=generator) > 0.2)

    encoder, decoder = rows(L, S, S) + torch.eye(S), rows(L, T, T).tril() + torch.eye(T)
    both = torch.cat([rows(L, T, S), torch.full((L, T, 1), 0.3, dtype=torch.double)], -1)
    encoder, decoder, both = (table / table.sum(-1, keepdim=True) for table in (encoder, decoder, both))
    carried = encoder.diagonal(0, 1, 2) / 2, decoder.diagonal(0, 1, 2) / 4
    return rollout.Mixing(encoder, decoder, both[..., :-1], both[..., -1], carried)


@pytest.fixture(scope="module")
def reading() -> Reading:
    return toys_evidence.reading(toys_evidence.translator())


def down_encoder(mixing: rollout.Mixing, place: int, token: int) -> float:
    """The product of shares along every path through the encoder, added up."""
    total = 0.0
    for middle in itertools.product(range(S), repeat=L - 1):
        path = [place, *middle, token]
        total += math.prod(mixing.encoder[L - 1 - n, a, b].item() for n, (a, b) in enumerate(itertools.pairwise(path)))
    return total


def down_decoder(mixing: rollout.Mixing, layer: int, row: int, token: int) -> float:
    """The same from a row that leaves a layer of the decoder, 0 its embedding, to a source token."""
    if not layer:
        return 0.0
    crossed = sum(mixing.cross[layer - 1, row, s].item() * down_encoder(mixing, s, token) for s in range(S))
    own = sum(mixing.decoder[layer - 1, row, t].item() * down_decoder(mixing, layer - 1, t, token) for t in range(T))
    return crossed + mixing.stays[layer - 1, row].item() * own


def test_rollout_adds_up_every_path(mixing):
    source, target = rollout.rollout(mixing)
    assert source.shape == (T, S) and target.shape == (T, T)
    for row, token in itertools.product(range(T), range(S)):
        assert source[row, token].item() == pytest.approx(down_decoder(mixing, L, row, token), abs=1e-12)
    torch.testing.assert_close(source.sum(-1) + target.sum(-1), torch.ones(T, dtype=torch.double))
    assert not target.triu(1).any()


# ─── Flow ────────────────────────────────────────────────────────────────────────────────────────────────────────────

Capacities = dict[tuple, dict[tuple, float]]


def by_name(mixing: rollout.Mixing) -> Capacities:
    """The layers as a network once more, its nodes by name, the target's embeddings too."""
    let: Capacities = {}

    def join(start: tuple, end: tuple, most: torch.Tensor) -> None:
        let.setdefault(start, {})[end] = most.item()
        let.setdefault(end, {}).setdefault(start, 0.0)

    for layer in range(L):
        for i, j in itertools.product(range(S), range(S)):
            join(("encoder", layer + 1, i), ("encoder", layer, j), mixing.encoder[layer, i, j])
        for i in range(T):
            join(("crossed", layer, i), ("own", layer, i), mixing.stays[layer, i])
            for j in range(S):
                join(("crossed", layer, i), ("encoder", L, j), mixing.cross[layer, i, j])
            for j in range(T):
                join(("own", layer, i), ("crossed", layer - 1, j), mixing.decoder[layer, i, j])
    return let


def edmonds_karp(let: Capacities, source: tuple, sink: tuple) -> float:
    """The maximum flow along shortest ways, one after the other."""
    left, flow = {start: dict(ends) for start, ends in let.items()}, 0.0
    while True:
        before, queue = {source: source}, deque([source])
        while queue and sink not in before:
            node = queue.popleft()
            for end, most in left[node].items():
                if most > 1e-12 and end not in before:
                    before[end] = node
                    queue.append(end)
        if sink not in before:
            return flow
        way = [sink]
        while way[-1] != source:
            way.append(before[way[-1]])
        steps = list(itertools.pairwise(reversed(way)))
        narrowest = min(left[a][b] for a, b in steps)
        for a, b in steps:
            left[a][b] -= narrowest
            left[b][a] += narrowest
        flow += narrowest


def test_flow_is_the_maximum_flow_of_edmonds_and_karp(mixing):
    let, flow = by_name(mixing), rollout.flow(mixing)
    assert flow.shape == (T, S)
    for row, token in itertools.product(range(T), range(S)):
        wanted = edmonds_karp(let, ("crossed", L - 1, row), ("encoder", 0, token))
        assert flow[row, token].item() == pytest.approx(wanted, abs=1e-6)


def test_a_way_back_is_found_where_the_shortest_ways_block_each_other():
    edges = [(0, 1, 1.0), (0, 2, 1.0), (1, 3, 1.0), (2, 3, 1.0), (1, 4, 1.0), (3, 5, 1.0), (4, 6, 1.0), (6, 5, 1.0)]
    assert rollout.Network(edges).most(0, 5) == 2  # 0-1-3-5 comes first, and has to give way to 0-2-3-5
    assert rollout.Network([(0, 1, 0.4), (1, 2, 0.3), (3, 2, 1.0)]).most(0, 2) == pytest.approx(0.3)
    assert rollout.Network([(0, 1, 1.0), (2, 1, 1.0)]).most(0, 2) == 0


def test_no_more_flows_than_the_rollout_of_any_path_and_no_less(mixing):
    source, _ = rollout.rollout(mixing)
    assert (rollout.flow(mixing) >= source - 1e-9).all()  # the rollout is one way to let it flow


# ─── Of a reading ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_rows_hold_the_residuals_share_and_sum_to_1(reading):
    T, S = len(reading.ids), reading.src.size(1)
    assert T != S
    for mixing in (rollout.by_weights(reading), rollout.by_weights(reading, 0.2), rollout.by_norms(reading)):
        assert [tuple(x.shape) for x in mixing[:4]] == [(3, S, S), (3, T, T), (3, T, S), (3, T)]
        assert [tuple(x.shape) for x in mixing.carried] == [(3, S), (3, T)]
        for own, part in zip((mixing.encoder, mixing.decoder), mixing.carried, strict=True):
            assert (own.diagonal(0, 1, 2) >= part).all() and (part > 0).all()
        for rows in (mixing.encoder.sum(-1), mixing.decoder.sum(-1), mixing.cross.sum(-1) + mixing.stays):
            torch.testing.assert_close(rows, torch.ones_like(rows), atol=1e-6, rtol=0)
    mixing = rollout.by_weights(reading, 0.2)
    heads = reading.stack("encoder").double()
    assert mixing.encoder[1, 2, 2].item() == pytest.approx(0.2 + 0.8 * heads[1, :, 2, 2].mean().item(), abs=1e-6)
    assert mixing.cross[2, 0, 1].item() == pytest.approx(
        0.8 * reading.stack("cross")[2, :, 0, 1].mean().item(), abs=1e-6
    )
    with pytest.raises(ValueError, match=r"residual is 2; it is a share"):
        rollout.by_weights(reading, 2)


def test_if_all_stays_in_the_residual_nothing_comes_from_the_source(reading):
    source, target = rollout.rollout(rollout.by_weights(reading, 1.0))
    assert not source.any() and target.equal(torch.eye(len(reading.ids), dtype=torch.double))


def test_the_whole_graph_of_a_row_holds_its_rollout(reading):
    mixing = rollout.by_norms(reading)
    source, target = rollout.rollout(mixing)
    for row in range(len(reading.ids)):
        graph = rollout.graph(reading, row, threshold=0.0)
        lowest = {(n["stack"], n["place"]): n["amount"] for n in graph["nodes"] if n["level"] == 0}
        for stack, wanted in (("encoder", source[row]), ("decoder", target[row])):
            amounts = [lowest.get((stack, place), 0.0) for place in range(len(wanted))]
            assert amounts == pytest.approx(wanted.tolist(), abs=1e-9)
        assert sum(lowest.values()) == pytest.approx(1)


def test_what_comes_into_a_node_leaves_it_and_edges_lead_one_level_down(reading):
    graph, mixing = rollout.graph(reading, 2, threshold=0.0), rollout.by_norms(reading)
    last = next(edge for edge in graph["edges"] if edge["kind"] == "residual")
    wanted = mixing.stays[2, 2] * mixing.carried[1][2, 2]
    assert last["amount"] == pytest.approx(wanted.item()) and graph["nodes"][last["to"]]["place"] == 2
    nodes, edges = graph["nodes"], graph["edges"]
    for place, node in enumerate(nodes):
        leaving = sum(edge["amount"] for edge in edges if edge["from"] == place)
        coming = sum(edge["amount"] for edge in edges if edge["to"] == place) if place else 1.0
        assert coming == pytest.approx(node["amount"]) and (not node["level"] or leaving == pytest.approx(coming))
    for edge in edges:
        upper, lower = nodes[edge["from"]], nodes[edge["to"]]
        assert upper["level"] == edge["layer"] + 1
        assert edge["head"] is None if edge["kind"] == "residual" else 0 <= edge["head"] < 2
        if edge["kind"] == "cross":
            assert (upper["stack"], lower["stack"], lower["level"]) == ("decoder", "encoder", 3)
        else:
            assert upper["stack"] == lower["stack"] and lower["level"] == edge["layer"]
            assert edge["kind"] == "residual" or edge["kind"] == upper["stack"]
            assert upper["place"] == lower["place"] or edge["kind"] != "residual"


def test_a_threshold_keeps_the_edges_from_it_on_and_their_ends(reading):
    whole, part = (rollout.graph(reading, 1, threshold) for threshold in (0.0, 0.2))
    assert sorted(edge["amount"] for edge in part["edges"]) == pytest.approx(
        sorted(edge["amount"] for edge in whole["edges"] if edge["amount"] >= 0.2)
    )
    ends = {end for edge in part["edges"] for end in (edge["from"], edge["to"])}
    assert ends | {0} == set(range(len(part["nodes"]))) and len(part["nodes"]) < len(whole["nodes"])
    with pytest.raises(ValueError, match="There is no row 99; the rows of this translation are 0 to"):
        rollout.graph(reading, 99)
