"""A training that is watched: what is learned, a run that can be paused and taken back, batches, targets, Adam.

`Lessons` is text made ready, `LiveRun` a run in a thread of its own, as a page starts and stops it; the steps are those
of the core's `train`.
"""

from __future__ import annotations

import copy
import functools
import math
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

import transformer_core as tc
from core_options import fast_cpu, schedule, ways
from studies import stored
from studies.alignment import Truth, cross_weights

# ─── What is learned from, and the test on what was not ──────────────────────────────────────────────────────────────


class Lessons:
    """Sentence pairs made ready for training, with a vocabulary both languages share, and pairs that stay unseen."""

    def __init__(
        self, pairs: Sequence[tuple[str, str]], unseen: Sequence[tuple[str, str]], vocab_size: int = 2000,
        tokens_per_batch: int = 1000,
    ) -> None:  # fmt: skip
        if not pairs or not unseen:
            raise ValueError(f"There are {len(pairs)} pairs to learn from and {len(unseen)} unseen; give some of each.")
        self.unseen, self.tokens_per_batch = list(unseen), tokens_per_batch
        self.tokenizer = tc.Tokenizer.train((text for pair in pairs for text in pair), vocab_size)
        self.pairs = [self.ids(*pair) for pair in pairs]
        self.unseen_batches = list(tc.make_batches([self.ids(*pair) for pair in self.unseen], 1 << 12))

    def ids(self, source: str, target: str) -> tuple[list[int], list[int]]:
        return self.tokenizer.encode(source), self.tokenizer.encode(target)

    def batches(self, tokens_per_batch: int | None = None, seed: int = 0) -> tc.Batches:
        return tc.make_batches(self.pairs, tokens_per_batch or self.tokens_per_batch, seed)

    def model(self, seed: int = 0, **shape: Any) -> tc.Transformer:
        """A fresh model for this vocabulary, the preset tiny without dropout unless told otherwise."""
        with tc.seeded(torch.device("cpu"), seed):
            config = tc.TransformerConfig(len(self.tokenizer), **tc.PRESETS["tiny"] | dict(p_drop=0.0) | shape)
            return tc.Transformer(config)

    def nll(self, model: tc.Transformer) -> float:
        """Nats per token of the unseen pairs, teacher-forced."""
        return ways.validation_nll(model, self.unseen_batches, "fp32")

    def translated(self, model: tc.Transformer, n: int) -> tuple[list[str], float, float]:
        """The first n unseen sentences translated greedily, with BLEU and the share that is right to the letter."""
        sources, references = zip(*self.unseen[:n], strict=True)
        was_training = model.training
        lines = fast_cpu.Translator(model, self.tokenizer).translate(sources, beam_size=1)
        model.train(was_training)
        right = sum(map(str.__eq__, lines, references)) / len(lines)
        return lines, tc.corpus_bleu(lines, references)[0].score, right


def repetition(model: tc.Transformer, batches: Iterable[tc.Batch]) -> float:
    """The probability that a model gives to saying the token again that it has just read: the mean over tokens."""
    probability, n_tokens, device = 0.0, 0, next(model.parameters()).device
    with tc.evaluating(model):
        for batch in batches:
            batch = batch.to(device)
            real = batch.tgt_out != tc.PAD  # (B, T)
            again = model(batch.src, batch.tgt_in).softmax(-1).gather(-1, batch.tgt_in[..., None])[..., 0]  # (B, T)
            probability, n_tokens = probability + again[real].sum().item(), n_tokens + batch.n_tokens
    return probability / n_tokens


RECIPE = schedule.TrainingConfig(
    steps=1100, warmup_steps=100, peak_learning_rate=3e-3, cooldown_steps=600, clip_norm=1, precision="fp32"
)


class Unaligned(NamedTuple):
    """A sentence pair of which no alignment is known, in the shape of corpora.grammar's."""

    english: str
    german: str
    alignment: frozenset[tuple[int, int]] = frozenset()

    @property
    def english_tokens(self) -> list[str]:
        return self.english.split()

    @property
    def german_tokens(self) -> list[str]:
        return self.german.split()


class Setting(NamedTuple):
    """What is learned, which unseen pair is watched, and how: what `viz.training.explore_training` takes."""

    lessons: Lessons
    pair: Any
    config: schedule.TrainingConfig
    more: dict[str, Any]  # the model's shape, and a whole run of this setting where one is stored


