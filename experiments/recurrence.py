"""Before Transformers: recurrent encoder-decoders against a Transformer of the same size, on the same sentences.

    python -m experiments.recurrence reverse     # say random symbols backwards
    python -m experiments.recurrence grammar     # English to German of the grammar; keeps three small models that ship
    python -m experiments.recurrence speed       # how long a step of training takes, against the length of sentences
    python -m experiments.recurrence gold        # alignment error of the shipped Transformer on hand-made word links
    python -m experiments.recurrence korean      # a tiny English-Korean model, for one sentence

Each writes notebooks/data/recurrence_NAME.json with the command and the machine in it. `gold` and `korean` read public
corpora from the folder TRANSFORMER_DATA, of which nothing but scores, and one sentence of our own, is kept. A model
that was trained already, for as many steps, lies under --runs and is not trained again, so a stopped command goes on
where it was.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

import baselines
import transformer_core as tc
from core_options import fast_cpu, schedule, ways
from corpora import grammar
from experiments import bench, positions
from studies import training
from studies.alignment import Truth, cross_weights, error_counts
from studies.text import words_of

KINDS: dict[str, tuple[str, str | None] | None] = {
    "GRU, one vector": ("GRU", None), "GRU, additive": ("GRU", "additive"), "GRU, dot": ("GRU", "dot"),
    "LSTM, one vector": ("LSTM", None), "LSTM, additive": ("LSTM", "additive"), "LSTM, dot": ("LSTM", "dot"),
    "Transformer": None,
}  # fmt: skip
SHIPPED = {"GRU, one vector": "fixed", "GRU, additive": "additive", "GRU, dot": "dot"}  # in checkpoints/grammar-gru
WIDTH = 64  # of "GRU, additive", whose parameters are the budget of all
LONGEST, TESTED, N_SYMBOLS = 20, 24, 10  # symbols to be reversed: trained up to, tested up to, how many there are
N_TRAIN, N_UNSEEN, N_GOLD, PER_LENGTH = 20_000, 500, 200, 50
TOKENS, PEAK = 1000, 3e-3
PEAKS = {"Transformer": 6e-3, "recurrent": 1e-2}  # on the grammar: of two rates tried for either, the better one
LENGTHS, SPEED_TOKENS = (8, 16, 32, 64, 128), 1024


# ─── Models of one size ──────────────────────────────────────────────────────────────────────────────────────────────
def recurrent(vocabulary: int, cell: str, score: str | None, d_model: int) -> baselines.RecurrentEncoderDecoder:
    config = baselines.RecurrentConfig(vocabulary, d_model, cell, score, p_drop=0.0)
    return baselines.RecurrentEncoderDecoder(config)


def transformer(vocabulary: int, d_ff: int, d_model: int) -> tc.Transformer:
    each = d_model // 4
    config = tc.TransformerConfig(vocabulary, 2, d_model, d_ff, n_heads=4, d_k=each, d_v=each, p_drop=0.0)
    return tc.Transformer(config)


def budget(vocabulary: int, width: int = WIDTH) -> int:
    """The parameters of a GRU of this width with additive attention."""
    with torch.device("meta"):
        return tc.count_parameters(recurrent(vocabulary, "GRU", "additive", width))


def made(kind: str, vocabulary: int, seed: int = 0, width: int = WIDTH) -> nn.Module:
    """A fresh model of a kind, as near to the budget as its width allows: d_model of a recurrent one, else d_ff."""
    if kind not in KINDS:
        raise ValueError(f"There is no kind of model {kind!r}; choose one of {', '.join(KINDS)}.")
    how, wanted = KINDS[kind], budget(vocabulary, width)
    narrow = 48 if vocabulary > 1000 else 40

    def build(n: int) -> nn.Module:
        return transformer(vocabulary, n, narrow) if how is None else recurrent(vocabulary, *how, n)

    sizes = range(8, 8 * width) if how is None else range(8, 2 * width, 2)
    with torch.device("meta"):
        best = min(sizes, key=lambda n: abs(tc.count_parameters(build(n)) - wanted))
    with tc.seeded(torch.device("cpu"), seed):
        return build(best)


def shape(model: Any) -> dict[str, Any]:
    widths = dict(d_model=model.config.d_model)
    if isinstance(model, tc.Transformer):
        widths |= dict(d_ff=model.config.d_ff, n_heads=model.config.n_heads, n_layers=model.config.n_layers)
    return dict(parameters=tc.count_parameters(model), **widths)


def recipe(steps: int, seed: int, peak: float = PEAK) -> schedule.TrainingConfig:
    return schedule.TrainingConfig(
        steps=steps, warmup_steps=max(1, steps // 10), cooldown_steps=steps // 2, peak_learning_rate=peak, clip_norm=1,
        seed=seed, device="cpu", precision="fp32",
    )  # fmt: skip


def trained(model: Any, batches: Any, config: schedule.TrainingConfig, folder: Path, name: str) -> dict[str, Any]:
    """Train a model, or take it from the folder where it was left; what the training cost, and its last nll."""
    folder /= f"{config.steps}-steps"
    if (folder / "report.json").exists():
        tc.load_weights(model, tc.read_tensors(folder / "model.safetensors"), folder)
        return json.loads((folder / "report.json").read_text())
    began, last = time.process_time(), list[float]()
    for step in ways.train(model, batches, config):
        last = [*last[-49:], step.nll]
        if step.step % 100 == 0:
            tc.say(f"{name}: step {step.step} of {config.steps}, nll {sum(last) / len(last):.3f}")
    seconds = time.process_time() - began
    report = dict(
        nll=round(sum(last) / len(last), 4), seconds=round(seconds, 1), per_step=round(seconds / config.steps, 4)
    )
    tc.save_checkpoint(folder, model.config, tc.weights_of(model))
    (folder / "report.json").write_text(json.dumps(report))
    return report


# ─── Reversal ────────────────────────────────────────────────────────────────────────────────────────────────────────
class Backwards:
    """Batches of random symbols and the same from the end; never the same twice, the same for every model."""

    def __init__(self, seed: int):
        self.seed = seed

    def epoch(self, number: int, start: int = 0) -> Iterator[tc.Batch]:
        for step in range(start, 1 << 30):
            rng = random.Random(f"{self.seed} {number} {step}")
            yield tc.Batch.of([pair for _ in range(96) for pair in reversals(1, rng.randint(1, LONGEST), rng)])


def reversals(n: int, length: int, rng: random.Random) -> list[tc.Pair]:
    return positions.sequences(n, length, "reverse", rng)


def reversed_right(model: Any, length: int, n: int = 100) -> tuple[float, float]:
    """Of n sequences of a length: the share said backwards without a mistake, and the share of right symbols."""
    pairs = reversals(n, length, random.Random(f"test {length}"))
    outputs = [hypothesis.ids for hypothesis in tc.greedy_decode(model, tc.Batch.of(pairs).src, max_extra=4)]
    wanted = [[*target, tc.EOS] for _, target in pairs]
    right = [
        a == b for ids, row in zip(outputs, wanted, strict=True) for a, b in zip(pad_to(ids, row), row, strict=True)
    ]
    return sum(map(list.__eq__, outputs, wanted)) / n, sum(right) / len(right)


def pad_to(ids: list[int], row: list[int]) -> list[int]:
    return [*ids, *[tc.PAD] * len(row)][: len(row)]


def maps_of(model: Any, batch: tc.Batch) -> Tensor:
    """All cross-attention of a model, teacher-forced: (B, heads of all layers, T, S)."""
    with tc.evaluating(model), tc.record(model, "decoder.*.cross_attention.weights") as trace:
        model(batch.src, batch.tgt_in)
    return torch.cat([*trace.values()], 1)


def anti_diagonal(maps: Tensor, offset: int = 0) -> Tensor:
    """How often each head's strongest weight lies so many places right of the symbol that the row says.

    (B, H, T, S) -> (H,); rows are those that say a symbol, the last column is the end of the sequence.
    """
    n = maps.size(-1) - 1
    wanted = torch.arange(n).flip(0) + offset  # (n,)
    inside = (wanted >= 0) & (wanted <= n)
    return (maps[:, :, :n].argmax(-1) == wanted)[:, :, inside].double().mean((0, 2))


def reverse_run(kind: str, seed: int, steps: int, runs: Path) -> dict[str, Any]:
    """Train one model to say symbols backwards; accuracy at each length, and how it aligns 12 symbols."""
    model: Any = made(kind, 4 + N_SYMBOLS, seed)
    report = trained(
        model, Backwards(seed), recipe(steps, seed), runs / f"reverse-{kind}-{seed}", f"{kind}, seed {seed}"
    )
    scores = [reversed_right(model, length) for length in range(1, TESTED + 1)]
    row = dict(kind=kind, seed=seed, **shape(model), **report)
    row |= dict(exact=[round(a, 3) for a, _ in scores], symbols=[round(b, 4) for _, b in scores])
    if kind.endswith("one vector"):
        return row
    batch = tc.Batch.of(reversals(100, 12, random.Random("maps")))
    maps = maps_of(model, batch)
    shares = {offset: anti_diagonal(maps, offset) for offset in (-1, 0, 1)}
    offset = max(shares, key=lambda offset: shares[offset].max().item())
    best = int(shares[offset].argmax())
    mean = [[round(x, 3) for x in line] for line in maps[:, best].mean(0).tolist()]
    read = {str(offset): round(share[best].item(), 4) for offset, share in shares.items()}
    return row | dict(anti_diagonal=read, offset=offset, best=best, mean_map=mean)


# ─── Gold links ──────────────────────────────────────────────────────────────────────────────────────────────────────
def spelled(pieces: Sequence[str]) -> list[str]:
    """Pieces with their letters: of a character spelled in bytes the first piece has it, the others nothing.

    >>> spelled(["▁a", "<0xC3>", "<0xA4>", "b"])
    ['▁a', 'ä', '', 'b']
    """
    letters, byte = list(pieces), re.compile("(?:<0x[0-9A-F]{2}>)")
    at = 0
    while at < len(letters):
        width = 1
        if byte.fullmatch(letters[at]):
            lead = int(letters[at][3:5], 16)
            width = 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
            text = bytes(int(piece[3:5], 16) for piece in letters[at : at + width]).decode(errors="replace")
            letters[at : at + width] = [text, *[""] * (width - 1)]
        at += width
    return letters


def linked(tokenizer: tc.Tokenizer, sides: Sequence[Sequence[str]], gold: frozenset[tuple[int, int]]) -> Truth:
    """The words of a sentence and of its translation, with gold links (source word, target word)."""
    ids = [tokenizer.encode(tc.clean(grammar.written(words))) for words in sides]
    words = (words_of(spelled(tokenizer.pieces(i)), w) for i, w in zip(ids, sides, strict=True))
    return Truth(torch.tensor([[*ids[0], tc.EOS]]), torch.tensor([[tc.BOS, *ids[1]]]), *words, gold)  # type: ignore[call-arg, arg-type]


def of_grammar(text: training.Lessons, pair: grammar.Pair) -> Truth:
    return linked(text.tokenizer, (pair.english_tokens, pair.german_tokens), pair.alignment)


# ─── The grammar ─────────────────────────────────────────────────────────────────────────────────────────────────────
class Lessons(training.Lessons):
    """Sentences of the grammar, always the same; unseen ones of every length; sentences to choose a head by."""

    def __init__(self) -> None:
        sides = [grammar.sample(n, split=split) for n, split in ((N_TRAIN, "train"), (N_UNSEEN, "test"))]
        super().__init__(*([(pair.english, pair.german) for pair in side] for side in sides), tokens_per_batch=TOKENS)  # type: ignore[misc, arg-type]
        self.test, self.choice = sides[1], grammar.sample(N_GOLD, split="valid")
        self.by_length: dict[int, list[grammar.Pair]] = {}
        for pair in grammar.sample(20_000, split="test"):
            same = self.by_length.setdefault(len(pair.english_tokens), [])
            if len(same) < PER_LENGTH:
                same.append(pair)


def by_length(text: Lessons, model: Any) -> list[dict[str, Any]]:
    """For each number of English words: how many sentences come out right to the letter, and BLEU."""
    rows = []
    for length, pairs in sorted(text.by_length.items()):
        lines = fast_cpu.Translator(model, text.tokenizer).translate([pair.english for pair in pairs], beam_size=1)
        wanted = [pair.german for pair in pairs]
        exact = sum(map(str.__eq__, lines, wanted))
        bleu = tc.corpus_bleu(lines, wanted)[0].score
        rows.append(dict(length=length, sentences=len(pairs), exact=exact, bleu=round(bleu, 2)))
    return rows


def errors(maps: Callable[[Truth], Tensor], pairs: Sequence[Truth]) -> dict[str, list[float]]:
    """Alignment error of every head over these pairs, read naively and shifted; maps gives (heads, T, S) of a pair."""
    counts = torch.stack([error_counts(maps(pair), pair) for pair in pairs]).sum(0).tolist()  # (2, heads, 2)
    return {
        name: [round(1 - right / total, 4) for right, total in heads]
        for name, heads in zip(("naive", "shifted"), counts, strict=True)
    }


def heads_of(model: Any) -> Callable[[Truth], Tensor]:
    return lambda pair: cross_weights(model, pair.src, pair.tgt_in).flatten(0, 1)


def diagonal(pair: Truth) -> Tensor:
    """A head that knows nothing but places: the target's word stands where the source's stands, in proportion."""
    t, s = len(pair.tgt_words), len(pair.src_words)
    weights = torch.zeros(1, t + 1, s + 1)
    for row in range(t):
        weights[0, row, min(s - 1, round((row + 0.5) * s / t - 0.5))] = 1
    return weights


def alignment(text: Lessons, model: Any) -> dict[str, Any]:
    """AER on unseen sentences of every head; of each reading the best head is chosen on other sentences."""
    chosen, rates = (
        errors(heads_of(model), [of_grammar(text, pair) for pair in pairs])
        for pairs in (text.choice, text.test[:N_GOLD])
    )
    best = {reading: min(range(len(heads)), key=heads.__getitem__) for reading, heads in chosen.items()}
    return dict(aer=rates, best=best, **{reading: rates[reading][head] for reading, head in best.items()})


def grammar_run(text: Lessons, kind: str, seed: int, steps: int, runs: Path) -> dict[str, Any]:
    """Train one model on the grammar; BLEU, accuracy at each length, alignment error."""
    model: Any = made(kind, len(text.tokenizer), seed)
    folder = runs / f"grammar-{kind}-{seed}"
    peak = PEAKS.get(kind, PEAKS["recurrent"])
    report = trained(model, text.batches(TOKENS, seed), recipe(steps, seed, peak), folder, f"{kind}, seed {seed}")
    _, bleu, right = text.translated(model, N_UNSEEN)
    row = dict(kind=kind, seed=seed, **shape(model), **report)
    row |= dict(unseen_nll=round(text.nll(model), 4), bleu=round(bleu, 2), right=right, lengths=by_length(text, model))
    if not kind.endswith("one vector"):
        row |= alignment(text, model)
    if kind in SHIPPED and seed == 0:
        weights = {name: weight.half() for name, weight in tc.weights_of(model).items()}
        tc.save_checkpoint(runs / "grammar-gru" / SHIPPED[kind], model.config, weights, text.tokenizer)
    return row


# ─── Time ────────────────────────────────────────────────────────────────────────────────────────────────────────────
def step_of(model: Any, vocabulary: int, length: int, tokens: int) -> Callable[[], None]:
    """One step of training on random sentences of a length, so many tokens on each side."""
    generator = torch.Generator().manual_seed(length)
    src, tgt = torch.randint(4, vocabulary, (2, max(1, tokens // length), length), generator=generator)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)

    def step() -> None:
        optimizer.zero_grad()
        tc.label_smoothed_loss(model(src, tgt), tgt).backward()
        optimizer.step()

    return step


def fastest(step: Callable[[], None], times: int) -> float:
    """Seconds of this thread's own time, the best of several, after one that does not count."""
    step()
    took = []
    for _ in range(times):
        began = time.process_time()
        step()
        took.append(time.process_time() - began)
    return min(took)


