"""Each path of a model on a GPU, worked without one (pretend_cuda.py): no tensor of the CPU meets one of the GPU."""

import contextlib
import importlib
import inspect
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import toys
import toys_context
import toys_parsing
import toys_recurrence
from pretend_cuda import CUDA, pretending

import studies.training
import transformer_core as tc
from core_options import beams, context_aware, fast_cpu, packing, safekeeping, serving, ways
from corpora import grammar
from studies import decoding, masks, positions, text
from studies.reading import read
from viz.attention import explore_attention, explore_beside, explore_geometry
from viz.context import explore_gate
from viz.decoding import explore_beam, explore_forced, explore_sampling
from viz.evidence import explore_answers, explore_graph, explore_pruning
from viz.masks import explore_masks
from viz.model import explore_model
from viz.parsing import explore_parse
from viz.positions import explore_order
from viz.recurrence import explore_alignment
from viz.training import explore_training

pytestmark = [pytest.mark.usefixtures("one_thread"), pytest.mark.filterwarnings("ignore:The text gives:UserWarning")]
QUICK = tc.TrainingConfig(steps=3, warmup_steps=2, clip_norm=1.0, device="cuda", precision="fp32")
SHAPES: dict[str, dict[str, Any]] = {
    "paper": {},
    "learned, pre, apart": dict(positions="learned", norm="pre", tgt_vocab_size=280, tie_softmax=False),
    "window": dict(window=3),
}


@contextlib.contextmanager
def on_gpu() -> Iterator[None]:
    """Inside, a pretended GPU, which must not have refused anything."""
    with pretending() as meetings:
        yield
    assert not meetings, "\n".join(dict.fromkeys(meetings))


def network(tokenizer: tc.Tokenizer, **changes: Any) -> tc.Transformer:
    shape = toys.TOY | changes | ({"tgt_vocab_size": len(tokenizer)} if "tgt_vocab_size" in changes else {})
    torch.manual_seed(4)
    return tc.Transformer(tc.TransformerConfig(len(tokenizer), **shape))


def corpus(tokenizer: tc.Tokenizer) -> tc.Batches:
    texts = [(text, toys.backwards(text)) for text in toys.sentences(30, seed=1)]
    return tc.make_batches(tc.encode_pairs(texts, tokenizer, tokenizer), 100)


def ending(translator: tc.Translator, device: str = "cuda") -> tc.Translator:
    return toys.ending(translator, device)


@pytest.fixture
def translator(tokenizer) -> tc.Translator:
    return tc.Translator(network(tokenizer, n_layers=2), tokenizer, "toy")


@pytest.mark.parametrize(("has", "wanted"), [(True, "bf16"), (False, "fp32")])
def test_auto_is_bf16_on_a_gpu_that_has_it(has: bool, wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation=True: has or including_emulation)
    assert tc.pick_precision(torch.device("cuda")) == wanted


# ─── That a mistake is seen ──────────────────────────────────────────────────────────────────────────────────────────


