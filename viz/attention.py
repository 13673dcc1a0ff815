"""Attention under the reader's hands: every head of a model as heat maps, lines, numbers and facts.

`attention_view` takes arrays, `explore_attention` a trained translator and a sentence. `attention_heatmap` is the still
picture. Rows are queries, columns are keys, each row sums to 1. Attention weights say where a head reads, not why the
model decides.
"""

from __future__ import annotations

import contextlib
import difflib
import inspect
import itertools
import math
import pathlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from viz import theme
from viz.canvas import AttentionView, floats, offline_page, packed, slot
from viz.controls import Explorer

ENDS = {"<pad>", "<s>", "</s>", "[PAD]", "[CLS]", "[SEP]", "<bos>", "<eos>"}  # tokens that stand for no word
STOPS = {"</s>", "[SEP]", "<eos>"}

# The three places of attention in the paper's Figure 1: title, and the probe of a layer.
KINDS = {
    "encoder": ("Encoder self-attention", "encoder.{layer}.self_attention"),
    "decoder": ("Decoder self-attention", "decoder.{layer}.self_attention"),
    "cross": ("Cross-attention", "decoder.{layer}.cross_attention"),
}

# ─── Arrays in ───────────────────────────────────────────────────────────────────────────────────────────────────────


def as_tensor(weights: Any) -> Tensor:
    """One tensor of an array, of nested lists, or of the tensors of every layer, as other libraries return them."""
    if not isinstance(weights, (tuple, list)) or not all(isinstance(layer, Tensor) for layer in weights):
        return torch.as_tensor(weights)
    if len({layer.shape for layer in weights}) > 1:
        shapes = ", ".join(str(tuple(layer.shape)) for layer in weights)
        raise ValueError(f"weights holds tensors of shapes {shapes}; all layers must have the same, (H, T, S).")
    return torch.stack(list(weights))


def as_stack(weights: Any, query_tokens: Sequence[str], key_tokens: Sequence[str]) -> Tensor:
    """Weights of any of the three shapes as float32 (L, H, T, S), checked: rows are queries and sum to 1.

    weights: (T, S), (H, T, S) or (L, H, T, S); a tensor, an array or nested lists.
    """
    given = as_tensor(weights)
    slack = 1e-2 if given.dtype == torch.bfloat16 else 1e-3  # what rounding alone takes from a row
    given = given.detach().cpu().float()
    shape, needed = tuple(given.shape), (len(query_tokens), len(key_tokens))
    counts = f"there are {needed[0]} query and {needed[1]} key tokens"
    if given.dim() not in (2, 3, 4):
        raise ValueError(
            f"weights has shape {shape}, but (T, S), (H, T, S) or (L, H, T, S) is needed, and {counts}; "
            f"pick one sentence of a batch, e.g. weights[:, 0]."
        )
    if shape[-2:] != needed:
        turned = "; rows are queries: try weights.transpose(-2, -1)" if shape[-2:] == needed[::-1] else ""
        raise ValueError(
            f"weights has shape {shape}, but {counts}, so its last two sides should be {needed}{turned}."
            + (" For one head pass weights[layer, head]." if not turned else "")
        )
    check_rows(given, needed, slack)
    return given.reshape((1,) * (4 - given.dim()) + shape)


def check_rows(weights: Tensor, needed: tuple[int, int], slack: float) -> None:
    """Refuse weights that are no distributions over keys, and say which row, and what it may be."""
    shape, sums = tuple(weights.shape), weights.sum(-1)
    if 0 in shape:
        raise ValueError(f"weights has shape {shape}, and {needed} is needed with at least one query and one key.")
    bad = ~((sums - 1).abs() < slack) | ~(weights >= 0).all(-1)
    if not bad.any():
        return
    place = tuple(bad.nonzero()[0].tolist())
    total, where = sums[place].item(), f"weights{[*place]}"
    if weights.isnan().any():
        advice = "there are NaNs: a row whose keys are all masked has no softmax"
    elif total == 0:
        advice = "the row is masked: leave padding out of both the weights and the tokens"
    elif ((weights.sum(-2) - 1).abs() < slack).all():
        advice = "the columns sum to 1 instead: rows are queries, try weights.transpose(-2, -1)"
    else:
        advice = "are these scores before the softmax, or weights after dropout (call model.eval())?"
    raise ValueError(
        f"Each row of weights should sum to 1 over its {needed[1]} keys, but of weights with shape {shape} "
        f"(needed: (…, {needed[0]}, {needed[1]})) the row {where} sums to {total:.4g}; {advice}."
    )


def word_groups(tokens: Sequence[str]) -> list[int]:
    """Number the words that sub-word tokens make up: "▁" (SentencePiece) or "Ġ" begins a word, "##" continues one.

    Special tokens and punctuation stand alone; without such marks every token is a word.

    >>> word_groups(["▁Stra", "ßen", "bahn", ".", "</s>"])
    [0, 0, 0, 1, 2]
    """
    starts = next((mark for mark in ("▁", "Ġ") if any(token.startswith(mark) for token in tokens)), None)
    groups: list[int] = []
    for place, token in enumerate(tokens):
        byte = token.startswith("<0x")
        alone = token in ENDS or (not byte and not any(c.isalnum() for c in token))
        last = tokens[place - 1] if place else ""
        before = last not in ENDS and (last == starts or any(c.isalnum() for c in last))
        goes_on = not alone and before and (not token.startswith(starts) if starts else token.startswith("##"))
        groups.append(groups[-1] if goes_on else place and groups[-1] + 1)
    return groups


def allowed_keys(weights: Tensor, causal: bool | None) -> list[list[int]] | None:
    """The span [first, end) of keys that each query may look at, None if all; causal None: found from the zeros."""
    T, S = weights.shape[-2:]
    if causal is None:
        causal = T == S > 1 and not weights.triu(1).any()
    return [[0, query + 1] for query in range(T)] if causal else None


def shape_of(name: str, title: str, weights: Tensor, queries: list[str], keys: list[str], **more: Any) -> dict:
    """What the canvas must know of one kind of attention besides the bytes."""
    sums = weights.sum(-1)
    kind = {
        "name": name, "title": title, "address": "weights", "index": [],
        "n_layers": weights.shape[0], "n_heads": weights.shape[1], "queries": queries, "keys": keys,
        "predicts": None, "allowed": None, "query_side": "", "key_side": "",
        "query_words": word_groups(queries), "key_words": word_groups(keys),
        "special_queries": [token in ENDS for token in queries], "special_keys": [token in ENDS for token in keys],
        "row_sums": [sums.min().item(), sums.max().item()],
    }  # fmt: skip
    return kind | more


