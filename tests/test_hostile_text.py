"""Whatever a token holds is shown as text: in every figure, every view and every page, and in a real browser.

BUILDERS names every function of viz that returns a figure or a view, with a call that feeds it the tokens of HOSTILE,
or with why no stranger's text reaches it. The list is held against the modules: a new builder without an entry fails.
"""

import importlib
import inspect
import json
import pkgutil
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from lab import Reader, wait_until

import baselines
import transformer_core as tc
import viz
from core_options.context_aware import ContextConfig, ContextTransformer
from corpora import treebank
from studies import stored
from studies.context import Vectors
from studies.parsing import Pair
from studies.recurrence import Steps
from studies.results import Row
from studies.scaled_dot_product import toy
from studies.training import Moment
from viz import (  # fmt: skip
    attention,
    bleu,
    canvas,
    charts,
    context,
    controls,
    decoding,
    evidence,
    masks,
    model,
    pages,
    parsing,
    positions,
    recurrence,
    results,
    stills,
    text,
    theme,
    training,
)
from viz import scaled_dot_product as sdp

HOSTILE = [
    "<img src=x onerror=window.__pwned=1>", "</script><script>window.__pwned=2</script>", "</style><b>bold</b>",
    "javascript:window.__pwned=3", '<a href="javascript:window.__pwned=4">a</a>', "<br><sub>1</sub>", "$\\alpha$",
    "abc\u202edef", "\u2067ghi", "\u2069\u202c", "שלום", "a\u200bb\u200d\ufeff", "\ud800x",
    "\x00\x07\x1b[31m", "Z" + "\u0301" * 60,
    "datum.x + window.__pwned", "]]>&amp;\"'`", "x" * 10_000,
]  # fmt: skip
N = len(HOSTILE)
LONG = HOSTILE[-1]
KINDS = (stills.Svg, charts.Chart, charts.LinkedChart, canvas.Canvas, controls.Explorer)


def numbers(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def weights(*shape: int) -> torch.Tensor:
    return numbers(*shape).softmax(-1)


SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]


class Nasty(tc.Tokenizer):
    """A tokenizer whose pieces are the tokens of HOSTILE."""

    def __init__(self) -> None:
        self.processor = SimpleNamespace(piece_to_id=lambda piece: 4)
        self.model = b""

    def __len__(self) -> int:
        return 4 + N

    def encode(self, text: str) -> list[int]:
        return list(range(4, 4 + N))

    def pieces(self, ids: Any) -> list[str]:
        return [SPECIAL[i] if i < 4 else HOSTILE[i - 4] for i in map(int, ids)]

    def decode(self, ids: Any) -> str:
        return " ".join(piece for piece in self.pieces(ids) if piece != "</s>")


def translator(**options: Any) -> tc.Translator:
    shape = dict(n_layers=2, d_model=16, d_ff=8, n_heads=2, d_k=4, d_v=4, max_len=100) | options
    with tc.seeded(torch.device("cpu"), 10):  # it soon says </s>
        return tc.Translator(ContextTransformer(ContextConfig(4 + N, **shape)), Nasty(), HOSTILE[0])


WORDS = tuple("".join(c for c in token if not c.isspace() and c not in "()") for token in HOSTILE)  # of a tree
SHORT = [token for token in HOSTILE if len(token) < 100]
TEXT = " ".join(SHORT[:7])  # as long as a typed text may be
OWN = "only words of ours: a result of experiments/ or names from a fixed list"
DRAWN = "takes what others drew"
OURS = "typed here: <b>$x$</b>\u202e"  # what a corner or a title may be given


def beside() -> attention.BesideView:
    first, second = attention.explore_beside(translator(), TEXT, f"{SHORT[-1]} {TEXT}").reading
    return attention.beside_view(first, second, kind="encoder", layer=1, head=-1)


def in_a_plane() -> attention.GeometryView:
    few = HOSTILE[:30]
    return attention.geometry_view(
        numbers(len(few), 4), numbers(len(few), 4), few, few[::-1], title=TEXT, shows=OURS, query=2
    )


