"""One head's queries and keys as points of one plane, beside the scores that they make."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from studies.geometry import Plane, centred, open_keys, plane_of, scores_of, weights_of
from studies.reading import KINDS, Reading, read
from viz import stills, theme
from viz.attention.maps import TITLES
from viz.canvas import Canvas, OneOf, PlaceIn, Takes, floats, script, trait
from viz.controls import Explorer
from viz.stills import Cell

# ─── The view ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class GeometryView(Canvas):
    """Queries and keys of one head in a plane; kind, layer, head, query, centred and map can be set.

    data: of each of meta["kinds"] float32 scores q · k / √d_k (L, H, T, S), also those that a mask hides. allowed of a
    kind: the span [first, end) of keys that each query may look at, None where that is all.
    """

    def _known_kind(self, _: str, kind: str) -> str:
        names = [known["name"] for known in self.meta["kinds"]]
        if kind not in names:
            raise ValueError(f"There is no kind {kind!r} here; choose from {', '.join(map(repr, names))}.")
        return kind

    _esm = script(__file__)
    data = trait(b"")
    kind = trait("attention", "which attention is shown", check=_known_kind, takes=Takes.one_in("kinds.name"))
    layer = PlaceIn("n_layers", "from 0")
    head = PlaceIn("n_heads", "from 0")
    query = PlaceIn("n_queries", "whose line is drawn, from 0; -1: none", default=-1, least=-1)
    centred = trait(True, "the mean key is subtracted from all keys, which changes no weight")
    map = OneOf(["exact", "plane"], "whose scores the map shows: the head's own, or the plane's")


# ─── Arrays in ───────────────────────────────────────────────────────────────────────────────────────────────────────

Kind = dict[str, Any]  # of meta["kinds"]


def geometry_view(
    q: Tensor,
    k: Tensor,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
    *,
    causal: bool = False,
    title: str = "",
    shows: str = "given vectors",
    **opens_with: Any,
) -> GeometryView:
    """Show the queries and keys of your own model in a plane: q (T, d_k), k (S, d_k), or (H, …), or (L, H, …) of both.

    key_tokens: the queries' if not given. causal: a query may look at the keys up to its own. opens_with: traits of the
    view such as layer=2, head=5, query=3.
    """
    queries = list(query_tokens)
    keys = queries if key_tokens is None else list(key_tokens)
    sides = f"q has shape {tuple(q.shape)}, k {tuple(k.shape)}"
    if not 2 <= q.dim() == k.dim() <= 4 or q.shape[:-2] != k.shape[:-2] or q.size(-1) != k.size(-1):
        raise ValueError(f"{sides}; pass (T, d_k) and (S, d_k), or with the same layers and heads before them.")
    if (q.size(-2), k.size(-2)) != (len(queries), len(keys)) or not queries or not keys:
        raise ValueError(f"{sides}, but there are {len(queries)} query and {len(keys)} key tokens; name each vector.")
    check_number(max(len(queries), len(keys)))
    scores = q.detach().cpu().float() @ k.detach().cpu().float().transpose(-2, -1) / math.sqrt(q.size(-1))
    scores = scores.reshape((1,) * (4 - scores.dim()) + scores.shape)
    allowed = [[0, min(t + 1, len(keys))] for t in range(len(queries))] if causal else None
    kind = dict(name="attention", title="Attention", queries=queries, keys=keys, predicts=None, allowed=allowed)
    contents = contents_of([(kind, scores)], shows, title)
    return opened(contents, {"attention": scores}, **dict(kind="attention") | opens_with)


def check_number(n_tokens: int) -> None:
    if n_tokens > MOST_TOKENS:
        raise ValueError(f"There are {n_tokens} tokens, more than the {MOST_TOKENS} shown; try a shorter sentence.")


def contents_of(kinds: Sequence[tuple[Kind, Tensor]], shows: str, title: str = "") -> dict[str, Any]:
    """The traits that show the scores (L, H, T, S) of some kinds."""
    n_layers, n_heads = kinds[0][1].shape[:2]
    meta = {
        "live": True, "shows": shows, "title": title, "kinds": [kind for kind, _ in kinds],
        "n_layers": n_layers, "n_heads": n_heads, "n_queries": max(len(kind["queries"]) for kind, _ in kinds),
    }  # fmt: skip
    return {"data": b"".join(floats(scores) for _, scores in kinds), "meta": meta}


def opened(contents: dict[str, Any], scores: dict[str, Tensor], **opens_with: Any) -> GeometryView:
    view = GeometryView(**contents, **opens_with)
    view.maps = scores
    view.picture = lambda: geometry_picture(view)
    return view


# ─── The live object ─────────────────────────────────────────────────────────────────────────────────────────────────

MOST_TOKENS = 36  # of a sentence: 144 heads' scores are then 0.75 MB, and twice as many names a crowd


class GeometryExplorer(Explorer):
    """A sentence box above the queries and keys of a model's heads; `.reading` is what the model did."""

    examples = (
        ("The animal did not cross the street because it was too tired.", "a long sentence"),
        ("The man sees the dog, and the dog sees the man.", "each noun twice"),
        ("She does not know when he will come.", "German puts the verb last"),
        ("Yes.", "a short one: the plane holds nearly all"),
    )

    def read(self, text: str) -> Reading:
        reading = read(self.translator, text, most=MOST_TOKENS)
        check_number(len(reading.ids))
        return reading

    def first_view(self, **opens_with: Any) -> GeometryView:
        usual = dict(kind="cross", layer=self.translator.model.config.n_layers // 2, query=len(self.reading.ids) // 2)
        return opened(self.contents(), self.scores(), **usual | opens_with)

    def scores(self) -> dict[str, Tensor]:
        return {kind: scores_of(self.reading, kind) for kind in KINDS}

    def contents(self) -> dict[str, Any]:
        kinds = [(kind_of(self.reading, kind), scores) for kind, scores in self.scores().items()]
        return contents_of(kinds, self.reading.shows, f"{self.reading.text} → {self.reading.translation}")

    def afresh(self, contents: dict[str, Any]) -> dict[str, Any]:
        return {"query": len(self.reading.ids) // 2}

    def take(self, reading: Reading) -> None:
        super().take(reading)
        self.view.maps = self.scores()

    def known_in_page(self) -> dict[str, Any]:
        return {"ids": self.reading.ids, "most": MOST_TOKENS}

    def told(self) -> str:
        return self.reading.translation


def kind_of(reading: Reading, name: str) -> Kind:
    """What the view must know of a kind of attention in a reading."""
    queries, keys = reading.tokens(name)
    spans = reading.allowed(name)
    allowed = None if all(span == [0, len(keys)] for span in spans) else spans
    predicts = reading.predicted_pieces if name == "cross" else None
    return dict(name=name, title=TITLES[name], queries=queries, keys=keys, predicts=predicts, allowed=allowed)


def explore_geometry(translator: tc.Translator, text: str, **opens_with: Any) -> GeometryExplorer:
    """Type a sentence: the queries and keys of any head as points of the plane that comes nearest to its scores.

    opens_with: traits of the view such as kind="encoder", layer=4, head=0, query=5.
    """
    return GeometryExplorer(translator, text, **opens_with)


# ─── The still picture ───────────────────────────────────────────────────────────────────────────────────────────────


def shown_kind(view: GeometryView) -> Kind:
    return next(kind for kind in view.meta["kinds"] if kind["name"] == view.kind)


def token_names(tokens: Sequence[str]) -> list[str]:
    """Tokens as names: where one comes again, each with the number of its place below it."""
    below = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    return [token + str(at + 1).translate(below) * (tokens.count(token) > 1) for at, token in enumerate(tokens)]


def geometry_picture(view: GeometryView, dark: bool = False) -> stills.Svg:
    """What a view shows now: the plane with the line of the chosen query, and the map of the scores."""
    kind, raw = shown_kind(view), view.maps[view.kind][view.layer, view.head].double()
    scores, spans = centred(raw) if view.centred else raw, kind["allowed"]
    may_look = open_keys(spans or [[0, len(kind["keys"])]] * len(kind["queries"]), len(kind["keys"]))
    plane, query = plane_of(scores), min(view.query, len(kind["queries"]) - 1)
    weights = weights_of(scores, may_look)
    names = [token_names(kind[side]) for side in ("queries", "keys")]
    drawing = plane_shape(plane, names, query, may_look, weights)
    held = f"the plane holds {plane.share.item():.0%} of the squared scores"
    title = f"{kind['title']}, layer {view.layer}, head {view.head}: {held}"
    told = row_told(kind, names, query, weights, weights_of(plane.scores, may_look)) if query >= 0 else ""
    notes = [view.meta["title"], "○ queries, □ keys, filled by their weight", told]
    shapes = [drawing, score_map(kind, names, plane.scores if view.map == "plane" else scores, may_look, view.map)]
    return stills.page([shapes], view.meta["shows"], f"{title}. {told}", title=title, notes=notes, dark=dark,
                       wide=1200)  # fmt: skip


def row_told(kind: Kind, names: Sequence[Sequence[str]], query: int, weights: Tensor, guesses: Tensor) -> str:
    """What the chosen query reads most, in the plane and in the head."""
    most = [
        (names[1][int(row.argmax())], theme.three_digits(row.max().item())) for row in (guesses[query], weights[query])
    ]
    (there, guess), (here, weight) = most
    return f"query {row_names(kind, names)[query]}: first in the plane {there}, {guess}; in the head {here}, {weight}"


def row_names(kind: Kind, names: Sequence[Sequence[str]]) -> list[str]:
    if not kind["predicts"]:
        return list(names[0])
    return [f"{name} → {says}" for name, says in zip(names[0], kind["predicts"], strict=True)]


def score_map(kind: Kind, names: Sequence[Sequence[str]], scores: Tensor, may_look: Tensor, whose: str) -> stills.Shape:
    """The scores as a map; hatched: what a mask hides."""
    top = max(scores.abs().max().item(), 1e-9)
    cells = [
        [Cell(stills.difference(score / top) if seen else stills.HIDDEN) for score, seen in zip(*row, strict=True)]
        for row in zip(scores.tolist(), may_look.tolist(), strict=True)
    ]
    end = theme.three_digits(top)
    title = {"exact": "scores of the head", "plane": "scores of the plane"}[whose]
    side = max(8.0, min(18.0, 300 / max(scores.shape)))
    return stills.cell_map(cells, row_names(kind, names), names[1], title=title, size=(side, side),
                           legend=("differences", f"−{end}", end))  # fmt: skip


WIDE, HIGH, MARGIN = 560.0, 420.0, (60.0, 30.0)


def plane_shape(
    plane: Plane, names: Sequence[Sequence[str]], query: int, may_look: Tensor, weights: Tensor
) -> stills.Shape:
    """Queries as circles, keys as squares, and the line of a query with the feet of its keys."""
    points = torch.cat([plane.queries, plane.keys, torch.zeros(1, 2, dtype=torch.double)])  # the origin last
    low, high = points.amin(0), points.amax(0)
    room = torch.tensor([WIDE - 2 * MARGIN[0], HIGH - 2 * MARGIN[1]], dtype=torch.double)
    scale = (room / (high - low).clamp(min=1e-12)).min().clamp(max=1e9)
    middle = torch.tensor([WIDE, HIGH], dtype=torch.double) / 2
    marks = (middle + scale * (points - (low + high) / 2) * torch.tensor([1.0, -1.0])).tolist()
    n_queries = len(names[0])

    def draw(look: stills.Look) -> stills.Drawn:
        drawn = [stills.element("rect", width=WIDE, height=HIGH, fill="none", stroke=look["line"])]
        if query >= 0 and plane.queries[query].norm() > 1e-9:
            drawn += line_drawn(marks, n_queries, query, may_look[query].tolist(), look)
        drawn.append(cross_drawn(marks[-1], 6, look["quiet"]))
        drawn += names_drawn(marks, names, query, weights, look)
        drawn += marks_drawn(marks, n_queries, query, may_look, weights, look)
        return "".join(drawn), WIDE, HIGH

    return draw


def cross_drawn(place: Sequence[float], size: float, colour: str, turned: bool = False) -> str:
    path = f"M{-size} 0H{size}M0 {-size}V{size}"
    turn = " rotate(45)" if turned else ""
    return stills.element(
        "path", d=path, stroke=colour, fill="none", transform=f"translate({place[0]:.1f} {place[1]:.1f}){turn}"
    )


def line_drawn(
    marks: Sequence[Sequence[float]], n_queries: int, query: int, seen: Sequence[bool], look: stills.Look
) -> list[str]:
    """The line through the origin and a query, as long as it needs, and each key's way down to it."""
    (x0, y0), (x1, y1) = marks[-1], marks[query]
    along, long = (x1 - x0, y1 - y0), (x1 - x0) ** 2 + (y1 - y0) ** 2
    drawn, reach = [], [0.0, 1.0]
    for (x, y), shown in zip(marks[n_queries:-1], seen, strict=True):
        if shown:
            share = ((x - x0) * along[0] + (y - y0) * along[1]) / long
            foot = x0 + share * along[0], y0 + share * along[1]
            reach.append(share)
            ends = dict(x1=x, y1=y, x2=foot[0], y2=foot[1])
            drawn.append(stills.element("line", **ends, stroke=look["key"], stroke_opacity="0.5"))
            drawn.append(stills.element("circle", cx=foot[0], cy=foot[1], r=2.5, fill=look["key"]))
    start, end = [(x0 + share * along[0], y0 + share * along[1]) for share in (min(reach), max(reach))]
    ends = dict(x1=start[0], y1=start[1], x2=end[0], y2=end[1])
    vector = dict(x1=x0, y1=y0, x2=x1, y2=y1)
    drawn.append(stills.element("line", **ends, stroke=look["query"], stroke_opacity="0.45", stroke_width=1.5))
    return [*drawn, stills.element("line", **vector, stroke=look["query"], stroke_width=3)]


def marks_drawn(
    marks: Sequence[Sequence[float]], n_queries: int, query: int, may_look: Tensor, weights: Tensor, look: stills.Look
) -> list[str]:
    drawn = []
    for at, (x, y) in enumerate(marks[:n_queries]):
        fill = look["query"] if at == query else look["page"]
        drawn.append(stills.element("circle", cx=x, cy=y, r=5, fill=fill, stroke=look["query"], stroke_width=2))
    for at, (x, y) in enumerate(marks[n_queries:-1]):
        if query >= 0 and not may_look[query, at]:
            drawn.append(cross_drawn((x, y), 5, look["key"], turned=True))
            continue
        weight = weights[query, at].item() if query >= 0 else 0.0
        place = dict(x=x - 5, y=y - 5, width=10, height=10)
        fill = stills.colour_of(stills.weight(weight), look)
        drawn.append(stills.element("rect", **place, fill=fill, stroke=look["key"], stroke_width=2))
    return drawn


def names_drawn(
    marks: Sequence[Sequence[float]], names: Sequence[Sequence[str]], query: int, weights: Tensor, look: stills.Look
) -> list[str]:
    """A name beside each mark where there is room: the chosen query's first, then the keys' by their weight."""
    row = weights[query].tolist() if query >= 0 else [0.0] * len(names[1])
    worth = [2.0 if at == query else -1.0 for at in range(len(names[0]))] + row
    whole = [*names[0], *names[1]]
    order = sorted(range(len(whole)), key=lambda at: -worth[at])
    sizes = [(stills.width_of(whole[at], 11) + 4, 14.0) for at in order]
    drawn = []
    for at, box in zip(order, places_for([marks[at] for at in [*order, -1]], sizes, (WIDE, HIGH)), strict=True):
        if box:
            colour = "query" if at < len(names[0]) else "key"
            bold = dict(font_weight=700) if at == query else {}
            middle, base = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2 + 4
            drawn.append(
                stills.word(whole[at], middle, base, look, colour, 11, text_anchor="middle", **bold, **stills.MONO)
            )
    return drawn


MARK = 7.0  # pixels around the middle of a mark that no name may cover
SIDES = [(1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1)]
PlaceOfName = tuple[float, float, float, float]


def places_for(
    marks: Sequence[Sequence[float]], sizes: Sequence[tuple[float, float]], room: tuple[float, float]
) -> list[PlaceOfName | None]:
    """Where names stand beside their marks, none upon another or upon a mark: (left, top, right, bottom), or None.

    marks: (x, y); sizes: of the names, the most important first. As in geometry.js.
    """
    taken = [(x - MARK, y - MARK, x + MARK, y + MARK) for x, y in marks]
    boxes: list[PlaceOfName | None] = []
    for (wide, high), (x, y) in zip(sizes, marks, strict=False):
        tried = [
            (x + across * (far + wide / 2), y + down * (far + high / 2))
            for far in (MARK + 1, 19, 32, 46)
            for across, down in SIDES
        ]
        places = [(cx - wide / 2, cy - high / 2, cx + wide / 2, cy + high / 2) for cx, cy in tried]
        box = next((box for box in places if within(box, room) and not any(meet(box, other) for other in taken)), None)
        boxes.append(box)
        taken += [box] if box else []
    return boxes


def within(box: PlaceOfName, room: tuple[float, float]) -> bool:
    return box[0] >= 0 and box[1] >= 0 and box[2] <= room[0] and box[3] <= room[1]


def meet(box: PlaceOfName, other: PlaceOfName) -> bool:
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]