MOST_GIVEN = 512  # tokens of a map: of more, a cell is less than a pixel


def attention_view(
    weights: Any,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
    *,
    title: str = "",
    shows: str = "given weights",
    causal: bool | None = None,
    **opens_with: Any,
) -> AttentionView:
    """Show the attention weights of your own model: rows are queries, columns are keys, each row sums to 1.

    weights: (T, S), (H, T, S) or (L, H, T, S), as tensor, array or nested lists. key_tokens: the queries' if not given.
    shows: what the corner says, such as "trained: my model", "untrained" or "synthetic".
    causal: whether later keys are masked; found from the zeros above the diagonal if not given.
    opens_with: traits of the view to begin with, such as layer=4, heads=[1, 3], pin=[["query", 2]], panel="difference".
    """
    queries = list(query_tokens)
    keys = queries if key_tokens is None else list(key_tokens)
    stack = as_stack(weights, queries, keys)
    if max(len(queries), len(keys)) > MOST_GIVEN:
        given = f"There are {len(queries)} query and {len(keys)} key tokens, more than the {MOST_GIVEN} that are shown"
        raise ValueError(f"{given}; pass a part of the weights, such as weights[..., :{MOST_GIVEN}, :{MOST_GIVEN}].")
    index = [[], ["head"], ["layer", "head"]][as_tensor(weights).dim() - 2]
    allowed = allowed_keys(stack, causal)
    kind = shape_of("attention", "Attention", stack, queries, keys, index=index, allowed=allowed)
    meta = {
        "version": 0, "shows": shows, "title": title, "translation": None, "live": True, "model": False,
        "kinds": [kind],
    }  # fmt: skip
    facts = {"attention": head_facts(weights, queries, keys, causal=allowed is not None)}
    usual = dict(
        heads=list(range(stack.shape[1])),
        compare=default_pair(stack),
        panel="heads" if len(facts["attention"]) > 1 else "cell",
    )
    view = AttentionView(
        data=packed(stack), meta=meta, kind="attention", facts=facts_table(facts), **usual | opens_with
    )
    view.maps = {"attention": stack}
    view.answers = {"maps": lambda ask: exact_maps(view, ask), "cell": lambda ask: exact_cell(view, ask)}
    view.picture = lambda: view_picture(view)
    return view


def default_pair(stack: Tensor) -> list[list[int]]:
    """Two heads to compare at first: the first and the last."""
    return [[0, 0], [stack.shape[0] - 1, stack.shape[1] - 1]]


def exact_maps(view: AttentionView, message: dict) -> tuple[dict, list[bytes]]:
    """The float32 maps of the heads that the script asks for."""
    stack = view.maps[message["kind"]]
    chosen = torch.stack([stack[layer, head] for layer, head in message["heads"]])
    return {"kind": message["kind"], "heads": message["heads"]}, [floats(chosen)]


def exact_cell(view: AttentionView, message: dict) -> tuple[dict, list[bytes]]:
    """One weight, as it was recorded."""
    name, *place = message["cell"]
    return {"weight": view.maps[name][tuple(place)].item()}, []


# ─── Head facts ──────────────────────────────────────────────────────────────────────────────────────────────────────

FACTS = {
    "role": "what the head does most clearly here, if anything (role_of)",
    "entropy": "mean over queries of −Σ w ln w, in nats: 0 is one key, ln S is all S keys alike",
    "spread": "that entropy as a share of ln S, S the keys a query may look at (queries with one are left out)",
    "confidence": "mean of each query's largest weight, </s> left out as query and as key (Voita et al., 2019)",
    "distance": "mean of Σ w |query − key|, in tokens (self-attention)",
    "previous": "share of queries whose largest weight is on the token just before (self-attention)",
    "next": "share of queries whose largest weight is on the token just after (self-attention)",
    "alignment": "mean weight within one token of the diagonal, a row read as the token it predicts (cross-attention)",
    "shifted": "the same, a row read as the token it is given (cross-attention; Chen et al., 2020)",
    "sink": "mean weight on special tokens such as </s>",
    "effect": "Δ log-probability of the translation when this head is off",
}


def head_facts(
    weights: Any,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
    *,
    causal: bool | None = None,
    allowed: Sequence[Sequence[int]] | None = None,
) -> list[dict[str, Any]]:
    """Say of every head what can be computed from one sentence: a dict for each, keys `layer`, `head` and FACTS.

    key_tokens None means self-attention: then there are distances, else alignments. What does not apply is None.
    allowed: the span [first, end) of keys that each query may look at; else as causal says, or the zeros show.
    Every query counts, </s> too, but for confidence. Definitions: FACTS; Voita et al. (2019) for the head kinds.
    """
    itself = key_tokens is None or list(key_tokens) == list(query_tokens)
    keys = list(query_tokens) if key_tokens is None else list(key_tokens)
    stack = as_stack(weights, query_tokens, keys).double()
    allowed = allowed or allowed_keys(stack, causal) or [[0, len(keys)]] * len(query_tokens)
    facts = entropy_facts(stack, allowed) | {"confidence": confidence(stack, query_tokens, keys)}
    facts |= distance_facts(stack) if itself else alignment_facts(stack, keys)
    if all(end <= query + 1 for query, (_, end) in enumerate(allowed)):
        facts.pop("next", None)  # no query may look there
    special = [place for place, token in enumerate(keys) if token in ENDS]
    facts["sink"] = stack[..., special].sum(-1).mean(-1) if special else None
    n_layers, n_heads = stack.shape[:2]
    rows = [
        {"layer": layer, "head": head} | {name: value_of(facts.get(name), layer, head) for name in FACTS}
        for layer in range(n_layers)
        for head in range(n_heads)
    ]
    return [row | {"role": role_of(row)} for row in rows]


def role_of(facts: dict[str, Any]) -> str | None:
    """Name a head by its clearest fact, positional as in Voita et al. (2019): from 90 % of the queries on.

    A head that reads nearly everywhere alike is broad, whatever then falls on the diagonal or on </s>.
    """
    if facts["spread"] is None:  # one key only: nothing to choose from
        return None
    clear = {"spread": 0.9, "previous": 0.9, "next": 0.9, "alignment": 0.6, "shifted": 0.6, "sink": 0.6}
    found = [name for name, least in clear.items() if (facts[name] or 0) >= least]
    return {"spread": "broad"}.get(found[0], found[0]) if found else None


