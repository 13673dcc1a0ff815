"""Training under the reader's hands: a run that starts, pauses, changes its rate and goes back, and what it is made of.

Batches, the learning rate's curve, smoothed targets, Adam's moments, averages of checkpoints, and cross-attention as it
forms, held against gold alignments. Numbers come first, then pictures, then the live view.
"""

from __future__ import annotations

import atexit
import base64
import copy
import math
import os
import tempfile
import threading
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import torch
from IPython.display import display
from torch import Tensor

import transformer_core as tc
from viz import theme
from viz.canvas import RecipeView, TrainingView, floats, packed

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
        return tc.validation_nll(model, self.unseen_batches, "fp32")

    def translated(self, model: tc.Transformer, n: int) -> tuple[list[str], float, float]:
        """The first n unseen sentences translated greedily, with BLEU and the share that is right to the letter."""
        sources, references = zip(*self.unseen[:n], strict=True)
        was_training = model.training
        lines = tc.Translator(model, self.tokenizer).translate(sources, beam_size=1)
        model.train(was_training)
        right = sum(map(str.__eq__, lines, references)) / len(lines)
        return lines, tc.corpus_bleu(lines, references)[0].score, right


# ─── Cross-attention against the truth ───────────────────────────────────────────────────────────────────────────────


def words_of(pieces: Sequence[str], words: Sequence[str]) -> list[int]:
    """Which word each piece belongs to, by the letters; a piece over two words counts to the first.

    >>> words_of(["▁The", "▁f", "ox", "."], ["The", "fox", "."])
    [0, 1, 1, 2]
    """
    letters = [at for at, word in enumerate(words) for _ in word]
    spelled = [piece.replace("▁", "") for piece in pieces]
    if sum(map(len, spelled)) != len(letters):
        raise ValueError(f"The pieces spell {''.join(spelled)!r}, the words {''.join(words)!r}; give one sentence's.")
    starts = [sum(map(len, spelled[:n])) for n in range(len(pieces))]
    return [letters[min(start, len(letters) - 1)] for start in starts]


def entropy(weights: Tensor) -> Tensor:
    """-Σ A ln A of each row, 0 ln 0 = 0, then the mean over rows (facts: ln S for a uniform row): (…, T, S) -> (…)."""
    return -torch.xlogy(weights, weights).sum(-1).mean(-1)


class Truth(NamedTuple):
    """A sentence pair with gold links between words, and the word of each piece on both sides."""

    src: Tensor  # (1, S) with eos
    tgt_in: Tensor  # (1, T), T = target pieces + 1
    src_words: list[int]
    tgt_words: list[int]
    gold: frozenset[tuple[int, int]]


def truth(lessons: Lessons, pair: Any) -> Truth:
    """A pair of corpora.grammar as ids, with its gold alignment."""
    source, target = lessons.ids(pair.english, pair.german)
    pieces = lessons.tokenizer.pieces
    words = words_of(pieces(source), pair.english_tokens), words_of(pieces(target), pair.german_tokens)
    return Truth(torch.tensor([[*source, tc.EOS]]), torch.tensor([[tc.BOS, *target]]), *words, pair.alignment)


def links(weights: Tensor, pair: Truth, shifted: bool) -> set[tuple[int, int]]:
    """The word links that a map (T, S) claims: each target piece with the source word that its row reads most.

    naive: the row that says the piece; shifted: the next row, which has the piece as its input (Chen et al., 2020).
    """
    n = len(pair.tgt_words)
    rows = weights[1 : n + 1] if shifted else weights[:n]
    most = rows[:, : len(pair.src_words)].argmax(-1).tolist()  # the end of the sentence is no word
    return {(pair.src_words[piece], word) for piece, word in zip(most, pair.tgt_words, strict=True)}


def alignment_error(claimed: set[tuple[int, int]], gold: frozenset[tuple[int, int]]) -> tuple[int, int]:
    """AER (Och and Ney, 2003) as two counts to be added over sentences: 1 - first / second; all gold links are sure."""
    return 2 * len(claimed & gold), len(claimed) + len(gold)


def cross_weights(model: tc.Transformer, src: Tensor, tgt_in: Tensor) -> Tensor:
    """Every head's cross-attention, teacher-forced: (L, H, T, S) of one sentence pair."""
    device = next(model.parameters()).device
    with tc.evaluating(model), tc.record(model, "decoder.*.cross_attention.weights") as trace:
        model(src.to(device), tgt_in.to(device))
    maps = [trace[f"decoder.{layer}.cross_attention.weights"] for layer in range(len(model.decoder))]
    return torch.cat(maps).float().cpu()


