"""Context-aware self-attention (Yang et al., 2019) in small: does a context beside each token help here, and where?

    python -m experiments.context                                 # the grammar; notebooks/data/context_grammar.json
    python -m experiments.context --data multi30k --test test_2016_flickr      # notebooks/data/context_multi30k.json
    python -m experiments.context --speed                         # ratios of speed; notebooks/data/context_speed.json
    python -m experiments.context --ship DIR                      # the checkpoint that notebook 11 opens with

The eight rows of the paper's ablation, then the best context on queries alone and on keys alone. Runs of one seed
begin with the same weights wherever the baseline has them, and see the same batches for the same number of steps.
λ, the share of the context, begins at one half everywhere; after training it is averaged over the real tokens of the
validation text, layer by layer. And the question that context was made for: of unseen sentences of the grammar, how
often *it* gets the German pronoun of the noun that it stands for, which the grammar knows.
A run that is in the file already is not made again, so a stopped command goes on where it was. The checkpoint is small
so that every number of a head fits on the screen.
"""

from __future__ import annotations

import argparse
import math
import re
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

import transformer_core as tc
from core_options import fast_cpu, schedule, serving, ways
from core_options.context_aware import ContextConfig, ContextTransformer
from corpora import grammar
from experiments import bench
from experiments.variations import Text, learnt, write_grammar
from studies.pronouns import on_coreference

BEST = "deep-global+deep"
ROWS: dict[str, dict[str, Any]] = {  # the first eight in the order of the paper's table
    "base": {},
    "encoder global": dict(context="global"),
    "encoder deep-global": dict(context="deep-global"),
    "encoder deep": dict(context="deep"),
    "encoder deep-global+deep": dict(context=BEST),
    "decoder deep-global": dict(context="deep-global", context_in="decoder"),
    "decoder deep-global+deep": dict(context=BEST, context_in="decoder"),
    "both deep-global+deep": dict(context=BEST, context_in="both"),
    # which context the paper's query/key table used is not said; here it is that of the best row
    "query only": dict(context=BEST, context_on="q"),
    "key only": dict(context=BEST, context_on="k"),
}
SHAPES: dict[str, dict[str, Any]] = {  # of the models that are trained, and the paper's own for speed
    "grammar": dict(n_layers=6, d_model=64, d_ff=256, n_heads=4, d_k=16, d_v=16),
    "multi30k": tc.PRESETS["tiny"],
    "base": dict(n_layers=6, d_model=512, d_ff=2048, n_heads=8, d_k=64, d_v=64),
}
# How the two are trained, and what of them is translated.
GRAMMAR = dict(steps=400, peak=2e-3, tokens_per_batch=1000, vocab_size=2000, translated=300)
MULTI30K = dict(steps=800, peak=3e-3, tokens_per_batch=1000, vocab_size=4000, translated=500)


GATES = re.compile(r"\.v_[hc]\.")  # the weights that make λ; where they are 0, λ is one half at every token
N_ASKED = 1500  # pairs of the grammar of whose pronouns it is asked what they stand for


# ─── Training ────────────────────────────────────────────────────────────────────────────────────────────────────────
def begun(row: str, seed: int, vocab_size: int, shape: dict[str, Any]) -> tc.Transformer:
    """An untrained model of a row; what the baseline has too is as in the baseline of this seed, and λ is one half."""
    torch.manual_seed(seed)
    base = ContextTransformer(ContextConfig(vocab_size, **shape))
    model = ContextTransformer(ContextConfig(vocab_size, **shape, **ROWS[row]))
    model.load_state_dict(base.state_dict(), strict=False)
    for name, weight in model.named_parameters():
        if GATES.search(name):
            nn.init.zeros_(weight)
    return model