def attention_view() -> attention.AttentionView:
    return attention.attention_view(weights(2, 2, N, N), HOSTILE, HOSTILE[::-1], title=TEXT, shows=OURS)


def vectors() -> Vectors:
    return Vectors(
        numbers(2, 1, 4, 2, N, 4), numbers(2, 1, 2, N, 1).sigmoid(), [HOSTILE, HOSTILE[::-1]], HOSTILE[:2],
        HOSTILE[2:4], [{"q": True, "k": True}],
    )  # fmt: skip


def steps() -> Steps:
    likeliest = [[(token, 0.5)] for token in HOSTILE]
    return Steps("dot", HOSTILE, HOSTILE[::-1], numbers(N, 4), numbers(N, 4), likeliest=likeliest, text=TEXT)


def alignment() -> recurrence.RecurrenceView:
    return recurrence.alignment_view([{"dot": steps()}], TEXT, OURS, HOSTILE[:1])


def recurrent() -> tc.Translator:
    torch.manual_seed(1)
    network = baselines.RecurrentEncoderDecoder(baselines.RecurrentConfig(4 + N, 8, "GRU", "dot"))
    return tc.Translator(network, Nasty(), HOSTILE[0])


def tree() -> treebank.Tree:
    inner = (treebank.Bracket(label, i, i + 1) for i, label in enumerate(WORDS[:3]))
    return treebank.Tree(WORDS, ("XX", *WORDS[1:]), (treebank.Bracket(LONG, 0, len(WORDS)), *inner))


def formed() -> dict[str, Any]:
    """The stored run, its sentences of other words."""
    found = stored.load(Path(__file__).parent.parent / "notebooks" / "data" / "forming.json")
    for one in found["sentences"]:
        one["english"] = one["german"] = TEXT
        for name in ("queries", "keys"):
            one[name] = [HOSTILE[i % N] for i in range(len(one[name]))]
    return found


def chart() -> charts.Chart:
    curves = [charts.Curve(token, ["a", token], [1, 2], kind="bars") for token in HOSTILE]
    return charts.chart(charts.Panel(curves, TEXT, HOSTILE[0], HOSTILE[9], marks=[]), OURS, TEXT)


def linked() -> charts.LinkedChart:
    rows = [{"token": token, "n": i} for i, token in enumerate(HOSTILE)]
    at = {"y": {"field": "token", "type": "nominal", "title": HOSTILE[0]}, "x": {"field": "n", "type": "quantitative"}}
    more = {"tooltip": [{"field": "token"}], "color": {"field": "token", "type": "nominal"}}
    spec = {"title": HOSTILE[9], "data": {"values": rows}, "mark": "bar", "encoding": at | more}
    return charts.LinkedChart(spec, OURS, TEXT)


