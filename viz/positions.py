"""Where a token stands: sinusoids, their rotation M_k, learned tables, and what a trained model does without (3.5).

`explore_positions` has sliders and computes by itself in the page; the numbers here are those of the core's
`sinusoidal_positions`, in float64. `moved` changes the positions inside a model while it works.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from viz import theme
from viz.canvas import OrderView, PositionsView
from viz.controls import Explorer

SHOWS = "synthetic: the formula of section 3.5"

# ─── The formula, and what follows from it ───────────────────────────────────────────────────────────────────────────


def frequencies(d_model: int, base: float = 10_000.0) -> Tensor:
    """ω_i = base^(-2i/d_model): how far, in radians, the hand of pair i turns from one position to the next. (D/2,)"""
    if d_model < 2 or d_model % 2:
        raise ValueError(f"d_model is {d_model}; sines and cosines pair up, so it must be even, such as 512.")
    return base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)


def wavelengths(d_model: int, base: float = 10_000.0) -> Tensor:
    """2π/ω_i: after how many positions pair i comes round. (D/2,)"""
    return 2 * math.pi / frequencies(d_model, base)


def rotation(k: int, d_model: int, base: float = 10_000.0) -> Tensor:
    """M_k with PE(p + k) = M_k PE(p) for every p: on its diagonal one 2 × 2 rotation a pair, elsewhere 0. (D, D)

    A pair (sin ωp, cos ωp) turned by ωk: [[cos ωk, sin ωk], [-sin ωk, cos ωk]].
    """
    angle = k * frequencies(d_model, base)
    cos, sin = angle.cos(), angle.sin()
    blocks = torch.stack([torch.stack([cos, sin], -1), torch.stack([-sin, cos], -1)], -2)  # (D/2, 2, 2)
    return torch.block_diag(*blocks)


def rotation_error(k: int, n: int, d_model: int, base: float = 10_000.0) -> Tensor:
    """max over features of |M_k PE(p) - PE(p + k)|, at each position p < n: float64 (n,)"""
    table = tc.sinusoidal_positions(n + k, d_model, base)
    moved = table[:n] @ rotation(k, d_model, base).T  # every row turned
    return (moved - table[k:]).abs().amax(-1)


def similarity(n: int, d_model: int, base: float = 10_000.0) -> Tensor:
    """Σ_i cos(ω_i k) for k = 0 … n - 1: what PE(p) · PE(p + k) is, wherever p stands. (n,)"""
    return (torch.arange(n, dtype=torch.float64)[:, None] * frequencies(d_model, base)).cos().sum(-1)


def halves(table: Tensor) -> Tensor:
    """The same columns in another order: all sines, then all cosines. (n, D)"""
    return torch.cat([table[:, 0::2], table[:, 1::2]], dim=1)


def tensor2tensor_positions(n: int, d_model: int, base: float = 10_000.0) -> Tensor:
    """What the authors' code adds: sines, then cosines, with d_model/2 - 1 in place of d_model/2. float64 (n, D)

    Its last wavelength is exactly 2π · base, so its frequencies are not those of the paper, in whatever order.
    """
    if d_model < 4 or d_model % 2:
        raise ValueError(f"d_model is {d_model}; this variant divides by d_model/2 - 1: pass an even number from 4 on.")
    pairs = d_model // 2
    frequency = base ** (-torch.arange(pairs, dtype=torch.float64) / (pairs - 1))
    angle = torch.arange(n, dtype=torch.float64)[:, None] * frequency
    return torch.cat([angle.sin(), angle.cos()], dim=1)


def alike(table: Tensor) -> Tensor:
    """The cosine between any two rows of a table of positions: (n, n)"""
    unit = table / table.norm(dim=1, keepdim=True)
    return unit @ unit.T


# ─── Figures ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def sheet(content: list[str], width: float, height: float, said: str) -> theme.Svg:
    """A page of a drawing with its text alternative."""
    size = dict(width=width, height=height, viewBox=f"0 0 {width} {height}", font_family=theme.FONT, font_size=13)
    drawn = theme.element("svg", *content, xmlns="http://www.w3.org/2000/svg", role="img", aria_label=said, **size)
    return theme.Svg(drawn, said)


def signed_cells(rows: Sequence[Sequence[float]], top: float, dark: bool) -> str:
    """One path a colour, of 33; a cell is a unit square, and equal neighbours in a column are one rectangle."""
    colours, squares = theme.difference_scale(dark), dict[str, list[str]]()
    for j in range(len(rows[0])):
        shades = [colours[128 + 8 * round(16 * max(-1.0, min(1.0, row[j] / top)))] for row in rows]
        for colour, run in itertools.groupby(range(len(rows)), key=shades.__getitem__):
            places = list(run)
            squares.setdefault(colour, []).append(f"M{j} {places[0]}h1v{len(places)}h-1z")
    return "".join(theme.element("path", fill=colour, d="".join(some)) for colour, some in squares.items())


def signed_legend(top: float, x: float, y: float, dark: bool) -> list[str]:
    """The scale from +top (above) to -top."""
    look, colours = theme.DARK if dark else theme.LIGHT, theme.difference_scale(dark)
    steps = [
        theme.element("rect", x=x, y=y + 5 * i, width=10, height=5.5, fill=colours[256 - 8 * i]) for i in range(33)
    ]
    names = [(f"+{theme.three_digits(top)}", 8), ("0", 86), (f"−{theme.three_digits(top)}", 165)]
    ticks = [theme.element("text", name, x=x + 14, y=y + at, font_size=11, fill=look["quiet"]) for name, at in names]
    return [*steps, *ticks]


def table_picture(rows: Sequence[Sequence[float]], title: str, shows: str, *, dark: bool = False) -> theme.Svg:
    """A heat map of signed numbers: a row for each position, a column for each feature, colours by the largest."""
    look, n, d = theme.DARK if dark else theme.LIGHT, len(rows), len(rows[0])
    top = max((abs(x) for row in rows for x in row), default=1.0) or 1.0
    wide, tall = 720 / d, min(max(300 / n, 3.0), 20.0)
    width, height = 880, math.ceil(64 + n * tall + 34)
    cells = theme.element(
        "g", signed_cells(rows, top, dark), transform=f"translate(60 56) scale({wide:.4f} {tall:.4f})"
    )
    text = dict(font_size=11, fill=look["quiet"])
    content = [theme.element("rect", width="100%", height="100%", fill=look["page"]), cells]
    content.append(theme.element("text", theme.escaped(title), x=16, y=22, font_weight=600, fill=look["ink"]))
    for i in range(0, n, max(1, n // 8)):
        content.append(theme.element("text", str(i), x=52, y=60 + (i + 0.5) * tall, text_anchor="end", **text))
    for j in range(0, d, max(1, d // 8)):
        content.append(theme.element("text", str(j), x=60 + (j + 0.5) * wide, y=48, text_anchor="middle", **text))
    content.append(theme.element("text", "rows: positions, columns: features", x=60, y=height - 10, **text))
    content += signed_legend(top, 800, 56, dark)
    corner = dict(x=width - 16, y=height - 10, text_anchor="end")
    content.append(theme.element("text", theme.escaped(shows), **corner, **text))
    return sheet(content, width, height, f"Heat map. {title} ({shows})")


def clocks_picture(
    omegas: Sequence[float], position: int, offset: int, shows: str = SHOWS, *, dark: bool = False
) -> theme.Svg:
    """A clock for each pair (at most 12, evenly chosen): the solid hand is the position, the dashed one is later."""
    look, most = theme.DARK if dark else theme.LIGHT, min(len(omegas), 12)
    some = sorted({round(i * (len(omegas) - 1) / max(most - 1, 1)) for i in range(most)})
    width, height, radius = 880, 58 + 146 * math.ceil(len(some) / 6), 48.0
    title = f"Position {position} (solid) and {position + offset} (dashed): one clock for each pair of features"
    content = [theme.element("rect", width="100%", height="100%", fill=look["page"])]
    content.append(theme.element("text", theme.escaped(title), x=16, y=22, font_weight=600, fill=look["ink"]))
    for n, i in enumerate(some):
        x, y = 80.0 + 144 * (n % 6), 90.0 + 146 * (n // 6)
        content.append(
            theme.element("circle", cx=x, cy=y, r=radius, fill="none", stroke=look["line"], stroke_width=1.5)
        )
        for place, colour, dash in ((position + offset, "quiet", "4 3"), (position, "ink", "none")):
            tip = dict(x2=x + 44 * math.sin(omegas[i] * place), y2=y - 44 * math.cos(omegas[i] * place))
            line = dict(x1=x, y1=y, **tip, stroke=look[colour], stroke_width=2.5, stroke_dasharray=dash)
            content.append(theme.element("line", **line))
        name = f"pair {i}: round in {2 * math.pi / omegas[i]:,.3g}"
        content.append(
            theme.element("text", name, x=x, y=y + 68, text_anchor="middle", font_size=11, fill=look["quiet"])
        )
    corner = dict(x=width - 16, y=height - 8, text_anchor="end", font_size=11, fill=look["quiet"])
    content.append(theme.element("text", theme.escaped(shows), **corner))
    return sheet(content, width, height, f"{title} ({shows})")


def view_picture(view: PositionsView, dark: bool = False) -> theme.Svg:
    """What a view shows, standing still: its heat map, or its clocks, or the two tables."""
    if view.tab == "learned":
        learned = view.meta["learned"]
        return table_picture(learned["rows"], "A learned table of positions", learned["shows"], dark=dark)
    if view.tab in ("clocks", "rotation"):
        return clocks_picture(frequencies(view.d_model, view.base).tolist(), view.position, view.offset, dark=dark)
    table = tc.sinusoidal_positions(min(view.length, 64), min(view.d_model, 64), view.base)
    name = f"Positions 0 to {len(table) - 1}, d_model = {table.size(1)}, base {view.base:,.0f}"
    return table_picture(table.tolist(), name, SHOWS, dark=dark)


def explore_positions(learned: dict[str, Any] | None = None, **opens_with: Any) -> PositionsView:
    """Sliders for d_model, length, base, position, offset and pair; the page computes what they show.

    learned: a table to be shown beside the sinusoids: {"rows": n lists of d numbers, "trained": how many of them
    training reached, "shows": what the corner says}. opens_with: traits to begin with, such as tab="clocks".
    """
    meta: dict[str, Any] = {"version": 0, "live": True, "shows": SHOWS, "learned": None}
    if learned is not None:
        widths = {len(row) for row in learned["rows"]}
        if len(widths) != 1 or widths.pop() % 2 or not 0 < learned["trained"] <= len(learned["rows"]):
            raise ValueError(
                "learned needs rows of one even width, and `trained` from 1 to their number; pass "
                '{"rows": table.tolist(), "trained": 13, "shows": "trained: …"}.'
            )
        meta["learned"] = learned
    view = PositionsView(meta=meta, **opens_with)
    view.picture = lambda: view_picture(view)
    return view


# ─── Positions inside a model ────────────────────────────────────────────────────────────────────────────────────────

Edit = Callable[[Tensor, int], Tensor]  # what is to be added at start, start + 1, … in place of a table (n, D)


@contextlib.contextmanager
def moved(model: tc.Transformer, side: str, edit: Edit) -> Iterator[None]:
    """Inside, the positions added to one side ("source" or "target") are edit(positions (n, D), start)."""
    sides = {"source": model.src_positions, "target": model.tgt_positions}
    if side not in sides:
        raise ValueError(f"side is {side!r}; choose 'source' or 'target'.")

    def replaced(_: object, arguments: tuple, positions: Tensor) -> Tensor:
        return edit(positions, arguments[1] if len(arguments) > 1 else 0)

    hook = sides[side].register_forward_hook(replaced)
    try:
        yield
    finally:
        hook.remove()


def removed(positions: Tensor, start: int) -> Tensor:
    """No position at all: zeros."""
    return torch.zeros_like(positions)


def shuffled(seed: int) -> Edit:
    """The same positions in a random order, which the seed decides."""

    def edit(positions: Tensor, start: int) -> Tensor:
        return positions[torch.randperm(len(positions), generator=torch.Generator().manual_seed(seed))]

    return edit


def turned_round(positions: Tensor, start: int) -> Tensor:
    """The last word gets the first position."""
    return positions.flip(0)


def later(k: int) -> Edit:
    """Every position k further on, as if k tokens stood before."""

    def edit(positions: Tensor, start: int) -> Tensor:
        n, d_model = positions.shape
        return tc.sinusoidal_positions(start + k + n, d_model)[start + k :].to(positions)

    return edit


def placed(places: Sequence[int]) -> Edit:
    """To each token the sinusoid of the place named for it, -1 for none."""

    def edit(positions: Tensor, start: int) -> Tensor:
        if len(places) != len(positions):
            raise ValueError(f"There are {len(places)} places for {len(positions)} tokens; name one for each.")
        index = torch.tensor([*places])
        table = tc.sinusoidal_positions(int(index.max()) + 2, positions.size(1)).to(positions)
        return table[index].masked_fill((index < 0)[:, None], 0.0)

    return edit


def log_prob(translator: tc.Translator, text: str, translation: str) -> float:
    """The log-probability in nats of a translation, its end included."""
    sides = translator.tokenizer.encode(tc.clean(text)), translator.tgt_tokenizer.encode(tc.clean(translation))
    batch = tc.Batch.of([sides])
    nll = tc.validation_nll(translator.model, [batch], "fp32")
    return -nll * batch.n_tokens


def without_order(
    translator: tc.Translator, text: str, edits: Mapping[str, Sequence[tuple[str, Edit]]]
) -> list[dict[str, Any]]:
    """What the model makes of a sentence when its positions change: a row for each named list of (side, edit).

    loss: by how many nats the model's own first translation became less likely.
    """
    first = translator.translate([text])[0]
    rows = [dict(positions="as trained", translation=first, loss=0.0)]
    for name, changes in edits.items():
        rows.append(dict(positions=name) | changed(translator, text, first, changes))
    return rows


def changed(translator: tc.Translator, text: str, first: str, changes: Sequence[tuple[str, Edit]]) -> dict[str, Any]:
    """The translation under some changes of positions, and the nats that they take from the first one.

    A model without its bearings may never end: the translation has at most 15 tokens more than the source.
    """
    whole = log_prob(translator, text, first)
    with contextlib.ExitStack() as inside:
        for side, edit in changes:
            inside.enter_context(moved(translator.model, side, edit))
        ids = tc.beam_search(translator.model, translator.source([text]), max_extra=15)[0].ids
        translation = tc.clean(translator.tgt_tokenizer.decode(ids))
        return dict(translation=translation, loss=whole - log_prob(translator, text, first))


def cost_of_moving(
    translator: tc.Translator, texts: Sequence[str], shifts: Sequence[int], sides: Sequence[str] = ("source",)
) -> list[float]:
    """By how many nats a token the model's own translations become less likely when positions begin at each shift."""
    src, tgt, lines = translator.tokenizer, translator.tgt_tokenizer, translator.translate(texts)
    pairs = [(src.encode(tc.clean(text)), tgt.encode(line)) for text, line in zip(texts, lines, strict=True)]
    batch = tc.Batch.of(pairs)
    costs = []
    for k in shifts:
        with contextlib.ExitStack() as inside:
            for side in sides:
                inside.enter_context(moved(translator.model, side, later(k)))
            costs.append(tc.validation_nll(translator.model, [batch], "fp32"))
    whole = tc.validation_nll(translator.model, [batch], "fp32")
    return [round(cost - whole, 3) for cost in costs]  # what is beyond differs from one processor to the next


