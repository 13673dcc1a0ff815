"""Training under the reader's hands: a run that starts, pauses, changes its rate and goes back, and what it is made of.

`explore_training` is a live run with its curves and its cross-attention as it forms, `forming_view` looks back on a
whole one, `recipe_view` has batches, the learning rate's curve and smoothed targets. The run, and all numbers, are
those of studies/training.py and studies/alignment.py.
"""

from __future__ import annotations

import atexit
import base64
import math
import time
from array import array
from collections.abc import Callable, Sequence
from typing import Any

import torch
from IPython.display import display
from torch import Tensor

import transformer_core as tc
from studies.alignment import Truth, best_head, truth
from studies.training import (
    RECIPE,
    Lengths,
    Lessons,
    LiveRun,
    Moment,
    Plan,
    cut_by_count,
    cut_in_order,
    cut_sorted,
    filling,
    mean_curves,
    smoothed_target,
    smoothing_floor,
)
from viz import theme
from viz.canvas import Canvas, OneOf, PlaceIn, floats, packed, script, trait

# ─── The views ────────────────────────────────────────────────────────────────────────────────────────────────────────


class TrainingView(Canvas):
    """A training run as it goes or as it went: curves, and the cross-attention of every head at some of its steps.

    curve: float32 rows of step, loss, nll, rate, gradient norm, tokens a second. data: for each sentence of
    meta["sentences"], frame by frame, the bytes of `packed(weights)`, weights (L, H, T, S); frames: their steps.
    checks: what was measured on unseen sentences, by step. While a run goes on, only messages tell the page.
    """

    _esm = script("training.js")
    run: Any = None  # what makes the steps, where it can be made to go on
    data = trait(b"")
    curve = trait(b"")
    frames = trait([], "the steps that have maps", of=trait(0))
    checks = trait([], "BLEU and more, by step", of=trait({}))
    kept = trait([], "the steps one can go back to", of=trait(0))
    running = trait(False)
    trouble = trait("", "why the run stopped, if not by itself")
    factor = trait(1.0, "times the recipe's learning rate", min=0.1, max=10.0)
    frame = trait(-1, "the frame looked at; -1: the newest", min=-1)
    layer = PlaceIn("n_layers")
    head = PlaceIn("n_heads")
    sentence = PlaceIn("sentences")
    gold = OneOf(["naive", "shifted", "none"], help="which gold cells are outlined")


class RecipeView(Canvas):
    """Batches of real lengths, equation 3 and smoothed targets by sliders, computed in the page from these traits.

    meta["lengths"] holds source and target tokens of sentence pairs, in an order that nobody sorted.
    """

    _esm = script("recipe.js")
    tab = OneOf(["batches", "rate", "smoothing"])
    way = OneOf(["sorted", "random", "count"], help="how batches are cut")
    budget = trait(200, "tokens of a batch on either side", min=50, max=1000)
    window = trait(400, "pairs sorted together", min=2, max=400)
    d_model = trait(512, min=64, max=2048)
    warmup = trait(4000, "steps of warm-up", min=1, max=16000)
    steps = trait(20000, "steps shown", min=1000, max=100_000)
    step = trait(4000, "the step read off", min=1, max=100_000)
    eps_ls = trait(0.1, min=0.0, max=0.9)
    vocab = trait(37000, min=2, max=100_000)
    among = OneOf(["all", "others"], help="over which words ε is spread")
    chance = trait(0.9, "what the model gives the right word", min=0.001, max=0.9999)


# ─── A run under the reader's hands ──────────────────────────────────────────────────────────────────────────────────


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
            view.curve, view.data = curve_bytes(run.steps), b"".join(map(packed, run.maps))
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
        view.send(message, [curve_bytes(new["steps"]), b"".join(map(packed, run.maps[place["frames"] :]))])
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


def explore_training(
    lessons: Lessons, pair: Any, config: tc.TrainingConfig = RECIPE, n_bleu: int = 20, seed: int = 0, **shape: Any
) -> TrainingView:
    """A model to be trained while one watches: its cross-attention over one sentence pair with a gold alignment.

    lessons: what it learns; pair: of corpora.grammar; n_bleu: how many unseen sentences BLEU is of; shape: changes of
    the preset tiny. view.run is the run: start(), pause(), wait(), back(step), factor, model.
    """
    gold, model = truth(lessons.tokenizer, pair), lessons.model(seed, **shape)
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


# ─── Batches, the rate, smoothed targets ─────────────────────────────────────────────────────────────────────────────


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


# ─── Parts taken out ─────────────────────────────────────────────────────────────────────────────────────────────────


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
    return cut_sorted(lengths, view.budget, view.window)


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
    right, wrong = smoothed_target(view.vocab, view.eps_ls, view.among)
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
