"""Figure 1 from a model's own modules, and one sentence travelling through them.

`blocks_of` walks the modules of a model and records what forward hooks see: every shape is one that a hook saw, every
line of code one that ran. `travel` translates a sentence one piece after the other, and watches every block.
"""

from __future__ import annotations

import contextlib
import inspect
import pathlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

import transformer_core as tc
from studies.reading import Reading, source_of, teacher_forced

# ─── What hooks see ──────────────────────────────────────────────────────────────────────────────────────────────────


class Call(NamedTuple):
    """One call of a module: the tensors that went in, by forward's names for them, and the one that came out."""

    ins: dict[str, Tensor]
    out: Tensor


@contextlib.contextmanager
def watching(model: nn.Module) -> Iterator[dict[str, list[Call]]]:
    """Inside, every call of every module is kept under the module's name; "" is the model itself."""
    calls: dict[str, list[Call]] = {}
    with contextlib.ExitStack() as leaving:
        leaving.enter_context(tc.record(model))  # probes between scores and weights are passed only when watched
        for name, module in model.named_modules():
            names = list(inspect.signature(module.forward).parameters)

            def keep(_: nn.Module, given: tuple, out: Any, name: str = name, names: list[str] = names) -> None:
                ins = {arg: x for arg, x in zip(names, given, strict=False) if isinstance(x, Tensor)}
                calls.setdefault(name, []).append(Call(ins, out))

            leaving.callback(module.register_forward_hook(keep).remove)
        yield calls


def watch(model: tc.Transformer, src: Tensor, tgt_in: Tensor) -> dict[str, list[Call]]:
    """Every call of every module in one pass, by name: `watch(model, src, tgt_in)["encoder.0"][0].out` (B, S, D)."""
    with tc.evaluating(model), watching(model) as calls:
        model(src, tgt_in)
    return calls


def shapes(model: tc.Transformer, src: Tensor, tgt_in: Tensor) -> dict[str, tuple[int, ...]]:
    """The shape that comes out of every block of Figure 1, as forward hooks saw it."""
    return {block.name: tuple(block.out.shape) for block in blocks_of(model, src, tgt_in)}


@contextlib.contextmanager
def without_positions(model: tc.Transformer) -> Iterator[None]:
    """Inside, zeros are added in place of the positions, so the model sees a bag of words."""
    with contextlib.ExitStack() as leaving:
        for positions in (model.src_positions, model.tgt_positions):
            hook = positions.register_forward_hook(lambda _, given, out: torch.zeros_like(out))
            leaving.callback(hook.remove)
        yield


def shuffling_gap(model: tc.Transformer, src: Tensor, order: Tensor) -> float:
    """How far what the encoder makes of shuffled pieces is from what it made of them, shuffled: largest difference."""
    with tc.evaluating(model):
        return (model.encode(src[:, order]) - model.encode(src)[:, order]).abs().max().item()


def twin_of(model: tc.Transformer) -> tc.Transformer:
    """A model of the same shape with the layer norms at the other place, untrained and without memory of its own."""
    with torch.device("meta"):
        return type(model)(replace(model.config, norm="post" if is_pre(model) else "pre"))


# ─── Blocks ──────────────────────────────────────────────────────────────────────────────────────────────────────────


class Wire(NamedTuple):
    """A tensor on its way: its name in the core, its axes as letters, and its shape."""

    name: str
    letters: tuple[str, ...]
    shape: tuple[int, ...]

    @classmethod
    def of(cls, name: str, letters: str, x: Tensor) -> Wire:
        return cls(name, tuple(letters.split()), tuple(x.shape))


@dataclass(frozen=True)
class Block:
    """One block of Figure 1: the module behind it, what it computes, and what passed through it."""

    name: str
    module: str
    kind: str
    layer: int | None
    label: str
    formula: tuple[str, ...]
    what: str
    n_parameters: int
    note: str
    source: str
    ins: tuple[Wire, ...]
    inner: tuple[Wire, ...]
    outs: tuple[Wire, ...]
    out: Tensor


PATTERNS = {  # names of modules, and what they are in the figure
    r"(src|tgt)_embedding": "embedding",
    r"(src|tgt)_positions": "positions",
    r"(encoder|decoder)\.\d+": "layer",
    r"(encoder|decoder)\.\d+\.(self|cross)_attention": "attention",
    r"(encoder|decoder)\.\d+\.feed_forward": "feed_forward",
    r"(encoder|decoder)\.\d+\.add_norm\.\d+": "residual",
    r"(encoder|decoder)\.\d+\.add_norm\.\d+\.layer_norm": "norm",
    r"(encoder|decoder)_norm": "norm",
}