def chain_of(model: Any, vocabulary: int, length: int) -> int:
    """The longest chain of matrix products of which each needs the one before, in a pass over one sentence pair."""
    src, tgt = torch.randint(4, vocabulary, (2, 1, length))
    return baselines.longest_chain(model(src, tgt))


def speed_command(options: argparse.Namespace) -> None:
    vocabulary, times = 2000, options.steps or 5

    def run(kind: str, _: int) -> dict[str, Any]:
        model = made(kind, vocabulary)
        timed = [fastest(step_of(model, vocabulary, n, SPEED_TOKENS), times) for n in LENGTHS]
        chain = [] if "LSTM" in kind else [chain_of(model, vocabulary, n) for n in LENGTHS]  # torch's is one operation
        return dict(kind=kind, seed=0, **shape(model), seconds=[round(t, 5) for t in timed], chain=chain)

    many("speed", options, run, tokens=SPEED_TOKENS, lengths=list(LENGTHS), times=times, vocabulary=vocabulary)


# ─── Gold links of real sentences ────────────────────────────────────────────────────────────────────────────────────
def real(variable: str, folder: str) -> Path:
    """A folder of a public corpus, or one sentence that says what is missing."""
    if not (root := os.environ.get(variable)) or not (Path(root) / folder).is_dir():
        raise SystemExit(f"{folder} is not there; set {variable} to the folder that holds it.")
    return Path(root) / folder