def forced() -> decoding.ForcedView:
    lines = HOSTILE, HOSTILE[::-1], HOSTILE
    cross = weights(2, N, 1, 2, N)
    return decoding.forced_view(weights(2, N, N), cross, HOSTILE, *lines, title=TEXT, shows=OURS, place=N // 2)


def sampled() -> decoding.SamplingView:
    return decoding.sampling_view(numbers(2, N), HOSTILE, HOSTILE[:2], shows=OURS, title=TEXT)


def answered() -> evidence.AnswersView:
    tables = {token: numbers(N, N) for token in SHORT[:3]}
    return evidence.answers_view(tables, tables, HOSTILE, HOSTILE[::-1], title=TEXT, shows=OURS)


HEADS = [[kind, layer, head] for kind in ("encoder", "decoder", "cross") for layer in (0, 1) for head in (0, 1)]
ORDERS = [{"name": token, "order": HEADS, "points": [{"n": 0, "nll": 1.0}, {"n": 12, "nll": 2.0}]} for token in SHORT]
TABLE = [[[0.1, 0.2], [0.3, 0.4]]] * 3  # of every head


def jobs_searched() -> evidence.JobsView:
    heads = [["cross", 0, head, 0.7, 0.2, 0.1, 0.3, True] for head in range(3)]
    return evidence.jobs_view([dict(job=token, baseline=0.5, heads=heads) for token in HOSTILE], shows=OURS)


def pruned() -> evidence.PruningView:
    known = [{"order": 0, "n": 0, "translation": TEXT}]
    return evidence.pruning_view(ORDERS, 2, 2, text=TEXT, known=known, shows=OURS)


def example() -> dict[str, Any]:
    return {"name": HOSTILE[0], "hypothesis": TEXT, "reference": TEXT, "shows": OURS}


def systems() -> list[Row]:
    return [Row(token, token, ("1", "1e19")) for token in HOSTILE]


MACHINE = {"name": HOSTILE[0], "tflops": 1.0, "share": 0.5}


def typed() -> text.TextView:
    tokenizer = tc.Tokenizer.train(SHORT[:6] * 2, 330)
    return text.explore_text(tokenizer, TEXT[:150], shows=OURS, examples=SHORT[:2])


BUILDERS: dict[str, Callable[[], Any] | str] = {
    "attention.beside_view": beside,
    "attention.explore_beside": lambda: attention.explore_beside(translator(), TEXT, f"{TEXT} {SHORT[0]}"),
    "attention.beside_picture": lambda: attention.beside_picture(beside(), dark=True),
    "attention.opened": "beside_view and geometry_view are such",
    "attention.explore_geometry": lambda: attention.explore_geometry(translator(), TEXT, kind="encoder", query=1),
    "attention.geometry_view": in_a_plane,
    "attention.geometry_picture": lambda: attention.geometry_picture(in_a_plane(), dark=True),
    "attention.attention_view": attention_view,
    "attention.explore_attention": lambda: attention.explore_attention(translator(), TEXT),
    "attention.cross_attention_alone": lambda: attention.cross_attention_alone(
        attention.explore_attention(translator(), TEXT)
    ),
    "attention.attention_heatmap": lambda: attention.attention_heatmap(
        weights(N, N), HOSTILE, HOSTILE, title=TEXT, shows=OURS, predicts=HOSTILE[::-1]
    ),
    "attention.attention_lines": lambda: attention.attention_lines(weights(N, N), HOSTILE, title=TEXT, shows=OURS),
    "attention.view_picture": lambda: attention.view_picture(attention_view(), dark=True),
    "attention.view_of": DRAWN,
    "bleu.brevity_chart": "numbers alone",
    "bleu.sentence_chart": lambda: bleu.sentence_chart([1.0, 2.0], 1.5, OURS),
    "bleu.view_picture": lambda: bleu.view_picture(bleu.explore_bleu(TEXT, TEXT, title=TEXT, shows=OURS), dark=True),
    "bleu.explore_bleu": lambda: bleu.explore_bleu(TEXT, TEXT[1:], title=TEXT, shows=OURS, examples=[example()]),
    **dict.fromkeys((f"complexity.{name}" for name in (
        "complexity_view", "explore_complexity", "formula_chart", "path_chart", "gradient_chart", "first_input_chart",
        "measured_chart", "cost_chart", "linked_table",
    )), OWN),
    "context.gate_view": lambda: context.gate_view(vectors(), OURS),
    "context.explore_gate": lambda: context.explore_gate(translator(context="deep"), TEXT),
    "context.gate_picture": lambda: context.gate_picture(vectors(), context.gate_view(vectors(), OURS), dark=True),
    "context.context_view": lambda: context.context_view(HOSTILE, HOSTILE[::-1], 1, 2, kinds=["deep"], layer=1),
    "context.context_picture": lambda: context.context_picture(context.context_view(HOSTILE, HOSTILE, 1)),
    **dict.fromkeys((f"context.{name}" for name in ("quality_chart", "gate_chart", "speed_chart")), OWN),
    "decoding.explore_beam": lambda: decoding.explore_beam(translator(), TEXT),
    "decoding.explore_forced": lambda: decoding.explore_forced(translator(), TEXT, TEXT[::-1]),
    "decoding.forced_view": forced,
    "decoding.forced_picture": lambda: decoding.forced_picture(forced(), dark=True),
    "decoding.sampling_view": sampled,
    "decoding.explore_sampling": lambda: decoding.explore_sampling(translator(), TEXT, [5, 4 + N - 1, 6], [1, 2]),
    "decoding.operations_chart": lambda: decoding.operations_chart([1.0], [2.0], OURS),
    "decoding.places_chart": lambda: decoding.places_chart([-1.0, -2.0], {1: 1}, OURS),
    "decoding.tree_picture": lambda: decoding.explore_beam(translator(), TEXT).still(),
    "decoding.two_ways_picture": lambda: decoding.two_ways_picture(HOSTILE, HOSTILE, HOSTILE[:1] + HOSTILE[2:], OURS),
    "decoding.sampling_picture": lambda: decoding.sampling_picture(numbers(N), sampled()),
    "evidence.answers_view": answered,
    "evidence.explore_answers": lambda: evidence.explore_answers(translator(), TEXT),
    "evidence.answers_picture": lambda: evidence.answers_picture(answered(), dark=True),
    "evidence.pruning_view": pruned,
    "evidence.explore_pruning": lambda: evidence.explore_pruning(translator(), TEXT, ORDERS[:2]),
    "evidence.pruning_picture": lambda: evidence.pruning_picture(pruned(), dark=True),
    "evidence.graph_view": lambda: evidence.explore_graph(translator(), TEXT).view,
    "evidence.explore_graph": lambda: evidence.explore_graph(translator(), TEXT),
    "evidence.graph_picture": lambda: evidence.graph_picture(evidence.explore_graph(translator(), TEXT).view),
    "evidence.jobs_view": jobs_searched,
    "evidence.jobs_picture": lambda: evidence.jobs_picture(jobs_searched(), dark=True),
    "evidence.lens_picture": lambda: evidence.lens_picture(
        weights(2, N), [HOSTILE, HOSTILE[::-1]], HOSTILE, title=TEXT, shows=OURS
    ),
    "evidence.lens_of": lambda: evidence.lens_of(evidence.explore_graph(translator(), TEXT).reading),
    "evidence.importance_chart": lambda: evidence.importance_chart(
        dict.fromkeys(("importance", "confidence", "zeroed"), TABLE), OURS
    ),
    "evidence.pruning_chart": lambda: evidence.pruning_chart(ORDERS, OURS),
    "evidence.heads_picture": lambda: evidence.heads_picture(TABLE, TEXT, OURS),
    "masks.training_chart": OWN,
    "masks.batch_picture": lambda: masks.batch_picture(
        {HOSTILE[0]: torch.ones(1, N, N).bool()}, [[HOSTILE]], [[HOSTILE]], OURS
    ),
    "masks.view_picture": lambda: masks.view_picture(masks.mask_view(numbers(N, N), HOSTILE, title=TEXT, shows=OURS)),
    "masks.mask_view": lambda: masks.mask_view(numbers(N, N), HOSTILE, HOSTILE[::-1], title=TEXT, shows=OURS),
    "masks.explore_masks": "its tokens reach a page by mask_view and the names of its models by meta, as in mask_view",
    "model.model_figure": lambda: model.model_figure(2, {}, shows=OURS),
    "model.explore_model": lambda: model.explore_model(translator(), TEXT),
    "model.view_picture": lambda: model.view_picture(model.explore_model(translator(), TEXT)),
    "parsing.explore_parse": lambda: parsing.explore_parse(translator(), [TEXT]),
    "parsing.explore_repair": lambda: parsing.explore_repair([(HOSTILE[0], WORDS, f"(S {' '.join(SHORT)} )S")], OURS),
    "parsing.explore_score": lambda: parsing.explore_score(
        [Pair(HOSTILE[0], f"(S (<img> (DT {SHORT[7]}) (NN {LONG})))", f"(S ({SHORT[8]} XX XX )NP )S")], OURS
    ),
    "parsing.curve_chart": OWN,
    "parsing.table_4_chart": OWN,
    "parsing.tree_picture": lambda: parsing.tree_picture(tree(), TEXT, OURS),
    "parsing.score_picture": lambda: parsing.score_picture(tree(), tree(), OURS),
    "positions.table_picture": lambda: positions.table_picture([[0.1, 0.2]], TEXT, OURS),
    "positions.clocks_picture": lambda: positions.clocks_picture([1.0], 1, 2, OURS),
    "positions.view_picture": lambda: positions.view_picture(learned()),
    "positions.explore_positions": lambda: learned(),
    "positions.explore_order": lambda: positions.explore_order(translator(), TEXT, [list(range(N, -1, -1))]),
    "positions.order_picture": lambda: positions.order_picture(
        HOSTILE, [{"places": [*range(N)], "translation": TEXT}], OURS
    ),
    "positions.length_chart": OWN,
    "recurrence.alignment_view": alignment,
    "recurrence.explore_alignment": lambda: recurrence.explore_alignment({"dot": recurrent()}, [TEXT], OURS),
    "recurrence.view_picture": lambda: recurrence.view_picture(alignment(), dark=True),
    "recurrence.maps_picture": lambda: recurrence.maps_picture([(TEXT, weights(N, N), HOSTILE, HOSTILE)], OURS),
    **dict.fromkeys((f"recurrence.{name}" for name in (
        "length_chart", "alignment_chart", "layers_chart", "per_token_chart", "speed_chart",
    )), OWN),
    "results.speed_chart": OWN,
    "results.table_2_view": lambda: results.table_2_view(systems(), shows=OURS),
    "results.plot_picture": lambda: results.plot_picture(systems(), OURS),
    "results.cost_view": lambda: results.cost_view(MACHINE),
    "results.cost_picture": lambda: results.cost_picture(results.cost_view(MACHINE | {"name": LONG})),
    "scaled_dot_product.sheet": "attention_sheet is one",
    "scaled_dot_product.attention_sheet": lambda: sdp.attention_sheet(
        toy(3)._replace(tokens=HOSTILE[7:10]), shows=OURS
    ),
    **dict.fromkeys((f"scaled_dot_product.{name}" for name in (
        "toy_sheet", "scaling_view", "scaling_chart", "scale_chart", "scores_chart", "cost_chart", "heads_chart",
    )), OWN),
    "scaled_dot_product.feed_forward_sheet": lambda: sdp.feed_forward_sheet(
        numbers(2, 3), numbers(3, 4), numbers(4), numbers(4, 3), numbers(3), shows=OURS
    ),
    "scaled_dot_product.normalisation_sheet": lambda: sdp.normalisation_sheet(numbers(2, 3), shows=OURS),
    "scaled_dot_product.residual_sheet": lambda: sdp.residual_sheet(numbers(2, 3), numbers(3, 3), shows=OURS),
    "scaled_dot_product.sheet_picture": lambda: sdp.sheet_picture(
        sdp.attention_sheet(toy(2)._replace(tokens=[HOSTILE[0], LONG]), shows=OURS)
    ),
    "text.piece_rows": lambda: text.piece_rows([HOSTILE, SHORT], HOSTILE[:2], TEXT, OURS),
    "text.view_picture": lambda: typed().picture(),
    "text.explore_text": typed,
    "stills.drawing": DRAWN,
    "stills.page": DRAWN,
    "charts.chart": chart,
    "charts.LinkedChart": linked,
    "controls.RunHere": lambda: controls.RunHere(f"python -c '{SHORT[0]}'", takes=TEXT),
    "training.explore_training": "its sentences are those of the grammar; forming_view shows them by the same script",
    "training.forming_view": lambda: training.forming_view(formed()),
    "training.recipe_view": "numbers alone",
    "training.adam_chart": lambda: training.adam_chart(
        {token: [Moment(1, 0.1, 0.1, 0.1, 0.1)] for token in SHORT[:3]}, OURS
    ),
    "training.breaking_chart": OWN,
    "training.run_picture": lambda: training.run_picture(training.forming_view(formed())),
    "training.recipe_picture": "numbers alone",
    **dict.fromkeys((f"variations.{name}" for name in (
        "explore_variations", "interval_picture", "difference_chart", "norm_chart", "norms_view", "gradient_chart",
    )), OWN),
}  # fmt: skip


def learned() -> positions.PositionsView:
    return positions.explore_positions({"rows": [[0.1, 0.2]], "trained": 1, "shows": OURS}, tab="learned")


def builders() -> set[str]:
    """Every function of viz that returns a figure or a view, by what its signature says."""
    found = {"charts.LinkedChart", "controls.RunHere"}
    for module in pkgutil.walk_packages(viz.__path__, "viz."):
        named = importlib.import_module(module.name)
        for name, function in inspect.getmembers(named, inspect.isfunction):
            returned = str(inspect.signature(function).return_annotation).split(".")[-1]
            if (
                function.__module__ == named.__name__
                and name[0] != "_"
                and returned.endswith(("Svg", "Chart", "View", "Explorer", "Figure"))
            ):
                found.add(f"{named.__name__.split('.')[1]}.{name}")
    return found


def test_every_builder_is_fed_hostile_text_or_says_why_not():
    assert builders() == set(BUILDERS)


FED = [name for name, make in BUILDERS.items() if not isinstance(make, str)]


def built(name: str, known: dict[str, Any] = {}) -> Any:  # noqa: B006 (each is built once)
    if name not in known:
        known[name] = BUILDERS[name]()
    return known[name]


def pictures(figure: Any) -> list[stills.Svg]:
    """The still pictures of a figure or a view."""
    view = figure.view if isinstance(figure, controls.Explorer) else figure
    picture = figure if isinstance(figure, stills.Svg) else view.picture
    return [picture if isinstance(picture, stills.Svg) else picture()]


# ─── In Python ───────────────────────────────────────────────────────────────────────────────────────────────────────

DRAWING = {"svg", "g", "path", "rect", "text", "tspan", "title", "line", "circle", "polyline", "polygon", "defs",
           "clipPath", "pattern", "ellipse", "marker"}  # fmt: skip


@pytest.mark.parametrize("name", FED)
def test_a_picture_holds_tokens_as_text_and_is_no_wider_for_a_word_of_ten_thousand_letters(name):
    for picture in pictures(built(name)):
        root = ET.fromstring(picture.text)
        assert {node.tag.rpartition("}")[2] for node in root.iter()} <= DRAWING
        assert not [key for node in root.iter() for key in node.attrib if key.startswith("on") or "href" in key]
        said = [
            *root.itertext(),
            *(value for node in root.iter() for value in node.attrib.values()),
            picture.description,
        ]
        assert all(theme.evident(text) == text for text in said)
        assert float(root.get("width")) < 6000 and float(root.get("height")) < 3000
        picture.description.encode("utf-8")


@pytest.mark.parametrize("tokens", ["heatmap", "lines", "batch", "two ways", "maps"])
def test_every_token_of_a_picture_can_be_read_whole(tokens):
    name = {"heatmap": "attention.attention_heatmap", "lines": "attention.attention_lines",
            "batch": "masks.batch_picture", "two ways": "decoding.two_ways_picture",
            "maps": "recurrence.maps_picture"}[tokens]  # fmt: skip
    texts = {text.strip() for text in ET.fromstring(built(name).text).itertext()}
    assert {theme.evident(token) for token in HOSTILE} <= texts


@pytest.mark.parametrize("name", FED)
def test_a_view_is_told_to_the_page_in_utf_8(name):
    figure = built(name)
    view = figure.view if isinstance(figure, controls.Explorer) else figure
    if isinstance(view, canvas.Canvas):
        json.dumps(view.frozen(), ensure_ascii=False).encode("utf-8")
        sent = {key: value for key, value in view.get_state().items() if not isinstance(value, bytes)}
        json.dumps(sent, ensure_ascii=False, default=str).encode("utf-8")


def test_plotly_and_vega_are_given_no_markup_and_no_half_of_a_pair():
    figure = built("charts.chart")
    moving = json.loads(figure.figure.to_json())
    names = [trace["name"] for trace in moving["data"]]
    assert [*dict.fromkeys(names)] == [charts._titled(token) for token in HOSTILE]
    assert not [text for text in strings(moving) if "<" in text.replace("<extra></extra>", "")]
    json.dumps(built("charts.LinkedChart").spec, ensure_ascii=False).encode("utf-8")


def strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):  # a legend's group is a name for Plotly, and not drawn
        value = [part for name, part in value.items() if name != "legendgroup"]
    parts = value if isinstance(value, list) else []
    return [text for part in parts for text in strings(part)]


