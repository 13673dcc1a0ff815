"""A run that starts, pauses and changes under the reader's hands, and one looked back on."""

from __future__ import annotations

import atexit
import base64
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from IPython.display import display

import transformer_core as tc
from studies.alignment import Truth, best_head, truth
from studies.training import RECIPE, Lessons, LiveRun, smoothing_floor
from viz.canvas import Canvas, OneOf, PlaceIn, floats, packed, script, trait
from viz.training.curves import run_picture

# ─── The view ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class TrainingView(Canvas):
    """A training run as it goes or as it went: curves, and the cross-attention of every head at some of its steps.

    curve: float32 rows of step, loss, nll, rate, gradient norm, tokens a second. data: for each sentence of
    meta["sentences"], frame by frame, the bytes of `packed(weights)`, weights (L, H, T, S); frames: their steps.
    checks: what was measured on unseen sentences, by step. While a run goes on, only messages tell the page.
    """

    _esm = script(__file__)
    run: Any = None  # what makes the steps, where it can be made to go on
    whole: TrainingView | None = None  # a run from beginning to end, for pages, where no step can be made
    data = trait(b"")
    curve = trait(b"")
    frames = trait([], "the steps that have maps", of=trait(0))
    checks = trait([], "BLEU and more, by step", of=trait({}))
    snapshots = trait([], "the steps one can go back to", of=trait(0))
    running = trait(False, takes={})
    trouble = trait("", "why the run stopped, if not by itself")
    factor = trait(1.0, "times the recipe's learning rate", min=0.1, max=10.0, takes={})
    frame = trait(-1, "the frame looked at; -1: the newest", min=-1)
    layer = PlaceIn("n_layers")
    head = PlaceIn("n_heads")
    sentence = PlaceIn("sentences")
    gold = OneOf(["naive", "shifted", "none"], "which gold cells are outlined")

    def frozen(self) -> dict[str, Any]:
        """For a page: the whole run in this one's place, where there is one."""
        return self.whole.frozen() if self.whole else super().frozen()


# ─── A run under the reader's hands ──────────────────────────────────────────────────────────────────────────────────


def curve_bytes(steps: Sequence[tc.Step]) -> bytes:
    """Steps as the page reads them: step, loss, nll, rate, gradient norm, tokens a second."""
    rows = [
        [s.step, s.loss, s.nll, s.learning_rate, s.gradient_norm, s.n_tokens / s.seconds if s.seconds else 0.0]
        for s in steps
    ]
    return floats(torch.tensor(rows, dtype=torch.float64).reshape(len(rows), 6))


def told_by(view: TrainingView, run: LiveRun) -> None:
    """From now on the view follows the run, and the run obeys the view."""
    place = {"steps": 0, "frames": 0, "checks": 0}

    def all_of_it() -> None:
        with view.hold_sync():
            view.curve, view.data = curve_bytes(run.steps), b"".join(map(packed, run.maps))
            view.frames, view.checks = list(run.frames), list(run.checks)
            view.snapshots, view.running, view.trouble = list(run.snapshots), run.running, run.trouble
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
        view.send(message, [curve_bytes(new["steps"]), b"".join(map(packed, run.maps[place["frames"] :]))])
        place.update(steps=len(run.steps), frames=len(run.frames), checks=len(run.checks))
        view.snapshots, view.running = list(run.snapshots), run.running
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


def explore_training(
    lessons: Lessons,
    pair: Any,
    config: tc.TrainingConfig = RECIPE,
    n_bleu: int = 20,
    seed: int = 0,
    whole: dict[str, Any] | None = None,
    **shape: Any,
) -> TrainingView:
    """A model to be trained while one watches: its cross-attention over one sentence pair with a gold alignment.

    lessons: what it learns; pair: of corpora.grammar; n_bleu: how many unseen sentences BLEU is of; whole: what
    `forming_view` takes, shown in its place by pages, which cannot train; shape: changes of the preset tiny.
    view.run is the run: start(), pause(), wait(), back(step), factor, model.
    """
    gold, model = truth(lessons.tokenizer, pair), lessons.model(seed, **shape)
    pieces, size = lessons.tokenizer.pieces, model.config
    sentence = sentence_of(pair.english, pair.german, pieces(gold.tgt_in[0]), pieces(gold.src[0]), gold)
    run = LiveRun(lessons, model, gold, config, n_bleu)
    meta = {
        "live": True, "can_run": True, "goal": config.steps, "peak": run.config.peak_learning_rate,
        "title": f"{tc.count_parameters(model):,} parameters learn from {len(lessons.pairs):,} sentence pairs",
        "shows": "trained here, from nothing", "sentences": [sentence], "n_layers": size.n_layers,
        "n_heads": size.n_heads, "floor": smoothing_floor(size.vocab_size, size.eps_ls) if size.eps_ls else 0,
    }  # fmt: skip
    view = TrainingView(meta=meta, layer=size.n_layers // 2, head=0)
    view.run = run
    if whole:
        view.whole = forming_view(whole, "This page cannot train; here is a run kept from beginning to end: ")
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


def forming_view(result: dict[str, Any], before: str = "") -> TrainingView:
    """What `experiments.training forming` found: a slider over kept steps, every head, entropy and alignment error.

    before: what its title begins with.
    """
    frames = [reading for reading in result["readings"] if "maps" in reading]
    heads = result["readings"][0]["shifted"]
    sentences = [
        sentence_of(
            pair["english"], pair["german"], pair["queries"], pair["keys"],
            Truth(NONE, NONE, pair["src_words"], pair["tgt_words"], frozenset((i, j) for i, j in pair["gold"])),
        )
        for pair in result["sentences"]
    ]  # fmt: skip
    maps = [base64.b64decode(reading["maps"][n]) for n in range(len(sentences)) for reading in frames]
    nan = math.nan
    curve = [
        [5 * n + 1, nan, nll, rate, nan, nan]
        for n, (nll, rate) in enumerate(zip(result["nll"], result["rates"], strict=True))
    ]
    checks = [{name: value for name, value in reading.items() if name != "maps"} for reading in result["readings"]]
    best = best_head(result)
    meta = {
        "can_run": False, "goal": result["steps"], "peak": 0, "floor": 0,
        "title": f"{before}{result['steps']:,} steps of the preset {result['preset']} on the grammar, "
                 f"kept at {len(frames)} steps",
        "shows": "trained: experiments/training.py", "sentences": sentences, "n_layers": len(heads),
        "n_heads": len(heads[0]),
    }  # fmt: skip
    view = TrainingView(
        meta=meta, data=b"".join(maps), curve=floats(torch.tensor(curve)), frames=[frame["step"] for frame in frames],
        checks=checks, frame=len(frames) - 1, layer=best[0], head=best[1],
    )  # fmt: skip
    view.picture = lambda: run_picture(view)
    return view
