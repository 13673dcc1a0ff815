"""Gates: their gradient against finite differences, heads taken out against the model without them, pruning's end."""

import copy

import pytest
import torch
import toys_evidence

import transformer_core as tc
from studies import pruning, reading
from studies.attention import head_effects, heads_off
from studies.reading import KINDS, probe_of

pytestmark = pytest.mark.usefixtures("one_thread")
N = 5


@pytest.fixture(scope="module", params=[{}, dict(norm="pre", window=3)], ids=["post", "pre, window"])
def translator(request) -> tc.Translator:
    return toys_evidence.translator(**request.param)


@pytest.fixture(scope="module")
def batches(translator) -> list[tc.Batch]:
    return toys_evidence.batches(translator)


def nll_of(model: tc.Transformer, batches: list[tc.Batch]) -> torch.Tensor:
    """The nll of each sentence, by itself and without padding."""
    rows = []
    for batch in batches:
        for src, tgt_in, tgt_out in zip(batch.src, batch.tgt_in, batch.tgt_out, strict=True):
            src, tgt_in, tgt_out = (x[x != tc.PAD][None] for x in (src, tgt_in, tgt_out))
            with tc.evaluating(model):
                rows.append(tc.objective(model(src, tgt_in), tgt_out, 0.0)[1])
    return torch.stack(rows)


def exact_nll(model: tc.Transformer, batches: list[tc.Batch]) -> torch.Tensor:
    """The same of whole batches in float64, of which differences can be taken."""
    with tc.evaluating(model):
        logits = [model(batch.src, batch.tgt_in).transpose(1, 2) for batch in batches]
    losses = (
        torch.nn.functional.cross_entropy(scores, batch.tgt_out, reduction="none", ignore_index=tc.PAD)
        for scores, batch in zip(logits, batches, strict=True)
    )
    return torch.cat([loss.sum(1) for loss in losses])


def test_a_gates_gradient_is_the_finite_difference_of_a_sentences_nll(translator, batches):
    model, step = copy.deepcopy(translator.model).double(), 1e-5
    sizes = pruning.gate_gradients(model, batches, pruning.open_gates(model.config).double())
    assert sizes.shape == (N, 3, 3, 2)
    for place in ((0, 1, 0), (1, 0, 1), (2, 2, 1)):
        around = []
        for sign in (1, -1):
            gates = pruning.open_gates(model.config).double()
            gates[place] += sign * step
            with pruning.gated(model, gates):
                around.append(exact_nll(model, batches))
        slope = (around[0] - around[1]) / (2 * step)
        torch.testing.assert_close(sizes[(slice(None), *place)], slope.abs(), atol=1e-6, rtol=1e-4)


def test_importance_is_per_token_and_of_each_sentence_before_the_mean(translator, batches):
    model = translator.model
    rows = ((batch, slice(n, n + 1)) for batch in batches for n in range(len(batch.src)))
    alone = [tc.Batch(batch.src[row], batch.tgt_in[row], batch.tgt_out[row]) for batch, row in rows]
    sizes, tokens = pruning.gate_gradients(model, batches), pruning.n_tokens(batches)
    torch.testing.assert_close(pruning.gate_gradients(model, alone), sizes, atol=1e-5, rtol=1e-3)
    assert tokens.tolist() == [int((batch.tgt_out != 0).sum()) for batch in alone]
    torch.testing.assert_close(pruning.importance(model, batches), sizes.sum(0) / tokens.sum())
    together = pruning.normalised(pruning.importance(model, batches))
    torch.testing.assert_close(together.square().sum(-1), torch.ones(3, 3))


def test_closed_gates_are_heads_off(translator, batches):
    model = translator.model
    gone = [("encoder", 1, 0), ("cross", 2, 1), ("decoder", 0, 1)]
    with heads_off(model, gone):
        wanted = nll_of(model, batches)
    with pruning.gated(model, pruning.without(model.config, gone)):
        torch.testing.assert_close(nll_of(model, batches), wanted)
    assert not any(probe.watched for probe in tc.probes(model).values())


