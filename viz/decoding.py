"""Decoding under the reader's hands: the tree that beam search grows, two ways of decoding, sampling, and the cache.

What is shown is the core's own search: `Recorded` is `tc.BeamSearch`, noting every candidate of every step. The beam
does not depend on the length penalty's α, only the ranking and the end do: one recording answers for every smaller α.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from studies import decoding as study
from studies.decoding import (
    BELOW,
    FINISHED,
    LIVE,
    MOST_ALPHA,
    NO_SLOT,
    BeamReading,
    Candidate,
    Place,
    Tree,
)
from studies.reading import check_length
from viz import theme
from viz.canvas import Canvas, OneOf, PlaceIn, floats, script, trait
from viz.controls import Explorer

# ─── The views ────────────────────────────────────────────────────────────────────────────────────────────────────────


class BeamView(Canvas):
    """A beam search as a tree, for every width, by the core's own search; width, alpha, step, node, layer can be set.

    trees: of each width (1, 2, …), the candidates of each step; data: float32 cross-attention (places, L, S), each row
    the mean over the heads. What the page shows at another α it works out itself.
    """

    def _there(self, name: str, value: Any) -> Any:
        ends = {"width": len(self.trees), "layer": self.meta["n_layers"] - 1, "alpha": self.meta["most_alpha"]}
        if not value <= ends[name]:  # nor is nan
            raise ValueError(f"{name} is {value}; here it goes up to {ends[name]}.")
        return value

    _esm = script("decoding.js")
    data = trait(b"")
    trees = trait([], "one for each width")
    width = trait(4, "hypotheses side by side", min=1, check=_there)
    alpha = trait(0.6, "strength of the length penalty", min=0.0, check=_there)
    step = trait(0, "how many steps are shown; 0: all", min=0)
    node = trait([], "[step from 1, rank from 0] of the node that is open")
    layer = trait(0, "whose cross-attention is shown, from 0", min=0, check=_there)
    show = OneOf(["all", "beam", "finished"], help="how much of the tree")


class SamplingView(Canvas):
    """The next token under temperature, top-k and top-p; data: float32 logits (places, V), each row largest first."""

    _esm = script("sampling.js")
    SHOWN = 28  # tokens with a bar and a name
    data = trait(b"")
    place = PlaceIn("places", "which distribution")
    temperature = trait(1.0, min=0.1, max=3.0)
    top_k = trait(0, "0: all", min=0)
    top_p = trait(1.0, min=0.01, max=1.0)


MOST_WIDTH, MOST_TOKENS, MORE = 8, 40, 3


# ─── The search, noted down ──────────────────────────────────────────────────────────────────────────────────────────


class Overheard:
    """A model that remembers the logits it gave last."""

    def __init__(self, model: tc.Transformer) -> None:
        self.model, self.logits = model, torch.empty(0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def decode(self, *args: Any) -> Tensor:
        """As the model's."""
        self.logits = self.model.decode(*args)
        return self.logits