# ─── Far too long ────────────────────────────────────────────────────────────────────────────────────────────────────

LENGTHY = " ".join(["word"] * 600)
LIMITS = {
    "attention": (lambda some: attention.explore_attention(some, LENGTHY), r"601 tokens, more than the 160"),
    "beside": (lambda some: attention.explore_beside(some, "word", LENGTHY), r"601 tokens, more than the 48"),
    "plane": (lambda some: attention.explore_geometry(some, LENGTHY), r"601 tokens, more than the 36"),
    "beam": (lambda some: decoding.explore_beam(some, LENGTHY), r"601 tokens, more than the 40"),
    "forced": (lambda some: decoding.explore_forced(some, LENGTHY), r"601 tokens, more than the 40"),
    "model": (lambda some: model.explore_model(some, LENGTHY), r"601 tokens, more than the 48"),
    "parse": (lambda some: parsing.explore_parse(some, [LENGTHY]), r"600 words; type one of 1 to 40"),
    "order": (lambda some: positions.explore_order(some, LENGTHY), r"601 tokens, more than the 40"),
    "text": (lambda some: text.explore_text(some.tokenizer, LENGTHY), r"2999 characters; the view shows 160"),
    "bleu": (lambda some: bleu.explore_bleu(LENGTHY, LENGTHY), r"2999 characters; the view shows 400"),
    "mask": (lambda some: masks.mask_view(numbers(512, 512), ["w"] * 512), r"512 query.*more than the 64"),
    "weights": (lambda some: attention.attention_view(weights(513, 2), ["w"] * 513, "ab"), r"513 query.*than the 512"),
    "steps": (lambda some: recurrence.alignment_view([{"dot": far()}]), r"512 tokens, more than the 128"),
    "gate": (lambda some: context.gate_view(many()), r"512 tokens, more than the 64"),
}