WHAT = {
    "embedding": "Each id picks its row of one matrix. The row is a vector that was learned.",
    "positions": "A vector for each place in the sentence. It does not depend on the word.",
    "sum": "The embedding, made √d_model times larger, plus the position.",
    "layer": "One layer of the stack: its sub-layers, one after the other, with a path around each.",
    "feed_forward": "Two linear maps with a ReLU between, the same at every position, each position alone.",
    "residual": "The way around a sub-layer: its input is added to its output.",
    "norm": "Each position by itself is brought to mean 0 and variance 1, then scaled and shifted.",
    "linear": "Each position's vector is compared with the embedding of every piece: one score (logit) each.",
    "softmax": "Scores become probabilities: all positive, and they sum to 1.",
    "encoder.self": "Every source position reads from every source position.",
    "decoder.self": "Every target position reads from itself and what came before; what comes later is masked.",
    "decoder.cross": "Every target position asks (queries); the encoder's output answers (keys and values).",
}

LABELS = {
    "positions": "Positional encoding", "sum": "+", "layer": "Layer", "feed_forward": "Feed forward",
    "norm": "Norm", "linear": "Linear", "softmax": "Softmax",
    "encoder.self": "Multi-head attention", "decoder.self": "Masked multi-head attention",
    "decoder.cross": "Multi-head cross-attention",
}  # fmt: skip


def is_pre(model: tc.Transformer) -> bool:
    """Whether each sub-layer is normalised before it, not after the sum."""
    return model.config.norm == "pre"


def kind_of(name: str) -> str | None:
    """The block that a module's name stands for, or None."""
    return next((kind for pattern, kind in PATTERNS.items() if re.fullmatch(pattern, name)), None)


def attention_of(name: str) -> str:
    """Which of the three uses of attention a name speaks of: "encoder.self", "decoder.self" or "decoder.cross"."""
    return f"{name.partition('.')[0]}.{'cross' if 'cross' in name else 'self'}"


def blocks_of(model: tc.Transformer, src: Tensor, tgt_in: Tensor) -> list[Block]:
    """Every block of Figure 1 in the order of the model's modules, with what hooks saw in one pass.

    src (B, S), tgt_in (B, T): ids. The model may live on the "meta" device, where shapes cost no memory.
    """
    calls, blocks = watch(model, src, tgt_in), list[Block]()
    first = {id(module): name for name, module in model.named_modules()}  # a shared module's name among the calls
    for name, module in model.named_modules(remove_duplicate=False):  # the two embeddings may be one module
        kind = kind_of(name)
        if kind is None or isinstance(module, nn.Identity) or (kind == "norm" and not is_pre(model)):
            continue
        call = calls[first[id(module)]][-1 if name.startswith("tgt") else 0]
        blocks.append(block_of(model, name, kind, module, call, calls))
    return blocks + sums(model, calls) + ends(model, calls)


def block_of(
    model: tc.Transformer, name: str, kind: str, module: nn.Module, call: Call, calls: dict[str, list[Call]]
) -> Block:
    """The block of one module."""
    n = "S" if name.startswith(("src", "encoder")) else "T"
    layer = re.search(r"\.(\d+)", name)
    own: dict[str, Any] = dict(name=name, module=name, kind=kind, layer=int(layer[1]) if layer else None, out=call.out)
    letters = {"embedding": f"B {n}", "positions": ""}.get(kind, f"B {n} D")
    ins = tuple(Wire.of(arg, axes(arg, name, letters, x), x) for arg, x in call.ins.items())
    outs = (Wire.of("", f"{n} D" if kind == "positions" else f"B {n} D", call.out),)
    inner = tuple(
        Wire.of(part, inner_axes(part, name), calls[f"{name}.{part}"][0].out)
        for part in {"attention": ("q", "k", "v", "scores", "weights", "heads"), "feed_forward": ("w_1",)}.get(kind, ())
    )
    count, note = tc.count_parameters(module), ""
    if kind == "embedding" and model.tgt_embedding is model.src_embedding:
        other = "target" if n == "S" else "source"
        note = f"the {other} embedding is the same matrix" + (", and so is Linear" if model.config.tie_softmax else "")
    elif kind == "positions" and model.config.positions != "learned":
        note = "computed, not learned"
    text = texts(model, name, kind)
    return Block(**own, **text, n_parameters=count, note=note, ins=ins, inner=inner, outs=outs)


def axes(argument: str, name: str, letters: str, x: Tensor) -> str:
    """The letters of the axes of an argument of forward."""
    masks = {
        "encoder.self": "B 1 1 S" if x.dim() < 4 or x.size(2) == 1 else "B 1 S S",
        "decoder.self": "B 1 T T",
        "decoder.cross": "B 1 1 S",
    }
    if argument == "memory":
        return "B T D" if attention_of(name) == "decoder.self" and "attention" in name else "B S D"
    if argument in ("mask", "src_mask", "tgt_mask"):
        return masks[{"src_mask": "decoder.cross", "tgt_mask": "decoder.self"}.get(argument, attention_of(name))]
    return letters