def readings(model: tc.Transformer, pairs: Sequence[Truth]) -> dict[str, Tensor]:
    """Of each head of cross-attention, over these pairs: entropy in nats, and AER both ways: (L, H) each."""
    shape = len(model.decoder), model.config.n_heads
    found = {name: torch.zeros(shape) for name in ("entropy", "naive", "shifted")}
    total: dict[str, Tensor] = {name: torch.zeros(shape) for name in ("naive", "shifted")}
    for pair in pairs:
        weights = cross_weights(model, pair.src, pair.tgt_in)
        found["entropy"] += entropy(weights) / len(pairs)
        for name in total:
            for layer in range(shape[0]):
                for head in range(shape[1]):
                    right, all_ = alignment_error(links(weights[layer, head], pair, name == "shifted"), pair.gold)
                    found[name][layer, head] += right
                    total[name][layer, head] += all_
    return {"entropy": found["entropy"]} | {name: 1 - found[name] / total[name] for name in total}


def locked_on(steps: Sequence[int], errors: Sequence[float], below: float = 0.5) -> int | None:
    """The first step from which the error stays below a bound to the end; None if it never does."""
    if len(steps) != len(errors) or not steps:
        raise ValueError(f"There are {len(steps)} steps and {len(errors)} errors; give one error for each step.")
    above = [at for at, error in enumerate(errors) if error >= below]
    first = above[-1] + 1 if above else 0
    return steps[first] if first < len(steps) else None


# ─── A run under the reader's hands ──────────────────────────────────────────────────────────────────────────────────

RECIPE = tc.TrainingConfig(
    steps=1100, warmup_steps=100, peak_learning_rate=3e-3, cooldown_steps=600, clip_norm=1, precision="fp32"
)
SILENCE = 150  # seconds; a page in the background may speak only once a minute


class LiveRun:
    """A run that a page can start, pause, slow down, speed up and take back, in a thread that ends with each pause.

    The steps are those of `tc.train`; a changed rate is another TrainingConfig, with which the same state goes on.
    """

    def __init__(self, lessons: Lessons, model: tc.Transformer, pair: Truth, config: tc.TrainingConfig, n_bleu: int):
        self.lessons, self.pair, self.recipe, self.n_bleu = lessons, pair, config, n_bleu
        self.state = tc.TrainingState(model, config)
        self.batches = lessons.batches()
        self.kept = {0: copy.deepcopy(self.state)}
        self.steps: list[tc.Step] = []
        self.frames: list[int] = []
        self.maps: list[bytes] = []
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
    def config(self) -> tc.TrainingConfig:
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
            if step not in self.kept:
                raise ValueError(f"Step {step} was not kept; choose one of {', '.join(map(str, self.kept))}.")
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
            self.state = copy.deepcopy(self.kept[step])
            n = sum(frame <= step for frame in self.frames)
            self.kept = {at: state for at, state in self.kept.items() if at <= step}
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
                    steps = tc.train(self.model, self.batches, config, self.state)
                self._remember(next(steps))
                if (now := time.monotonic()) > told + self.patience:
                    told = now
                    self.tell(self)
                if now > self.heard + SILENCE:
                    self.trouble = f"Paused: no page was heard for {SILENCE} seconds; press Go on."
                    break
        except FloatingPointError as error:
            self.trouble = f"{str(error).partition(' on pairs')[0]} and was not made: go back, then lower the rate."
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
            self.checks.append(dict(step=n, bleu=bleu, said=self.say()))
        if n in (20, 40, 60, 80) or n % 100 == 0:
            self.kept[n] = copy.deepcopy(self.state)

    def say(self) -> str:
        """What the model makes of the sentence that is watched."""
        src = self.pair.src.to(self.state.device)
        return self.lessons.tokenizer.decode(tc.greedy_decode(self.model, src, 20)[0].ids)

    def look(self) -> None:
        """Keep every head's map as it is now."""
        self.frames.append(self.state.step)
        self.maps.append(packed(cross_weights(self.model, self.pair.src, self.pair.tgt_in)))


def curve_bytes(steps: Sequence[tc.Step]) -> bytes:
    """Steps as the page reads them: step, loss, nll, rate, gradient norm, tokens a second."""
    rows = [
        [s.step, s.loss, s.nll, s.learning_rate, s.gradient_norm, s.tokens_per_second if s.seconds else 0.0]
        for s in steps
    ]
    return floats(torch.tensor(rows, dtype=torch.float64).reshape(len(rows), 6))