def captions() -> Setting | None:
    """Multi30k where there is a GPU and TRANSFORMER_DATA names the folder it is in; elsewhere None."""
    folder = Path(os.environ.get("TRANSFORMER_DATA", ""), "multi30k")
    if not (torch.cuda.is_available() and folder.is_dir()):
        return None
    pairs, unseen = (list(zip(*tc.read_parallel(folder, s, "en", "de"), strict=True)) for s in ("train", "valid"))
    config = replace(RECIPE, steps=4000, warmup_steps=800, cooldown_steps=2000, precision="auto")
    shape = dict(p_drop=0.3, max_len=256)
    return Setting(Lessons(pairs, unseen[:200], 6000, 4096), Unaligned(*unseen[1]), config, shape)


@functools.cache
def setting(sample: Callable[..., list[Any]], watched: int = 113) -> Setting:
    """The grammar, by its `sample`; made once."""
    known = [sample(n, split=split) for n, split in ((20_000, "train"), (200, "test"))]
    train, unseen = ([(pair.english, pair.german) for pair in side] for side in known)
    return Setting(Lessons(train, unseen), known[1][watched], RECIPE, {"whole": stored.load("data/forming.json")})


# ─── A run that is started, paused and taken back ────────────────────────────────────────────────────────────────────

SILENCE = 150  # seconds; a page in the background may speak only once a minute


class LiveRun:
    """A run that a page can start, pause, slow down, speed up and take back, in a thread that ends with each pause.

    The steps are those of `tc.train`; a changed rate is another TrainingConfig, with which the same state goes on.
    """

    def __init__(self, lessons: Lessons, model: tc.Transformer, pair: Truth, config: tc.TrainingConfig, n_bleu: int):
        self.lessons, self.pair, self.n_bleu = lessons, pair, n_bleu
        self.recipe = schedule.of(config)
        self.state = tc.TrainingState(model, config)
        self.batches = lessons.batches()
        self.snapshots = {0: copy.deepcopy(self.state)}
        self.steps: list[tc.Step] = []
        self.frames: list[int] = []
        self.maps: list[Tensor] = []  # (L, H, T, S) of each frame
        self.checks: list[dict[str, Any]] = []
        self.factor, self.running, self.trouble = 1.0, False, ""
        self.tell: Callable[[LiveRun], None] = lambda _: None  # called a few times a second, and at every stop
        self.patience = 0.25  # seconds between two calls
        self.heard = math.inf  # when a page last said that it is there; a page that is gone for minutes stops the run
        self.gone_back = -1  # the step gone back to, until it is told
        self._thread, self._pause, self._back = threading.Thread(), threading.Event(), -1
        self._lock = threading.RLock()  # around going back, which the page asks for and the thread does
        self.look()

    @property
    def model(self) -> tc.Transformer:
        """The model as it is now; after going back it is the kept one's copy."""
        return self.state.model

    @property
    def config(self) -> schedule.TrainingConfig:
        """The recipe with the reader's rate."""
        peak = self.recipe.peak_learning_rate or tc.learning_rate(
            self.recipe.warmup_steps, self.model.config.d_model, self.recipe.warmup_steps
        )
        return replace(self.recipe, peak_learning_rate=peak * self.factor)

    def start(self, until: int | None = None) -> None:
        """Go on, in a thread of its own, to the recipe's end or to a step before it."""
        if not self.running:
            self.wait()  # a thread that has ended may still be telling so
            self.running, self.trouble, self.heard = True, "", max(self.heard, time.monotonic())
            self._pause.clear()
            end = min(until or self.recipe.steps, self.recipe.steps)
            self._thread = threading.Thread(target=self._work, args=(end,), daemon=True)
            self._thread.start()

    def pause(self) -> None:
        """Stop after this step; the thread then ends."""
        self._pause.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end or a pause; whether it came."""
        if self._thread.is_alive():
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def back(self, step: int) -> None:
        """Go back to a kept checkpoint: weights, Adam's moments and the place in the data are what they were."""
        with self._lock:
            if step not in self.snapshots:
                raise ValueError(f"Step {step} was not kept; choose one of {', '.join(map(str, self.snapshots))}.")
            self._back = step
            if self.running:
                return  # the thread does it after its step
            self._obey()
        self.wait()
        self.tell(self)

    def _obey(self) -> None:
        """Do what was asked for between two steps."""
        with self._lock:
            if self._back < 0:
                return
            step, self._back = self._back, -1
            self.state = copy.deepcopy(self.snapshots[step])
            n = sum(frame <= step for frame in self.frames)
            self.snapshots = {at: state for at, state in self.snapshots.items() if at <= step}
            self.frames, self.maps, self.steps = self.frames[:n], self.maps[:n], self.steps[:step]
            self.checks, self.gone_back = [check for check in self.checks if check["step"] <= step], step

    def _work(self, until: int) -> None:
        try:
            told, config = 0.0, None
            steps: Iterator[tc.Step] = iter(())
            while not self._pause.is_set() and (self._back >= 0 or self.state.step < until):
                changed = self._back >= 0 or config != self.config
                self._obey()
                if changed:
                    config = self.config
                    steps = ways.train(self.model, self.batches, config, self.state)
                self._remember(next(steps))
                if (now := time.monotonic()) > told + self.patience:
                    told = now
                    self.tell(self)
                if now > self.heard + SILENCE:
                    self.trouble = f"Paused: no page was heard for {SILENCE} seconds; press Go on."
                    break
        except tc.NonFiniteStep as error:
            self.trouble = f"{error.what} and was not made: go back, then lower the rate."
        except Exception as error:
            self.trouble = f"{type(error).__name__}: {error}"
        finally:
            with self._lock:
                self.running = False
                self._obey()  # what was asked for during the last step
            self.tell(self)

    def _remember(self, step: tc.Step) -> None:
        self.steps.append(step)
        n = step.step
        if n % (5 if n <= 300 else 10) == 0:
            self.look()
        if n % (20 if n <= 100 else 50) == 0:
            _, bleu, _ = self.lessons.translated(self.model, self.n_bleu)
            self.checks.append(dict(step=n, bleu=bleu, says=[self.say()]))
        if n in (20, 40, 60, 80) or n % 100 == 0:
            self.snapshots[n] = copy.deepcopy(self.state)

    def say(self) -> str:
        """What the model makes of the sentence that is watched."""
        src = self.pair.src.to(self.state.device)
        return self.lessons.tokenizer.decode(tc.greedy_decode(self.model, src, 20)[0].ids)

    def look(self) -> None:
        """Keep every head's map as it is now."""
        self.frames.append(self.state.step)
        self.maps.append(cross_weights(self.model, self.pair.src, self.pair.tgt_in))