# ─── One by one ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_head_zeroed_is_the_model_without_it(translator, batches):
    gains = pruning.knock_outs(translator.model, batches)
    clean = nll_of(translator.model, batches)
    for at in pruning.all_heads(translator.model.config):
        with heads_off(translator.model, [at]):
            wanted = nll_of(translator.model, batches) - clean
        kind, layer, head = at
        zeroed = gains["zeroed"][:, list(KINDS).index(kind), layer, head]
        torch.testing.assert_close(zeroed, wanted, atol=1e-4, rtol=1e-3)


def test_a_head_zeroed_costs_what_studies_of_one_sentence_say(translator):
    reading = toys_evidence.reading(translator)
    batch = tc.Batch(reading.src, reading.tgt_in, torch.tensor([reading.ids]))
    gains, effects = pruning.knock_outs(translator.model, [batch]), head_effects(reading)
    torch.testing.assert_close(
        gains["zeroed"][0], -torch.stack([effects[kind] for kind in KINDS]), atol=1e-4, rtol=1e-3
    )
    assert gains["exchanged"].abs().max() < 1e-5  # there is no other sentence


@pytest.mark.parametrize("kind", KINDS)
def test_means_and_exchanges_are_those_of_sentences_read_alone(translator, batches, kind):
    model, name, handed = translator.model, probe_of(kind, 1) + ".heads", []
    for batch in batches:
        for src, tgt_in in zip(batch.src, batch.tgt_in, strict=True):
            with tc.evaluating(model), tc.record(model, name) as trace:
                model(src[src != 0][None], tgt_in[tgt_in != 0][None])
            handed.append(trace[name][0, 1])  # (n, d_v)
    middle = torch.cat(handed).mean(0)
    torch.testing.assert_close(pruning.mean_outputs(model, batches)[name][1], middle, atol=1e-5, rtol=1e-4)
    gains, clean = pruning.knock_outs(model, batches), nll_of(model, batches)
    for row, before in ((1, 0), (0, 2), (4, 3)):  # a batch of three, and one of two
        n = len(handed[row])
        other = handed[before][torch.arange(n) % len(handed[before])]
        for way, rows in (("mean-ablated", middle), ("exchanged", other)):
            put = rows.expand(1, 1, n, -1)
            batch = batches[row // 3]
            src, tgt_in, tgt_out = (x[row % 3] for x in (batch.src, batch.tgt_in, batch.tgt_out))
            single = tc.Batch(*(x[x != 0][None] for x in (src, tgt_in, tgt_out)))
            with tc.intervene(model, name, lambda heads, put=put: torch.cat([heads[:, :1], put], 1)):
                wanted = nll_of(model, [single])[0] - clean[row]
            gain = gains[way][row, list(KINDS).index(kind), 1, 1]
            torch.testing.assert_close(gain, wanted, atol=1e-4, rtol=1e-3)


def test_confidences_are_those_of_each_reading(translator):
    readings = [toys_evidence.reading(translator), toys_evidence.reading(translator, "the dog and", "die")]
    table = pruning.confidences(readings)
    assert table.shape == (2, 3, 3, 2) and (table > 0).all() and (table <= 1).all()
    weights = [reading.stack("cross")[1, 0, :, :-1].amax(-1).mean() for reading in readings]  # keys without the end
    torch.testing.assert_close(table[:, 2, 1, 0].float(), torch.stack(weights))
    end = reading.Reading(translator, "", torch.tensor([[tc.EOS]]), [tc.EOS], {}, torch.empty(0))
    with pytest.raises(ValueError, match="The sentence '' has no word"), pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading.Reading, "stack", lambda *_: torch.ones(3, 2, 1, 1))
        pruning.confidences([end])