def told_by(view: TrainingView, run: LiveRun) -> None:
    """From now on the view follows the run, and the run obeys the view."""
    place = {"steps": 0, "frames": 0, "checks": 0}

    def all_of_it() -> None:
        with view.hold_sync():
            view.curve, view.data = curve_bytes(run.steps), b"".join(run.maps)
            view.frames, view.checks = list(run.frames), list(run.checks)
            view.kept, view.running, view.trouble = list(run.kept), run.running, run.trouble
        place.update(steps=len(run.steps), frames=len(run.frames), checks=len(run.checks))

    def tell(_: LiveRun) -> None:
        version = view.meta["version"]
        if (step := run.gone_back) >= 0:
            run.gone_back = -1
            place.update(steps=step, frames=sum(at <= step for at in run.frames))
            place["checks"] = sum(check["step"] <= step for check in run.checks)
            view.send(dict(answer="gone back", version=version, step=step))
        new = {name: getattr(run, name)[n:] for name, n in place.items()}
        message = dict(answer="news", version=version, frames=new["frames"], checks=new["checks"])
        view.send(message, [curve_bytes(new["steps"]), b"".join(run.maps[place["frames"] :])])
        place.update(steps=len(run.steps), frames=len(run.frames), checks=len(run.checks))
        view.kept, view.running = list(run.kept), run.running
        if not run.running:
            all_of_it()

    def answer(act: Callable[[dict], None]) -> Callable[[dict], tuple[dict, list[bytes]]]:
        def answered(message: dict) -> tuple[dict, list[bytes]]:
            run.heard = time.monotonic()
            act(message)
            return {}, []

        return answered

    view.answers = {
        "start": answer(lambda _: run.start()), "pause": answer(lambda _: run.pause()), "here": answer(lambda _: None),
        "back": answer(lambda message: run.back(message["step"])),
    }  # fmt: skip
    view.observe(lambda change: setattr(run, "factor", change["new"]), "factor")
    run.tell = tell
    all_of_it()


def sentence_of(english: str, german: str, queries: Sequence[str], keys: Sequence[str], pair: Truth) -> dict[str, Any]:
    """A sentence pair as the page wants it, with the cells of its gold links by both readings."""
    gold: dict[str, list[list[int]]] = {"naive": [], "shifted": [], "none": []}
    for name, down in (("naive", 0), ("shifted", 1)):
        for row, word in enumerate(pair.tgt_words):
            columns = [col for col, source in enumerate(pair.src_words) if (source, word) in pair.gold]
            gold[name] += [[row + down, col] for col in columns]
    return dict(title=english, english=english, german=german, queries=list(queries), keys=list(keys), gold=gold)


def smoothing_floor(vocab_size: int, eps_ls: float = 0.1, among: str = "all") -> float:
    """The least a label-smoothed loss can be, in nats: the entropy of the smoothed target.

    among: ε is spread over "all" V words, the right one too (the core's), or over the V - 1 "others" (tensor2tensor's).
    """
    others = vocab_size - 1
    if vocab_size < 2 or not 0 <= eps_ls < 1:
        raise ValueError(f"V is {vocab_size} and ε {eps_ls}; V must be at least 2, and ε from 0 up to but not 1.")
    wrong = eps_ls / (vocab_size if among == "all" else others)
    right = 1 - eps_ls + (wrong if among == "all" else 0)
    return -right * math.log(right) - (others * wrong * math.log(wrong) if wrong else 0.0)


class Told(NamedTuple):
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
    """What is learned, which unseen pair is watched, and how: what `explore_training` takes."""

    lessons: Lessons
    pair: Any
    config: tc.TrainingConfig
    shape: dict[str, Any]


def captions() -> Setting | None:
    """Multi30k where there is a GPU and TRANSFORMER_DATA names the folder it is in; elsewhere None."""
    folder = Path(os.environ.get("TRANSFORMER_DATA", ""), "multi30k")
    if not (torch.cuda.is_available() and folder.is_dir()):
        return None
    pairs, unseen = (list(zip(*tc.read_parallel(folder, s, "en", "de"), strict=True)) for s in ("train", "valid"))
    config = replace(RECIPE, steps=4000, warmup_steps=800, cooldown_steps=2000, precision="auto")
    shape = dict(p_drop=0.3, max_len=256)
    return Setting(Lessons(pairs, unseen[:200], 6000, 4096), Told(*unseen[1]), config, shape)