def many() -> Vectors:
    has = [{"q": True, "k": True}]
    return Vectors(numbers(1, 1, 4, 2, 512, 4), numbers(1, 1, 2, 512, 1), [["w"] * 512], ["w"], ["w"], has)


def far() -> Steps:
    return Steps("dot", ["w"] * 512, ["w"] * 3, numbers(512, 4), numbers(3, 4))


class Words(Nasty):
    """A tokenizer that gives each word a piece."""

    def encode(self, text: str) -> list[int]:
        return [4] * len(text.split())


@pytest.mark.parametrize("name", LIMITS)
def test_what_is_too_long_for_a_view_is_refused_with_its_length_and_the_limit(name):
    open_with, says = LIMITS[name]
    some = translator(max_len=700)
    some.tokenizer = some.tgt_tokenizer = Words()
    try:
        said = open_with(some).status.value
    except ValueError as error:
        said = str(error)
    assert re.search(says, said), said


# ─── In a browser, all at once ───────────────────────────────────────────────────────────────────────────────────────

TRAP = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => window.violations.push(
  `${event.violatedDirective}: ${event.blockedURI} ${event.sourceFile}:${event.lineNumber} ${event.sample}`));
"""

# What is wider than where it stands, though nothing there scrolls or clips; and what text hides.
WIDER = """() => [...document.querySelectorAll(".view")].flatMap((view) => {
  const right = view.getBoundingClientRect().right + 1;
  const clips = (node) => getComputedStyle(node).overflowX !== "visible";
  const clipped = (node) => node !== view && (clips(node) || clipped(node.parentElement));
  const beyond = (node) => node.getBoundingClientRect().right > right && !clipped(node.parentElement);
  return [...view.querySelectorAll("*")].filter(beyond)
    .map((node) => `${view.ariaLabel}: ${node.tagName}.${node.className} ${node.textContent.slice(0, 40)}`);
})"""
SAID = """() => document.querySelector("main").textContent
  + [...document.querySelectorAll("main :is([title], [aria-label])")]
  .map((node) => `${node.title} ${node.ariaLabel}`).join(" ")"""

# What someone who could put markup into a page would try.
INJECT = """() => {
  const main = document.querySelector("main"), script = document.createElement("script");
  main.insertAdjacentHTML("beforeend", "<img src=data:, onerror=window.__pwned=5><style>main { display: none }</style>"
    + "<a href='javascript:window.__pwned=6'>a</a><iframe srcdoc='<script>parent.__pwned=7</script>'></iframe>");
  main.querySelector("a[href^=javascript]").click();
  script.text = "window.__pwned = 8";
  main.append(script);
  const away = document.createElement("script");
  away.src = URL.createObjectURL(new Blob(["window.__pwned = 9"]));
  main.append(away);
  setTimeout(() => { window.__pwned = eval("10"); });   // later, for what a test evaluates may eval
  setTimeout(() => { window.__pwned = new Function("return 11")(); });
  fetch("https://example.org").catch(() => {});
}"""


def page_of_all(folder: Path) -> tuple[Path, list[str]]:
    """A page that shows every builder's work as pages.py would, and the kinds of the views on it."""
    sheet, parts, kinds = pages.Sheet(folder / "all.ipynb", {}, folder), [], []
    for name in FED:
        figure = built(name)
        view = figure.view if isinstance(figure, controls.Explorer) else figure
        if isinstance(view, canvas.Canvas):
            parts.append(sheet.widget({"is": "canvas", **view.frozen()}))
            kinds.append(type(view).__name__)
        elif isinstance(figure, charts.Chart):
            parts.append(sheet.bundle(figure._repr_mimebundle_()))
        elif isinstance(figure, charts.LinkedChart):
            parts.append(sheet.bundle({figure.MIME: figure.spec} | figure.picture._repr_mimebundle_()))
        else:
            parts.append(sheet.bundle(pictures(figure)[0]._repr_mimebundle_()))
    parts += [
        sheet.outputs([{"output_type": "stream", "name": "stdout", "text": token}])
        for token in map(theme.evident, HOSTILE)
    ]
    parts += [pages.control("value", token, token, [None, None]) for token in map(theme.evident, HOSTILE)]
    body = f'<body class="pg">\n<main>{"".join(parts)}</main>\n</body>'
    text = canvas.offline_page(
        "<title>all</title>", body, pages.style(), [*sheet.views.values()], sheet.figures, sheet.libraries
    )
    (folder / "all.html").write_text(text, encoding="utf-8")
    return folder / "all.html", kinds