def mean_gates(model: tc.Transformer, batches: Iterable[tc.Batch]) -> dict[str, list[float | None]]:
    """Mean λ of queries and of keys, layer by layer, over real tokens: {"encoder q": [None, 0.4, …], …}.

    None: a layer without context.
    """
    names = [name for name in tc.probes(model) if name.endswith(".gate")]
    total: dict[str, float] = defaultdict(float)
    count: dict[str, int] = defaultdict(int)
    for batch in batches if names else ():
        with tc.evaluating(model), tc.record(model, "*.gate") as trace:
            model(batch.src, batch.tgt_in)
        for name in names:
            real = (batch.src if name.startswith("encoder") else batch.tgt_in) != tc.PAD  # (B, n)
            total[name] += trace[name].double().mean(-1)[real].sum().item()
            count[name] += int(real.sum())
    gates: dict[str, list[float | None]] = {}
    for name in names:
        stack, layer, _, projection, _ = name.split(".")
        kind = f"{stack} {projection.removeprefix('w_')}"
        gates.setdefault(kind, [None] * model.config.n_layers)[int(layer)] = round(total[name] / count[name], 4)
    return gates


def run(text: Text, row: str, seed: int, options: argparse.Namespace) -> dict[str, Any]:
    """Train one row once: what it can do, what it cost, and its gates before and after."""
    shape = SHAPES["multi30k" if options.data else "grammar"]
    model = begun(row, seed, len(text.tokenizer), shape)
    increment = tc.count_parameters(model) - tc.count_parameters(begun("base", seed, len(text.tokenizer), shape))
    unseen = list(tc.make_batches(text.valid_ids, 1 << 12))
    untrained = mean_gates(model, unseen)
    config = schedule.TrainingConfig(
        steps=options.steps, warmup_steps=max(1, options.steps // 5), cooldown_steps=options.steps // 2,
        peak_learning_rate=options.peak, seed=seed, device=options.device,
        precision="auto" if options.device == "cuda" else "fp32",
    )  # fmt: skip
    scores = learnt(text, row, model, config, options.tokens_per_batch, beam_size=1)
    curve = scores.pop("curve")
    gates = dict(gates_untrained=untrained, gates=mean_gates(model.cpu(), unseen))
    pronouns = {} if options.data else dict(pronouns=of_pronouns(tc.Translator(model, text.tokenizer)))
    return scores | dict(increment=increment) | gates | pronouns | dict(curve=curve)


def of_pronouns(translator: tc.Translator) -> dict[str, Any]:
    """How often *it* has the pronoun of what it stands for, over unseen pairs of the grammar, searched greedily."""
    pairs = grammar.sample(N_ASKED, split="test")
    return bench.rounded(on_coreference(lambda texts: translator.translate(texts, 1), pairs))


def command(options: argparse.Namespace) -> str:
    """What makes this file again, with what differs from the defaults; of the folder only its name."""
    where = ("src", "tgt", "test", "translated", "device")
    names = (*where, "steps", "peak", "tokens_per_batch", "vocab_size", "seeds", "only")
    defaults = {name: PARSER.get_default(name) for name in names} | settings(options.data)
    data = dict(data=Path(options.data).name) if options.data else {}
    return bench.spelled("experiments.context", data | {name: getattr(options, name) for name in names}, defaults.get)


def settings(data: str | None) -> dict[str, Any]:
    """How a corpus is trained on where nothing else is said."""
    return MULTI30K if data else GRAMMAR


def train(options: argparse.Namespace) -> None:
    """Make the runs that the file does not hold yet, and write it after each."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(options.data) if options.data else write_grammar(Path(folder))
        text = Text(data, options.vocab_size, options.src, options.tgt, options.test, options.translated)
    about = bench.head(
        f"context_{'multi30k' if options.data else 'grammar'}", command(options),
        machine=bench.machine_line(options.device), steps=options.steps, peak=options.peak,
        tokens_per_batch=options.tokens_per_batch, vocabulary=len(text.tokenizer), pairs=len(text.train_ids),
        tokens=sum(len(tgt) + 1 for _, tgt in text.train_ids), translated=len(text.test[0]), test=options.test,
        search="greedy", bleu="sacreBLEU, 13a, cased", shape=SHAPES["multi30k" if options.data else "grammar"],
    )  # fmt: skip
    runs = bench.earlier(options.out, about, apart=("command",))
    done = {(earlier["row"], earlier["seed"]) for earlier in runs}
    for seed in range(options.seeds):
        for row in [row for row in options.only if (row, seed) not in done]:
            runs.append(run(text, row, seed, options))
            bench.write(options.out, about | dict(runs=runs))
            print(*(f"{k} {v}" for k, v in runs[-1].items() if k != "curve"), flush=True)


# ─── Speed ───────────────────────────────────────────────────────────────────────────────────────────────────────────
class Endless(ContextTransformer):
    """Ends no sentence before its limit, so that untrained models of every row have equally much to decode."""

    def decode(self, *args: Any, **more: Any) -> Tensor:
        logits = super().decode(*args, **more)
        return logits if self.training else logits.index_fill(-1, torch.tensor(tc.EOS), -math.inf)


# Random ids instead of text: sentences in a batch, their length, decoded side by side, training steps a turn, turns.
TURNS = {"grammar": (90, 11, 32, 1, 25), "multi30k": (64, 16, 32, 1, 25), "base": (10, 24, 10, 1, 7)}
SPEED_VOCABULARY = 4000


def runner(row: str, size: str) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Two things to time on a model of a row: some training steps, and a beam search of 4."""
    n, length, n_decoded, steps, _ = TURNS[size]
    torch.manual_seed(0)
    ids = torch.randint(4, SPEED_VOCABULARY, (2, n, length)).tolist()
    batch = tc.Batch.of(list(zip(*ids, strict=True)))
    model = Endless(ContextConfig(SPEED_VOCABULARY, **SHAPES[size], **ROWS[row]))
    config = schedule.TrainingConfig(device="cpu", precision="fp32")
    state = tc.TrainingState(model, config)
    way = fast_cpu.LikeLengths(model)

    def training() -> None:
        model.train()
        for _ in range(steps):
            tc.update(state, batch, way)

    return training, lambda: fast_cpu.beam_search(model, batch.src[:n_decoded], max_extra=0)


def seconds(action: Callable[[], Any]) -> float:
    """Processor time of one call."""
    began = time.process_time()
    action()
    return time.process_time() - began


def speed(row: str, size: str) -> dict[str, Any]:
    """A row's speed as a share of the baseline's: the fastest turns of each, and the quartiles turn by turn."""
    *_, n_decoded, steps, turns = TURNS[size]
    rivals = runner("base", size), runner(row, size)
    measures: dict[str, Any] = dict(row=row, size=size)
    for i, (name, work) in enumerate([("training", steps), ("decoding", n_decoded)]):
        for rival in rivals:  # once without a clock
            rival[i]()
        taken = [[seconds(rival[i]) for rival in rivals] for _ in range(turns)]  # the two in turn
        base, own = map(min, zip(*taken, strict=True))
        measures[name], measures[f"{name}_per_second"] = round(base / own, 4), round(work / own, 3)
        measures[f"{name}_quartiles"] = [round(q, 4) for q in statistics.quantiles((b / o for b, o in taken), n=4)]
    return measures


def time_all(options: argparse.Namespace) -> None:
    """The speed of every row at every size that the file does not hold yet; of base, against itself, the noise."""
    shapes = {size: SHAPES[size] for size in TURNS}
    work = {
        size: dict(zip(("batch", "length", "decoded", "steps", "turns"), TURNS[size], strict=True)) for size in TURNS
    }
    about = bench.head(
        "context_speed", "python -m experiments.context --speed", vocabulary=SPEED_VOCABULARY,
        unit="processor time; training in steps, decoding in sentences a second, beam 4", shapes=shapes, work=work,
    )  # fmt: skip
    runs = bench.earlier(options.out, about, apart=("command",))
    done = {(earlier["row"], earlier["size"]) for earlier in runs}
    for size in options.speed or TURNS:
        for row in [row for row in options.only if (row, size) not in done]:
            runs.append(speed(row, size))
            bench.write(options.out, about | dict(runs=runs))
            print(*(f"{k} {v}" for k, v in runs[-1].items()), flush=True)


# ─── The checkpoint that notebook 11 opens with ──────────────────────────────────────────────────────────────────────
SHIPPED: dict[str, Any] = dict(n_layers=3, d_model=64, d_ff=128, n_heads=4, d_k=16, d_v=16, p_drop=0.0, context=BEST)


def ship(folder: Path, steps: int = 1000, n: int = 300) -> None:
    """Train a small context-aware model on the grammar alone, save it in half precision, and say how good it is."""
    began = time.process_time()
    with tempfile.TemporaryDirectory() as name:
        data = write_grammar(Path(name))
        texts, valid = (tc.read_parallel(data, split, "en", "de") for split in ("train", "valid"))
    tokenizer = tc.Tokenizer.train((text for side in texts for text in side), 2000)
    sides = (zip(*(map(tokenizer.encode, side) for side in pair), strict=True) for pair in (texts, valid))
    ids, unseen = map(list, sides)
    torch.manual_seed(0)
    model = ContextTransformer(ContextConfig(len(tokenizer), **SHIPPED))
    config = schedule.TrainingConfig(
        steps=steps, warmup_steps=steps // 6, cooldown_steps=steps // 2, peak_learning_rate=2e-3, precision="fp32",
        device="cpu",
    )  # fmt: skip
    for step in ways.train(model, tc.make_batches(ids, 1000, seed=0), config):
        if step.step % 50 == 0:
            tc.say(f"step {step.step} of {steps}, nll {step.nll:.3f}, {step.seconds:.0f} s")
    half = {name: weight.half() for name, weight in tc.weights_of(model).items()}
    tc.save_checkpoint(folder, model.config, half, tokenizer)
    translator = serving.load_pretrained(str(folder))
    nll = ways.validation_nll(translator.model, tc.make_batches(unseen, 1 << 13))
    lines = translator.translate(valid[0][:n])
    print(f"{tc.count_parameters(model):,} parameters, {time.process_time() - began:.0f} processor seconds")
    bleu, right = tc.corpus_bleu(lines, valid[1][:n])[0], sum(map(str.__eq__, lines, valid[1]))
    print(f"unseen sentences: perplexity {math.exp(nll):.3f}; {bleu}")
    print(f"{right} of {n} translations equal the reference")


# ─── Command line ────────────────────────────────────────────────────────────────────────────────────────────────────
PARSER = argparse.ArgumentParser(description=__doc__.splitlines()[0])
PARSER.add_argument("--data", help="folder of parallel text; the grammar where none is given")
PARSER.add_argument("--src", default="en", help="ending of the source files")
PARSER.add_argument("--tgt", default="de", help="ending of the target files")
PARSER.add_argument("--test", default="valid", help="the files whose first sentences are translated for BLEU")
PARSER.add_argument("--only", nargs="+", choices=list(ROWS), default=list(ROWS), metavar="ROW", help="some rows")
PARSER.add_argument("--seeds", type=int, default=8, help="runs of each row")
PARSER.add_argument("--speed", nargs="*", choices=list(TURNS), help="measure speeds instead, of some sizes or all")
PARSER.add_argument("--ship", type=Path, metavar="DIR", help="train the small checkpoint instead, into this folder")
PARSER.add_argument("--device", default="cpu")
PARSER.add_argument("--out", type=Path)
for _name, _kind in (
    ("steps", int),
    ("peak", float),
    ("tokens_per_batch", int),
    ("vocab_size", int),
    ("translated", int),
):
    _said = f"{GRAMMAR[_name]}, with --data {MULTI30K[_name]}"
    PARSER.add_argument(f"--{_name.replace('_', '-')}", type=_kind, help=_said)


def filled(options: argparse.Namespace) -> argparse.Namespace:
    """What was not given, as the corpus has it."""
    for name, value in settings(options.data).items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    kind = "speed" if options.speed is not None else "multi30k" if options.data else "grammar"
    options.out = options.out or bench.DATA / f"context_{kind}.json"
    return options


def main() -> None:
    options = filled(PARSER.parse_args())
    bench.at_least_one(PARSER, options, "seeds", "steps", "translated")
    torch.set_num_threads(1)
    try:
        if options.ship:
            ship(options.ship)
        else:
            train(options) if options.speed is None else time_all(options)
    except (ValueError, OSError, FloatingPointError) as error:
        PARSER.exit(2, f"Error: {error}\n")


if __name__ == "__main__":
    main()