def value_of(table: Tensor | None, layer: int, head: int) -> float | None:
    """A head's entry of a table (L, H); None where there is none."""
    value = None if table is None else table[layer, head].item()
    return None if value is None or math.isnan(value) else value


def entropy_facts(weights: Tensor, allowed: Sequence[Sequence[int]]) -> dict[str, Tensor]:
    """Entropy in nats and as a share of the most possible, both (L, H)."""
    entropy = -torch.special.xlogy(weights, weights).sum(-1)  # (L, H, T)
    most = torch.tensor([math.log(end - start) for start, end in allowed], dtype=weights.dtype)
    return {"entropy": entropy.mean(-1), "spread": (entropy / most)[..., most > 0].mean(-1)}


def confidence(weights: Tensor, query_tokens: Sequence[str], key_tokens: Sequence[str]) -> Tensor | None:
    """Mean of the largest weight of each row, the end of the sentence left out on both sides: (L, H)."""
    rows = [place for place, token in enumerate(query_tokens) if token not in STOPS]
    columns = [place for place, token in enumerate(key_tokens) if token not in STOPS]
    return weights[:, :, rows][..., columns].amax(-1).mean(-1) if rows and columns else None


def distance_facts(weights: Tensor) -> dict[str, Tensor]:
    """How far self-attention reads, and how often it reads its neighbours: each (L, H)."""
    n = weights.shape[-1]
    i = torch.arange(n)
    far = (weights * (i[:, None] - i).abs()).sum(-1).mean(-1)
    first = weights.argmax(-1)  # (L, H, T)
    near = {"previous": (first == i - 1)[..., 1:], "next": (first == i + 1)[..., :-1]}
    return {"distance": far} | {name: hits.double().mean(-1) for name, hits in near.items()}


def alignment_facts(weights: Tensor, key_tokens: Sequence[str]) -> dict[str, Tensor]:
    """How much of cross-attention lies along the diagonal, rows read in both ways: each (L, H).

    The diagonal joins the first query with the first key and the last with the last, </s> with </s>.
    """
    T, S = weights.shape[-2:]
    slope = (S - 1) / max(T - 1, 1)

    def along(rows: Tensor, steps: Tensor) -> Tensor:
        near = (torch.arange(S) - slope * steps[:, None]).abs() <= 1
        return (rows * near).sum(-1).mean(-1)

    return {"alignment": along(weights, torch.arange(T)), "shifted": along(weights[:, :, 1:], torch.arange(T - 1))}


def facts_table(facts: dict[str, list[dict]]) -> dict[str, Any]:
    """Facts of several kinds as the canvas takes them: columns with their meaning, rows, and a note for each kind."""
    rows = [{"kind": kind} | row for kind, some in facts.items() for row in some]
    return {"columns": list(FACTS.items()), "rows": rows, "notes": dict.fromkeys(facts, "Computed from this sentence.")}


def uniform_facts(allowed: Sequence[Sequence[int]]) -> tuple[float, float]:
    """Entropy and distance of a head that looks at all keys alike that each query may look at: what to compare with.

    allowed: the span [first, end) of keys of each query.

    >>> uniform_facts([[0, 4]] * 4)
    (1.3862943611198906, 1.25)
    """
    n = len(allowed)
    entropy = sum(math.log(end - first) for first, end in allowed) / n
    far = (sum(abs(query - key) for key in range(*span)) / (span[1] - span[0]) for query, span in enumerate(allowed))
    return entropy, sum(far) / n


def survey_heads(
    translator: tc.Translator, texts: Iterable[str], *, effects: bool = False, beam_size: int = 1
) -> list[dict[str, Any]]:
    """Average the facts of every head over many sentences: what a head does, not what it did once.

    effects: also switch every head off for every sentence (a few times slower). Returns a dict for each head of each
    kind with `kind`, `layer`, `head`, `n_sentences` and FACTS.
    """
    seen: dict[tuple, list[dict]] = {}
    for text in texts:
        reading = read(translator, text, beam_size)
        rows = with_effects(reading, reading.facts()["rows"]) if effects else reading.facts()["rows"]
        for row in rows:
            seen.setdefault((row["kind"], row["layer"], row["head"]), []).append(row)
    about = [dict(kind=kind, layer=layer, head=head) for kind, layer, head in seen]
    return [one | {"n_sentences": len(rows)} | averaged(rows) for one, rows in zip(about, seen.values(), strict=True)]


