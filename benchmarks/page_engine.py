"""Whether the model in JavaScript (viz/page) says what the core says: the same translations, the same tensors inside.

Sentences are translated in torch and in node: are the ids the same, how far do log-probabilities lie apart. Random
interventions (heads off, cells masked, rows of weights, positions, vectors exchanged) are made in both, and all that
the probes record is compared.
"""

from __future__ import annotations

import base64
import contextlib
import json
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

import transformer_core as tc

DRIVER = Path(__file__).with_suffix(".mjs")
CHECKPOINT = "tatoeba-en-de"
ATTENTIONS = ("encoder.{}.self_attention", "decoder.{}.self_attention", "decoder.{}.cross_attention")


class Page:
    """The page's model in node, which answers one question after the other: `page.ask(kind="greedy", text="…")`."""

    def __init__(self, folder: str | Path, way: str = ""):
        node = shutil.which("node")
        if not node:
            raise ValueError("There is no node on this machine; install nodejs.")
        self.about = dict(checkpoint=str(folder), way=way)  # way: "plain" forbids WebAssembly
        self.process = subprocess.Popen([node, str(DRIVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **question: Any) -> dict[str, Any]:
        """The answer, its tensors as torch has them; what is refused is a ValueError."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(question | self.about) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline(), object_hook=tensor)
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()


def tensor(value: dict[str, Any]) -> Any:
    """A tensor as the driver packs it, as torch has it; anything else as it is."""
    if value.keys() == {"base64"}:
        return torch.frombuffer(bytearray(base64.b64decode(value["base64"])), dtype=torch.float32)
    return value["data"].view(value["shape"]) if value.keys() == {"data", "shape"} else value


# ─── Interventions ───────────────────────────────────────────────────────────────────────────────────────────────────
Edit = Callable[[Tensor], Tensor]


def heads_off(rng: random.Random, model: tc.Transformer, S: int, T: int) -> tuple[dict, Edit]:
    heads = rng.sample(range(model.config.n_heads), rng.randint(1, model.config.n_heads))
    return dict(probe="heads", heads=heads), lambda x: x.index_fill(1, torch.tensor(heads), 0.0)


def cells_masked(rng: random.Random, model: tc.Transformer, S: int, T: int) -> tuple[dict, Edit]:
    head, cells = rng.randrange(model.config.n_heads), [[rng.randrange(T), rng.randrange(S)] for _ in range(3)]

    def edit(x: Tensor) -> Tensor:
        x = x.clone()
        for t, s in cells:
            x[:, head, t, s] = -torch.inf
        return x

    return dict(probe="scores", cells=cells, head=head), edit


def row_of_weights(rng: random.Random, model: tc.Transformer, S: int, T: int) -> tuple[dict, Edit]:
    head, row = rng.randrange(model.config.n_heads), rng.randrange(T)
    values = torch.tensor([rng.random() for _ in range(S)]).softmax(-1)

    def edit(x: Tensor) -> Tensor:
        x = x.clone()
        x[:, head, row] = values
        return x

    return dict(probe="weights", row=row, values=values.tolist(), head=head), edit


def positions_moved(rng: random.Random, model: tc.Transformer, S: int, T: int) -> tuple[dict, Edit]:
    """Off, shifted, or in any order; of an embedding x (1, n, D) what positions do is added."""
    places, shift, d_model = [rng.randrange(-1, 40) for _ in range(S)], rng.randrange(1, 50), model.config.d_model
    table = tc.sinusoidal_positions(S + 50, d_model).float()
    placed = table[torch.tensor(places)] * (torch.tensor(places) >= 0)[:, None]
    kinds: list[tuple[dict, Edit]] = [
        (dict(off=True), torch.zeros_like),
        (dict(shift=shift), lambda x: table[shift : shift + len(x)]),
        (dict(places=places), lambda x: placed[: len(x)]),
    ]
    return rng.choice(kinds)


def vector_exchanged(rng: random.Random, model: tc.Transformer, S: int, T: int) -> tuple[dict, Edit]:
    token, other = rng.randrange(S), rng.randrange(4, model.config.vocab_size)
    vector = model.src_embedding.weight[other].detach()

    def edit(x: Tensor) -> Tensor:  # (1, S, D)
        x = x.clone()
        x[:, token] = vector
        return x

    return dict(token=token, **rng.choice([dict(id=other), dict(vector=vector.tolist())])), edit


@contextlib.contextmanager
def hooked(module: nn.Module, edit: Edit) -> Iterator[None]:
    """Inside, what this module returns is edited."""
    hook = module.register_forward_hook(lambda _, __, output: edit(output))
    try:
        yield
    finally:
        hook.remove()


def intervention(
    rng: random.Random, model: tc.Transformer, src: Tensor, tgt_in: Tensor
) -> tuple[dict, dict[str, Tensor]]:
    """A random edit as the page is told it, and what the core's probes record with it, its logits among them."""
    make: Any = rng.choice([heads_off, cells_masked, row_of_weights, positions_moved, vector_exchanged])
    encoding, decoding = contextlib.ExitStack(), contextlib.ExitStack()
    if make in (positions_moved, vector_exchanged):
        on_source = make is vector_exchanged or rng.random() < 0.5
        side, n = ("src", src.size(1)) if on_source else ("tgt", tgt_in.size(1))
        about, edit = make(rng, model, n, n)
        about["probe"] = f"{side}_embedding" if make is vector_exchanged else f"{side}_positions"
        (encoding if on_source else decoding).enter_context(hooked(model.get_submodule(about["probe"]), edit))
    else:
        place = rng.choice(ATTENTIONS)
        n_queries = src.size(1) if place.startswith("encoder") else tgt_in.size(1)
        n_keys = tgt_in.size(1) if place == ATTENTIONS[1] else src.size(1)
        about, edit = make(rng, model, n_keys, n_queries)
        about["probe"] = f"{place.format(rng.randrange(model.config.n_layers))}.{about['probe']}"
        decoding.enter_context(tc.intervene(model, about["probe"], edit))
    with tc.evaluating(model), decoding, tc.record(model) as trace:
        with encoding:
            memory = model.encode(src)
        logits = model.decode(tgt_in, memory, src != tc.PAD)
    return about, dict(trace) | {"logits": logits}


def apart(here: Tensor, there: Tensor) -> float:
    """The largest difference of two tensors; infinities must be the same ones."""
    here, there = here.reshape(there.shape), there
    finite = here.isfinite()
    if not torch.equal(finite, there.isfinite()):
        return float("inf")
    return (here - there)[finite].abs().max().item() if finite.any() else 0.0


def interventions(translator: tc.Translator, page: Page, texts: Sequence[str], seed: int = 0) -> Iterator[dict]:
    """For each text a random edit: how far the tensors lie apart, of all probes the furthest."""
    for number, text in enumerate(texts):
        rng, src = random.Random(f"{seed} {number}"), translator.source([text])
        ids = tc.greedy_decode(translator.model, src)[0].ids
        tgt_in = torch.tensor([[tc.BOS, *ids[:-1]]])
        edit, trace = intervention(rng, translator.model, src, tgt_in)
        answer = page.ask(kind="read", src=src[0].tolist(), ids=ids, edits=[edit], record="*")
        there = answer["trace"] | {"logits": answer["logits"]}
        differences = {name: apart(x, there[name]) for name, x in trace.items()}
        furthest = max(differences, key=lambda name: differences[name])
        yield dict(edit=edit["probe"], furthest=furthest, apart=differences[furthest])


# ─── Translations ────────────────────────────────────────────────────────────────────────────────────────────────────
def translations(translator: tc.Translator, page: Page, texts: Sequence[str]) -> Iterator[dict]:
    """Of each text, greedy and beam 4: whether ids are the same, how far log-probabilities lie apart, the page's ms."""
    for text in texts:
        src = translator.source([text])
        ways: list[tuple[str, str, Callable]] = [
            ("greedy", "greedy", tc.greedy_decode), ("beam 4", "translate", tc.beam_search),
        ]  # fmt: skip
        row: dict[str, Any] = dict(tokens=src.size(1))
        for way, kind, search in ways:
            (best,), answer = search(translator.model, src), page.ask(kind=kind, text=text)
            same = answer["src"] == src[0].tolist() and answer["ids"] == best.ids
            row[way] = dict(same=same, apart=abs(answer["log_prob"] - best.log_prob), ms=answer["ms"])
        yield row