# ─── Batches ─────────────────────────────────────────────────────────────────────────────────────────────────────────

Lengths = Sequence[tuple[int, int]]  # source and target tokens of each pair, the end included

Plan = list[list[int]]  # which pairs go together


def cut_sorted(lengths: Lengths, budget: int, window: int) -> Plan:
    """The core's own cut, window pairs at a time: sorted by length, each batch filled up to the budget."""
    core = tc.make_batches([([5] * (source - 1), [5] * (target - 1)) for source, target in lengths], budget)
    order = list(range(len(lengths)))
    windows = (order[start : start + window] for start in range(0, len(order), window))
    return [batch for pairs in windows for batch in core.cut(pairs)]


def cut_in_order(lengths: Lengths, budget: int, order: Sequence[int]) -> Plan:
    """Pairs as they come, each batch filled up to the budget of tokens on either side: nobody sorted them."""
    plan: Plan = [[]]
    for row in order:
        both = [[lengths[other][side] for other in (*plan[-1], row)] for side in (0, 1)]
        if plan[-1] and max(map(sum, both)) > budget:
            plan.append([])
        plan[-1].append(row)
    return plan


def cut_by_count(n: int, order: Sequence[int]) -> Plan:
    """Pairs as they come, n to a batch, however long they are."""
    return [list(order[start : start + n]) for start in range(0, len(order), n)]


class Filling(NamedTuple):
    """How full batches are: the share of cells that is padding, and the real tokens on a batch's larger side."""

    batches: int
    padding: float
    most: int
    mean: float


def filling(lengths: Lengths, plan: Plan) -> Filling:
    """What a plan makes of these lengths, both sides together.

    >>> filling([(2, 3), (4, 3)], [[0, 1]])
    Filling(batches=1, padding=0.14285714285714285, most=6, mean=6.0)
    """
    if not plan or not all(plan):
        raise ValueError(f"The plan has {len(plan)} batches, some of them empty; give each batch at least one pair.")
    sides = [[[lengths[row][side] for row in batch] for side in (0, 1)] for batch in plan]
    cells = sum(len(side) * max(side) for both in sides for side in both)
    real = [max(map(sum, both)) for both in sides]
    tokens = sum(sum(side) for both in sides for side in both)
    return Filling(len(plan), 1 - tokens / cells, max(real), sum(real) / len(real))


