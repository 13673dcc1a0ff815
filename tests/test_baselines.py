"""The layers of Table 1: each is torch's own, costs what its formula says, and joins positions where it should."""

import math

import pytest
import torch
from torch import nn

import baselines
import transformer_core as tc
from core_options import beams, schedule

pytestmark = pytest.mark.usefixtures("one_thread")
B, N, D, K, R = 2, 24, 32, 3, 5


def made(name: str, d: int = D, **sizes: int) -> nn.Module:
    torch.manual_seed(1)
    return baselines.kind_of(name).make(**dict(d=d, k=K, r=R) | sizes)


# ─── The layers are what they are called ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["RNN", "GRU", "LSTM"])
def test_a_recurrent_layer_with_torch_s_weights_gives_torch_s_output_and_gradient(name):
    ours, theirs = getattr(baselines, name)(6).double(), getattr(nn, name)(6, 6, batch_first=True).double()
    for own, other in [(ours.input, "ih"), (ours.recurrent, "hh")]:
        for part in ("weight", "bias"):
            getattr(own, part).data = getattr(theirs, f"{part}_{other}_l0").data.clone()
    x = torch.randn(2, 5, 6, dtype=torch.float64, requires_grad=True)
    got, wanted = ours(x), theirs(x)[0]
    assert torch.allclose(got, wanted, atol=1e-12)
    gradients = [torch.autograd.grad(y.square().sum(), x)[0] for y in (got, wanted)]
    assert torch.allclose(*gradients, atol=1e-12)


@pytest.mark.parametrize("name", ["RNN", "GRU", "LSTM"])
def test_n_sweeps_of_the_cell_over_all_positions_are_the_layer(name):
    layer, x = getattr(baselines, name)(6).double(), torch.randn(2, 5, 6, dtype=torch.float64)
    states = layer.start(x)
    for _ in range(5):
        states = layer.sweep(x, states)
    assert torch.allclose(states[0], layer(x), atol=1e-12)


@pytest.mark.parametrize("dilation", [1, 2, 3])
def test_a_centred_convolution_is_torch_s(dilation):
    layer = baselines.Convolution(6, 3, dilation, causal=False)
    theirs = nn.Conv1d(6, 6, 3, padding="same", dilation=dilation)
    theirs.load_state_dict(layer.convolution.state_dict())
    x = torch.randn(2, 7, 6)
    assert torch.allclose(layer(x), theirs(x.transpose(1, 2)).transpose(1, 2), atol=1e-6)


@pytest.mark.parametrize("dilation", [1, 3])
def test_a_separable_convolution_is_a_depthwise_and_a_pointwise_one(dilation):
    layer = baselines.SeparableConvolution(6, 3, dilation, causal=False)
    depth, point = nn.Conv1d(6, 6, 3, padding="same", dilation=dilation, groups=6), nn.Conv1d(6, 6, 1)
    depth.load_state_dict(layer.depthwise.convolution.state_dict())
    point.load_state_dict({"weight": layer.pointwise.weight[..., None], "bias": layer.pointwise.bias})
    x = torch.randn(2, 7, 6)
    assert torch.allclose(layer(x), point(depth(x.transpose(1, 2))).transpose(1, 2), atol=1e-6)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("n", "window"), [(9, 3), (9, 5), (4, 7)])
def test_restricted_attention_that_computes_the_band_alone_is_the_core_s_with_its_window_mask(n, window, causal):
    layer = baselines.RestrictedSelfAttention(8, window, n_heads=2, causal=causal)
    x = torch.randn(3, n, 8)
    assert torch.allclose(layer(x), layer.attention(x, x, tc.window_mask(n, window, causal)), atol=1e-6)


@pytest.mark.parametrize("name", [name for name in baselines.KINDS if name != "feed-forward"])
def test_a_future_position_cannot_change_the_past_of_a_causal_layer(name):
    layer, x = made(name, 8), torch.randn(2, 9, 8)
    before, changed = layer(x), x.clone()
    changed[:, 5] += 1
    after = layer(changed)
    assert torch.equal(after[:, :5], before[:, :5])
    assert not torch.allclose(after[:, 5], before[:, 5])