@pytest.mark.browser
def test_every_view_and_figure_shows_hostile_text_as_text_in_one_page(browser, tmp_path, request):
    path, kinds = page_of_all(tmp_path)
    reader = Reader(browser.new_page(viewport={"width": 1300, "height": 1100}, offline=True))
    page = reader.page
    request.addfinalizer(page.close)
    page.add_init_script(TRAP)
    page.goto(path.as_uri())
    places = page.locator(".pg-view")
    for place in places.all():
        place.scroll_into_view_if_needed()
        wait_until(lambda place=place: place.get_attribute("data-moves") is not None, "a view to be filled")
    painted = "document.querySelectorAll('.view[data-paint-ms]').length"
    wait_until(lambda: page.evaluate(painted) == len(kinds), "every view to be painted")
    assert page.evaluate("window.__pwned") is None
    assert page.evaluate("window.violations") == []
    assert reader.errors == [] and reader.refused == []
    assert page.evaluate(WIDER) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    said = re.sub("\u2068([^\u2066-\u2069]*)\u2069", r"\1", page.evaluate(SAID))  # set apart from its neighbours
    assert theme.evident(said) == said
    page.evaluate(INJECT)
    wait_until(lambda: len(page.evaluate("window.violations")) >= 8, "every attempt to be refused by the policy")
    assert page.evaluate("window.__pwned") is None