def gold_pairs(tokenizer: tc.Tokenizer) -> list[Truth]:
    """The 50 hand-linked sentence pairs, English to German."""
    folder = real("TRANSFORMER_DATA", "alignment_en_de")
    names = (folder / f"first50.{name}.gz" for name in ("en", "de", "de-en.gold"))
    lines = zip(*(gzip.decompress(name.read_bytes()).decode().strip("\n").split("\n") for name in names), strict=True)
    pairs = []
    for english, german, links in lines:
        gold = frozenset((int(en), int(de)) for de, en in (link.split("-") for link in links.split()))
        pairs.append(linked(tokenizer, (english.split(), german.split()), gold))
    return pairs


def gold_command(options: argparse.Namespace) -> None:
    translator = tc.load_pretrained("tatoeba-en-de")
    pairs = gold_pairs(translator.tokenizer)
    config = translator.model.config

    def of_heads(pair: Truth) -> Tensor:
        maps = cross_weights(translator.model, pair.src, pair.tgt_in).flatten(0, 1)
        return torch.cat([maps, maps.mean(0, keepdim=True)])

    rates, nll, n_tokens = errors(of_heads, pairs), 0.0, 0
    halves = [errors(of_heads, half) for half in (pairs[::2], pairs[1::2])]  # a head chosen by one, read on the other
    other = {}
    for name in rates:
        best = [min(range(len(half[name]) - 1), key=half[name].__getitem__) for half in halves]
        other[name] = [round(halves[1 - n][name][head], 4) for n, head in enumerate(best)]
    for pair in pairs:
        tgt_out = torch.cat([pair.tgt_in[:, 1:], torch.tensor([[tc.EOS]])], 1)
        with tc.evaluating(translator.model):
            logits = translator.model(pair.src, pair.tgt_in)
        nll += tc.objective(logits, tgt_out, 0.0)[1].item()
        n_tokens += tgt_out.numel()
    heads = {name: [errors[n : n + config.n_heads] for n in range(0, len(errors) - 1, config.n_heads)]
             for name, errors in rates.items()}  # fmt: skip
    about = head("gold", options, model="tatoeba-en-de", direction="en to de", corpus="alignment_en_de (Europarl)")
    about |= dict(sentences=len(pairs), links=sum(len(pair.gold) for pair in pairs), nll=round(nll / n_tokens, 3))
    about |= dict(
        diagonal=errors(diagonal, pairs)["naive"][0],
        on_other_half=other,
        mean_of_all={n: rates[n][-1] for n in rates},
        **heads,
    )
    write(options, "gold", about)