def test_what_cannot_be_made_is_refused_with_what_was_needed():
    with pytest.raises(ValueError, match=r"kernel is 4.*odd"):
        baselines.Convolution(6, 4, causal=False)
    with pytest.raises(ValueError, match=r"window is 4.*odd"):
        baselines.RestrictedSelfAttention(6, 4, causal=False)
    with pytest.raises(ValueError, match=r"d_model is 6 and n_heads 4"):
        baselines.SelfAttention(6, n_heads=4)
    with pytest.raises(ValueError, match=r"no layer 'transformer'.*'self-attention'"):
        baselines.multiply_adds("transformer", 5, 6)
    with pytest.raises(ValueError, match=r"k is 1.*at least 2"):
        baselines.path_length("convolution", 5, k=1)


# ─── Multiply-adds ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", baselines.KINDS)
@pytest.mark.parametrize(("n", "d", "k", "r"), [(24, 32, 3, 5), (7, 6, 4, 2), (40, 16, 5, 9)])
def test_torch_s_counter_sees_what_the_formula_says(name, n, d, k, r):
    exact = baselines.multiply_adds(name, n, d, k, r)
    assert baselines.measured_multiply_adds(made(name, d, k=k, r=r), n, d) == exact
    with torch.device("meta"):
        assert baselines.measured_multiply_adds(made(name, d, k=k, r=r), n, d) == exact


def test_the_number_of_heads_changes_no_count():
    counts = {baselines.measured_multiply_adds(baselines.SelfAttention(D, h), N, D) for h in (1, 2, 8)}
    assert counts == {4 * N * D**2 + 2 * N**2 * D}


def test_the_examples_of_width_512():
    names = ("RNN", "GRU", "LSTM", "convolution", "separable convolution")
    for n, numbers in {
        70: (5_017_600, 78_417_920, 36_700_160, 110_100_480, 146_800_640, 55_050_240, 18_457_600),
        512: (268_435_456, 805_306_368, 268_435_456, 805_306_368, 1_073_741_824, 402_653_184, 135_004_160),
    }.items():
        core, full = (baselines.multiply_adds("self-attention", n, 512, core=core) for core in (True, False))
        assert (core, full, *(baselines.multiply_adds(name, n, 512) for name in names)) == numbers
    assert baselines.multiply_adds("self-attention", 1024, 512) == baselines.multiply_adds("LSTM", 1024, 512)


@pytest.mark.parametrize("d", [6, 32, 512])
def test_the_crossings_are_where_the_paper_and_the_whole_layer_put_them(d):
    assert baselines.crossing("self-attention", "RNN", d, core=True) == d
    assert baselines.crossing("self-attention", "GRU", d) == d
    assert baselines.crossing("self-attention", "LSTM", d) == 2 * d
    assert baselines.crossing("self-attention", "RNN", d) is None
    assert [baselines.crossing("self-attention", "convolution", d, k) for k in (3, 4, 6)] == [None, None, d]


def test_with_its_projections_self_attention_is_never_cheaper_than_a_vanilla_rnn():
    for n in range(1, 200):
        for d in (1, 2, 7, 512):
            assert baselines.multiply_adds("self-attention", n, d) > baselines.multiply_adds("RNN", n, d)


def test_a_convolution_costs_k_times_n_d_squared_and_half_k_vanilla_rnns():
    for k in (2, 3, 8):
        assert baselines.multiply_adds("convolution", N, D, k) == k * N * D**2
        assert 2 * baselines.multiply_adds("convolution", N, D, k) == k * baselines.multiply_adds("RNN", N, D)


def test_decoding_one_by_one_with_the_core_s_cache_skips_the_upper_half():
    assert baselines.decoding_multiply_adds(7, 6) == 4 * 7 * 6**2 + 7 * 8 * 6


def test_formulas_are_written_as_they_are_computed():
    written = {baselines.formula(name) for name in baselines.KINDS}
    assert {"4nd² + 2n²d", "4nd² + 2rnd", "knd + nd²", "knd²", "2nd²"} <= written
    assert baselines.formula("self-attention", core=True) == "2n²d"