def forgotten(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """The same, made on the CPU wherever the model is."""
    return lambda *args, **kwargs: function(*args, **kwargs).to("cpu")


def one_batch(tokenizer: tc.Tokenizer) -> None:
    batch, this = next(iter(corpus(tokenizer))), network(tokenizer).to("cuda")
    ways.validation_nll(this, [batch], "fp32")
    tc.greedy_decode(this, batch.src.to("cuda"), 2)


@pytest.mark.parametrize(
    ("owner", "name", "operation"),
    [
        (tc, "causal_mask", "bitwise_and"),  # a mask that was made without a device
        (tc.Positions, "forward", "add"),  # positions left behind when the model moved
        (tc, "token_limits", "bitwise_and"),  # limits of the search
    ],
)
def test_a_planted_mistake_is_seen(tokenizer, monkeypatch, owner, name, operation):
    with on_gpu():
        one_batch(tokenizer)
    monkeypatch.setattr(owner, name, forgotten(getattr(owner, name)))
    with pytest.raises(AssertionError, match=rf"{operation}\S* at \S+\.py:\d+: .* on the CPU among"), on_gpu():
        one_batch(tokenizer)


def test_what_a_gpu_refuses_is_seen_and_what_it_takes_is_not():
    with pretending() as meetings:
        here, there = torch.arange(3.0), torch.arange(3.0, device="cuda")
        assert there.device == CUDA and there[1:].device == CUDA and there.is_cuda and not here.is_cuda
        assert here.to(there).device == CUDA and there.cpu().device == here.device == there.to("cpu").device
        assert (there + 1).sum().device == CUDA and torch.zeros_like(there).is_cuda and there.new_ones(2).is_cuda
        there += torch.tensor(2.0)  # one number may come from anywhere
        there[torch.tensor([0])] = there[torch.tensor([1])]
        here.copy_(there)
        assert not meetings
    for refused in (
        lambda here, there: here + there,
        lambda here, there: here[there.long() % 3],
        lambda here, there: there.numpy(),
        lambda here, there: torch.cat([here, there]),
        lambda here, there: there.index_put((torch.tensor([0]),), here[:1]),
        lambda here, there: torch.multinomial(there.abs() + 1, 1, generator=torch.Generator()),
        lambda here, there: torch.nn.functional.embedding(here.long(), there[:, None]),
    ):
        with pretending() as meetings:
            refused(torch.arange(3.0), torch.arange(3.0, device="cuda"))
        assert len(meetings) == 1, meetings


# ─── Training, checkpoints ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_training_and_validation(tokenizer, shape, precision):
    expected = [step.nll for step in tc.train(network(tokenizer, **SHAPES[shape], p_drop=0.0), corpus(tokenizer),
                                              replace(QUICK, device="cpu", precision=precision))]  # fmt: skip
    with on_gpu():
        this = network(tokenizer, **SHAPES[shape], p_drop=0.0)
        losses = [step.nll for step in tc.train(this, corpus(tokenizer), replace(QUICK, precision=precision))]
        assert next(this.parameters()).device == CUDA
        ways.validation_nll(this, corpus(tokenizer), precision)
    assert losses == expected


def by_sentence(q, k, v, q_starts, k_starts, longest_q, longest_k, *, window_size):
    """What torch's varlen_attn promises, by a mask."""
    (n, _, _), window = q.shape, window_size[0] + 1 if window_size[1] == 0 and window_size[0] >= 0 else None
    mask = packing.block_mask(q_starts, k_starts, n, window_size[1] == 0, window)[0]
    return tc.attention(*(x.transpose(0, 1) for x in (q, k, v)), mask).nan_to_num().transpose(0, 1)


@pytest.mark.parametrize(("packed", "precision"), [("yes", "fp32"), ("auto", "bf16"), ("no", "bf16")])
def test_training_in_every_way_of_a_gpu(tokenizer, monkeypatch, packed, precision):
    monkeypatch.setattr(packing, "varlen_kernel", lambda: by_sentence)
    with on_gpu():
        this = network(tokenizer, d_k=8, d_v=8)
        state, batches = tc.TrainingState(this, replace(QUICK, precision=precision)), corpus(tokenizer)
        way = ways.pick_way(state, batches, packed, accumulate=2)
        assert isinstance(way, packing.PackedWay) == (packed != "no")
        assert packed == "no" or way.packed.varlen == (precision == "bf16")
        assert len([*ways.train(this, batches, state=state, way=way)]) == 3


def test_a_run_is_saved_loaded_averaged_and_exported(tokenizer, tmp_path):
    with on_gpu():
        this = network(tokenizer)
        state = tc.TrainingState(this, QUICK)
        for step in tc.train(this, corpus(tokenizer), state=state):
            tc.save_checkpoint(tmp_path / f"step-{step.step}", this.config, tc.weights_of(this), tokenizer)
        state.save(tmp_path / "state.safetensors")
        again = tc.TrainingState(network(tokenizer), replace(QUICK, steps=4))
        again.load(tmp_path / "state.safetensors")
        assert [step.step for step in tc.train(again.model, corpus(tokenizer), state=again)] == [4]
        folders = tc.step_folders(tmp_path)[-2:]
        newest, weights = tc.load_pretrained(folders[-1]), tc.average_checkpoints(folders)
        tc.load_weights(newest.model.to("cuda"), weights, tmp_path)
        for load in (tc.load_pretrained, safekeeping.load_pretrained, serving.load_pretrained):
            assert load(tmp_path / "step-3", "cuda").device == CUDA
    for name, weight in tc.read_tensors(tmp_path / "step-3" / "model.safetensors").items():
        assert torch.equal(weight, tc.weights_of(this)[name])


def test_an_export_is_the_same_from_a_gpu(translator, tmp_path):
    pytest.importorskip("ctranslate2")
    serving.export(translator, "ctranslate2", tmp_path / "cpu")
    with on_gpu():
        translator.model.to("cuda")
        serving.export(translator, "ctranslate2", tmp_path / "gpu")
    assert (tmp_path / "cpu" / "model.bin").read_bytes() == (tmp_path / "gpu" / "model.bin").read_bytes()


# ─── Decoding, probes ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("search", [tc.greedy_decode, tc.beam_search, beams.beam_search, fast_cpu.beam_search])
def test_searches_find_the_same(tokenizer, shape, search):
    this = network(tokenizer, **SHAPES[shape]).eval()
    src = tc.pad([[*tokenizer.encode(text), tc.EOS] for text in ("ant bee", "cat", "dog eel fox")])
    expected = search(this, src, max_extra=3)
    with on_gpu():
        this.to("cuda")
        assert search(this, src.to("cuda"), max_extra=3) == expected


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_serving_and_context(tokenizer, precision):
    config = context_aware.ContextConfig(len(tokenizer), **toys.TOY, context="deep-global+deep", context_in="both")
    for this in (network(tokenizer), context_aware.ContextTransformer(config)):
        with on_gpu():
            translator = fast_cpu.Translator(this, tokenizer)
            translator.model.to("cuda")
            if precision == "bf16":
                serving.in_precision(this, "bf16")
            assert len(translator.translate(["ant bee", "", "cat"], max_extra=2)) == 3
            assert len(tc.Translator.translate(translator, ["ant bee"], max_extra=2)) == 1


def test_probes(translator):
    src = translator.source(["ant bee cat"])
    with on_gpu():
        translator.model.to("cuda")
        tgt_in = torch.tensor([[tc.BOS, 5, 6]], device="cuda")
        with tc.evaluating(translator.model), tc.record(translator.model) as trace:
            plain = translator.model(src.to("cuda"), tgt_in)
        assert {x.device for x in trace.values()} == {CUDA}
        with tc.evaluating(translator.model), tc.intervene(translator.model, "encoder.1.*.weights", lambda x: 0 * x):
            edited = translator.model(src.to("cuda"), tgt_in)
        assert edited.device == CUDA and not edited.equal(plain)


# ─── Studies ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_studies(translator):
    src, reference = translator.source(["ant bee cat"]), [5, 6, 7, tc.EOS]

    def measured(device: str) -> list[Any]:
        this = ending(translator, device).model
        ids = src.to(device)
        leak = masks.leak_test(this, ids, torch.tensor([[tc.BOS, *reference]], device=device), torch.ones(5, 5).bool())
        reading = read(translator, "ant bee cat")
        return [
            leak.failed, masks.reach(tc.causal_mask(4, device), 2).tolist(),
            decoding.two_ways(this, ids, reference), decoding.sample(this, ids, seed=1),
            decoding.next_logits(this, ids, reference[:2]).tolist(), reading.ids, reading.allowed("decoder"),
            {name: x.tolist() for name, x in text.embedded(this, reference).items()},
            decoding.counted_operations(this, ids, reference, cached=True), decoding.every_sentence(this, ids, 2),
            masks.say_without_mask(this, ids, 3), studies.training.repetition(this, corpus(translator.tokenizer)),
            {name: x.tolist() for name, x in masks.at_test_time(this, ids, ids).items()},
            positions.without_order(translator, "ant bee", {"moved": [("source", positions.placed([-1, *range(7)]))]}),
        ]  # fmt: skip

    with on_gpu():
        there = measured("cuda")
    del translator.model.decode
    with on_gpu():
        assert measured("cpu") == there


def test_the_gradients_of_one_shared_matrix(translator):
    with on_gpu():
        batch = next(iter(corpus(translator.tokenizer))).to(CUDA)
        gradients = text.tied_gradients(translator.model.to("cuda"), batch)
        assert {x.device for x in gradients.values()} == {CUDA}


# ─── Views ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def shown(view: Any) -> None:
    """What a page asks of a view: its picture, and its state for a page without Python."""
    view = getattr(view, "view", view)
    assert view.picture() and json.dumps(view.frozen())


SENTENCES = ("ant bee cat", "dog eel")


def test_every_view_that_a_model_stands_behind_is_worked_here():
    behind = {"translator", "translators", "lessons"}
    views = {
        name: view
        for path in sorted(toys.ROOT.glob("viz/*/__init__.py"))
        for name, view in vars(importlib.import_module(f"viz.{path.parent.name}")).items()
        if name.startswith("explore_") and behind & inspect.signature(view).parameters.keys()
    }
    absent = [name for name, view in views.items() if globals().get(name) is not view]
    assert len(views) > 8 and not absent, f"import {absent} here, and show each of them in a test below"


@pytest.mark.parametrize(
    "explore", [explore_attention, explore_beam, explore_forced, explore_geometry, explore_model, explore_order]
)
def test_views_of_a_sentence(translator, explore):
    with on_gpu():
        explorer = explore(ending(translator), SENTENCES[0])
        shown(explorer)
        explorer.text = SENTENCES[1]
        if explore is explore_order:
            explorer.view.places = [-1, *range(len(explorer.view.places) - 1)]
        if explore is explore_attention:
            explorer.view.off, explorer.view.words = [["cross", 0, 1]], [["mask", 0], ["replace", 1, "hen"]]
        shown(explorer)
        assert translator.device == CUDA


def test_the_view_of_two_readings_of_one_model_and_of_two(translator, tokenizer):
    other = tc.Translator(network(tokenizer, n_layers=2), tokenizer, "another")
    with on_gpu():
        explorer = explore_beside(ending(translator), *SENTENCES)
        explorer.view.second, explorer.view.off = "", [["cross", 0, 1], ["encoder", 1, 0]]
        explorer.text = SENTENCES[1]
        shown(explorer)
        shown(explore_beside(translator, SENTENCES[0], other=ending(other)))
        assert translator.device == CUDA


def test_the_view_of_masks_and_its_leak_test(translator):
    with on_gpu():
        view = explore_masks(ending(translator), SENTENCES[0], other="hen")
        shown(view)
        for known in view.meta["models"]:
            view.model = known["name"]
        view.layer = [1] * len(view.layer)


@pytest.mark.parametrize("explore", [explore_answers, explore_graph])
def test_the_views_of_what_matters(translator, explore):
    with on_gpu():
        explorer = explore(ending(translator), SENTENCES[0])
        explorer.text = SENTENCES[1]
        shown(explorer)


def test_the_view_of_pruning(translator):
    config = translator.model.config
    heads = [["encoder", layer, head] for layer in range(config.n_layers) for head in range(config.n_heads)]
    points = [{"n": n, "nll": 1.0 + n} for n in (0, len(heads))]
    with on_gpu():
        explorer = explore_pruning(
            ending(translator), SENTENCES[0], [{"name": "by layer", "order": heads, "points": points}]
        )
        explorer.view.n = len(heads)
        shown(explorer)


def test_the_view_of_sampling(translator):
    with on_gpu():
        view = explore_sampling(ending(translator), SENTENCES[0], [5, 6, 7, tc.EOS], [0, 2])
        view.temperature, view.top_k = 0.5, 3
        shown(view)


def test_the_view_of_a_parse():
    with on_gpu():
        explorer = explore_parse(ending(toys_parsing.untrained_parser()), ["the dog saw a cat .", "a dog ."])
        explorer.text = "the cat ."
        explorer.view.beam_size = 4
        shown(explorer)


def test_the_view_of_gates():
    with on_gpu():
        for options in (dict(context="deep-global+deep"), dict(context="deep", context_on="k")):
            translator = ending(toys_context.translator_with(**options))
            shown(explore_gate(translator, "the old|young king fed the dog ."))


@pytest.mark.parametrize("score", ["additive", "dot", None])
def test_the_view_of_alignment(score):
    little = toys_recurrence.translator(toys_recurrence.toy_tokenizer(), "LSTM", score)
    with on_gpu():
        little.model.to("cuda")
        explorer = explore_alignment({score or "fixed": little}, toys_recurrence.TEXTS[:2])
        explorer.text = toys_recurrence.TEXTS[3]
        shown(explorer)


class Here(threading.Thread):
    """A thread that works where it is started, as what another one does is not seen."""

    def start(self) -> None:
        self.run()

    def is_alive(self) -> bool:
        return False


def test_the_view_of_a_training(monkeypatch):
    there = SimpleNamespace(Thread=Here, Event=threading.Event, RLock=threading.RLock)
    monkeypatch.setattr(studies.training, "threading", there)
    pairs = grammar.sample(60, difficulty=1)
    texts = [(pair.english, pair.german) for pair in pairs]
    lessons = studies.training.Lessons(texts[5:], texts[:5], 400, 100)
    config = replace(studies.training.RECIPE, steps=8, warmup_steps=2, cooldown_steps=2, device="cuda")
    with on_gpu():
        view = explore_training(
            lessons, pairs[0], config, n_bleu=2, n_layers=1, d_model=16, d_ff=20, n_heads=2, d_k=6, d_v=5
        )
        view.run.start(6)
        assert not view.run.trouble and view.run.state.step == 6 and view.run.state.device == CUDA
        view.run.back(0)
        view.run.start(2)
        assert not view.run.trouble
        shown(view)