# ─── The slide's own sentence ────────────────────────────────────────────────────────────────────────────────────────
ATTRIBUTION = (
    "Trained on 3,439 of 3,621 English-Korean sentence pairs of Tatoeba (https://tatoeba.org), CC BY 2.0 FR; each "
    "sentence is its contributor's, as listed there. No sentence of the corpus is kept here."
)
SLIDE, SAID_SO = "I like stray cat.", "나는 길고양이를 좋아해."


def korean_pairs() -> list[tuple[str, str]]:
    path = real("TRANSFORMER_DATA", "tatoeba_ko_en") / "pairs_with_attribution.tsv.gz"
    lines = gzip.decompress(path.read_bytes()).decode().strip("\n").split("\n")
    return [(english, korean) for english, korean, _ in (line.split("\t") for line in lines)]


def reading_of(text: training.Lessons, model: Any, english: str, korean: str) -> dict[str, Any]:
    """What each row of attention reads while this translation is said: pieces, the word of each, and weights."""
    source, target = text.ids(english, korean)
    src, tgt_in = torch.tensor([[*source, tc.EOS]]), torch.tensor([[tc.BOS, *target]])
    weights = cross_weights(model, src, tgt_in)[0, 0]
    letters = spelled(text.tokenizer.pieces(source))
    words = words_of(letters, re.findall(r"\w+|[^\w\s]", english))
    return dict(
        target=korean, keys=[*letters, "</s>"], key_words=words,
        queries=[*spelled(text.tokenizer.pieces(target)), "</s>"],
        weights=[[round(x, 4) for x in row] for row in weights.tolist()],
    )  # fmt: skip