# ─── Sequential operations ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", baselines.KINDS)
@pytest.mark.parametrize("n", [5, 24])
def test_the_longest_chain_in_the_graph_is_the_number_of_sequential_operations(name, n):
    assert baselines.measured_sequential_operations(made(name, 8), n, 8) == baselines.sequential_operations(name, n)


def test_the_longest_chain_counts_products_that_wait_and_no_others():
    x, w = torch.randn(3, 4, requires_grad=True), torch.randn(4, 4, requires_grad=True)
    assert baselines.longest_chain(x @ w + x @ w.T) == 1
    assert baselines.longest_chain(torch.tanh(x @ w) @ w) == 2


# ─── Path length ─────────────────────────────────────────────────────────────────────────────────────────────────────


def closed_form(name: str, n: int, w: int, causal: bool) -> int:
    """The integers of the fact sheet, written once more."""
    if name in ("convolution", "restricted self-attention"):
        return math.ceil((n - 1) * (1 if causal else 2) / (w - 1))
    if name == "doubling convolution":
        return next(layers for layers in range(99) if 1 + (w - 1) * (2**layers - 1) >= n)
    if name in ("dilated convolution", "separable convolution"):
        return next(layers for layers in range(99) if w**layers >= n)
    return 1 if name == "self-attention" else n


@pytest.mark.parametrize("name", [name for name in baselines.KINDS if name != "feed-forward"])
@pytest.mark.parametrize("n", [5, 9, 10, 17, 28, 33])
def test_the_gradient_arrives_after_as_many_layers_as_the_formula_says(name, n):
    for w in (3, 5):
        exact = baselines.path_length(name, n, w, w)
        assert exact == closed_form(name, n, w, causal=True)
        assert baselines.measured_path_length(name, n, w, w) == exact


@pytest.mark.parametrize("name", ["self-attention", "convolution", "restricted self-attention"])
@pytest.mark.parametrize("n", [5, 10, 17])
def test_centred_layers_need_twice_as_many(name, n):
    for w in (3, 5):
        exact = baselines.path_length(name, n, w, w, causal=False)
        assert exact == closed_form(name, n, w, causal=False)
        assert baselines.measured_path_length(name, n, w, w, causal=False) == exact


def test_centred_dilated_layers_do_not_join_the_ends_and_feed_forward_layers_join_nothing():
    assert baselines.measured_path_length("dilated convolution", 33, 3, causal=False) is None
    assert baselines.path_length("dilated convolution", 33, 3, causal=False) is None
    assert baselines.measured_path_length("feed-forward", 9) is baselines.path_length("feed-forward", 9) is None


def test_the_integer_logarithm_is_exact_at_powers_of_the_kernel():
    for k in (2, 3, 5, 10):
        for power in range(1, 6):
            at, behind = (baselines.path_length("dilated convolution", k**power + more, k) for more in (0, 1))
            assert (at, behind) == (power, power + 1)


def test_reach_is_the_pattern_of_the_mask():
    layer = baselines.RestrictedSelfAttention(8, 3, causal=False).double()
    x = torch.randn(1, 6, 8, dtype=torch.float64, requires_grad=True)
    assert torch.equal(baselines.reach(layer(x), x, range(6)), tc.window_mask(6, 3, causal=False))


# ─── Memory and gradients ────────────────────────────────────────────────────────────────────────────────────────────


def test_what_attention_keeps_grows_with_n_squared_and_what_a_convolution_keeps_with_n():
    memory = {
        name: [baselines.measured_memory(made(name), n, D) for n in (64, 128, 256)]
        for name in ("self-attention", "convolution", "LSTM")
    }
    first, second, third = memory["self-attention"]
    assert third - 2 * second == 4 * (second - 2 * first) > 0  # a·n + b·n², so b remains
    for name in ("convolution", "LSTM"):
        first, second, third = memory[name]
        assert third - second == 2 * (second - first) > 0


def test_memory_counts_what_is_kept_once_and_no_parameters():
    layer = nn.Sequential(nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 6))
    assert baselines.measured_memory(layer, 5, 6) == 5 * 6 * 4  # tanh keeps its output, and the next layer the same