# ─── Targets ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def smoothed_target(vocab_size: int, eps_ls: float = 0.1, among: str = "all") -> tuple[float, float]:
    """The probabilities that a smoothed target gives to the right word and to each of the others.

    among: ε is spread over "all" V words, the right one too (the core's), or over the V - 1 "others" (tensor2tensor's).
    """
    if vocab_size < 2 or not 0 <= eps_ls < 1:
        raise ValueError(f"V is {vocab_size} and ε {eps_ls}; V must be at least 2, and ε from 0 up to but not 1.")
    wrong = eps_ls / (vocab_size if among == "all" else vocab_size - 1)
    return 1 - eps_ls + (wrong if among == "all" else 0), wrong


def smoothing_floor(vocab_size: int, eps_ls: float = 0.1, among: str = "all") -> float:
    """The least a label-smoothed loss can be, in nats: the entropy of the smoothed target (see `smoothed_target`)."""
    right, wrong = smoothed_target(vocab_size, eps_ls, among)
    return -right * math.log(right) - ((vocab_size - 1) * wrong * math.log(wrong) if wrong else 0.0)


# ─── Adam, and averages of checkpoints ───────────────────────────────────────────────────────────────────────────────


class Moment(NamedTuple):
    """One weight at one step of Adam: its gradient, both moments, and how far it moved in units of the rate."""

    step: int
    gradient: float
    m: float
    v: float
    moved: float


def watch_adam(
    lessons: Lessons, model: tc.Transformer, config: tc.TrainingConfig, name: str, places: Sequence[int], steps: int
) -> dict[int, list[Moment]]:
    """Train some steps and note the moments of a few weights after each: places in the flattened parameter `name`."""
    state = tc.TrainingState(model, config)
    weight = dict(model.named_parameters())[name]
    traces: dict[int, list[Moment]] = {at: [] for at in places}
    for step in ways.train(model, lessons.batches(), replace(config, steps=steps), state):
        moments, n = state.optimizer.state[weight], step.step
        for at in places:
            m, v = (moments[moment].flatten()[at].item() for moment in ("exp_avg", "exp_avg_sq"))
            gradient = weight.grad.flatten()[at].item() if weight.grad is not None else 0.0
            hat = m / (1 - config.beta1**n), v / (1 - config.beta2**n)
            traces[at].append(Moment(n, gradient, m, v, hat[0] / (math.sqrt(hat[1]) + config.eps_adam)))
    return traces


def average_of(weights: Iterable[dict[str, Tensor]], config: tc.TransformerConfig) -> dict[str, Tensor]:
    """The core's average of checkpoints that are still in memory: they are written to a folder that then goes away."""
    with tempfile.TemporaryDirectory() as folder:
        folders: list[str | Path] = []
        for n, state in enumerate(weights):
            folders.append(Path(folder, str(n)))
            tc.save_checkpoint(folders[-1], config, state)
        return tc.average_checkpoints(folders)


# ─── Parts taken out ─────────────────────────────────────────────────────────────────────────────────────────────────


def last_checks(result: dict[str, Any]) -> dict[str, dict[str, list[float]]]:
    """What runs of `experiments.training breaking` ended with, by name, a number a seed; stopped ones as they were.

    Of each: nll, bleu and right of its last check, and norm, the longest gradient of
    the curve, whose points are means of some steps.
    """
    ends: dict[str, dict[str, list[float]]] = {}
    for run in result["runs"]:
        if run["checks"]:
            last = run["checks"][-1] | {"norm": max(run["curves"]["gradient_norm"])}
            scores = ends.setdefault(run["name"], {"nll": [], "bleu": [], "right": [], "norm": []})
            for score, values in scores.items():
                values.append(last[score])
    return ends


def mean_curves(result: dict[str, Any], name: str) -> dict[str, tuple[list[float], list[float]]]:
    """The curves of a run's name, x and y: means over seeds, as far as all of them came."""
    runs, size = [run for run in result["runs"] if run["name"] == name], result["mean_of"]
    steps = [[size * (i + 0.5) for i, _ in enumerate(run["curves"]["nll"])] for run in runs]
    checked = [[check["step"] for check in run["checks"]] for run in runs]

    def mean(x: list[list[float]], y: list[list[float]]) -> tuple[list[float], list[float]]:
        columns = list(zip(*y, strict=False))
        return x[0][: len(columns)], [sum(column) / len(column) for column in columns]

    return {
        **{part: mean(steps, [run["curves"][part] for run in runs]) for part in ("nll", "gradient_norm")},
        **{f"unseen {part}": mean(checked, [[check[part] for check in run["checks"]] for run in runs])
           for part in ("nll", "bleu")},
    }  # fmt: skip