def inner_axes(part: str, name: str) -> str:
    """The letters of the axes of a tensor inside an attention or a feed-forward block."""
    n = "S" if name.startswith("encoder") else "T"
    m = "S" if attention_of(name) != "decoder.self" else "T"
    return {
        "q": f"B H {n} K", "k": f"B H {m} K", "v": f"B H {m} d_v", "heads": f"B H {n} d_v",
        "scores": f"B H {n} {m}", "weights": f"B H {n} {m}", "w_1": f"B {n} d_ff",
    }[part]  # fmt: skip


def sums(model: tc.Transformer, calls: dict[str, list[Call]]) -> list[Block]:
    """Where embedding and position are added: the model's first dropout, once for the source, once for the target."""
    blocks = []
    for name, n, call in zip(("src_sum", "tgt_sum"), "ST", calls["dropout"], strict=True):
        wire = Wire.of("", f"B {n} D", call.out)
        text = texts(model, name, "sum")
        seen: dict[str, Any] = dict(
            ins=(Wire.of("x + positions", f"B {n} D", next(iter(call.ins.values()))),), inner=(), outs=(wire,)
        )
        about: dict[str, Any] = dict(n_parameters=0, note="", layer=None, kind="sum", out=call.out)
        blocks.append(Block(name=name, module="dropout", **about, **text, **seen))
    return blocks


def ends(model: tc.Transformer, calls: dict[str, list[Call]]) -> list[Block]:
    """Linear and softmax, the two blocks above the decoder."""
    logits, before = calls[""][0].out, calls["decoder_norm"][0].out
    tied = model.config.tie_softmax
    n_parameters = (model.tgt_embedding if tied else model.softmax).weight.numel()
    names = ("linear", "softmax")
    wires: dict[str, Any] = dict(inner=(), out=logits, layer=None)
    note = "the target embedding once more, counted there" if tied else "a matrix of its own"
    x, y = Wire.of("x", "B T D", before), Wire.of("", "B T V", logits)
    linear: dict[str, Any] = dict(
        module="tgt_embedding" if tied else "softmax", note=note, n_parameters=n_parameters, ins=(x,)
    )
    softmax: dict[str, Any] = dict(
        module="", note="a function of the model's output", n_parameters=0, ins=(y._replace(name="logits"),)
    )
    return [
        Block(name=name, kind=name, outs=(y,), **own, **wires, **texts(model, name, name))
        for name, own in zip(names, (linear, softmax), strict=True)
    ]


def texts(model: tc.Transformer, name: str, kind: str) -> dict[str, Any]:
    """Label, formula, meaning and source of a block."""
    which = attention_of(name) if kind == "attention" else kind
    label = LABELS.get(which, "")
    if kind == "embedding":
        label = "Input embedding" if name.startswith("src") else "Output embedding"
    elif kind == "residual":
        label = "+" if is_pre(model) else "Add & norm"
    what = WHAT[which]
    if kind == "residual" and not is_pre(model):
        what += " Then each position is brought to mean 0 and variance 1, then scaled and shifted."
    return dict(label=label, formula=formula(model, which), what=what, source=source_key(model, name, kind))


def formula(model: tc.Transformer, which: str) -> tuple[str, ...]:
    """The formula of a block, as lines; `_` and `^` lower and raise what follows, {} group it."""
    keys = "memory" if which == "decoder.cross" else "x"
    if which in ("encoder.self", "decoder.self", "decoder.cross"):
        return (
            "MultiHead = Concat(head_1, …, head_h) W^O",
            "head_i = softmax(Q K^T / √d_k) V",
            f"Q = x W_i^Q,  K = {keys} W_i^K,  V = {keys} W_i^V",
        )
    learned, pre, tied = model.config.positions == "learned", is_pre(model), model.config.tie_softmax
    angle = "pos / 10000^{2i/d_model}"
    sinusoids = (f"PE(pos, 2i) = sin({angle})", f"PE(pos, 2i+1) = cos({angle})")
    return {
        "embedding": ("x = E[id]",),
        "positions": ("PE(pos) = P[pos]",) if learned else sinusoids,
        "sum": ("x = Dropout(√d_{model} · E[id] + PE(pos))",),
        "layer": (
            "each sub-layer: x + Sublayer(LayerNorm(x))" if pre else "each sub-layer: LayerNorm(x + Sublayer(x))",
        ),
        "feed_forward": ("FFN(x) = max(0, x W_1 + b_1) W_2 + b_2",),
        "residual": ("x + Dropout(Sublayer(LayerNorm(x)))" if pre else "LayerNorm(x + Dropout(Sublayer(x)))",),
        "norm": ("LayerNorm(x) = (x − mean) / √(variance + ε) · g + b",),
        "linear": ("logits = x E^T" if tied else "logits = x W^T",),
        "softmax": ("p_i = exp(logit_i) / Σ_j exp(logit_j)",),
    }[which]