def test_a_gradient_fades_with_distance_in_an_rnn_and_not_in_self_attention():
    fading, steady = (baselines.gradient_by_distance(name, 32, 16) for name in ("RNN", "self-attention"))
    assert fading[31] < 1e-4 * fading[0]
    assert steady[31] > 0.1 * steady[1]
    assert fading.shape == (32,)


def test_measuring_leaves_the_random_numbers_of_others_alone():
    torch.manual_seed(5)
    wanted = torch.rand(1)
    torch.manual_seed(5)
    baselines.measured_path_length("convolution", 9)
    baselines.gradient_by_distance("RNN", 5, 6)
    assert torch.equal(torch.rand(1), wanted)


@pytest.mark.parametrize("name", ["RNN", "GRU", "LSTM"])
def test_a_recurrent_layer_reads_only_what_came_before_whatever_is_asked(name):
    assert baselines.measured_path_length(name, 7, causal=False) == baselines.path_length(name, 7, causal=False) == 7


# ─── Encoder-decoders with recurrent layers ──────────────────────────────────────────────────────────────────────────

KINDS = [(cell, score) for cell in ("RNN", "GRU", "LSTM") for score in (None, "additive", "dot")]
SRC = torch.tensor([[5, 9, 4, 7, 8, 6, 2], [9, 9, 5, 2, 0, 0, 0], [4, 5, 2, 0, 0, 0, 0]])  # (B, S), each ended by eos
TGT = torch.tensor([[1, 7, 5, 9, 4], [1, 4, 4, 6, 9], [1, 8, 6, 0, 0]])  # (B, T), each begun by bos


def translator(cell: str, score: str | None, d_model: int = 16) -> baselines.RecurrentEncoderDecoder:
    torch.manual_seed(3)
    return baselines.RecurrentEncoderDecoder(baselines.RecurrentConfig(30, d_model, cell, score)).eval()


@pytest.mark.parametrize(("cell", "score"), KINDS)
def test_a_recurrent_decoder_does_not_see_the_future_nor_padding_and_decodes_as_it_trains(cell, score):
    model = translator(cell, score)
    with torch.no_grad():
        logits, other = model(SRC, TGT), TGT.clone()
        other[:, 3] = 11
        assert torch.equal(model(SRC, other)[:, :3], logits[:, :3])
        assert not torch.equal(model(SRC, other)[:, 3:], logits[:, 3:])
        assert torch.allclose(model(SRC[1:2, :4], TGT[1:2]), logits[1:2], atol=1e-6)
        memory, cache = model.encode(SRC), [(tc.KeyValues(5), tc.KeyValues())]
        steps = [model.decode(TGT[:, i : i + 1], memory, SRC != tc.PAD, cache) for i in range(TGT.size(1))]
    assert torch.allclose(torch.cat(steps, 1), logits, atol=1e-5)


@pytest.mark.parametrize(("cell", "score"), KINDS)
@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("beam_search", [tc.beam_search, beams.beam_search], ids=["core", "beams"])
def test_a_beam_search_knows_the_log_probability_of_what_a_recurrent_model_says(beam_search, cell, score, width):
    model = translator(cell, score)
    for row, found in enumerate(beam_search(model, SRC, width, max_extra=6)):
        src = SRC[row : row + 1, : int((SRC[row] != tc.PAD).sum())]
        with torch.no_grad():
            log_probs = model(src, torch.tensor([[tc.BOS, *found.ids[:-1]]])).log_softmax(-1)[0]
        told = sum(log_probs[i, token].item() for i, token in enumerate(found.ids))
        assert told == pytest.approx(found.log_prob, abs=1e-4)


@pytest.mark.parametrize(("cell", "score"), [kind for kind in KINDS if kind[1]])
def test_each_context_is_the_weighted_mean_of_the_source_states(cell, score):
    model = translator(cell, score).double()
    alignment, contexts = model.decoder[0].cross_attention, []
    alignment.register_forward_hook(lambda _, __, output: contexts.append(output[0]))
    with tc.record(model) as trace, torch.no_grad():
        memory = model.encode(SRC)
        model.decode(TGT, memory, SRC != tc.PAD)
    weights = trace["decoder.0.cross_attention.weights"]  # (B, 1, T, S)
    assert weights.shape == (3, 1, 5, 7)
    assert torch.allclose(weights.sum(-1), torch.ones(3, 1, 5, dtype=torch.float64))
    assert weights[1, :, :, 4:].count_nonzero() == 0
    assert torch.allclose(weights.squeeze(1) @ memory, torch.cat(contexts, 1))
    assert torch.allclose(weights, trace["decoder.0.cross_attention.scores"].softmax(-1))


