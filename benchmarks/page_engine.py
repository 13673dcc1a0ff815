"""Whether the model in JavaScript (viz/page) says what the core says: the same translations, the same tensors inside.

Sentences are translated in torch and in node: are the ids the same, how far do log-probabilities lie apart. Random
interventions (heads off, cells masked, rows of weights, positions, vectors exchanged) are made in both, and all that
the probes record is compared. Then what int8 weights (core_options.page_weights) change in translations and BLEU, and
how long an answer takes in node.

    python -m benchmarks.page_engine            # half an hour; writes benchmarks/results/page_engine.json

It reads Tatoeba's `valid` and newstest2013 from $TRANSFORMER_DATA, or --data. What the file holds already is not
measured again, so a stopped command goes on where it was.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import functools
import json
import os
import random
import shutil
import statistics
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

import transformer_core as tc
from core_options import fast_cpu, page_weights
from experiments import bench

DRIVER = Path(__file__).with_suffix(".mjs")
CHECKPOINT = "tatoeba-en-de"
SENTENCE = "The animal did not cross the street because it was too tired."
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


def slices(
    name: str, page: Page, texts: Sequence[str], at_once: int = 50
) -> Iterator[tuple[dict, Callable[[], dict[str, Any]]]]:
    """The work of comparing translations of these texts, in parts: what each is of, and what makes its result."""
    translator = tc.load_pretrained(CHECKPOINT)

    def alike(first: int) -> dict[str, Any]:
        rows = list(translations(translator, page, texts[first : first + at_once]))
        result: dict[str, Any] = dict(n=len(rows))
        for way in ("greedy", "beam 4"):
            apart_by = [row[way]["apart"] for row in rows if row[way]["same"]]
            result[way] = dict(same=sum(row[way]["same"] for row in rows), apart=max(apart_by, default=0.0))
        return result

    for first in range(0, len(texts), at_once):
        yield dict(what=name, first=first), functools.partial(alike, first)


def edited(page: Page, texts: Sequence[str]) -> dict[str, Any]:
    """How far tensors lie apart in the furthest of many interventions, by the place of the edit."""
    rows = list(interventions(tc.load_pretrained(CHECKPOINT), page, texts))
    by_place: dict[str, list[float]] = {}
    for row in rows:
        by_place.setdefault(row["edit"].rpartition(".")[2], []).append(row["apart"])
    return dict(n=len(rows), apart={place: max(values) for place, values in sorted(by_place.items())})


def eight_bits(data: Path, n: int) -> dict[str, Any]:
    """BLEU of the weights as they ship and as int8, and how many lines differ."""
    sources, references = tc.read_parallel(data / "tatoeba_en_de", "valid", "en", "de")
    translator, lines = fast_cpu.Translator.of(tc.load_pretrained(CHECKPOINT)), dict[str, list[str]]()
    weights = tc.weights_of(translator.model)
    for precision in ("f16", "int8"):
        read = page_weights.widened(page_weights.in_precision(weights, precision))
        translator.model.load_state_dict(read, strict=False)
        lines[precision] = translator.translate(sources[:n])
    bleu = {name: tc.corpus_bleu(texts, references[:n])[0].score for name, texts in lines.items()}
    differ = sum(a != b for a, b in zip(lines["f16"], lines["int8"], strict=True))
    return dict(n=n, bleu={name: round(score, 2) for name, score in bleu.items()}, differ=differ)


def times(way: str, kind: str, repeats: int = 15) -> dict[str, Any]:
    """Milliseconds of an answer to a sentence of 14 tokens, median: on the clock, and of the processor."""
    with Page(tc.find_checkpoint(CHECKPOINT), way) as page:
        answers = [page.ask(kind=kind, text=SENTENCE) for _ in range(repeats + 5)][5:]
    medians = {name: statistics.median(answer[name] for answer in answers) for name in ("ms", "cpu_ms")}
    return dict(tokens=len(answers[0]["src"])) | {name: round(value) for name, value in medians.items()}


def main() -> None:
    root = os.environ.get("TRANSFORMER_DATA")
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(root) if root else None, required=not root)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "page_engine.json")
    options = parser.parse_args()
    torch.set_num_threads(1)
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    about = bench.head("page_engine", "python -m benchmarks.page_engine", node=node, checkpoint=CHECKPOINT)
    runs = bench.earlier(options.out, about)
    everyday = tc.read_lines(options.data / "tatoeba_en_de" / "valid.en.gz")
    news = tc.read_lines(options.data / "wmt_newstest" / "newstest2013.en.gz")
    with Page(tc.find_checkpoint(CHECKPOINT)) as page:
        parts = [*slices("valid", page, everyday[:500]), *slices("newstest2013", page, news[:100])]
        parts.append((dict(what="interventions"), functools.partial(edited, page, everyday[:200])))
        parts.append((dict(what="int8"), functools.partial(eight_bits, options.data, 2000)))
        for way, kind in (("", "greedy"), ("", "translate"), ("plain", "greedy"), ("plain", "translate")):
            name = dict(what="times", way=way or "simd", kind=kind)
            parts.append((name, functools.partial(times, way, kind)))
        for name, work in parts:
            if not any(name.items() <= run.items() for run in runs):
                runs.append(name | bench.rounded(work()))
                bench.write(options.out, about | dict(runs=runs))
                print(*(f"{key} {value}" for key, value in runs[-1].items()), flush=True)


if __name__ == "__main__":
    main()