# ─── The lines of the core ───────────────────────────────────────────────────────────────────────────────────────────

# Where each block is computed: the function, and words of the line that does it.
SOURCES: dict[str, tuple[Any, str]] = {
    "embedding": (tc.Transformer.embed, "embedding(ids)"),
    "positions": (tc.sinusoidal_positions, "torch.stack"),
    "learned": (tc.Positions.forward, "self.table[start : start + n]"),
    "sum": (tc.Transformer.embed, "self.dropout"),
    "encoder": (tc.EncoderLayer.forward, "self.add_norm[0]"),
    "decoder": (tc.DecoderLayer.forward, "self.add_norm[0]"),
    "attention": (tc.MultiHeadAttention.forward, "weights = "),
    "feed_forward": (tc.FeedForward.forward, "F.relu"),
    "post": (tc.Residual.forward, "self.layer_norm(x + "),
    "pre": (tc.Residual.forward, "x + self.dropout"),
    "linear": (tc.Transformer.decode, "self.softmax("),
    "softmax": (tc.next_log_probs, "log_softmax"),
}


def source_key(model: tc.Transformer, name: str, kind: str) -> str:
    """Which of SOURCES computes a block of a model."""
    if kind == "positions":
        return "learned" if model.config.positions == "learned" else "positions"
    if kind in ("residual", "norm"):
        return model.config.norm
    return name.partition(".")[0] if kind == "layer" else kind


@lru_cache
def code_of(key: str) -> dict[str, Any]:
    """The code of SOURCES[key]: file, name, text, its first line's number and that of the line that does it."""
    function, words = SOURCES[key]
    lines, first = inspect.getsourcelines(function)
    at = next(place for place, line in enumerate(lines) if words in line)
    name = pathlib.Path(inspect.getsourcefile(function) or "").name
    text = inspect.cleandoc("\n" + "".join(lines))
    return {"file": name, "name": function.__qualname__, "text": text, "first": first, "line": first + at}


# ─── One sentence on its way ─────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Guess:
    """One step of the decoder: which piece it chose, and the likeliest ones with their probabilities (sum: all)."""

    chosen: int
    top: list[tuple[int, float]]
    probability: float
    total: float


def greedy_steps(model: tc.Transformer, src: Tensor, max_extra: int = 50, n_top: int = 10) -> list[Guess]:
    """Say the likeliest piece, append it, read the whole beginning again, until the end: no cache, one sentence.

    src (1, S). `tc.greedy_decode` keeps keys and values instead, and must find the same pieces.
    """
    if src.size(0) != 1:
        raise ValueError(f"src has {src.size(0)} sentences; pass one, of shape (1, S).")
    ids, steps = [tc.BOS], list[Guess]()
    with tc.evaluating(model):
        memory = model.encode(src)
        while len(steps) < src.size(1) - 1 + max_extra:
            logits = model.decode(torch.tensor([ids], device=src.device), memory, src != tc.PAD)[0, -1]  # (V,)
            p = logits.float().softmax(-1)
            likeliest = p.topk(min(n_top, len(p)))
            never = torch.tensor([tc.PAD, tc.BOS], device=p.device)
            chosen = int(p.index_fill(0, never, -1.0).argmax())
            top = list(zip(likeliest.indices.tolist(), likeliest.values.tolist(), strict=True))
            steps.append(Guess(chosen, top, p[chosen].item(), p.double().sum().item()))
            ids.append(chosen)
            if chosen == tc.EOS:
                break
    return steps


@dataclass(frozen=True)
class Journey(Reading):
    """A sentence, every block's part in it, and the decoder's steps; the last pass reads the whole translation."""

    steps: list[Guess]
    blocks: list[Block]
    same_as_cached: bool

    @property
    def weights(self) -> dict[str, Tensor]:
        """The attention weights of each block, (H, n, m)."""
        return {name.removesuffix(".weights"): x[0].cpu() for name, x in self.trace.items()}


def travel(translator: tc.Translator, text: str, most: int | None = None) -> Journey:
    """Translate a sentence of at most so many tokens greedily, and watch every block."""
    model, src = translator.model, source_of(translator, text, most)
    steps = greedy_steps(model, src)
    reading = teacher_forced(translator, text, [step.chosen for step in steps], "*.weights")
    blocks = blocks_of(model, src, reading.tgt_in)
    cached = tc.greedy_decode(model, src)[0].ids
    return Journey(**vars(reading), steps=steps, blocks=blocks, same_as_cached=reading.ids == cached)