def test_additive_scores_are_bahdanau_s_formula_and_dot_scores_a_product():
    state, memory = torch.randn(2, 1, 6), torch.randn(2, 3, 6)
    for score in ("additive", "dot"):
        layer = baselines.Alignment(baselines.RecurrentConfig(9, 6, score=score))
        _, scores, _ = layer(state, layer.keys(memory), memory, torch.ones(2, 3, dtype=torch.bool))
        for b in range(2):
            for j in range(3):
                h, s = memory[b, j], state[b, 0]
                e = (
                    layer.v.weight[0] @ torch.tanh(layer.w.weight @ s + layer.u.weight @ h)
                    if score == "additive"
                    else s @ h
                )
                assert scores[b, 0, j].item() == pytest.approx(e.item(), abs=1e-6)


def test_weights_are_edited_step_by_step_and_only_read_all_at_once():
    model = translator("GRU", "dot")
    first = torch.zeros(3, 1, 7).index_fill(2, torch.tensor([0]), 1.0)
    with tc.intervene(model, "decoder.0.cross_attention.step", lambda _: first), tc.record(model) as trace:
        model(SRC, TGT)
    assert torch.equal(trace["decoder.0.cross_attention.weights"], first[:, :, None].expand(3, 1, 5, 7))
    with tc.intervene(model, "decoder.0.cross_attention.weights", torch.clone), pytest.raises(ValueError, match="step"):
        model(SRC, TGT)


@pytest.mark.parametrize("score", [None, "additive", "dot"])
def test_the_core_trains_a_recurrent_model_to_copy(score):
    rows = [[a, b, a] for a in range(4, 9) for b in range(4, 9)]
    torch.manual_seed(0)
    model = baselines.RecurrentEncoderDecoder(baselines.RecurrentConfig(9, 32, score=score, p_drop=0.0, eps_ls=0.0))
    config = schedule.TrainingConfig(steps=120, warmup_steps=20, peak_learning_rate=1e-2, clip_norm=1.0, device="cpu")
    steps = list(tc.train(model, tc.make_batches([(row, row) for row in rows], 60), config))
    assert steps[-1].nll < 0.1 < steps[0].nll
    found = tc.greedy_decode(model, tc.pad([[*row, tc.EOS] for row in rows]))
    assert sum(hypothesis.ids[:-1] == row for hypothesis, row in zip(found, rows, strict=True)) >= 23


def test_a_folder_keeps_a_recurrent_translator_and_refuses_a_tokenizer_of_another_size(tmp_path):
    with pytest.warns(UserWarning, match="fewer"):
        tokenizer = tc.Tokenizer.train(["so it is"], 300)
    for n, right in ((len(tokenizer), True), (len(tokenizer) + 1, False)):
        model = baselines.RecurrentEncoderDecoder(baselines.RecurrentConfig(n, 6, "LSTM", "dot")).eval()
        tc.save_checkpoint(tmp_path, model.config, tc.weights_of(model), tokenizer)
        if right:
            again = baselines.load_recurrent(tmp_path)
            assert torch.equal(again.model(SRC, TGT), model(SRC, TGT))
            assert again.translate(["so it is"], beam_size=2) == tc.Translator(model, tokenizer).translate(
                ["so it is"], 2
            )
        else:
            with pytest.raises(ValueError, match="do not match"):
                baselines.load_recurrent(tmp_path)


@pytest.mark.parametrize(
    "wrong", [dict(cell="CNN"), dict(score="bilinear"), dict(d_model=7), dict(positions="sinusoidal")]
)
def test_a_wrong_recurrent_shape_is_refused_in_one_sentence(wrong):
    with pytest.raises(ValueError, match=r"is .*; (choose one of|it must be even)"):
        baselines.RecurrentConfig(30, **wrong)