def korean_command(options: argparse.Namespace) -> None:
    steps, pairs = options.steps or 1500, korean_pairs()
    unseen = pairs[::20]
    text = training.Lessons([pair for n, pair in enumerate(pairs) if n % 20], unseen, 3000, 400)
    with tc.seeded(torch.device("cpu"), 0):
        config = baselines.RecurrentConfig(len(text.tokenizer), WIDTH, "GRU", "additive", p_drop=0.2)
        model = baselines.RecurrentEncoderDecoder(config)
    report = trained(model, text.batches(), recipe(steps, 0, PEAKS["recurrent"]), options.runs / "korean", "korean")
    _, bleu, _ = text.translated(model, len(unseen))  # type: ignore[arg-type]
    translation = tc.Translator(model, text.tokenizer).translate([SLIDE], beam_size=4)[0]  # type: ignore[arg-type]
    about = head(
        "korean", options, attribution=ATTRIBUTION, steps=steps, pairs=len(pairs), vocabulary=len(text.tokenizer)
    )
    about |= dict(source=SLIDE, seen=sum("stray" in english.lower() for english, _ in pairs), bleu=round(bleu, 2))
    about |= dict(unseen=len(unseen), unseen_nll=round(text.nll(model), 3), **shape(model), **report)  # type: ignore[arg-type]
    readings = {
        "said": reading_of(text, model, SLIDE, translation),
        "made to say": reading_of(text, model, SLIDE, SAID_SO),
    }
    write(options, "korean", about | dict(readings=readings))