def averaged(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The mean of each fact over the sentences that have it, and the role that the means give."""
    values = {name: [row[name] for row in rows if row[name] is not None] for name in FACTS if name != "role"}
    means: dict[str, Any] = {name: sum(some) / len(some) if some else None for name, some in values.items()}
    return {"role": role_of(means)} | means


# ─── A sentence read by a model ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Reading:
    """A sentence, its translation, and everything that passed through the probes while it was translated.

    ids is the translation without <s>; tgt_in is what the decoder read, so row i of trace reads tgt_in[i] and predicts
    ids[i]. The trace is that of one pass over the finished translation, as in training.
    """

    translator: tc.Translator
    text: str
    src: Tensor
    ids: list[int]
    tgt_in: Tensor
    trace: dict[str, Tensor]
    log_prob: Tensor  # (T,), of each of ids

    @property
    def translation(self) -> str:
        """The translation as text."""
        return self.translator.tgt_tokenizer.decode(self.ids)

    @property
    def shows(self) -> str:
        """What a picture of this reading says in its corner: whose weights these are."""
        return f"trained: {self.translator.name}" if self.translator.name else "a model without a name"

    def stack(self, kind: str) -> Tensor:
        """Recorded weights of a kind, all layers: (L, H, T, S)."""
        n_layers = self.translator.model.config.n_layers
        return torch.cat([self.trace[probe_of(kind, layer) + ".weights"] for layer in range(n_layers)]).cpu()

    def tokens(self, kind: str) -> tuple[list[str], list[str]]:
        """The tokens of a kind's queries and keys."""
        source = self.translator.tokenizer.pieces(self.src[0].tolist())
        target = self.translator.tgt_tokenizer.pieces(self.tgt_in[0].tolist())
        return {"encoder": (source, source), "decoder": (target, target), "cross": (target, source)}[kind]

    def shape(self, kind: str) -> dict:
        """What the canvas must know of a kind."""
        queries, keys = self.tokens(kind)
        title, probe = KINDS[kind]
        more: dict[str, Any] = {"address": probe + ".weights", "query_side": "source", "key_side": "source"}
        if kind != "encoder":
            more["query_side"] = "target"
            more["key_side"] = "target" if kind == "decoder" else "source"
        if kind == "cross":
            more["predicts"] = self.translator.tgt_tokenizer.pieces(self.ids)
            more["query_words"] = word_groups(more["predicts"])  # a row belongs to the word that it predicts
            more["special_queries"] = [token in ENDS for token in more["predicts"]]
        allowed = self.allowed(kind)
        more["allowed"] = None if all(span == [0, len(keys)] for span in allowed) else allowed
        return shape_of(kind, title, self.stack(kind), queries, keys, **more)

    def facts(self) -> dict[str, Any]:
        """The facts of every head, and what a head that looks everywhere alike would have."""
        table = facts_table({kind: self.kind_facts(kind) for kind in KINDS})
        for kind in KINDS:
            entropy, distance = map(theme.three_digits, uniform_facts(self.allowed(kind)))
            far = f", distance {distance}" if kind != "cross" else ""
            table["notes"][kind] = f"Looking everywhere alike would give entropy {entropy}{far}."
        return table

    def kind_facts(self, kind: str) -> list[dict[str, Any]]:
        """The facts of the heads of one kind."""
        queries, keys = self.tokens(kind)
        return head_facts(self.stack(kind), queries, keys if kind == "cross" else None, allowed=self.allowed(kind))

    def allowed(self, kind: str) -> list[list[int]]:
        """The span [first, end) of keys that each query may look at, from the masked scores."""
        open_keys = self.trace[probe_of(kind, 0) + ".scores"][0, 0] > -math.inf  # (T, S)
        return [[row.int().argmax().item(), len(row) - row.flip(0).int().argmax().item()] for row in open_keys]


def probe_of(kind: str, layer: int) -> str:
    """The beginning of the names of a layer's probes, such as "decoder.3.cross_attention"."""
    return KINDS[kind][1].format(layer=layer)


def read(translator: tc.Translator, text: str, beam_size: int = 4, alpha: float = 0.6) -> Reading:
    """Translate a sentence, and record one pass over it and its translation."""
    if not isinstance(text, str):
        raise TypeError(f"text is a {type(text).__name__}; give one sentence, as a string.")
    model, src = translator.model, translator.source([text])
    with tc.evaluating(model):
        ids = translated(translator, src, beam_size, alpha)
        tgt_in = torch.tensor([[tc.BOS, *ids[:-1]]], device=src.device)
        with tc.record(model) as trace:
            logits = model(src, tgt_in)
    return Reading(translator, text, src, ids, tgt_in, dict(trace), log_probs(logits, ids)[0])


def translated(translator: tc.Translator, src: Tensor, beam_size: int, alpha: float) -> list[int]:
    """The best translation of one sentence, never empty: at the least its end."""
    return tc.beam_search(translator.model, src, beam_size, alpha)[0].ids or [tc.EOS]


def log_probs(logits: Tensor, ids: list[int]) -> Tensor:
    """The log-probability of each of ids under logits (B, T, V): (B, T)."""
    wanted = torch.tensor(ids, device=logits.device).expand(len(logits), -1)
    return logits.float().log_softmax(-1).gather(-1, wanted[..., None]).squeeze(-1)


# ─── What a cell is made of, and what a head is good for ─────────────────────────────────────────────────────────────


def arithmetic(reading: Reading, kind: str, layer: int, head: int, query: int, key: int) -> dict[str, Any]:
    """Compute one weight again from its query and key, step by step, in float64.

    Returns q, k, dot, score, the row's scores (None where masked), exps = exp(score − max) and softmax, recomputed,
    and weight, the float32 that was recorded.
    """
    here = probe_of(kind, layer)
    q, keys, scores, weights = (reading.trace[f"{here}.{x}"][0, head].cpu() for x in ("q", "k", "scores", "weights"))
    q, keys, open_keys = q[query].double(), keys.double(), scores[query] > -math.inf  # (K,), (S, K), (S,)
    row = (keys @ q / math.sqrt(len(q))).masked_fill(~open_keys, -math.inf)  # (S,)
    exps = (row - row.max()).exp()
    softmax = exps / exps.sum()
    dot = (q @ keys[key]).item()
    return {
        "q": q.tolist(), "k": keys[key].tolist(), "dot": dot, "score": dot / math.sqrt(len(q)),
        "scores": [score if math.isfinite(score) else None for score in row.tolist()], "exps": exps.tolist(),
        "softmax": softmax.tolist(), "recomputed": softmax[key].item(), "weight": weights[query, key].item(),
    }  # fmt: skip


def core_lines() -> tuple[str, str]:
    """The lines of the core that make scores and weights, and where they stand."""
    scores, first = inspect.getsourcelines(tc.attention_scores)
    weights, last = inspect.getsourcelines(tc.attention_weights)
    code = "".join(line for line in [*scores, *weights] if '"""' not in line)
    return code, f"{pathlib.Path(tc.__file__).name}, lines {first} to {last + len(weights) - 1}"


def head_off(head: int) -> Any:
    """An edit for the `heads` probe that silences one head: nothing of it reaches W^O."""

    def off(heads: Tensor) -> Tensor:  # (B, H, T, d_v)
        heads = heads.clone()
        heads[:, head] = 0
        return heads

    return off


@contextlib.contextmanager
def heads_off(model: tc.Transformer, off: Iterable[Sequence]) -> Iterator[None]:
    """Take heads [kind, layer, head] out of a model: `with heads_off(model, [["cross", 3, 5]]): …`."""
    with contextlib.ExitStack() as stack:
        for kind, layer, head in off:
            stack.enter_context(tc.intervene(model, probe_of(kind, layer) + ".heads", head_off(head)))
        yield


def without_heads(reading: Reading, off: Sequence[Sequence], beam_size: int = 4, alpha: float = 0.6) -> dict[str, Any]:
    """Translate again without some heads, and see what it costs the first translation, token by token.

    Returns the words before and after, each with whether it changed, the new translation, and for each token of the
    first translation its log-probability with all heads and Δ, the change without these.
    """
    translator = reading.translator
    with tc.evaluating(translator.model), heads_off(translator.model, off):
        ids = translated(translator, reading.src, beam_size, alpha)
        delta = log_probs(translator.model(reading.src, reading.tgt_in), reading.ids)[0] - reading.log_prob
    after = translator.tgt_tokenizer.decode(ids)
    before_words, after_words = changed_words(reading.translation, after)
    return {
        "before": before_words, "words": after_words, "translation": after, "changed": after != reading.translation,
        "tokens": translator.tgt_tokenizer.pieces(reading.ids), "log_prob": reading.log_prob.tolist(),
        "delta": delta.tolist(), "total": delta.sum().item(),
    }  # fmt: skip


def changed_words(before: str, after: str) -> tuple[list, list]:
    """The words of two sentences, each with whether the other sentence lacks it there: [["Ich", False], …]."""
    old, new = before.split(), after.split()
    old_marks, new_marks = [True] * len(old), [True] * len(new)
    for block in difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        old_marks[block.a : block.a + block.size] = [False] * block.size
        new_marks[block.b : block.b + block.size] = [False] * block.size
    pairs = zip(old, old_marks, strict=True), zip(new, new_marks, strict=True)
    return [list(pair) for pair in pairs[0]], [list(pair) for pair in pairs[1]]


def head_effects(reading: Reading) -> dict[str, Tensor]:
    """Δ log-probability of the translation for every head off by itself, each kind (L, H).

    The heads of a layer go in one batch: row h is the sentence without head h.
    """
    model, n_heads = reading.translator.model, reading.translator.model.config.n_heads
    src, tgt_in = reading.src.expand(n_heads, -1), reading.tgt_in.expand(n_heads, -1)

    def each_its_own(heads: Tensor) -> Tensor:  # (H, H, T, d_v): row h loses head h
        return heads * (1 - torch.eye(n_heads, dtype=heads.dtype, device=heads.device))[..., None, None]

    def effect(kind: str, layer: int) -> Tensor:
        with tc.intervene(model, probe_of(kind, layer) + ".heads", each_its_own):
            return (log_probs(model(src, tgt_in), reading.ids) - reading.log_prob).sum(-1)

    layers = range(model.config.n_layers)
    with tc.evaluating(model):
        return {kind: torch.stack([effect(kind, layer) for layer in layers]).cpu() for kind in KINDS}


def with_effects(reading: Reading, rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Facts with what each head by itself does for the translation, measured."""
    effects = head_effects(reading)
    return [row | {"effect": effects[row["kind"]][row["layer"], row["head"]].item()} for row in rows]


# ─── The live object ─────────────────────────────────────────────────────────────────────────────────────────────────

MOST_TOKENS = 160  # beyond, a map has more cells than a screen has room for


class AttentionExplorer(Explorer):
    """A sentence box above the attention of a model; `.reading` is what the model did, `.view` what is shown."""

    def __init__(self, translator: tc.Translator, text: str) -> None:
        self.translator = translator
        self.reading = self.read(text)
        self.version = 0
        super().__init__(self.first_view(), text, self.respond)
        self.view.observe(lambda _: self.ablate(), "off")

    def first_view(self) -> AttentionView:
        """The view as it opens: cross-attention, at the head that is most along the diagonal."""
        best = max(self.reading.kind_facts("cross"), key=lambda row: row["alignment"])
        layer, head = best["layer"], best["head"]
        pair = [[layer, head], [layer, (head + 1) % self.translator.model.config.n_heads]]
        view = AttentionView(kind="cross", layer=layer, heads=[head], compare=pair, **self.contents())
        view.answers = {"maps": lambda ask: exact_maps(view, ask), "cell": self.cell, "effects": self.effects}
        view.maps = {kind: self.reading.stack(kind) for kind in KINDS}
        view.picture = lambda: view_picture(view)
        return view

    def contents(self) -> dict[str, Any]:
        """Bytes, shapes and facts of the sentence read last."""
        reading = self.reading
        meta = {
            "version": self.version, "live": True, "model": True, "kinds": [reading.shape(kind) for kind in KINDS],
            "shows": reading.shows, "title": reading.text, "translation": reading.translation,
        }  # fmt: skip
        return {"data": b"".join(packed(reading.stack(kind)) for kind in KINDS), "meta": meta, "facts": reading.facts()}

    def respond(self, text: str) -> str:
        """Read another sentence and show it; what was pinned or opened belonged to the old one."""
        if text != self.reading.text:
            self.reading, self.version = self.read(text), self.version + 1
            self.view.maps = {kind: self.reading.stack(kind) for kind in KINDS}
            with self.view.hold_sync():
                self.view.set_trait("pin", [])
                self.view.set_trait("cell", [])
                self.view.set_trait("ablation", {})  # the old sentence's
                for name, value in self.contents().items():
                    self.view.set_trait(name, value)
            self.ablate()
        n_source, n_target = self.reading.src.shape[1], len(self.reading.ids)
        log_prob = theme.three_digits(self.reading.log_prob.sum().item())
        return f"{n_source} source and {n_target} target tokens, log-probability {log_prob.replace('-', '−')}"

    def read(self, text: str) -> Reading:
        """What the model makes of a sentence, if it is one that can be shown."""
        if not isinstance(text, str):
            raise TypeError(f"text is a {type(text).__name__}; give one sentence, as a string.")
        if (n_tokens := self.translator.source([text]).shape[1]) > MOST_TOKENS:
            raise ValueError(
                f"This sentence has {n_tokens} tokens, more than the {MOST_TOKENS} shown; try a shorter one."
            )
        return read(self.translator, text)

    def ablate(self) -> None:
        """Let the model translate again without the heads that are switched off."""
        off = self.view.off
        self.view.ablation = without_heads(self.reading, off) | {"off": off} if off else {}

    def cell(self, message: dict) -> tuple[dict, list[bytes]]:
        """The arithmetic of a cell, with the lines of the core that do it."""
        source, where = core_lines()
        return arithmetic(self.reading, *message["cell"]) | {"source": source, "where": where}, []

    def effects(self, _: dict) -> tuple[dict, list[bytes]]:
        """Measure what each head by itself does for this translation, and add it to the facts."""
        self.view.facts = self.view.facts | {"rows": with_effects(self.reading, self.view.facts["rows"])}
        return {}, []


def explore_attention(translator: tc.Translator, text: str) -> AttentionExplorer:
    """Type a sentence: the model translates it, and every attention head of every layer answers to mouse and keyboard.

    Returns a live object: `.view` with the traits layer, heads, kind, pin, threshold (read and set them), `.text`, and
    `.reading` with the translation and the trace.
    """
    return AttentionExplorer(translator, text)


# ─── Still pictures, and a page of its own ───────────────────────────────────────────────────────────────────────────


def attention_heatmap(
    weights: Any,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
    *,
    title: str = "",
    shows: str = "given weights",
    causal: bool | None = None,
    predicts: Sequence[str] | None = None,
    dark: bool = False,
) -> theme.Svg:
    """Draw one map of weights (T, S), rows queries, columns keys, as a still picture.

    Several heads (H, T, S) are averaged; predicts: for cross-attention, what each row predicts.
    """
    queries = list(query_tokens)
    keys = queries if key_tokens is None else list(key_tokens)
    stack = as_stack(weights, queries, keys)
    kind = shape_of("attention", title, stack, queries, keys, predicts=predicts and list(predicts))
    kind["allowed"] = allowed_keys(stack, causal)
    return page_of([panel(kind, stack.mean((0, 1)), dark)], "", shows, dark, scale={})


def attention_lines(
    weights: Any,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
    *,
    queries: Sequence[int] | None = None,
    heads: Sequence[int] | None = None,
    title: str = "",
    shows: str = "given weights",
    dark: bool = False,
) -> theme.Svg:
    """Draw queries and keys as two columns joined by lines, as the paper's appendix does (Figures 3 to 5).

    weights: (T, S) or (H, T, S); each head has its colour. queries: the places of those whose lines are drawn, all if
    not given. heads: the numbers that the given heads have in the model, for their colours and the legend.
    """
    left_tokens = list(query_tokens)
    right_tokens = left_tokens if key_tokens is None else list(key_tokens)
    stack = as_stack(weights, left_tokens, right_tokens)[0]  # (H, T, S)
    numbers = list(range(len(stack))) if heads is None else list(heads)
    if len(numbers) != len(stack):
        raise ValueError(f"heads names {len(numbers)} heads, but weights has {len(stack)}; name each of them.")
    rows = range(len(left_tokens)) if queries is None else queries
    return page_of([line_panel(stack, left_tokens, right_tokens, rows, numbers, dark)], title, shows, dark)


def link(x0: float, y0: float, x1: float, y1: float, colour: str, weight: float) -> str:
    """A line from a query to a key, the thicker and darker the larger the weight."""
    bend = 0.4 * (x1 - x0)
    path = f"M{x0:.1f} {y0:.1f}C{x0 + bend:.1f} {y0:.1f} {x1 - bend:.1f} {y1:.1f} {x1:.1f} {y1:.1f}"
    strength = f"{min(1.0, 0.15 + 0.85 * weight):.2f}"
    return theme.element("path", d=path, stroke=colour, stroke_width=0.8 + 4 * weight, stroke_opacity=strength)


def line_panel(
    stack: Tensor, queries: list[str], keys: list[str], rows: Iterable[int], heads: list[int], dark: bool
) -> tuple[str, float, float]:
    """Two columns of tokens and the lines between them as SVG, with width and height."""
    look, colours, step = (theme.DARK if dark else theme.LIGHT), theme.head_colours(max(heads) + 1, dark), 20.0
    x0, gap = 7.6 * theme.longest(queries) + 10, 190.0
    lines = [
        link(x0 + 4, 46 + step * i, x0 + gap - 4, 46 + step * j, colours[head], weight)
        for head, map_ in zip(heads, stack.tolist(), strict=True)
        for i in rows
        for j, weight in enumerate(map_[i])
        if weight >= 0.02
    ]
    bold = set(rows) if len(set(rows)) < len(queries) else set()
    left = [
        theme.element("text", theme.label(token), x=x0, y=50 + step * i, font_weight=700 if i in bold else 400)
        for i, token in enumerate(queries)
    ]
    right = [theme.element("text", theme.label(token), x=x0 + gap, y=50 + step * j) for j, token in enumerate(keys)]
    named = [
        theme.element("text", f"head {head}", x=x0 + 60 * n, y=10, fill=look["ink"])
        + theme.element("rect", x=x0 + 60 * n, y=14, width=44, height=4, fill=colours[head])
        for n, head in enumerate(heads)
    ]
    text = [
        theme.element("g", *named, font_size=11),
        theme.element("text", "queries", x=x0, y=34, text_anchor="end", fill=look["query"], font_size=11),
        theme.element("text", "keys", x=x0 + gap, y=34, fill=look["key"], font_size=11),
        theme.element("g", *lines, fill="none"),
        theme.element("g", *left, font_family=theme.MONO, fill=look["query"], text_anchor="end"),
        theme.element("g", *right, font_family=theme.MONO, fill=look["key"]),
    ]
    width = max(x0 + gap + 7.6 * theme.longest(keys) + 10, x0 + 60 * len(heads))
    return "".join(text), width, 46 + step * max(len(queries), len(keys))


def view_picture(view: AttentionView, dark: bool = False) -> theme.Svg:
    """Draw what a view shows now as a still picture: its maps, the lines of what is pinned, or two heads compared."""
    kind = view.shape()
    if view.panel == "difference":
        maps = [
            (kind, view.maps[view.kind][layer, head], f"layer {layer}, head {head}") for layer, head in view.compare
        ]
    else:
        maps = [(kind, shown_map(view, kind), shown_heads(view, kind)) for kind in view.meta["kinds"]]
    panels = []
    for one, weights, said in maps:
        merged, grouped = as_grouped(view, one, weights)
        panels.append(panel(merged, grouped, dark, said + said_of_colours(view), shades(view, grouped)))
    if view.pin and view.panel != "difference":
        panels.append(pinned_lines(view, kind, dark))
    return page_of(panels, title_of(view), view.meta["shows"], dark, {"sqrt": view.sqrt, "per_row": view.per_row})


def as_grouped(view: AttentionView, kind: dict, weights: Tensor) -> tuple[dict, Tensor]:
    """A kind and one of its maps as the view groups them: special tokens left out, sub-words joined.

    A word reads what its tokens read on average, and is read as often as its tokens together.
    """

    def blocks(words: list[int], special: list[bool]) -> list[list[int]]:
        numbers = words if view.merge_words else range(len(words))
        found: dict[int, list[int]] = {}
        for place, number in enumerate(numbers):
            if not (view.hide_special and special[place]):
                found.setdefault(number, []).append(place)
        return list(found.values()) or [[place] for place in range(len(words))]

    rows = blocks(kind["query_words"], kind["special_queries"])
    columns = blocks(kind["key_words"], kind["special_keys"])
    names = {
        name: kind[name] and ["".join(kind[name][place] for place in block) for block in some]
        for name, some in (("queries", rows), ("keys", columns), ("predicts", rows))
    }
    weights = torch.stack([weights[block].mean(0) for block in rows])
    weights = torch.stack([weights[:, block].sum(-1) for block in columns], -1)
    if allowed := kind["allowed"]:
        reach = [(min(allowed[i][0] for i in row), max(allowed[i][1] for i in row)) for row in rows]
        seen = [[c for c, block in enumerate(columns) if block[-1] >= a and block[0] < b] for a, b in reach]
        allowed = [[some[0], some[-1] + 1] if some else [0, 0] for some in seen]
    return kind | names | {"allowed": allowed}, weights


def shades(view: AttentionView, weights: Tensor) -> Tensor:
    """How dark the view draws each weight: over the threshold, by its square root, against its row's largest."""
    ordered, order = weights.sort(-1, descending=True)
    before = ordered.cumsum(-1) - ordered
    kept = torch.zeros_like(weights).scatter(-1, order, (before < view.threshold * weights.sum(-1, True)).float())
    shade = weights * (kept if view.threshold < 1 else 1)
    shade = shade / shade.amax(-1, True).clamp(min=1e-12) if view.per_row else shade
    return shade.sqrt() if view.sqrt else shade


def said_of_colours(view: AttentionView) -> str:
    """What a reader of the picture must know of its colours, in words."""
    said = [(view.threshold < 1, f"{view.threshold:.0%} of each row's mass"), (view.sqrt, "colours by √weight"),
            (view.per_row, "colours per row")]  # fmt: skip
    return "".join(f", {words}" for true, words in said if true)


def pinned_lines(view: AttentionView, kind: dict, dark: bool) -> tuple[str, float, float]:
    """The lines of the pinned tokens, each head in its colour."""
    heads = [head for head in view.heads if head < kind["n_heads"]] or [0]
    one = {name: getattr(view, name) for name in ("over_layers", "layer")}
    stack = torch.stack([map_over_layers(view.maps[kind["name"]][:, head], **one) for head in heads])  # (H, T, S)
    chosen = torch.zeros(stack.shape[1:])
    for side, place in view.pin:
        (chosen if side == "query" else chosen.T)[place] = 1
    pairs = zip(kind["queries"], kind["predicts"] or kind["queries"], strict=True)
    names = [f"{q} → {p}" for q, p in pairs] if kind["predicts"] else kind["queries"]
    rows = [place for side, place in view.pin if side == "query"]
    if any(side == "key" for side, _ in view.pin):
        rows = list(range(len(names)))
    return line_panel(stack * chosen, names, kind["keys"], rows, heads, dark)


def map_over_layers(layers: Tensor, over_layers: str, layer: int) -> Tensor:
    """One map of the maps of a head in every layer (L, T, S): (T, S)."""
    if over_layers == "one":
        return layers[min(layer, len(layers) - 1)]
    return layers.amax(0) if over_layers == "max" else layers.mean(0)


def title_of(view: AttentionView) -> str:
    """The sentence and its translation, or the title that was given."""
    translation = view.meta["translation"]
    return view.meta["title"] if translation is None else f"{view.meta['title']} → {translation}"


def shown_map(view: AttentionView, kind: dict) -> Tensor:
    """The map that a view shows of a kind: over layers first, then over heads. (T, S)"""
    stack = view.maps[kind["name"]]
    heads = [head for head in view.heads if head < kind["n_heads"]] or [0]
    some = torch.stack([map_over_layers(stack[:, head], view.over_layers, view.layer) for head in heads])
    return some.amax(0) if view.over_heads == "max" else some.mean(0)


def shown_heads(view: AttentionView, kind: dict) -> str:
    """Which heads of which layers a view shows, in words."""
    heads = [head for head in view.heads if head < kind["n_heads"]] or [0]
    who = f"head {heads[0]}" if len(heads) == 1 else f"{view.over_heads} of heads {', '.join(map(str, heads))}"
    one = f"layer {min(view.layer, kind['n_layers'] - 1)}"
    return f"{one if view.over_layers == 'one' else f'{view.over_layers} of layers'}, {who}"


def panel(
    kind: dict, weights: Tensor, dark: bool, subtitle: str = "", shades: Tensor | None = None
) -> tuple[str, float, float]:
    """One map as SVG, with its width and height; shades: how dark each cell is, if not as its weight."""
    look, (T, S) = theme.DARK if dark else theme.LIGHT, weights.shape
    rows = row_labels(kind, look)
    cell = max(4.0, min(24.0, 330 / max(T, S)))
    left, top = 7.3 * max(length for _, length in rows) + 26, 5.3 * theme.longest(kind["keys"]) + 62
    middle = f"translate(9 {top + cell * T / 2:.1f}) rotate(-90)"
    heading = theme.element("tspan", theme.escaped(subtitle), font_weight=400, fill=look["quiet"])
    note = f"rows: queries, columns: keys, {row_note(weights)}"
    text = [
        theme.element("text", theme.escaped(kind["title"]) + " " + heading, y=12, font_weight=600, fill=look["ink"]),
        theme.element("text", note, y=28, font_size=10, fill=look["quiet"]),
        theme.element("text", "keys", x=left + cell * S / 2, y=44, text_anchor="middle", fill=look["key"]),
        theme.element("text", "queries", transform=middle, text_anchor="middle", fill=look["query"]),
    ]
    labels = token_labels([row for row, _ in rows], kind["keys"], left, top, cell, look)
    frame = dict(x=left, y=top, width=cell * S, height=cell * T, fill="none", stroke=look["line"])
    map_ = cells_of(kind, weights if shades is None else shades, theme.weight_scale(dark), look["line"])
    place = f"translate({left:.1f} {top:.1f}) scale({cell:.3f})"
    drawn = [theme.element("g", map_, transform=place, shape_rendering="crispEdges"), theme.element("rect", **frame)]
    width = max(left + cell * S + 5.3 * theme.longest(kind["keys"][-1:]), 330)
    return "".join([*text, *drawn, labels]), width, top + cell * T + 8


def row_labels(kind: dict, look: dict) -> list[tuple[str, int]]:
    """The label of each row, and its length: the token, or what it reads → what it predicts."""
    if not kind["predicts"]:
        return [(theme.label(token), theme.longest([token])) for token in kind["queries"]]
    pairs = zip(kind["queries"], kind["predicts"], strict=True)
    return [
        (
            theme.element("tspan", theme.label(q), " → ", fill=look["quiet"]) + theme.label(p),
            theme.longest([q]) + theme.longest([p]) + 3,
        )
        for q, p in pairs
    ]


def token_labels(rows: list[str], keys: list[str], left: float, top: float, cell: float, look: dict) -> str:
    """Queries beside and keys above a map; where cells are small, only every n-th."""
    size, every = min(12.0, max(cell - 1, 7.0)), math.ceil(9 / cell)
    beside = [
        theme.element(
            "text", row, x=left - 5, y=top + (i + 0.5) * cell + size / 3, text_anchor="end", fill=look["query"]
        )
        for i, row in enumerate(rows)
        if i % every == 0
    ]
    above = [
        theme.element(
            "text", theme.label(key), transform=f"translate({x:.1f} {top - 5:.1f}) rotate(-45)", fill=look["key"]
        )
        for x, key in ((left + (j + 0.6) * cell, key) for j, key in enumerate(keys) if j % every == 0)
    ]
    return theme.element("g", *beside, *above, font_family=theme.MONO, font_size=size)


def row_note(weights: Tensor) -> str:
    """What the rows of a drawn map sum to."""
    low, high = (f"{sums.item():.3f}" for sums in weights.sum(-1).aminmax())
    return f"each row sums to {low}" if low == high else f"rows sum to {low}–{high} (a maximum)"


def cells_of(kind: dict, weights: Tensor, colours: list[str], masked: str) -> str:
    """The cells as one path for each of 64 colours, masked ones grey; a cell is a unit square, like neighbours join."""
    squares: dict[str, list[str]] = {}
    for i, row in enumerate(weights.tolist()):
        first, end = kind["allowed"][i] if kind["allowed"] else (0, len(row))
        shades = [
            colours[min(255, 4 * round(63.75 * min(weight, 1)))] if first <= j < end else masked
            for j, weight in enumerate(row)
        ]
        for colour, run in itertools.groupby(range(len(row)), key=shades.__getitem__):
            places = list(run)
            if colour != colours[0]:
                squares.setdefault(colour, []).append(f"M{places[0]} {i}h{len(places)}v1h-{len(places)}z")
    return "".join(theme.element("path", fill=colour, d="".join(some)) for colour, some in squares.items())


def page_of(
    panels: list[tuple[str, float, float]], title: str, shows: str, dark: bool, scale: dict | None = None
) -> theme.Svg:
    """Panels side by side, as many as a column of text has room for, with the title, the scale and what is shown."""
    look, gap, top, left = (theme.DARK if dark else theme.LIGHT), 28, 34.0 if title else 10.0, 16.0
    drawn, width, below = list[str](), 0.0, top
    for text, wide, tall in panels:
        if left > 16 and left + wide > 1050:
            left, top = 16.0, below + gap
        drawn.append(theme.element("g", text, transform=f"translate({left:.1f} {top:.1f})"))
        left, below = left + wide + gap, max(below, top + tall)
        width = max(width, left)
    width, height = math.ceil(width - gap + 16), math.ceil(below + 48)
    content = [theme.element("rect", width="100%", height="100%", fill=look["page"])]
    content.append(theme.element("text", theme.escaped(title), x=16, y=22, font_weight=600, fill=look["ink"]))
    content += drawn
    if scale is not None:
        content.append(scale_bar(height, dark, **scale))
    corner = dict(x=width - 16, y=height - 9, text_anchor="end", font_size=11, fill=look["quiet"])
    content.append(theme.element("text", theme.escaped(shows), **corner))
    size = dict(width=width, height=height, viewBox=f"0 0 {width} {height}", font_family=theme.FONT, font_size=13)
    said = f"Attention weights. {title} ({shows})"
    svg = theme.element("svg", *content, xmlns="http://www.w3.org/2000/svg", role="img", aria_label=said, **size)
    return theme.Svg(svg, said)


def scale_bar(height: float, dark: bool, sqrt: bool = False, per_row: bool = False) -> str:
    """The legend of the weights, from 0 to 1 or to each row's largest; by square root, the middle stands further on."""
    look, colours = theme.DARK if dark else theme.LIGHT, theme.weight_scale(dark)
    steps = [
        theme.element("rect", x=16 + 5 * n, y=height - 30, width=5.5, height=9, fill=colours[8 * n]) for n in range(32)
    ]
    frame = theme.element("rect", x=16, y=height - 30, width=160, height=9, fill="none", stroke=look["line"])
    middle, end = 72 + sqrt * 33, "max" if per_row else "1"
    names = [("0", 0), *([] if per_row else [("0.5", middle)]), (end, 154 - 12 * per_row)]
    ticks = [theme.element("text", text, x=16 + at, y=height - 9) for text, at in names]
    return theme.element("g", *steps, frame, *ticks, font_size=10, fill=look["quiet"])


def export_svg(view: AttentionView | AttentionExplorer, path: str | pathlib.Path, dark: bool = False) -> pathlib.Path:
    """Write what a view shows now as a vector picture."""
    return view_picture(view_of(view), dark).save(pathlib.Path(path).with_suffix(".svg"))


def export_png(view: AttentionView | AttentionExplorer, path: str | pathlib.Path, dark: bool = False) -> pathlib.Path:
    """Write what a view shows now as pixels, two to a point; needs no browser."""
    return view_picture(view_of(view), dark).save(pathlib.Path(path).with_suffix(".png"))


def view_of(view: AttentionView | AttentionExplorer) -> AttentionView:
    """The view itself, also of an explorer."""
    return view.view if isinstance(view, Explorer) else view


def export_html(view: AttentionView | AttentionExplorer, path: str | pathlib.Path) -> pathlib.Path:
    """Write a page that moves like the view, with no Python and no network; under 1 MB up to 64 × 64 tokens."""
    view, path = view_of(view), pathlib.Path(path)
    head = f"<title>{theme.escaped(title_of(view) or 'Attention')}</title>"
    body = f'<body class="att-page">\n<main>{slot("canvas", 0)}</main>\n</body>'
    path.write_text(offline_page(head, body, view.style(), [view.frozen()]), encoding="utf-8")
    return path
