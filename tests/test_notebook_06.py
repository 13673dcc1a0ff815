"""What notebook 06 says of its own sizes, held against real layers and against the times that are stored."""

from pathlib import Path

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

import baselines
import transformer_core as tc
from studies import complexity, stored

DATA = Path(__file__).parent.parent / "notebooks" / "data"
pytestmark = pytest.mark.usefixtures("one_thread")  # so small a layer is quickest so


@pytest.fixture(scope="module")
def result() -> dict:
    return stored.load(DATA / "complexity_cpu.json")


@pytest.fixture(scope="module")
def gradients() -> dict[str, torch.Tensor]:
    return {name: baselines.gradient_by_distance(name, n=64, d=32) for name in ("self-attention", "RNN", "LSTM")}


def test_layers_of_70_positions_and_width_512_measure_what_the_formulas_say():
    names = ("self-attention", "RNN", "LSTM", "convolution", "restricted self-attention")
    for name, found in complexity.measure_layers(names, n=70, d=512, k=3, r=33).items():
        assert found["multiply_adds"] == baselines.multiply_adds(name, 70, 512, k=3, r=33)
        assert found["sequential"] == baselines.sequential_operations(name, 70)
        assert found["path"] == baselines.path_length(name, 70, k=3, r=33)


@pytest.mark.parametrize("d", [64, 512, 1024])
def test_the_whole_layer_meets_a_gru_at_d_an_lstm_at_2d_and_a_vanilla_rnn_never(d):
    rnn, gru, lstm = (baselines.crossing("self-attention", other, d) for other in ("RNN", "GRU", "LSTM"))
    assert (baselines.crossing("self-attention", "RNN", d, core=True), gru, lstm, rnn) == (d, d, 2 * d, None)


def test_the_whole_layer_takes_more_than_a_vanilla_rnn_up_to_300_positions():
    pairs = [(n, d) for n in range(1, 300) for d in (1, 8, 64, 512)]
    margins = [baselines.multiply_adds("self-attention", *at) - baselines.multiply_adds("RNN", *at) for at in pairs]
    assert min(margins) > 0


@pytest.mark.parametrize("k", [3, 5, 9])
def test_a_convolution_is_half_k_vanilla_rnns_at_width_512(k):
    conv = baselines.multiply_adds("convolution", 70, 512, k=k)
    assert conv == k * 70 * 512**2 and conv / baselines.multiply_adds("RNN", 70, 512) == k / 2


@pytest.mark.parametrize("n", [70, 512, 2048])
def test_a_separable_convolution_over_all_positions_has_the_two_terms_of_attention_and_feed_forward(n):
    pair = baselines.multiply_adds("self-attention", n, 512) + baselines.multiply_adds("feed-forward", n, 512)
    assert baselines.multiply_adds("separable convolution", n, 512, k=n) == n * n * 512 + n * 512**2
    assert pair == 2 * n * n * 512 + 12 * n * 512**2


def test_one_by_one_decoding_of_24_positions_takes_half_of_the_scores():
    assert baselines.decoding_multiply_adds(24, 32) == 4 * 24 * 32**2 + 24 * 25 * 32


@pytest.mark.parametrize("name", ["self-attention", "convolution", "separable convolution", "RNN", "GRU", "LSTM"])
def test_chains_stay_what_they_are_or_grow_with_n(name):
    layer = baselines.KINDS[name].make(d=8, k=3, r=5)
    chains = [baselines.measured_sequential_operations(layer, n, d=8) for n in (8, 64, 256)]
    assert chains == [baselines.sequential_operations(name, n) for n in (8, 64, 256)]


@pytest.mark.parametrize(
    "name", ["self-attention", "dilated convolution", "convolution", "restricted self-attention", "RNN"]
)
def test_paths_of_the_chart_lie_on_their_formulas(name):
    for n in (2, 5, 9, 10, 17, 28, 33, 50):
        assert baselines.measured_path_length(name, n, k=3, r=5) == baselines.path_length(name, n, k=3, r=5)


@pytest.mark.parametrize("name", ["convolution", "restricted self-attention"])
def test_centred_stacks_of_three_need_n_minus_1_layers(name):
    assert [baselines.measured_path_length(name, n, 3, 3, causal=False) for n in (5, 10, 17)] == [4, 9, 16]


def test_centred_dilations_never_join_the_two_ends():
    assert baselines.measured_path_length("dilated convolution", 33, k=3, causal=False) is None


def test_a_window_saves_work_only_where_the_band_alone_is_computed():
    n, d, r = 256, 64, 9
    x, window = torch.randn(1, n, d), tc.window_mask(n, r, causal=True)
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        baselines.SelfAttention(d).attention(x, x, window)
    assert counter.get_total_flops() // 2 == 4 * n * d**2 + 2 * n**2 * d
    band = baselines.measured_multiply_adds(baselines.RestrictedSelfAttention(d, r), n, d)
    assert band == 4 * n * d**2 + 2 * r * n * d


def test_over_63_places_gradients_of_recurrent_layers_are_gone_and_attention_s_is_not(gradients):
    assert gradients["RNN"][63] < 1e-12 * gradients["RNN"][1]
    assert gradients["LSTM"][63] < 1e-10 * gradients["LSTM"][1]
    assert gradients["self-attention"][63] > 0.5 * gradients["self-attention"][1]
    assert [baselines.path_length(name, 64) for name in ("dilated convolution", "convolution")] == [4, 32]


def test_attention_s_gradient_falls_as_1_over_n_and_the_rnn_s_by_powers_of_ten():
    attention, rnn = (
        [baselines.gradient_by_distance(name, n=n, d=32)[-1].item() for n in (2, 8, 32, 128)]
        for name in ("self-attention", "RNN")
    )
    assert [n * gradient for n, gradient in zip((2, 8, 32, 128), attention, strict=True)] == pytest.approx(
        [0.385] * 4, rel=0.1
    )
    assert rnn[-1] < 1e-40


def test_a_multiply_add_of_every_other_layer_took_longer_than_a_convolution_s(result):
    for layer in ("self-attention", "RNN", "LSTM", "torch.nn.LSTM"):
        assert complexity.waiting_cost(result, layer, d=256, n=256) > 1


def test_written_out_attention_keeps_n_by_n_weights_of_each_head_and_the_kernel_of_the_core_none(result):
    layer = baselines.KINDS["self-attention"].make(d=256)
    kept = complexity.timed(result, "self-attention", 256, "bytes")
    with tc.record(layer, "*.weights"):
        written_out = {n: baselines.measured_memory(layer, n, 256) for n in kept}
    for sizes, twice in ((kept, (2, 3)), (written_out, (3, 4))):
        grows = [sizes[2 * n] / sizes[n] for n in (64, 128, 256, 512)]
        assert grows == sorted(grows) and twice[0] < grows[-1] < twice[1]  # towards 4: n² scores, or a mask
    heads = layer.attention.split(torch.zeros(1, 1, 256)).size(1)
    assert kept[1024] < heads * 1024**2 * 4 < written_out[1024]