# ─── Commands ────────────────────────────────────────────────────────────────────────────────────────────────────────
def head(name: str, options: argparse.Namespace, **more: Any) -> dict[str, Any]:
    words = f" --steps {options.steps}" if options.steps else ""
    words += f" --seeds {options.seeds}" if options.seeds > 1 else ""
    words += f" --only {shlex.join(options.only)}" if options.only != list(KINDS) else ""
    return bench.head(f"recurrence_{name}", f"python -m experiments.recurrence {name}{words}", **more)


def many(name: str, options: argparse.Namespace, run: Callable[[str, int], dict[str, Any]], **about: Any) -> None:
    """Make the runs that the file does not hold yet, and write it after each."""
    out, about = options.out or bench.DATA / f"recurrence_{name}.json", head(name, options, **about)
    runs = bench.earlier(out, about, apart=("command", "machine"))
    for seed in range(options.seeds):
        for kind in options.only:
            if not any(earlier["kind"] == kind and earlier["seed"] == seed for earlier in runs):
                runs.append(run(kind, seed))
                bench.write(out, about | dict(runs=runs))
                print({k: v for k, v in runs[-1].items() if not isinstance(v, list | dict)}, flush=True)


def reverse_command(options: argparse.Namespace) -> None:
    steps = options.steps or 1500
    many(
        "reverse", options, lambda kind, seed: reverse_run(kind, seed, steps, options.runs),
        steps=steps, trained=LONGEST, tested=TESTED, symbols=N_SYMBOLS, budget=budget(4 + N_SYMBOLS),
    )  # fmt: skip


def grammar_command(options: argparse.Namespace) -> None:
    steps, text = options.steps or 1500, Lessons()
    plain = errors(diagonal, [of_grammar(text, pair) for pair in text.test[:N_GOLD]])["naive"][0]
    many(
        "grammar", options, lambda kind, seed: grammar_run(text, kind, seed, steps, options.runs),
        steps=steps, peaks=PEAKS, tokens_per_batch=TOKENS, pairs=N_TRAIN, unseen=N_UNSEEN, aligned=N_GOLD,
        per_length=PER_LENGTH, vocabulary=len(text.tokenizer), budget=budget(len(text.tokenizer)), diagonal=plain,
    )  # fmt: skip


def write(options: argparse.Namespace, name: str, result: dict[str, Any]) -> None:
    bench.write(options.out or bench.DATA / f"recurrence_{name}.json", result)
    print({name: value for name, value in result.items() if not isinstance(value, list | dict)})


COMMANDS = {
    "reverse": reverse_command, "grammar": grammar_command, "speed": speed_command, "gold": gold_command,
    "korean": korean_command,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=list(COMMANDS))
    parser.add_argument(
        "--only", nargs="+", choices=list(KINDS), default=list(KINDS), metavar="KIND", help="some kinds"
    )
    parser.add_argument("--seeds", type=int, default=1, help="runs of each kind")
    parser.add_argument("--steps", type=int, help="updates of each run; what the command has by itself if not given")
    parser.add_argument("--runs", type=Path, default=Path("runs/recurrence"), help="where trained models are kept")
    parser.add_argument("--out", type=Path, help="the JSON written; notebooks/data/recurrence_NAME.json if not given")
    options = parser.parse_args()
    torch.set_num_threads(1)
    COMMANDS[options.name](options)


if __name__ == "__main__":
    main()