def setting(sample: Callable[..., list[Any]], watched: int = 113) -> Setting:
    """The grammar, by its `sample`."""
    known = [sample(n, split=split) for n, split in ((20_000, "train"), (200, "test"))]
    train, unseen = ([(pair.english, pair.german) for pair in side] for side in known)
    return Setting(Lessons(train, unseen), known[1][watched], RECIPE, {})


def explore_training(
    lessons: Lessons, pair: Any, config: tc.TrainingConfig = RECIPE, n_bleu: int = 20, seed: int = 0, **shape: Any
) -> TrainingView:
    """A model to be trained while one watches: its cross-attention over one sentence pair with a gold alignment.

    lessons: what it learns; pair: of corpora.grammar; n_bleu: how many unseen sentences BLEU is of; shape: changes of
    the preset tiny. view.run is the run: start(), pause(), wait(), back(step), factor, model.
    """
    gold, model = truth(lessons, pair), lessons.model(seed, **shape)
    pieces, size = lessons.tokenizer.pieces, model.config
    sentence = sentence_of(pair.english, pair.german, pieces(gold.tgt_in[0]), pieces(gold.src[0]), gold)
    run = LiveRun(lessons, model, gold, config, n_bleu)
    meta = {
        "version": 0, "live": True, "can_run": True, "goal": config.steps, "peak": run.config.peak_learning_rate,
        "title": f"{tc.count_parameters(model):,} parameters learn from {len(lessons.pairs):,} sentence pairs",
        "shows": "trained here, from nothing", "sentences": [sentence], "n_layers": size.n_layers,
        "n_heads": size.n_heads, "floor": smoothing_floor(size.vocab_size, size.eps_ls) if size.eps_ls else 0,
    }  # fmt: skip
    view = TrainingView(meta=meta, layer=size.n_layers // 2, head=0)
    view.run = run
    told_by(view, run)
    view.picture = lambda: run_picture(view)
    atexit.register(run.wait, 10)  # the last registered is the first called: pause, then wait for the thread's end
    atexit.register(run.pause)
    return view


def show(view: TrainingView, steps: int) -> None:
    """Show a run while it makes its first steps; the cell ends with them, and its picture shows them all."""
    shown = display(view, display_id=True)
    view.run.start(steps)
    view.run.wait()
    shown.update(view)


# ─── Looking back on a whole run ─────────────────────────────────────────────────────────────────────────────────────


NONE = torch.empty(0)


def forming_view(found: dict[str, Any]) -> TrainingView:
    """What `experiments.training forming` found: a slider over kept steps, every head, entropy and alignment error."""
    kept = [reading for reading in found["readings"] if "maps" in reading]
    heads = found["readings"][0]["shifted"]
    sentences = [
        sentence_of(
            one["english"], one["german"], one["queries"], one["keys"],
            Truth(NONE, NONE, one["src_words"], one["tgt_words"], frozenset((i, j) for i, j in one["gold"])),
        )
        for one in found["sentences"]
    ]  # fmt: skip
    maps = [base64.b64decode(reading["maps"][n]) for n in range(len(sentences)) for reading in kept]
    nan = math.nan
    curve = [
        [5 * n + 1, nan, nll, rate, nan, nan]
        for n, (nll, rate) in enumerate(zip(found["nll"], found["rates"], strict=True))
    ]
    checks = [{name: value for name, value in reading.items() if name != "maps"} for reading in found["readings"]]
    best = best_head(found)
    meta = {
        "version": 0, "live": False, "can_run": False, "goal": found["steps"], "peak": 0, "floor": 0,
        "title": f"{found['steps']} steps of the preset {found['preset']} on the grammar, kept at {len(kept)} steps",
        "shows": "trained: experiments/training.py", "sentences": sentences, "n_layers": len(heads),
        "n_heads": len(heads[0]),
    }  # fmt: skip
    view = TrainingView(
        meta=meta, data=b"".join(maps), curve=floats(torch.tensor(curve)), frames=[one["step"] for one in kept],
        checks=checks, frame=len(kept) - 1, layer=best[0], head=best[1],
    )  # fmt: skip
    view.picture = lambda: run_picture(view)
    return view


def best_head(found: dict[str, Any], reading: str = "naive") -> tuple[int, int]:
    """The head of cross-attention (layer, head) with the lowest alignment error at the end."""
    last = found["readings"][-1][reading]
    return min(
        ((layer, head) for layer, row in enumerate(last) for head in range(len(row))), key=lambda at: last[at[0]][at[1]]
    )


# ─── Batches ─────────────────────────────────────────────────────────────────────────────────────────────────────────

Lengths = Sequence[tuple[int, int]]  # source and target tokens of each pair, the end included
Plan = list[list[int]]  # which pairs go together


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


def recipe_view(lengths: Lengths, tab: str = "batches", **opens_with: Any) -> RecipeView:
    """Batches, the learning rate and smoothed targets with sliders; all of it is computed in the page.

    lengths: source and target tokens of some sentence pairs, in an order that nobody sorted.
    """
    given = [(int(source), int(target)) for source, target in lengths]
    if not given or min(map(min, given)) < 1:
        raise ValueError(f"There are {len(given)} pairs of lengths; give at least one pair, each length 1 or more.")
    meta = {
        "version": 0, "live": False, "lengths": [list(pair) for pair in given],
        "shows": {"batches": "lengths of real sentence pairs", "rate": "equation 3", "smoothing": "the formula"},
    }  # fmt: skip
    view = RecipeView(meta=meta, tab=tab, **opens_with)
    view.picture = lambda: recipe_picture(view)
    return view


# ─── Adam ────────────────────────────────────────────────────────────────────────────────────────────────────────────


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
    found: dict[int, list[Moment]] = {at: [] for at in places}
    for step in tc.train(model, lessons.batches(), replace(config, steps=steps), state):
        moments, n = state.optimizer.state[weight], step.step
        for at in places:
            m, v = (moments[moment].flatten()[at].item() for moment in ("exp_avg", "exp_avg_sq"))
            gradient = weight.grad.flatten()[at].item() if weight.grad is not None else 0.0
            hat = m / (1 - config.beta1**n), v / (1 - config.beta2**n)
            found[at].append(Moment(n, gradient, m, v, hat[0] / (math.sqrt(hat[1]) + config.eps_adam)))
    return found


def adam_chart(found: dict[str, Sequence[Moment]], shows: str) -> theme.Chart:
    """Each weight's gradient with its mean and size, and beside them the steps that they make."""
    if not found or not all(found.values()):
        raise ValueError(f"There are {len(found)} weights, some without a step; give each at least one.")
    panels, moved = [], []
    for colour, (name, moments) in zip(theme.CHART_COLOURS[2:], found.items(), strict=False):
        steps = [moment.step for moment in moments]
        curves = [
            theme.Curve("gradient g", steps, [one.gradient for one in moments], colour=theme.GREY),
            theme.Curve("mean m", steps, [one.m for one in moments], colour=theme.CHART_COLOURS[0]),
            theme.Curve("size √v", steps, [math.sqrt(one.v) for one in moments], colour=theme.CHART_COLOURS[1]),
        ]
        panels.append(theme.Panel(curves, name, "step"))
        moved.append(theme.Curve(name, steps, [one.moved for one in moments], colour=colour))
    return theme.chart(
        [*panels, theme.Panel(moved, "the step, in units of the rate", "step", y_range=(-1.1, 1.1))], shows
    )


# ─── Averages of checkpoints ─────────────────────────────────────────────────────────────────────────────────────────


def average_of(weights: Iterable[dict[str, Tensor]], config: tc.TransformerConfig) -> dict[str, Tensor]:
    """The core's average of checkpoints that are still in memory: they are written to a folder that then goes away."""
    with tempfile.TemporaryDirectory() as folder:
        folders: list[str | Path] = []
        for n, one in enumerate(weights):
            folders.append(Path(folder, str(n)))
            tc.save_checkpoint(folders[-1], config, one)
        return tc.average_checkpoints(folders)


# ─── Parts taken out ─────────────────────────────────────────────────────────────────────────────────────────────────


def last_checks(found: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The mean over seeds of what each run of `experiments.training breaking` ended with; stopped ones as they were."""
    ends: dict[str, list[dict[str, float]]] = {}
    for run in found["runs"]:
        if run["checks"]:
            norm = max(value for value in run["curves"]["gradient_norm"])
            ends.setdefault(run["name"], []).append({**run["checks"][-1], "norm": norm})
    return {
        name: {score: sum(end[score] for end in some) / len(some) for score in ("nll", "bleu", "right", "norm")}
        for name, some in ends.items()
    }


def breaking_rows(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Curves of every run and of the one beside it, one row each, as a linked chart takes them: means over seeds."""
    curves = {name: mean_curves(found, name) for name in dict.fromkeys(run["name"] for run in found["runs"])}
    rows = []
    for name in curves:
        sides = {name: "this run"} | ({found["beside"][name]: "beside it"} if name != "healthy" else {})
        for shown, side in sides.items():
            for part, (x, y) in curves.get(shown, {}).items():
                rows.append(
                    dict(pick=name, run=shown, side=side, part=part, x=x, y=[float(f"{value:.3g}") for value in y])
                )
    return rows


def mean_curves(found: dict[str, Any], name: str) -> dict[str, tuple[list[float], list[float]]]:
    """The curves of a run's name, x and y: means over seeds, as far as all of them came."""
    runs, size = [run for run in found["runs"] if run["name"] == name], found["mean_of"]
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


def breaking_chart(found: dict[str, Any], pick: str = "no mask") -> theme.LinkedChart:
    """What `experiments.training breaking` found: choose what is taken out, its curves stand beside healthy ones."""
    rows = breaking_rows(found)
    names = list(dict.fromkeys(row["pick"] for row in rows if row["pick"] != "healthy"))
    if pick not in names:
        raise ValueError(f"There is no run {pick!r} in this file; choose from {', '.join(map(repr, names))}.")
    titles = {
        "nll": ("training: nll, nats", True), "gradient_norm": ("gradient norm", True),
        "unseen nll": ("unseen, taught: nll, nats", True), "unseen bleu": ("unseen, on its own: BLEU", False),
    }  # fmt: skip
    sides = {"field": "side", "type": "nominal", "title": None}
    two = ["this run", "beside it"]
    colour = sides | {
        "legend": {"orient": "bottom"}, "scale": {"domain": two, "range": [theme.CHART_COLOURS[1], theme.GREY]},
    }  # fmt: skip
    dashes = sides | {"legend": None, "scale": {"domain": two, "range": [[1, 0], [5, 4]]}}

    def panel(part: str) -> dict[str, Any]:
        title, log = titles[part]
        y = {"field": "y", "type": "quantitative", "title": None, "scale": {"type": "log" if log else "linear"}}
        told = [{"field": "run"}, {"field": "x", "title": "step"}, {"field": "y", "title": title}]
        return {
            "title": title, "width": 205, "height": 220, "mark": {"type": "line", "point": part.startswith("unseen")},
            "transform": [{"filter": f"datum.part === '{part}'"}],
            "encoding": {
                "x": {"field": "x", "type": "quantitative", "title": "step", "axis": {"tickCount": 4}}, "y": y,
                "color": colour, "strokeDash": dashes, "tooltip": told,
            },
        }  # fmt: skip

    choose = {"input": "select", "options": names, "name": "taken out: "}
    spec = {
        "data": {"values": rows}, "transform": [{"filter": "datum.pick === pick"}, {"flatten": ["x", "y"]}],
        "params": [{"name": "pick", "value": pick, "bind": choose}], "hconcat": [panel(part) for part in titles],
    }  # fmt: skip
    said = f"Training curves of {len(names)} changed runs, each beside the run it is compared with; shown: {pick}"
    return theme.LinkedChart(spec, "trained here: 3 layers, d_model 64, the grammar", said)


# ─── Still pictures ──────────────────────────────────────────────────────────────────────────────────────────────────


def polyline(points: Sequence[tuple[float, float]], box: tuple[float, float, float, float], **look: Any) -> str:
    """Points as a line in a box (left, top, right, bottom); x and y run from 0 to 1."""
    left, top, right, bottom = box
    placed = " ".join(f"{left + x * (right - left):.1f},{bottom - y * (bottom - top):.1f}" for x, y in points)
    return theme.element("polyline", points=placed, fill="none", **look)


def curve_box(
    name: str, lines: dict[str, list[tuple[float, float]]], box: tuple[float, float, float, float], look: dict,
    along: str = "step",
) -> str:  # fmt: skip
    """One pair of axes with its lines, each in the colour named, and the ends of both axes written."""
    left, top, right, bottom = box
    points = [point for line in lines.values() for point in line if math.isfinite(point[1])]
    most, last = max((y for _, y in points), default=1) or 1, max((x for x, _ in points), default=1) or 1
    text = dict(font_size=11, fill=look["quiet"])
    drawn = [
        theme.element("text", theme.escaped(name), x=left, y=top - 6, font_weight=600, fill=look["ink"]),
        theme.element("path", d=f"M{left:.0f} {top:.0f}V{bottom:.0f}H{right:.0f}", fill="none", stroke=look["line"]),
        theme.element("text", theme.three_digits(most), x=left - 5, y=top + 8, text_anchor="end", **text),
        theme.element("text", "0", x=left - 5, y=bottom, text_anchor="end", **text),
        theme.element("text", f"{along} {last:,.0f}", x=right, y=bottom + 14, text_anchor="end", **text),
    ]
    for colour, line in lines.items():
        scaled = [(x / last, min(y / most, 1.0)) for x, y in line if math.isfinite(y)]
        drawn.append(polyline(scaled, box, stroke=look[colour], stroke_width=2))
        if len(line) < 12:
            dots = ((left + x * (right - left), bottom - y * (bottom - top)) for x, y in scaled)
            drawn += [theme.element("circle", cx=x, cy=y, r=2.5, fill=look[colour]) for x, y in dots]
    return "".join(drawn)


def shown_map(view: TrainingView) -> Tensor:
    """The map that a view shows now: (T, S)."""
    before, n_maps = 0, view.meta["n_layers"] * view.meta["n_heads"]
    for n, sentence in enumerate(view.meta["sentences"]):
        size = len(sentence["queries"]) * len(sentence["keys"])
        if n == view.sentence:
            break
        before += size * n_maps * len(view.frames)
    frame = len(view.frames) - 1 if view.frame < 0 else view.frame
    start = before + (frame * n_maps + view.layer * view.meta["n_heads"] + view.head) * size
    cells = torch.tensor(list(view.data[start : start + size])).reshape(len(sentence["queries"]), len(sentence["keys"]))
    return (cells / 255) ** 2


def run_picture(view: TrainingView, dark: bool = False) -> theme.Svg:
    """What a view shows now: its curves, and the map of the head chosen."""
    look, meta, sentence = theme.DARK if dark else theme.LIGHT, view.meta, view.meta["sentences"][view.sentence]
    values = array("f")
    values.frombytes(view.curve)
    rows = [values[start : start + 6] for start in range(0, len(values), 6)]
    line = {n: [(row[0], row[n]) for row in rows] for n in (1, 2, 3)}
    nats = {"quiet": line[1], "ink": line[2]} if meta["can_run"] else {"quiet": line[2], "ink": points(view, "nll")}
    scores = points(view, "bleu")
    left = [
        curve_box(f"nats per token (grey: {'loss' if meta['can_run'] else 'training, black: unseen'})", nats,
                  (60, 60, 460, 240), look),
        curve_box("learning rate", {"ink": line[3]}, (60, 290, 240, 370), look),
        curve_box("BLEU, unseen sentences", {"value": scores}, (290, 290, 460, 370), look),
    ]  # fmt: skip
    step = view.frames[view.frame] if view.frames else 0
    x, y = 640, 120
    title = f"cross-attention, layer {view.layer}, head {view.head}, step {step}"
    drawn = [
        *left,
        theme.element("text", theme.escaped(meta["title"]), x=16, y=24, fill=look["ink"], font_weight=600),
        theme.element("text", title, x=540, y=24, font_weight=600, fill=look["ink"]),
        theme.heat(
            shown_map(view), sentence["queries"], sentence["keys"], sentence["gold"][view.gold], look, dark, x, y
        ),
    ]
    if view.checks and (said := view.checks[-1].get("said")):
        told = f"says at step {view.checks[-1]['step']}: {said}"
        drawn.append(theme.element("text", theme.escaped(told[:76]), x=16, y=412, fill=look["ink"], font_size=12))
    height = max(430, y + 20 * len(sentence["queries"]) + 40)
    said = f"{meta['title']}; {title}: {sentence['english']} → {sentence['german']}"
    return theme.page(drawn, 960, height, meta["shows"], said, look)


def points(view: TrainingView, name: str) -> list[tuple[float, float]]:
    return [(check["step"], check[name]) for check in view.checks if name in check]


def recipe_picture(view: RecipeView, dark: bool = False) -> theme.Svg:
    """What a view shows now: batches, the rate's curve, or the bars of a smoothed target."""
    look = theme.DARK if dark else theme.LIGHT
    draw = {"batches": batches_drawn, "rate": rate_drawn, "smoothing": smoothing_drawn}[view.tab]
    content, said = draw(view, look)
    title = theme.element("text", theme.escaped(said), x=16, y=24, fill=look["ink"], font_weight=600)
    return theme.page([title, *content], 960, 330, view.meta["shows"][view.tab], said, look)


def batches_drawn(view: RecipeView, look: dict) -> tuple[list[str], str]:
    """Each batch a block: a line for each pair, source left, target right, padding grey."""
    lengths = [tuple(pair) for pair in view.meta["lengths"]]
    plan = plan_of(view)
    lines: dict[str, list[str]] = {"line": [], "key": [], "query": []}
    x, y, row = 16.0, 46.0, 5.0
    for batch in plan:
        wide = [max(lengths[at][side] for at in batch) for side in (0, 1)]
        if x + 3 * sum(wide) + 14 > 944:
            x, y = 16.0, y + 96
        for n, at in enumerate(batch[:17]):
            for side, start, colour in ((0, 0, "key"), (1, wide[0] + 2, "query")):
                here = f"M{x + 3 * start:g} {y + row * n:g}h"
                lines["line"].append(f"{here}{3 * wide[side]}")
                lines[colour].append(f"{here}{3 * lengths[at][side]}")
        x += 3 * (sum(wide) + 2) + 14
    drawn = [theme.element("path", d="".join(d), stroke=look[name], stroke_width=4) for name, d in lines.items()]
    found = filling(lengths, plan)
    return drawn, f"{found.batches} batches, {found.padding:.1%} padding (grey); source orange, target blue"


def plan_of(view: RecipeView) -> Plan:
    """The batches that a view shows: by the core's own cut, or by the two ways that pad more."""
    lengths = [tuple(pair) for pair in view.meta["lengths"]]
    order = list(range(len(lengths)))
    if view.way == "count":
        n = max(1, round(view.budget * len(lengths) / max(sum(pair[side] for pair in lengths) for side in (0, 1))))
        return cut_by_count(n, order)
    if view.way == "random":
        return cut_in_order(lengths, view.budget, order)
    core = tc.make_batches([([5] * (s - 1), [5] * (t - 1)) for s, t in lengths], view.budget)
    windows = (order[start : start + view.window] for start in range(0, len(order), view.window))
    return [batch for window_ in windows for batch in core.cut(window_)]


def rate_drawn(view: RecipeView, look: dict) -> tuple[list[str], str]:
    """Equation 3's curve."""
    steps = [1 + n * (view.steps - 1) / 300 for n in range(301)]
    rates = [tc.learning_rate(max(1, round(step)), view.d_model, view.warmup) for step in steps]
    peak = tc.learning_rate(view.warmup, view.d_model, view.warmup)
    line = {"ink": list(zip(steps, rates, strict=True))}
    said = f"learning rate, d_model {view.d_model}: highest, {peak:.6e}, at step {view.warmup:,}"
    return [curve_box("", line, (90, 60, 900, 290), look)], said


def smoothing_drawn(view: RecipeView, look: dict) -> tuple[list[str], str]:
    """The smoothed target as bars: the right word, and a few of the others."""
    wrong = view.eps_ls / (view.vocab - (0 if view.among == "all" else 1))
    right = 1 - view.eps_ls + (wrong if view.among == "all" else 0)
    drawn = []
    for n, share in enumerate([right, *[wrong] * 6]):
        high = 200 * share
        drawn.append(
            theme.element(
                "rect",
                x=40 + 60 * n,
                y=270 - high,
                width=40,
                height=max(high, 0.6),
                fill=look["value" if not n else "quiet"],
            )
        )
        place = dict(x=60 + 60 * n, text_anchor="middle", font_size=11)
        drawn.append(theme.element("text", theme.three_digits(share), y=264 - high, fill=look["ink"], **place))
        drawn.append(theme.element("text", "right" if not n else "other", y=286, fill=look["quiet"], **place))
    floor = smoothing_floor(view.vocab, view.eps_ls, view.among)
    chances = [0.01 + n * 0.0098 for n in range(101)]
    losses = [-right * math.log(p) - (1 - right) * math.log((1 - p) / (view.vocab - 1)) for p in chances]
    lines = {"value": [(0.0, floor), (1.0, floor)], "quiet": [(p, -math.log(p)) for p in chances]}
    lines |= {"ink": list(zip(chances, losses, strict=True))}
    drawn.append(
        curve_box("loss (black), floor (green), plain nll (grey)", lines, (560, 70, 920, 270), look, "p(right word) =")
    )
    return drawn, f"ε = {view.eps_ls:g} over V = {view.vocab:,}: the loss cannot go below {floor:.4f} nats"