class Order:
    """A sentence whose words are given other places: what the trained model then makes of it, remembered."""

    def __init__(self, translator: tc.Translator) -> None:
        self.translator = translator
        self.view = OrderView(meta={"version": 0, "live": True, "shows": f"trained: {translator.name}", "tokens": []})
        self.view.observe(lambda _: self.translate(), "places")
        self.view.picture = self.picture

    def read(self, sentence: str) -> str:
        """Take another sentence, its words at their own places."""
        tokens = self.translator.tokenizer.pieces(self.translator.source([sentence])[0].tolist())
        if not 1 < len(tokens) <= 40:
            raise ValueError(f"The sentence has {len(tokens) - 1} pieces; type one of 1 to 39.")
        self.sentence, self.first = tc.clean(sentence), self.translator.translate([sentence])[0]
        places = [*range(len(tokens))]
        known = [dict(places=places, translation=self.first, loss=0.0)]
        meta = self.view.meta | {"tokens": tokens, "version": self.view.meta["version"] + 1}
        with self.view.hold_sync(), self.view.hold_trait_notifications():
            self.view.meta, self.view.known, self.view.places = meta, known, places
        return self.first

    def picture(self) -> theme.Svg:
        """Every order tried so far."""
        return order_picture(self.view.meta["tokens"], self.view.known, self.view.meta["shows"])

    def translate(self) -> None:
        """Let the model answer, unless it has answered to these places before."""
        places = self.view.places
        if len(places) != len(self.view.meta["tokens"]):  # of the sentence before: they came too late
            self.view.places = self.view.known[0]["places"]
        elif any(one["places"] == places for one in self.view.known):
            return
        else:
            answer = changed(self.translator, self.sentence, self.first, [("source", placed(places))])
            self.view.known = [*self.view.known, answer | {"places": places}]


