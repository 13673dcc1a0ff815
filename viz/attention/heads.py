"""Every head of a model as heat map and as lines, tied together: the view, and the same with a translator behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from studies import changes
from studies.attention import (
    FACTS,
    allowed_keys,
    arithmetic,
    as_tensor,
    core_lines,
    facts_of,
    head_facts,
    uniform_facts,
    with_effects,
)
from studies.reading import KINDS, Reading, read
from studies.text import ENDS, word_groups
from viz import stills, theme
from viz.attention.maps import (
    TITLES,
    as_grouped,
    checked_off,
    ends_of,
    maps_of,
    panel,
    pinned_lines,
    said_of_colours,
    said_of_rows,
    shades,
    shape_of,
    shown_heads,
    shown_map,
    title_of,
    with_tokens,
)
from viz.canvas import Canvas, OneOf, Takes, floats, packed, script, trait
from viz.controls import Explorer

# ─── The view ─────────────────────────────────────────────────────────────────────────────────────────────────────────


KIND, TOKEN = Takes.one_in("kinds.name"), Takes.whole(0, 511)  # in an address
LAYER, HEAD = Takes.below("kinds.n_layers"), Takes.below("kinds.n_heads")
WORD = Takes.below("words")
CHANGE = Takes.any_of(
    Takes.row(Takes.one_of("replace"), WORD, Takes.text(100, least=1)),
    Takes.row(Takes.one_of("delete", "mask"), WORD),
    Takes.row(Takes.one_of("swap"), WORD, WORD),
)
WEIGHTS = Takes.list_of({"is": "float", "min": 0, "max": 1}, 1, 512)
ROW = Takes.row(KIND, LAYER, Takes.below("kinds.n_heads", -1), TOKEN, WEIGHTS)


class AttentionView(Canvas):
    """Attention weights of every head, drawn on canvases; layer, heads, kind, pin and threshold can be read and set.

    data holds, for each of meta["kinds"] one after another, the bytes of `packed(weights)`, weights (L, H, T, S):
    rows are queries, columns keys. At 6 layers of 8 heads and 64 tokens the three kinds take 589,824 bytes.
    """

    def shape(self, name: str | None = None) -> dict:
        """The entry of meta["kinds"] that a name (by default the kind shown) stands for."""
        kinds = {kind["name"]: kind for kind in self.meta["kinds"]}
        if (name or self.kind) not in kinds:
            raise ValueError(f"There is no kind {name or self.kind!r} here; choose from {', '.join(map(repr, kinds))}.")
        return kinds[name or self.kind]

    def _known_kind(self, _: str, kind: str) -> str:
        self.shape(kind)
        return kind

    def _known_layer(self, _: str, layer: int) -> int:
        n_layers = max(kind["n_layers"] for kind in self.meta["kinds"])
        if not 0 <= layer < n_layers:
            raise ValueError(f"There is no layer {layer}; the layers here are 0 to {n_layers - 1}.")
        return layer

    def _known_heads(self, _: str, asked: list[int]) -> list[int]:
        heads, n_heads = sorted(set(asked)), max(kind["n_heads"] for kind in self.meta["kinds"])
        if not heads or heads[0] < 0 or heads[-1] >= n_heads:
            raise ValueError(f"heads is {asked}; show one or more of the heads 0 to {n_heads - 1}.")
        return heads

    def _known_off(self, _: str, off: list) -> list:
        return checked_off(off, {kind["name"]: (kind["n_layers"], kind["n_heads"]) for kind in self.meta["kinds"]})

    def _known_pin(self, _: str, pins: list) -> list:
        for side, place in pins:
            if side not in ("query", "key") or place < 0:
                raise ValueError(f'pin holds {[side, place]}; write ["query", place] or ["key", place].')
        return [list(pin) for pin in pins]

    def _known_words(self, _: str, asked: list) -> list:
        standing = self.meta.get("words")
        if asked and not standing:
            raise ValueError("No words can be changed here: no model answers for these weights.")
        if asked:
            changes.in_place(changes.as_typed(standing), asked)
        return [list(change) for change in asked]

    def _known_held(self, _: str, asked: list) -> list:
        if asked and not self.meta.get("model"):
            raise ValueError("No rows can be held here: no model answers for these weights.")
        rows = [changes.checked_row(row) for row in asked]
        self._known_off("off", [[kind, layer, max(head, 0)] for kind, layer, head, *_ in rows])
        return rows

    _esm = script(__file__)
    data = trait(b"")
    kind = trait("attention", "which attention the lines and thumbnails show", check=_known_kind, takes=KIND)
    layer = trait(0, "from 0", check=_known_layer, takes=LAYER)
    heads = trait([0], "the heads shown, from 0", of=trait(0), check=_known_heads, takes=Takes.list_of(HEAD, least=1))
    pin = trait(
        [],
        'pinned tokens of the kind: ["query" or "key", place]',
        check=_known_pin,
        takes=Takes.list_of(Takes.row(Takes.one_of("query", "key"), TOKEN)),
    )
    threshold = trait(1.0, "share of a row's mass kept", min=0.0, max=1.0)
    over_heads = OneOf(["mean", "max"])
    over_layers = OneOf(["one", "mean", "max"])
    sqrt = trait(False, "colours by √weight")
    per_row = trait(False, "colours from 0 to each row's largest weight")
    colours_to = trait(1.0, "the weight from which a cell is as dark as can be", min=0.05, max=1.0)
    hide_special = trait(False)
    renormalise = trait(False, "where special tokens are hidden: the rest of each row divided by its sum")
    merge_words = trait(False)
    cell = trait(
        [],
        "[kind, layer, head, query, key] whose arithmetic is open",
        takes=Takes.row(KIND, LAYER, HEAD, TOKEN, TOKEN, or_none=True),
    )
    compare = trait(
        [], "[[layer, head], [layer, head]] of the difference", takes=Takes.list_of(Takes.row(LAYER, HEAD), 2, 2)
    )
    off = trait(
        [],
        "[[kind, layer, head], …] taken out of the model",
        check=_known_off,
        takes=Takes.asking(Takes.list_of(Takes.row(KIND, LAYER, HEAD))),
    )
    words = trait(
        [],
        '["replace", place, "word"], ["delete", place], ["mask", place], ["swap", place, other], …',
        check=_known_words,
        takes=Takes.asking(Takes.list_of(CHANGE)),
    )
    held = trait(
        [],
        "[[kind, layer, head or −1 for all, query, [weights]], …]: rows that the model reads in place of its own",
        check=_known_held,
        takes=Takes.asking(Takes.list_of(ROW, most=100)),
    )
    ablation = trait({}, "what the model says without the heads in off, of the words as changed, with rows held")
    facts = trait({}, "rows of computed facts, one for each head")
    panel = OneOf(["heads", "cell", "row", "off", "facts", "difference", "text"])
    predict = trait(False, "a row is hidden until the reader has said where it looks")
    guesses = trait([], "[question, answer, right], …: what the reader predicted", takes={})


# ─── Arrays in ───────────────────────────────────────────────────────────────────────────────────────────────────────

MOST_GIVEN = 512  # tokens of a map: of more, a cell is less than a pixel


def attention_view(
    weights: Any,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
    *,
    title: str = "",
    shows: str = "given weights",
    causal: bool | None = None,
    **opens_with: Any,
) -> AttentionView:
    """Show the attention weights of your own model: rows are queries, columns are keys, each row sums to 1.

    weights: (T, S), (H, T, S) or (L, H, T, S), as tensor, array or nested lists. key_tokens: the queries' if not given.
    shows: what the corner says, such as "trained: my model", "untrained" or "synthetic".
    causal: whether later keys are masked; found from the zeros above the diagonal if not given.
    opens_with: traits of the view to begin with, such as layer=4, heads=[1, 3], pin=[["query", 2]], panel="difference".
    """
    stack, queries, keys = with_tokens(weights, query_tokens, key_tokens)
    if max(len(queries), len(keys)) > MOST_GIVEN:
        message = (
            f"There are {len(queries)} query and {len(keys)} key tokens, more than the {MOST_GIVEN} that are shown"
        )
        raise ValueError(f"{message}; pass a part of the weights, such as weights[..., :{MOST_GIVEN}, :{MOST_GIVEN}].")
    index = [[], ["head"], ["layer", "head"]][as_tensor(weights).dim() - 2]
    allowed = allowed_keys(stack, causal)
    kind = shape_of("attention", "Attention", stack, queries, keys, index=index, allowed=allowed)
    meta = {"live": True, "model": False, "shows": shows, "title": title, "translation": None, "kinds": [kind]}
    facts = [{"kind": "attention"} | row for row in head_facts(weights, queries, keys, causal=allowed is not None)]
    usual = dict(
        heads=list(range(stack.shape[1])),
        compare=default_pair(stack),
        panel="heads" if len(facts) > 1 else "cell",
    )
    table = facts_table(facts, {"attention": "Computed from this sentence."})
    view = AttentionView(data=packed(stack), meta=meta, kind="attention", facts=table, **usual | opens_with)
    view.maps = {"attention": stack}
    view.answers = {"maps": lambda ask: exact_maps(view, ask), "cell": lambda ask: exact_cell(view, ask)}
    view.picture = lambda: view_picture(view)
    return view


def default_pair(stack: Tensor) -> list[list[int]]:
    """Two heads to compare at first: the first and the last."""
    return [[0, 0], [stack.shape[0] - 1, stack.shape[1] - 1]]


def exact_maps(view: AttentionView, message: dict) -> tuple[dict, list[bytes]]:
    """The float32 maps of the heads that the script asks for."""
    stack = view.maps[message["kind"]]
    chosen = torch.stack([stack[layer, head] for layer, head in message["heads"]])
    return {"kind": message["kind"], "heads": message["heads"]}, [floats(chosen)]


def exact_cell(view: AttentionView, message: dict) -> tuple[dict, list[bytes]]:
    """One weight, as it was recorded."""
    name, *place = message["cell"]
    return {"weight": view.maps[name][tuple(place)].item()}, []


def facts_table(rows: list[dict[str, Any]], notes: dict[str, str]) -> dict[str, Any]:
    """Facts as the canvas takes them: columns with their meaning, a row for each head, a note for each kind."""
    shown = [  # all digits that a hover shows
        {name: float(f"{fact:.8g}") if isinstance(fact, float) else fact for name, fact in row.items()} for row in rows
    ]
    return {"columns": list(FACTS.items()), "rows": shown, "notes": notes}


# ─── The live object ─────────────────────────────────────────────────────────────────────────────────────────────────

MOST_TOKENS = 160  # beyond, a map has more cells than a screen has room for


def shape_in(reading: Reading, kind: str, hidden: Sequence[int] = ()) -> dict:
    """What the canvas must know of a kind of attention in a reading; hidden: source positions that nobody may read."""
    queries, keys = reading.tokens(kind)
    sides = {"encoder": ("source", "source"), "decoder": ("target", "target"), "cross": ("target", "source")}[kind]
    more: dict[str, Any] = {"address": KINDS[kind] + ".weights", "query_side": sides[0], "key_side": sides[1]}
    if kind == "cross":
        more["predicts"] = reading.predicted_pieces
        more["query_words"] = word_groups(more["predicts"])  # a row belongs to the word that it predicts
        more["special_queries"] = [token in ENDS for token in more["predicts"]]
    if kind != "decoder" and hidden:
        more["masked"] = list(hidden)
    allowed = reading.allowed(kind)
    more["allowed"] = None if all(span == [0, len(keys)] for span in allowed) else allowed
    return shape_of(kind, TITLES[kind], reading.stack(kind), queries, keys, **more)


def facts_in(reading: Reading, hidden: Sequence[int] = ()) -> dict[str, Any]:
    """The facts of every head in a reading; where no word is hidden, also of one that looks everywhere alike."""
    notes = {}
    for kind in KINDS:
        entropy, distance = map(theme.three_digits, uniform_facts(reading.allowed(kind)))
        far = f", distance {distance}" if kind != "cross" else ""
        of_whole = kind == "decoder" or not hidden
        notes[kind] = f"Looking everywhere alike would give entropy {entropy}{far}." if of_whole else ""
    return facts_table([row for kind in KINDS for row in facts_of(reading, kind)], notes)


class AttentionExplorer(Explorer):
    """A sentence box above the attention of a model; `.reading` is what the model did, `.view` what is shown."""

    examples = (
        ("The animal did not cross the street because it was too tired.", "it is the animal"),
        ("The animal did not cross the street because it was too wide.", "one word on, it is the street"),
        ("She does not know when he will come.", "German puts the verb last"),
        ("The man sees the dog, and the dog sees the man.", "each word twice, in two cases"),
        ("He has been waiting for an hour.", "three English verbs, one German"),
        ("Tom bought the bread that Mary had baked.", "a clause inside a clause"),
    )

    def read(self, text: str) -> Reading:
        return read(self.translator, text, most=MOST_TOKENS)

    def first_view(self, **opens_with: Any) -> AttentionView:
        """Cross-attention, at the head that is most along the diagonal."""
        self.typed(self.reading, 0)
        best = max(facts_of(self.reading, "cross"), key=lambda row: row["alignment"])
        layer, head = best["layer"], best["head"]
        pair = [[layer, head], [layer, (head + 1) % self.translator.model.config.n_heads]]
        view = AttentionView(kind="cross", layer=layer, heads=[head], compare=pair, **self.contents())
        view.answers = {"maps": lambda ask: exact_maps(view, ask), "cell": self.cell, "effects": self.effects}
        view.maps = {kind: self.reading.stack(kind) for kind in KINDS}
        view.picture = lambda: view_picture(view)
        view.observe(lambda _: self.ablate(), "off")
        view.observe(lambda _: self.rewrite(), "words")
        view.observe(lambda _: self.hold(), "held")
        return view

    def typed(self, reading: Reading, version: int) -> None:
        """Take a sentence as the first: what is changed in it can be taken back up to its version of the view."""
        self.first, self.since, self.changed, self.held = reading, version, list[list](), list[list]()
        self.words, self.hidden = changes.in_place(changes.words_in(reading.text), []), list[int]()

    def contents(self) -> dict[str, Any]:
        reading = self.reading
        meta = {
            "live": True, "model": True, "kinds": [shape_in(reading, kind, self.hidden) for kind in KINDS],
            "shows": reading.shows, "title": reading.text, "translation": reading.translation,
            "words": self.words, "first": [self.first.text, self.first.translation], "since": self.since,
        }  # fmt: skip
        return {
            "data": b"".join(packed(reading.stack(kind)) for kind in KINDS),
            "meta": meta,
            "facts": facts_in(reading, self.hidden),
        }

    def afresh(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"pin": [], "cell": [], "ablation": {}, "words": self.changed, "held": self.held}

    def take(self, reading: Reading) -> None:
        self.typed(reading, self.view.meta["version"] + 1)
        self.show(reading)

    def show(self, reading: Reading) -> None:
        """Show another reading, of a sentence typed or of one whose words were changed."""
        super().take(reading)
        self.view.maps = {kind: self.reading.stack(kind) for kind in KINDS}
        self.ablate()

    def rewrite(self) -> None:
        """Read the sentence with its words changed; what cannot be shown leaves all as it was, as the line says."""
        asked = self.view.words
        if asked == self.changed:
            return
        words = changes.in_place(changes.words_in(self.first.text), asked)
        text, hidden = changes.sentence_of(words), changes.masked_pieces(self.translator.tokenizer, words)
        try:
            with changes.unread(self.translator.model, hidden):
                reading = self.read(text) if asked else self.first
        except ValueError as error:
            self.view.words = self.changed
            return self.say(str(error))
        self.words, self.hidden, self.changed, self.held = words, hidden, asked, self.view.held
        self.last_text = self.text = reading.text  # the box follows; it asks nothing
        self.show(reading)
        self.answer()

    def called(self, call: dict[str, str]) -> dict[str, str]:
        """The call of the sentence that was typed: what was changed in it is a trait of the view."""
        return super().called(call) if self.since > self.view.meta["version"] else call

    def told(self) -> str:
        n_source, n_target = self.reading.src.shape[1], len(self.reading.ids)
        log_prob = theme.three_digits(self.reading.log_prob.sum().item())
        return f"{n_source} source and {n_target} target tokens, log-probability {log_prob.replace('-', '−')}"

    def known_in_page(self) -> dict[str, Any]:
        """The translation, how long a sentence may be, and the lines of the core that make a weight."""
        source, where = core_lines()
        first = {"text": self.first.text, "ids": self.first.ids}
        return {"ids": self.reading.ids, "first": first, "most": MOST_TOKENS, "source": source, "where": where}

    def hold(self) -> None:
        """Let the model translate again with other rows held."""
        if self.view.held != self.held:
            self.held = self.view.held
            self.ablate()

    def ablate(self) -> None:
        """Let the model translate again without the heads that are off, with the words as changed and the rows held."""
        off, words, held = self.view.off, self.changed, self.held
        told = changes.retold(self.first, self.reading, off, self.hidden, held) if off or words or held else {}
        self.view.ablation = told and told | {"off": off, "rewritten": words, "held": held}

    def cell(self, message: dict) -> tuple[dict, list[bytes]]:
        """The arithmetic of a cell, with the lines of the core that do it."""
        source, where = core_lines()
        return arithmetic(self.reading, *message["cell"]) | {"source": source, "where": where}, []

    def effects(self, _: dict) -> tuple[dict, list[bytes]]:
        """Measure what each head by itself does for this translation, and add it to the facts."""
        with changes.unread(self.translator.model, self.hidden):
            rows = with_effects(self.reading, self.view.facts["rows"])
        self.view.facts = self.view.facts | {"rows": rows}
        return {}, []


def explore_attention(translator: tc.Translator, text: str) -> AttentionExplorer:
    """Type a sentence: the model translates it, and every attention head of every layer answers to mouse and keyboard.

    Returns a live object: `.view` with the traits layer, heads, kind, pin, threshold (read and set them), `.text`, and
    `.reading` with the translation and the trace.
    """
    return AttentionExplorer(translator, text)


# ─── The still picture ───────────────────────────────────────────────────────────────────────────────────────────────


def view_picture(view: AttentionView, dark: bool = False) -> stills.Svg:
    """Draw what a view shows now as a still picture: its maps, the lines of what is pinned, or two heads compared."""
    kind = view.shape()
    if view.panel == "difference":
        every = maps_of(view, kind)
        maps = [(kind, every[layer, head], f"layer {layer}, head {head}{said_of_rows(view, kind, [layer], [head])}")
                for layer, head in view.compare]  # fmt: skip
    else:
        maps = [(kind, shown_map(view, kind), shown_heads(view, kind)) for kind in view.meta["kinds"]]
    panels = []
    for shown, weights, heads in maps:
        merged, grouped = as_grouped(view, shown, weights)
        subtitle = heads + said_of_colours(view)
        panels.append(panel(merged, grouped, subtitle, shades(view, grouped), ends_of(view)))
    if view.pin and view.panel != "difference":
        panels.append(pinned_lines(view, kind))
    title = title_of(view)
    return stills.page([panels], view.meta["shows"], f"Attention weights. {title}", title=title, dark=dark, wide=1050)
