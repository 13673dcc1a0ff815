"""Figure 1 of a model: every block is a module, every shape is one that a hook saw, every step one that was decoded."""

import inspect
import pathlib
from dataclasses import replace

import pytest
import torch

import transformer_core as tc
from studies import model

SENTENCES = ["the cat sees a dog .", "die Katze sieht einen Hund .", "a dog , a cat and the street"]
CONFIG = tc.TransformerConfig(
    vocab_size=300, n_layers=2, d_model=24, d_ff=16, n_heads=3, d_k=7, d_v=5, p_drop=0.5, max_len=32
)
VARIATIONS = [
    {}, {"norm": "pre"}, {"positions": "learned"}, {"tie_softmax": False}, {"tgt_vocab_size": 310}, {"window": 3},
]  # fmt: skip

pytestmark = pytest.mark.usefixtures("one_thread")  # so small a model is quickest so


def transformer(**changes) -> tc.Transformer:
    torch.manual_seed(5)
    return tc.Transformer(replace(CONFIG, **changes)).eval()


def ids(*shape: int) -> torch.Tensor:
    return torch.randint(4, 300, shape, generator=torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def translator() -> tc.Translator:
    with pytest.warns(UserWarning):
        tokenizer = tc.Tokenizer.train(SENTENCES * 3, 1000)
    return tc.Translator(transformer(vocab_size=len(tokenizer)), tokenizer, "little")


# ─── Blocks ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("changes", VARIATIONS, ids=str)
def test_every_shape_shown_is_what_a_forward_hook_sees_and_what_its_letters_say(changes):
    net, src, tgt_in = transformer(**changes), ids(2, 5), ids(2, 3)
    seen: dict[str, list[tuple]] = {}
    hooks = [
        module.register_forward_hook(
            lambda _, given, out, name=name: seen.setdefault(name, []).append(tuple(out.shape))
        )
        for name, module in net.named_modules(remove_duplicate=False)
    ]
    with torch.no_grad():
        net(src, tgt_in)
    for hook in hooks:
        hook.remove()
    sizes = {"B": 2, "S": 5, "T": 3, "D": 24, "H": 3, "K": 7, "d_v": 5, "d_ff": 16, "1": 1}
    sizes["V"] = changes.get("tgt_vocab_size", 300)
    for block in model.blocks_of(net, src, tgt_in):
        out = block.outs[0]
        if block.kind in ("linear", "softmax"):
            assert out.shape == seen[""][0]
        else:
            assert out.shape == seen[block.module][-1 if block.name.startswith("tgt") else 0], block.name
        for wire in (*block.ins, *block.inner, *block.outs):
            assert tuple(sizes[letter] for letter in wire.letters) == wire.shape, (block.name, wire)


def test_with_t_as_far_as_the_decoder_has_come_the_letters_give_what_hooks_see_at_every_step():
    net, src, tgt_in = transformer(), ids(1, 5), ids(1, 4)
    last = model.blocks_of(net, src, tgt_in)
    for step in range(1, 5):
        for whole, now in zip(last, model.blocks_of(net, src, tgt_in[:, :step]), strict=True):
            shape = tuple(
                step if a == "T" else n for a, n in zip(whole.outs[0].letters, whole.outs[0].shape, strict=True)
            )
            assert shape == now.outs[0].shape, whole.name


def test_the_parameters_of_the_blocks_are_those_of_the_model_counted_once():
    for changes in VARIATIONS:
        net = transformer(**changes)
        blocks = {block.name: block for block in model.blocks_of(net, ids(1, 5), ids(1, 3))}
        whole = [block for name, block in blocks.items() if block.kind in ("layer", "positions")]
        counted = sum(block.n_parameters for block in whole) + blocks["src_embedding"].n_parameters
        if net.config.tgt_vocab_size:
            counted += blocks["tgt_embedding"].n_parameters
        if not net.config.tie_softmax:
            counted += blocks["linear"].n_parameters
        if net.config.norm == "pre":
            counted += blocks["encoder_norm"].n_parameters + blocks["decoder_norm"].n_parameters
        assert counted == tc.count_parameters(net)


def test_every_line_of_the_core_that_is_shown_is_there_and_does_what_the_block_does():
    core = pathlib.Path(tc.__file__).read_text().splitlines()
    for key, (function, words) in model.SOURCES.items():
        source = model.code_of(key)
        assert words in core[source["line"] - 1]
        assert source["text"] == inspect.cleandoc("\n" + inspect.getsource(function))
        assert source["first"] <= source["line"] < source["first"] + len(source["text"].splitlines())


def test_watching_leaves_nothing_behind():
    net = transformer()
    model.watch(net, ids(1, 5), ids(1, 3))
    assert not any(module._forward_hooks for module in net.modules())
    assert not any(probe.watched for probe in tc.probes(net).values())


# ─── The sentence's journey ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("changes", [{}, {"norm": "pre"}, {"window": 3}], ids=str)
def test_greedy_steps_without_a_cache_find_the_pieces_that_the_core_finds_with_one(changes):
    net = transformer(**changes)
    for n in (1, 3, 6):
        src = torch.cat([ids(1, n), torch.tensor([[tc.EOS]])], dim=1)
        steps = model.greedy_steps(net, src, max_extra=12)
        assert [step.chosen for step in steps] == tc.greedy_decode(net, src, max_extra=12)[0].ids


def test_the_probabilities_of_every_step_sum_to_one_and_the_likeliest_come_first():
    for step in model.greedy_steps(transformer(), ids(1, 4), max_extra=6):
        assert abs(step.total - 1) < 1e-6
        values = [p for _, p in step.top]
        assert values == sorted(values, reverse=True) and len(values) == 10 and sum(values) < step.total


def test_greedy_steps_take_one_sentence():
    with pytest.raises(ValueError, match="2 sentences; pass one"):
        model.greedy_steps(transformer(), ids(2, 4))


def test_without_positions_an_encoder_does_not_know_the_order_and_with_them_it_does():
    net, src, order = transformer(), ids(1, 6), torch.tensor([3, 0, 5, 1, 4, 2])
    with_positions = model.shuffling_gap(net, src, order)
    with model.without_positions(net):
        without = model.shuffling_gap(net, src, order)
    assert without < 1e-5 < 0.1 < with_positions
    with torch.no_grad():
        assert not torch.equal(net.src_positions(4), torch.zeros(4, 24))  # as it was


def test_a_journey_is_the_greedy_translation_with_every_map_of_the_pass_over_it(translator):
    journey = model.travel(translator, SENTENCES[0])
    assert journey.ids == tc.greedy_decode(translator.model, journey.src)[0].ids and journey.same_as_cached
    with tc.record(translator.model, "*.weights") as trace, torch.no_grad():
        translator.model(journey.src, journey.tgt_in)
    assert len(journey.weights) == 2 * 3
    assert all(torch.equal(journey.weights[name], trace[f"{name}.weights"][0]) for name in journey.weights)
    with pytest.raises(ValueError, match="more than the 3 shown"):
        model.travel(translator, SENTENCES[0], most=3)