class Recorded(tc.BeamSearch):
    """The core's beam search over one sentence; after each step, `candidates` holds what it considered, best first."""

    def __init__(self, model: tc.Transformer, src: Tensor, beam_size: int, alpha: float, max_extra: int = 50) -> None:
        self.overheard = Overheard(model)
        super().__init__(self.overheard, src, beam_size, alpha, max_extra)  # type: ignore[arg-type]
        self.candidates: list[Candidate] = []

    def step(self) -> None:
        """The core's step; then what else stood near: MORE candidates below the beam."""
        before = self.log_prob
        super().step()
        self.before = before  # (1, W) of those that were prolonged
        log_probs = self.log_probs() + before.reshape(-1, 1)  # (W, V)
        n_tokens = log_probs.size(-1)
        best, index = log_probs.flatten().topk(min(self.width + MORE, log_probs.numel()))
        near = zip(best.tolist(), index.tolist(), strict=True)
        more = [Candidate(i // n_tokens, i % n_tokens, log_prob, BELOW) for log_prob, i in near]
        kept = [(one.parent, one.token) for one in self.kept]
        rest = [one for one in more if (one.parent, one.token) not in kept and one.log_prob > -math.inf]
        whole = [one._replace(log_prob=log_probs[one.parent, one.token].item()) for one in self.kept]
        self.candidates = [one for one in whole if one.log_prob > -math.inf] + rest[:MORE]

    def log_probs(self) -> Tensor:
        """Of every token after each hypothesis of the beam, as the core takes them: (W, V)."""
        log_probs = self.overheard.logits[:, -1].float().log_softmax(-1)
        log_probs[:, [tc.PAD, tc.BOS]] = -math.inf
        return log_probs

    def finish(self, ended: Tensor) -> None:
        """Note what was kept, and what ended."""
        self.ended, self.in_use = ended[0].tolist(), self.log_prob[0].isfinite().tolist()
        super().finish(ended)

    def leave(self) -> None:
        """Note after which hypothesis each token comes."""
        tokens = self.tokens[0, :, -1].tolist()
        fates = [
            FINISHED if ended else LIVE if used else NO_SLOT
            for ended, used in zip(self.ended, self.in_use, strict=True)
        ]
        noted = zip(self.parent[0].tolist(), tokens, fates, strict=True)
        self.kept = [Candidate(parent, token, 0.0, fate) for parent, token, fate in noted]
        super().leave()


# ─── A sentence, searched with every width ───────────────────────────────────────────────────────────────────────────


def grow(
    model: tc.Transformer, src: Tensor, width: int, known: dict[tuple[int, ...], int], places: list[Place],
    max_extra: int = 50,
) -> Tree:  # fmt: skip
    """Let the core search with this width, at the largest α, and note it; known and places gain new beginnings."""
    steps, found = [], []
    with tc.evaluating(model), tc.record(model, "decoder.*.cross_attention.[qk]") as trace:
        search = Recorded(model, src, width, MOST_ALPHA, max_extra)
        limit = int(search.limits[0])
        while len(search.sentences):
            begun = [tuple(ids[1:]) for ids in search.tokens[0].tolist()]
            search.step()
            steps.append(search.candidates)
            found.append([-1] * width)
            for rank in search.before[0].isfinite().nonzero().flatten().tolist():
                if begun[rank] not in known:
                    known[begun[rank]] = len(places)
                    places.append(study.place(search.log_probs()[rank], trace, rank))
                found[-1][rank] = known[begun[rank]]
    return Tree(width, limit, steps, found)


def read(translator: tc.Translator, text: str, widths: Sequence[int] = range(1, MOST_WIDTH + 1)) -> BeamReading:
    """Search a sentence with every width."""
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"text is {text!r}; type a sentence of at least one word.")
    src = translator.source([text])
    check_length(src.size(1), MOST_TOKENS)
    known: dict[tuple[int, ...], int] = {}
    places: list[Place] = []
    trees = {width: grow(translator.model, src, width, known, places) for width in widths}
    return BeamReading(text, src, trees, places)


# ─── The view ────────────────────────────────────────────────────────────────────────────────────────────────────────


def tree_json(tree: Tree) -> dict[str, Any]:
    """A tree as the script takes it: of each step, columns of its candidates."""
    steps = [
        {name: list(column) for name, column in zip(Candidate._fields, zip(*step, strict=True), strict=True)}
        | {"places": places}
        for step, places in zip(tree.steps, tree.places, strict=True)
    ]
    return {"width": tree.width, "limit": tree.limit, "steps": steps}


def contents(reading: BeamReading, translator: tc.Translator, version: int = 0) -> dict[str, Any]:
    """The traits of a BeamView that shows what the translator made of a sentence."""
    used = {one.token for tree in reading.trees.values() for step in tree.steps for one in step}
    ids = sorted(used | {token for one in reading.places for token in one.tokens})
    words = dict(zip(map(str, ids), translator.tgt_tokenizer.pieces(ids), strict=True))
    meta = {
        "version": version, "live": True, "title": reading.text, "shows": f"trained: {translator.name}",
        "source": translator.tokenizer.pieces(reading.src[0].tolist()), "words": words, "most_alpha": MOST_ALPHA,
        "n_layers": len(reading.places[0].attention),
        "likeliest": [[one.tokens, [float(f"{p:.6g}") for p in one.probabilities]] for one in reading.places],
    }  # fmt: skip
    data = floats(torch.stack([one.attention for one in reading.places]))
    return {"meta": meta, "data": data, "trees": [tree_json(tree) for tree in reading.trees.values()]}


class BeamExplorer(Explorer):
    """A sentence box above the tree of its beam search; `.reading` has the trees, `.view` what is shown."""

    def read(self, text: str) -> BeamReading:
        return read(self.translator, text)

    def first_view(self, **opens_with: Any) -> BeamView:
        layer = dict(layer=self.translator.model.config.n_layers // 2)
        view = BeamView(**self.contents(), **layer | opens_with)
        view.picture = self.still
        return view

    def contents(self) -> dict[str, Any]:
        return contents(self.reading, self.translator, self.version)

    def still(self) -> theme.Svg:
        """The picture of what the view shows, with greedy's path."""
        view, greedy = self.view, self.reading.trees[1].result(0).ids
        return tree_picture(self.reading.trees[view.width], view.meta, view.alpha, view.show == "all", greedy)

    def afresh(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"node": [], "step": 0}

    def told(self) -> str:
        n_source, limit = self.reading.src.size(1) - 1, next(iter(self.reading.trees.values())).limit
        return f"{n_source} source tokens: at most {limit} in the translation; searched with beams of 1 to {MOST_WIDTH}"


def explore_beam(translator: tc.Translator, text: str, **opens_with: Any) -> BeamExplorer:
    """Type a sentence: the tree of its beam search, for every width, with α, attention and softmax at every node.

    opens_with: traits to begin with, such as width=2, alpha=0.0, step=3.
    """
    return BeamExplorer(translator, text, **opens_with)


# ─── Greedy decoding ──────────────────────────────────────────────────────────────────────────────────────────────────


def greedy_anew(model: tc.Transformer, src: Tensor, max_extra: int = 50) -> list[int]:
    """Greedy decoding of src (1, S) without a cache: the whole prefix is run again for each token, under the mask."""
    ids = [tc.BOS]
    with tc.evaluating(model):
        memory, src_mask = model.encode(src), src != tc.PAD
        while ids[-1] != tc.EOS and len(ids) <= src.size(1) - 1 + max_extra:
            logits = model.decode(torch.tensor([ids]), memory, src_mask)[0, -1]  # (V,)
            logits[[tc.PAD, tc.BOS]] = -math.inf  # never produced
            ids.append(int(logits.argmax()))
    return ids[1:]


# ─── Sampling ────────────────────────────────────────────────────────────────────────────────────────────────────────


def sampling_view(
    logits: Any, tokens: Sequence[str], places: Sequence[str], *, shows: str = "given logits", title: str = "",
    **opens_with: Any,
) -> SamplingView:  # fmt: skip
    """Distributions under temperature, top-k and top-p: logits (P, V), the names of V tokens and of P places."""
    given = torch.as_tensor(logits, dtype=torch.float32)
    if given.dim() != 2 or given.shape != (len(places), len(tokens)) or not given.numel():
        raise ValueError(
            f"logits has shape {tuple(given.shape)}, and there are {len(places)} places and {len(tokens)} tokens; "
            f"pass one row of logits for each place, one column for each token."
        )
    ordered, order = given.sort(dim=-1, descending=True, stable=True)
    words = [[tokens[i] for i in row[: SamplingView.SHOWN]] for row in order.tolist()]
    meta = {
        "version": 0, "live": True, "title": title, "shows": shows, "places": list(places), "words": words,
        "n_tokens": len(tokens),
    }  # fmt: skip
    view = SamplingView(meta=meta, data=floats(ordered), **opens_with)
    view.picture = lambda: sampling_picture(ordered[view.place], view)
    return view


def explore_sampling(translator: tc.Translator, text: str, ids: Sequence[int], at: Sequence[int]) -> SamplingView:
    """The distributions at some places (from 0) of a translation `ids`: what may come after its first tokens."""
    if not at or not all(place in range(len(ids)) for place in at):
        raise ValueError(f"at is {[*at]}; give one place or more of the {len(ids)} tokens, from 0 to {len(ids) - 1}.")
    src, tokenizer = translator.source([text]), translator.tgt_tokenizer
    logits = torch.stack([study.next_logits(translator.model, src, ids[:place]) for place in at])
    places = [f"after “{tokenizer.decode(ids[:place])}”" if place else "the first word" for place in at]
    names = tokenizer.pieces(range(len(tokenizer)))
    return sampling_view(logits, names, places, title=text, shows=f"trained: {translator.name}")


# ─── The cache ───────────────────────────────────────────────────────────────────────────────────────────────────────


def operations_chart(with_cache: Sequence[float], without: Sequence[float], shows: str) -> theme.Chart:
    """Multiply-adds for each token, and all so far, with a cache and without."""
    if len(with_cache) != len(without) or not len(without):
        given = f"There are {len(with_cache)} numbers with and {len(without)} without a cache"
        raise ValueError(f"{given}; pass one of each for every token.")
    tokens, named = [*range(1, len(without) + 1)], {"without a cache": without, "with a cache": with_cache}
    colours = dict(zip(named, theme.CHART_COLOURS[1::-1], strict=True))
    sums: dict[str, Sequence[float]] = {name: [*itertools.accumulate(counts)] for name, counts in named.items()}
    panels = []
    for title, some in (("for this token", named), ("all so far", sums)):
        curves = [theme.Curve(name, tokens, [n / 1e6 for n in ns], colour=colours[name]) for name, ns in some.items()]
        panels.append(theme.Panel(curves, title, "token", "million multiply-adds"))
    return theme.chart(panels, shows)


def places_chart(log_probs: Sequence[float], places: dict[int, int], shows: str) -> theme.Chart:
    """Every sentence there is, by its place (from 1, likeliest first), and what beams of some widths found."""
    if not log_probs or not all(1 <= place <= len(log_probs) for place in places.values()):
        given = f"There are {len(log_probs)} sentences and the places {sorted(places.values())}"
        raise ValueError(f"{given}; give at least one sentence, and places from 1 to their number.")
    log_probs = [round(log_prob, 6) for log_prob in log_probs]
    grey = theme.Curve("every sentence", [*range(1, len(log_probs) + 1)], log_probs, kind="dots", colour=theme.GREY)
    found = [
        theme.Curve(f"a beam of {width} finds place {place}", [place], [log_probs[place - 1]], kind="dots")
        for width, place in places.items()
    ]
    return theme.chart(theme.Panel([grey, *found], "", "place, likeliest first", "log P"), shows)


# ─── Still pictures ──────────────────────────────────────────────────────────────────────────────────────────────────


def words_of(pieces: Sequence[str]) -> str:
    """Pieces joined into text, without the end token."""
    return "".join(piece for piece in pieces if piece != "</s>").replace("▁", " ").strip()


TREE_TOP, WIDE, TALL = 74.0, 98.0, 40.0  # of the tree: where it begins, a column, a row


def tree_picture(
    tree: Tree, meta: dict[str, Any], alpha: float, pruned: bool = True, greedy: Sequence[int] = (), dark: bool = False
) -> theme.Svg:
    """The search step by step: rows are ranks; the chosen hypothesis is bold, finished ones are filled.

    pruned: also what was pruned, below a dotted line; greedy: ids whose path is dashed.
    """
    look = theme.DARK if dark else theme.LIGHT
    look = look | {"greedy": theme.OKABE_ITO[3]}  # the page's colour of it
    n_steps, chosen = tree.n_steps(alpha), tree.result(alpha).ids
    title = f"{meta['title']} · beam width {tree.width}, α = {alpha:g}"
    hint = "row: rank in its step; number: log-probability so far; bold: the chosen one; dashes: greedy"
    hint += "; below the dots: pruned" if pruned else ""
    drawn = [text(title, 16, 24, look["ink"], font_size=15), text(hint, 16, 43, look["quiet"], font_size=11)]
    drawn += [
        text(f"step {n}", WIDE * n - 54, TREE_TOP - 10, look["quiet"], font_size=11) for n in range(1, n_steps + 1)
    ]
    for n, step in enumerate(tree.steps[:n_steps], 1):
        for rank, one in reversed([*enumerate(step)]):  # the best on top
            if pruned or one.fate <= FINISHED:
                bold, dashed = (tree.ids(n, rank) == [*ids[:n]] for ids in (chosen, greedy))
                drawn.append(node(one, n, rank, meta["words"][str(one.token)], bold, dashed, look))
    n_rows = max(map(len, tree.steps[:n_steps])) if pruned else tree.width
    drawn += [stair(tree, n_steps, look)] if pruned else []
    ranking, y = tree.finished(alpha, n_steps)[:4], TREE_TOP + TALL * n_rows + 12
    for place, end in enumerate(ranking, 1):
        said = words_of([meta["words"][str(i)] for i in tree.ids(end.step, end.rank)])
        score, log_prob = (theme.three_digits(number) for number in (end.score, end.log_prob))
        line = f"{place}. {said}   (score {score}, log P {log_prob}, {end.step} tokens)".replace("-", "−")
        drawn.append(text(line, 16, y + 20 * place, look["ink"], font_weight=600 if place == 1 else 400))
    width, height = max(640.0, WIDE * n_steps + 60), y + 20 * len(ranking) + 34
    return theme.page(drawn, width, height, meta["shows"], f"Beam search. {title}", look, font_size=12)


def stair(tree: Tree, n_steps: int, look: dict) -> str:
    """The dotted line at which the beam ends: a rank higher after each finished hypothesis, which keeps its slot."""
    ended = itertools.accumulate((sum(one.fate == FINISHED for one in step) for step in tree.steps), initial=0)
    heights = [TREE_TOP + TALL * (tree.width - n) - 5 for n in itertools.islice(ended, n_steps)]
    points = " ".join(f"{WIDE * n - 64 + x:.0f},{y:.0f}" for n, y in enumerate(heights, 1) for x in (0, WIDE))
    return theme.element("polyline", points=points, fill="none", stroke=look["wrong"], stroke_dasharray="2 3")


def node(one: Candidate, step: int, rank: int, word: str, bold: bool, dashed: bool, look: dict) -> str:
    """A box with its token and log-probability, and the line that leads to it; a dashed one too on greedy's path."""
    x, (y, parent_y) = WIDE * step - 58, (TREE_TOP + row * TALL + 15 for row in (rank, one.parent))
    stroke = dict(stroke=look["ink"] if bold else look["quiet"], stroke_width=3 if bold else 1)
    ended = one.fate == FINISHED
    fill, ink = (look["ink"], look["page"]) if ended else (look["page"], look["ink"])
    path = dict(x1=x - 12, x2=x, stroke=look["greedy"], stroke_width=2.5, stroke_dasharray="6 3")
    box = dict(stroke_dasharray="3 3") if one.fate > FINISHED else {}
    line = stroke | (dict(stroke=look["line"]) if one.fate > FINISHED else {})
    return theme.element(
        "g",
        theme.element("line", x1=x - 12, y1=parent_y, x2=x, y2=y, **line) if step > 1 else "",
        theme.element("line", y1=parent_y + 5, y2=y + 5, **path) if dashed and step > 1 else "",
        theme.element("rect", x=x, y=y - 15, width=WIDE - 12, height=30.0, rx=5, fill=fill, **stroke, **box),
        text(word[:11], x + 5, y - 2, ink, font_family=theme.MONO),
        text(theme.three_digits(one.log_prob).replace("-", "−"), x + 5, y + 11, ink, font_size=10),
    )


def two_ways_picture(
    reference: Sequence[str], taught: Sequence[str], free: Sequence[str], shows: str = "", dark: bool = False
) -> theme.Svg:
    """Three rows of tokens, place by place: the reference, the guess after the reference's words, after its own."""
    if not reference or len(taught) != len(reference):
        given = f"There are {len(reference)} reference tokens and {len(taught)} guesses"
        raise ValueError(f"{given}; teacher forcing makes one guess for each token of the reference.")
    look = theme.DARK if dark else theme.LIGHT
    parts = study.divergence(reference, free)
    columns = itertools.zip_longest(reference, taught, free, fillvalue="")
    widths = [max(42.0, 10.6 * theme.longest(column) + 20) for column in columns]
    starts = [130 + total for total in itertools.accumulate([0.0, *widths])]
    drawn = [text("place", 16, 32, look["quiet"], font_size=13)]
    drawn += [text(str(i), x + 8, 32, look["quiet"], font_size=13) for i, x in enumerate(starts[:-1], 1)]
    for row, (name, tokens) in enumerate({"reference": reference, "taught": taught, "alone": free}.items()):
        y = 66 + 44 * row
        drawn.append(text(name, 16, y, look["ink"], font_weight=600, font_size=16))
        for i, token in enumerate(tokens):
            same = i < len(reference) and token == reference[i]
            colour = look["ink"] if row == 0 else look["query"] if same else look["wrong"]
            box = dict(x=starts[i], y=y - 23, width=widths[i] - 7, height=34, rx=6, fill="none", stroke=colour)
            drawn.append(theme.element("rect", stroke_width=1 if same else 3, **box))
            drawn.append(text(token, starts[i] + 7, y, colour, font_family=theme.MONO, font_size=16))
    if parts is not None:
        line = dict(x1=starts[parts] - 3.5, y1=38, x2=starts[parts] - 3.5, y2=184, stroke=look["wrong"], stroke_width=2)
        drawn.append(theme.element("line", stroke_dasharray="5 4", **line))
        drawn.append(text(f"first divergence: place {parts + 1}", starts[parts] + 3, 186, look["wrong"], font_size=15))
    about = "Teacher forcing beside free running. Red, with a thick frame: not the reference's token."
    return theme.page(drawn, max(starts[-1] + 16, 460), 212, shows, about, look, font_size=12)


def text(words: str, x: float, y: float, colour: str, **look: Any) -> str:
    """A line of text as SVG; tokens are made safe."""
    written = theme.label if look.get("font_family") == theme.MONO else theme.escaped  # a token, or a sentence
    return theme.element("text", written(words), x=x, y=y, fill=colour, **look)


def sampling_picture(logits: Tensor, view: SamplingView, dark: bool = False) -> theme.Svg:
    """The likeliest tokens as bars, those that are kept filled; logits (V,), largest first."""
    look, words = theme.DARK if dark else theme.LIGHT, view.meta["words"][view.place]
    kept, free = study.cut(logits, view.temperature, view.top_k, view.top_p), study.cut(logits, view.temperature)
    n_kept, drawn = int(kept.count_nonzero()), []
    for i, (word, p) in enumerate(zip(words, free[: len(words)].tolist(), strict=True)):
        x, height = 20 + 25.0 * i, max(200 * p, 0.5)
        fill = dict(fill=look["query"]) if i < n_kept else dict(fill="none", stroke=look["quiet"])
        drawn.append(theme.element("rect", x=x, y=250 - height, width=18.0, height=height, **fill))
        turned = dict(transform=f"rotate(60 {x + 6:.1f} 260)", font_family=theme.MONO, font_size=11)
        drawn.append(text(word, x + 6, 260, look["ink"], **turned))
    said = f"{n_kept} of {len(logits)} tokens kept, {free[:n_kept].sum():.1%} of the mass"
    settings = f"T = {view.temperature:g}, top-k = {view.top_k or 'all'}, top-p = {view.top_p:g}: {said}"
    title = f"{view.meta['title']} · {view.meta['places'][view.place]}"
    drawn += [text(title, 16, 22, look["ink"], font_size=14), text(settings, 16, 41, look["quiet"])]
    return theme.page(
        drawn, 40 + 25.0 * len(words), 348, view.meta["shows"], f"{title}. {settings}", look, font_size=12
    )