def explore_order(translator: tc.Translator, sentence: str, known: Sequence[Sequence[int]] = ()) -> Explorer:
    """Give the words of a sentence other places, and see what the model says. known: places to be tried at once."""
    order = Order(translator)
    explorer = Explorer(order.view, sentence, order.read)
    for places in known:
        order.view.places = [*places]
    order.view.places = order.view.known[0]["places"] if order.view.known else []
    return explorer


def order_picture(tokens: Sequence[str], known: Sequence[dict], shows: str, *, dark: bool = False) -> theme.Svg:
    """A row for each order tried: the tokens by their places, and what the model made of them."""
    look, width = theme.DARK if dark else theme.LIGHT, 880
    height = 34 + 46 * len(known) + 22
    content = [theme.element("rect", width="100%", height="100%", fill=look["page"])]
    for n, one in enumerate(known):
        order = sorted(zip(one["places"], tokens, strict=True))
        named = [(where, theme.shortened(token)) for where, token in order]
        place = " ".join(token if where < 0 else f"{token}·{where}" for where, token in named)
        lines = [(place, look["quiet"], theme.MONO, 0), (f"→ {one['translation'][:100]}", look["ink"], theme.FONT, 19)]
        for line, colour, font, down in lines:
            at = dict(x=16, y=24 + 46 * n + down, fill=colour, font_family=font)
            content.append(theme.element("text", theme.escaped(line), **at))
    corner = dict(x=width - 16, y=height - 8, text_anchor="end", font_size=11, fill=look["quiet"])
    content.append(theme.element("text", theme.escaped(shows), **corner))
    said = "; ".join(f"places {one['places']}: {one['translation']}" for one in known)
    return sheet(content, width, height, f"A sentence whose words are given other places ({shows}). {said}")