def test_two_measures_agree_as_their_sums_rank_the_heads():
    left = torch.tensor([[1.0, 5.0, 2.0], [0.0, 1.0, 4.0]])
    assert pruning.rank_agreement(left, left)[0] == 1
    whole, *_ = pruning.rank_agreement(left, torch.tensor([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]))
    assert whole == pytest.approx(0.866, abs=1e-3)  # sums 1, 6, 6 against 2, 4, 6


def test_the_interval_of_an_agreement_is_as_wide_as_other_sentences_make_it_differ():
    generator = torch.Generator().manual_seed(0)
    truth = torch.randn(48, generator=generator)  # of the heads

    def measured() -> torch.Tensor:
        return truth + 6 * torch.randn(80, 48, generator=generator)  # of each sentence, mostly noise

    agreements = torch.tensor([pruning.rank_agreement(measured(), measured()) for _ in range(60)])
    whole, low, high = agreements.T
    assert ((low < whole) & (whole < high)).all()
    ends = pruning.fisher(agreements)
    half = ((ends[:, 2] - ends[:, 1]) / 2 / 1.96).mean()
    assert 0.7 < half / ends[:, 0].std() < 1.5


# ─── Pruning ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_with_all_heads_gone_it_is_the_model_whose_attention_adds_nothing(translator, batches):
    model = translator.model
    order = pruning.at_random(model.config, 1)
    rows = pruning.curve(model, batches, order, [0, 4, len(order)])
    tokens = pruning.n_tokens(batches).sum()
    assert [row["n"] for row in rows] == [0, 4, 18]
    assert rows[0]["nll"] == pytest.approx((nll_of(model, batches).sum() / tokens).item(), rel=1e-4)
    before = {name: p.detach().clone() for name, p in model.named_parameters() if name.endswith("w_o.weight")}
    with torch.no_grad():
        for name in before:
            model.get_parameter(name).zero_()
        wanted = (nll_of(model, batches).sum() / tokens).item()
        for name, weight in before.items():
            model.get_parameter(name).copy_(weight)
    assert rows[-1]["nll"] == pytest.approx(wanted, rel=1e-4)
    assert abs(rows[1]["nll"] - rows[0]["nll"]) > 1e-4


def test_orders_hold_every_head_once_least_important_first(translator, batches):
    config = translator.model.config
    table = pruning.normalised(pruning.importance(translator.model, batches))
    order = pruning.by_importance(table, config)
    values = [table[list(KINDS).index(kind), layer, head].item() for kind, layer, head in order]
    assert values == sorted(values) and sorted(order) == sorted(pruning.all_heads(config))
    assert {kind for kind, _, _ in pruning.by_importance(table, config, ["cross"])} == {"cross"}
    draws = [pruning.at_random(config, seed) for seed in (0, 0, 1)]
    assert draws[0] == draws[1] != draws[2] and sorted(draws[2]) == sorted(order)


def test_greedily_the_first_to_go_are_the_least_important_and_the_next_are_so_without_them(translator, batches):
    model = translator.model
    order = pruning.greedily(model, batches, 7)
    table = pruning.normalised(pruning.importance(model, batches))
    assert order[:7] == pruning.by_importance(table, model.config)[:7]
    gates = pruning.without(model.config, order[:7])  # what is gone counts no more, in its layer's norm neither
    again = pruning.normalised(pruning.importance(model, batches, gates) * gates)
    left = [at for at in pruning.by_importance(again, model.config) if at not in order[:7]]
    assert order[7:14] == left[:7] and sorted(order) == sorted(pruning.all_heads(model.config))
    assert {kind for kind, _, _ in pruning.greedily(model, batches, 4, ["encoder"])} == {"encoder"}


def test_a_pruned_models_translations_are_those_of_the_model_without_these_heads(translator):
    texts, gone = toys_evidence.SENTENCES[:2], [("cross", layer, head) for layer in range(3) for head in range(2)]
    with heads_off(translator.model, gone):
        wanted = translator.translate(texts, 1)
    assert pruning.translations(translator, texts, gone) == wanted
    blind = pruning.translations(translator, ["a cat", "the dog"], gone)
    assert blind[0] == blind[1]  # nothing of the source is read