# ─── Past the length of training ─────────────────────────────────────────────────────────────────────────────────────

KINDS = {"sinusoidal": "#0072B2", "learned, longer table": "#E69F00", "learned": "#D55E00", "none": "#7d858e"}


def scores_of(results: dict[str, Any], task: str, kind: str, name: str) -> list[list[float | None]]:
    """One list a length (name "accuracy") or a place ("by_place"): the share right of each seed, None if refused."""
    runs = [run[name] for run in results["runs"] if (run["task"], run["positions"]) == (task, kind)]
    return [list(column) for column in zip(*runs, strict=True)]


def mean_scores(results: dict[str, Any], task: str, kind: str) -> dict[str, list[float | None]]:
    """The mean over seeds of what scores_of lists, None where the core refused."""

    def mean(shares: list[float | None]) -> float | None:
        known = [share for share in shares if share is not None]
        return sum(known) / len(known) if len(known) == len(shares) else None

    names = ("accuracy", "by_place")
    return {name: [mean(shares) for shares in scores_of(results, task, kind, name)] for name in names}


def length_curve(columns: Sequence[Sequence[float | None]], name: str, colour: str) -> theme.Curve | None:
    """The mean of each column with a band from the least to the most, as far as there is no None; None if nowhere."""
    known = [[share for share in column if share is not None] for column in columns if None not in column]
    if not known:
        return None
    mean, low, high = ([f(column) for column in known] for f in (lambda c: sum(c) / len(c), min, max))
    return theme.Curve(name, [*range(1, len(known) + 1)], mean, low, high, colour=colour)


def length_chart(results: dict[str, Any], task: str, shows: str) -> theme.Chart:
    """Accuracy by length, and by place in the longest: a line for each kind of position, a band over its seeds.

    results: what experiments/positions.py wrote. A kind has no line where the core refused to answer.
    """
    titles = {"accuracy": ("by length", "symbols")}
    titles["by_place"] = (f"by place, at length {results['lengths'][-1]}", "place in the target (the last is </s>)")
    panels = []
    for name, (title, x_title) in titles.items():
        curves = [length_curve(scores_of(results, task, kind, name), kind, colour) for kind, colour in KINDS.items()]
        shown = [curve for curve in curves if curve]
        marks = [(results["trained"], "training ends")]
        panels.append(theme.Panel(shown, f"{task}: {title}", x_title, "share right", y_range=(0, 1.03), marks=marks))
    return theme.chart(panels, shows, f"Accuracy of {task} past the length of training, for four kinds of position")


def learned_table(results: dict[str, Any], task: str) -> dict[str, Any]:
    """The trained table that the results hold, as explore_positions takes it."""
    run = next(run for run in results["runs"] if run["task"] == task and run.get("table"))
    return {
        "rows": run["table"],
        "trained": results["trained"] + 1,
        "shows": f"trained: experiments/positions.py, {task}",
    }
