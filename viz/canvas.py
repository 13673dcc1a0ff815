"""The canvas widgets, and all that this project knows of anywidget: typed traits, one script each, one style sheet.

A widget here holds numbers that are ready to draw; it knows no model. What its script asks (exact numbers, a cell's
arithmetic) is answered by the functions in `answers`, which the topic file that made the widget provides.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import pathlib
import re
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import anywidget
import torch
import traitlets
from torch import Tensor

from viz import theme

HERE = pathlib.Path(__file__).parent
Answer = Callable[[dict], tuple[dict, list[bytes]]]


def packed(weights: Tensor) -> bytes:
    """Weights as one byte each, round(255 √w), in C order: small weights keep their differences."""
    return bytes((255 * weights.clamp(0, 1).sqrt()).round().to(torch.uint8).flatten().tolist())


def floats(numbers: Tensor) -> bytes:
    """Numbers as little-endian float32, for the script to print."""
    values = array("f", numbers.detach().cpu().float().flatten().tolist())
    return values.tobytes()


def script(name: str) -> str:
    """A view's script with canvas.js in the place of its import: widgets load from memory."""
    shared, own = ((HERE / file).read_text(encoding="utf-8") for file in ("canvas.js", name))
    return re.sub(r'^import \{[^}]*\} from "\./canvas\.js";\n', lambda _: shared, own, flags=re.MULTILINE)


class Canvas(anywidget.AnyWidget):
    """What every canvas shares: the look, questions from its script, and a picture for pages without JavaScript."""

    _css = HERE / "canvas.css"
    look = traitlets.Dict(help="colours, light and dark").tag(sync=True, own=True)
    meta = traitlets.Dict(help="what is shown; live: Python answers, version: which data").tag(sync=True, own=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(look=theme.for_canvas(), **traits)
        self.answers: dict[str, Answer] = {}
        self.maps: dict[str, Tensor] = {}  # what the bytes were made of, exactly
        self.picture: Callable[[], theme.Svg] | None = None
        self.on_msg(self._asked)

    def _asked(self, _: object, message: dict, __: object) -> None:
        if (answer := self.answers.get(message.get("ask", ""))) is not None:
            try:
                content, buffers = answer(message)
            except ValueError as error:  # of something that cannot be had; a view that waits must hear of it
                content, buffers = {"error": str(error)}, []
            self.send(message | content | {"answer": message["ask"]}, buffers)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        return with_picture(bundle, self.picture)

    def script(self) -> str:
        """The widget's script, for a page of its own."""
        return str(self._esm)

    def style(self) -> str:
        """The widget's style sheet, for a page of its own."""
        return str(self._css)

    def get_state(self, *names: Any, **options: Any) -> dict[str, Any]:
        """The traits as they are sent: JSON's encoding has no halves of pairs, which a token may hold."""
        return theme.all_whole(super().get_state(*names, **options))

    def send(self, content: Any, buffers: Any = None) -> None:
        """Tell the page."""
        super().send(theme.all_whole(content), buffers)

    def state(self) -> dict[str, Any]:
        """The synced traits that are this widget's own, without what the notebook's machinery adds."""
        return {name: getattr(self, name) for name in self.trait_names(sync=True, own=True) if name[0] != "_"}

    def frozen(self) -> dict[str, Any]:
        """What a page without Python needs to go on with this view, as JSON; `offline_page` takes it."""
        state = {name: value for name, value in self.state().items() if name != "look"}  # a page holds the look once
        state["meta"] = {**self.meta, "live": False}
        data = self.picture()._repr_mimebundle_() if self.picture else {}
        return {
            "id": self.model_id, "script": type(self).__name__, "text": self.script(),
            "state": plain(state), "still": data,
        }  # fmt: skip


def with_picture(bundle: Any, picture: Callable[[], theme.Svg] | None) -> Any:
    """Add a picture beside a live view: notebooks show the view while Python runs, and save the picture (canvas.js)."""
    data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
    if picture is not None and data is not None:
        data = {**data, **picture().beside_a_view()}
    return data, metadata


# ─── Pages without Python ────────────────────────────────────────────────────────────────────────────────────────────

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="{policy}">
{head}
<style>{style}</style>
<noscript><style>{still}</style></noscript>
</head>
{body}
<script type="application/json">{data}</script>
<script type="module">{script}</script>
</html>
"""


STILL = ".pg-place { display: none; } .pg-still[hidden] { display: block; }"
SHARED = "// canvas.js\n"


def plain(value: Any) -> Any:
    """Traits as JSON can hold them: bytes become {"base64": …}, which page.js turns back."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, str):
        return theme.all_whole(value)
    if isinstance(value, dict):
        return {str(name): plain(part) for name, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, (list, tuple)) else value


def slot(kind: str, number: int, still: str = "") -> str:
    """Where a view or figure of an `offline_page` stands, as HTML; still: a picture for a browser without scripts."""
    picture = f'<div class="pg-still" hidden>{still}</div>' if still else ""
    place = '<div class="pg-place"></div>'
    return f'<div class="pg-view" data-kind="{kind}" data-number="{number}">{place}{picture}</div>\n'


def own_script(text: str, shared: str, name: str) -> str:
    """A widget's script as page.js runs it: it tells its view, and for canvas.js stands SHARED.

    A page of many views so holds canvas.js once, and every script that runs can be named by its hash beforehand.
    """
    return re.sub(r"^export default (.*);$", lambda view: said(name, view[1]), text.replace(shared, SHARED), flags=re.M)


def said(name: str, view: str = "null") -> str:
    """The line by which a script tells page.js that it has run."""
    return f'document.dispatchEvent(new CustomEvent("pg-script", {{ detail: {{ name: "{name}", view: {view} }} }}));'


def digest(text: str) -> str:
    """How a policy names a script or a style sheet."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def policy(styles: Iterable[str], scripts: Iterable[str] = ()) -> str:
    """What a browser lets a page do: run these scripts, wear these style sheets, draw its own pictures, nothing else.

    No eval, no script or style sheet that is not named here by its hash, no address to load from or to send to. What
    cannot be had is a ban of `style` attributes: formulas and words in colour, Plotly and Vega set them; as nothing can
    be loaded they change looks only. blob: is for the picture that Plotly's camera button makes.
    """
    run, worn = (" ".join(map(digest, texts)) or "'none'" for texts in (scripts, styles))
    return (
        f"default-src 'none'; script-src {run}; style-src {worn}; style-src-attr 'unsafe-inline'; img-src data: blob:; "
        "connect-src 'none'; base-uri 'none'; form-action 'none'"
    )


def offline_page(
    head: str,
    body: str,
    style: str,
    views: Sequence[dict[str, Any]],
    figures: Sequence[dict] = (),
    libraries: Mapping[str, str] | None = None,
) -> str:
    """One HTML file that moves with no Python and no network; head and body are HTML, views what `Canvas.frozen` gives.

    `slot("canvas", 0)` in the body holds the first view; "plotly" and "vega" stand for the figures, drawn by the
    libraries of these names, which come as base64 of gzip.
    """
    shared = (HERE / "canvas.js").read_text(encoding="utf-8")
    scripts = {view["script"]: own_script(view["text"], shared, view["script"]) for view in views}
    data = {
        "shared": shared, "scripts": scripts,
        "models": [{"script": view["script"], "state": view["state"]} for view in views],
        "look": theme.for_canvas(), "figures": list(figures), "libraries": (packed_scripts := dict(libraries or {})),
    }  # fmt: skip
    script = (HERE / "page.js").read_text(encoding="utf-8").replace("</script", "<\\/script")
    run = [script, *(text.replace(SHARED, shared) for text in scripts.values())]
    run += [gzip.decompress(base64.b64decode(packed)).decode() for packed in packed_scripts.values()]
    allowed = policy([style, STILL, ""], run)  # "": the sheet that Plotly fills by its rules
    packed = json.dumps(plain(data), ensure_ascii=False).replace("<", "\\u003c")
    return PAGE.format(policy=allowed, head=head, style=style, still=STILL, body=body, data=packed, script=script)


# ─── The views ────────────────────────────────────────────────────────────────────────────────────────────────────────


class AttentionView(Canvas):
    """Attention weights of every head, drawn on canvases; layer, heads, kind, pin and threshold can be read and set.

    data holds, for each of meta["kinds"] one after another, the bytes of `packed(weights)`, weights (L, H, T, S):
    rows are queries, columns keys. At 6 layers of 8 heads and 64 tokens the three kinds take 589,824 bytes.
    """

    _esm = script("attention.js")
    data = traitlets.Bytes().tag(sync=True, own=True)
    kind = traitlets.Unicode("attention", help="which attention the lines and thumbnails show").tag(sync=True, own=True)
    layer = traitlets.Int(0, help="from 0").tag(sync=True, own=True)
    heads = traitlets.List(traitlets.Int(), [0], help="the heads shown, from 0").tag(sync=True, own=True)
    pin: traitlets.List = traitlets.List(help='pinned tokens of the kind: ["query" or "key", place]').tag(
        sync=True, own=True
    )
    threshold = traitlets.Float(1.0, min=0.0, max=1.0, help="share of a row's mass kept").tag(sync=True, own=True)
    over_heads = traitlets.Enum(["mean", "max"], "mean").tag(sync=True, own=True)
    over_layers = traitlets.Enum(["one", "mean", "max"], "one").tag(sync=True, own=True)
    sqrt = traitlets.Bool(False, help="colours by √weight").tag(sync=True, own=True)
    per_row = traitlets.Bool(False, help="colours from 0 to each row's largest weight").tag(sync=True, own=True)
    hide_special = traitlets.Bool(False).tag(sync=True, own=True)
    merge_words = traitlets.Bool(False).tag(sync=True, own=True)
    cell: traitlets.List = traitlets.List(help="[kind, layer, head, query, key] whose arithmetic is open").tag(
        sync=True, own=True
    )
    compare: traitlets.List = traitlets.List(help="[[layer, head], [layer, head]] of the difference").tag(
        sync=True, own=True
    )
    off: traitlets.List = traitlets.List(help="[[kind, layer, head], …] taken out of the model").tag(
        sync=True, own=True
    )
    ablation = traitlets.Dict(help="what the model says without the heads in off").tag(sync=True, own=True)
    facts = traitlets.Dict(help="rows of computed facts, one for each head").tag(sync=True, own=True)
    panel = traitlets.Enum(["heads", "cell", "off", "facts", "difference", "text"], "heads").tag(sync=True, own=True)

    def shape(self, name: str | None = None) -> dict:
        """The entry of meta["kinds"] that a name (by default the kind shown) stands for."""
        kinds = {kind["name"]: kind for kind in self.meta["kinds"]}
        if (name or self.kind) not in kinds:
            raise ValueError(f"There is no kind {name or self.kind!r} here; choose from {', '.join(map(repr, kinds))}.")
        return kinds[name or self.kind]

    @traitlets.validate("kind")
    def _known_kind(self, proposal: dict) -> str:
        self.shape(proposal["value"])
        return proposal["value"]

    @traitlets.validate("layer")
    def _known_layer(self, proposal: dict) -> int:
        n_layers = max(kind["n_layers"] for kind in self.meta["kinds"])
        if not 0 <= proposal["value"] < n_layers:
            raise ValueError(f"There is no layer {proposal['value']}; the layers here are 0 to {n_layers - 1}.")
        return proposal["value"]

    @traitlets.validate("heads")
    def _known_heads(self, proposal: dict) -> list[int]:
        heads, n_heads = sorted(set(proposal["value"])), max(kind["n_heads"] for kind in self.meta["kinds"])
        if not heads or heads[0] < 0 or heads[-1] >= n_heads:
            raise ValueError(f"heads is {proposal['value']}; show one or more of the heads 0 to {n_heads - 1}.")
        return heads

    @traitlets.validate("off")
    def _known_off(self, proposal: dict) -> list:
        for name, layer, head in proposal["value"]:
            kind = self.shape(name)
            if not (0 <= layer < kind["n_layers"] and 0 <= head < kind["n_heads"]):
                raise ValueError(
                    f"There is no head {[name, layer, head]}; here are layers 0 to {kind['n_layers'] - 1} "
                    f"and heads 0 to {kind['n_heads'] - 1}."
                )
        return [list(head) for head in proposal["value"]]

    @traitlets.validate("pin")
    def _known_pin(self, proposal: dict) -> list:
        for side, place in proposal["value"]:
            if side not in ("query", "key") or place < 0:
                raise ValueError(f'pin holds {[side, place]}; write ["query", place] or ["key", place].')
        return [list(pin) for pin in proposal["value"]]


class TextView(Canvas):
    """The merges of a text, which may be typed; step counts those made, and the last step shows bytes and ids."""

    _esm = script("text.js")
    text = traitlets.Unicode("").tag(sync=True, own=True)
    step = traitlets.Int(0, min=0, help="merges made; one more than there are: bytes and ids").tag(sync=True, own=True)


class PositionsView(Canvas):
    """Positions, computed in the page from these traits; tab: in which of its six pictures."""

    _esm = script("positions.js")
    tab = traitlets.Enum(["map", "waves", "clocks", "similarity", "rotation", "learned"], "map").tag(
        sync=True, own=True
    )
    d_model = traitlets.Int(64, min=2, max=512).tag(sync=True, own=True)
    length = traitlets.Int(64, min=8, max=256, help="positions shown").tag(sync=True, own=True)
    base = traitlets.Float(10_000.0, min=10.0, max=1e6).tag(sync=True, own=True)
    position = traitlets.Int(10, min=0, max=10_000).tag(sync=True, own=True)
    offset = traitlets.Int(5, min=0, max=128).tag(sync=True, own=True)
    pair = traitlets.Int(3, min=0, max=255).tag(sync=True, own=True)
    columns = traitlets.Enum(["turn", "halves", "t2t"], "turn", help="order of the features").tag(sync=True, own=True)

    @traitlets.validate("d_model")
    def _even(self, proposal: dict) -> int:
        if proposal["value"] % 2:
            raise ValueError(f"d_model is {proposal['value']}; sines and cosines pair up, so it must be even.")
        return proposal["value"]

    @traitlets.validate("tab")
    def _there(self, proposal: dict) -> str:
        if proposal["value"] == "learned" and not self.meta.get("learned"):
            raise ValueError("There is no learned table here; pass one: explore_positions(learned=…).")
        return proposal["value"]


class OrderView(Canvas):
    """The tokens of a sentence with the place each is given; what the model then says is kept in known."""

    _esm = script("order.js")
    places: traitlets.List = traitlets.List(traitlets.Int(min=-1, max=5000), help="of each token; -1: none").tag(
        sync=True, own=True
    )
    known: traitlets.List = traitlets.List(help="translations so far, with their places; the first as trained").tag(
        sync=True, own=True
    )


class ModelView(Canvas):
    """Figure 1 of a model and a sentence on its way through it; block, layer, stop, unfolded and norm can be set.

    data holds, one after another, what meta["strips"] and meta["maps"] list: outputs of blocks as signed bytes, and
    `packed` attention weights.
    """

    _esm = script("model.js")
    data = traitlets.Bytes().tag(sync=True, own=True)
    block = traitlets.Unicode("", help="the block whose page is open, such as decoder.3.cross_attention").tag(
        sync=True, own=True
    )
    layer = traitlets.Int(0, help="the layer that the folded drawing stands for, from 0").tag(sync=True, own=True)
    stop = traitlets.Int(0, help="how far the sentence has come").tag(sync=True, own=True)
    unfolded = traitlets.Bool(False, help="draw every layer").tag(sync=True, own=True)
    norm = traitlets.Enum(["post", "pre"], "post", help="where the layer norms stand").tag(sync=True, own=True)
    letters = traitlets.Bool(False, help="shapes as letters (B, S, D), not as numbers").tag(sync=True, own=True)
    panel = traitlets.Enum(["journey", "block"], "journey").tag(sync=True, own=True)


class MaskView(Canvas):
    """Two mask layers to paint, their AND, and the softmax of the scores under it; 1 means may look, 0 may not.

    Rows are queries (T), columns keys (S). layer: T · S cells in C order, the causal one at first; padding: S cells,
    the same for every query; scores: q · k before the scale, T · S numbers.
    """

    _esm = script("masks.js")
    scores = traitlets.List(traitlets.Float(), help="q · k before the scale").tag(sync=True, own=True)
    layer = traitlets.List(traitlets.Int(min=0, max=1), help="the first layer: may look").tag(sync=True, own=True)
    padding = traitlets.List(traitlets.Int(min=0, max=1), help="for each key: may be looked at").tag(
        sync=True, own=True
    )
    row = traitlets.Int(1, min=0, help="the query whose row is worked out").tag(sync=True, own=True)
    plain = traitlets.Bool(False, help="softmax without the core's care for rows all hidden").tag(sync=True, own=True)
    model = traitlets.Unicode("", help="which model the leak test runs").tag(sync=True, own=True)
    leak = traitlets.Dict(help="the leak test of one mask: mask, model, change").tag(sync=True, own=True)

    @property
    def cells(self) -> Tensor:
        """The first layer: boolean (T, S), True = may look."""
        return torch.tensor(self.layer).bool().reshape(len(self.meta["queries"]), len(self.meta["keys"]))

    @property
    def mask(self) -> Tensor:
        """The AND of both layers: boolean (T, S), True = may look."""
        return self.cells & torch.tensor(self.padding).bool()

    @traitlets.validate("layer", "scores", "padding")
    def _as_many_as_cells(self, proposal: dict) -> list:
        name, given, T, S = proposal["trait"].name, proposal["value"], len(self.meta["queries"]), len(self.meta["keys"])
        needed = S if name == "padding" else T * S
        if len(given) != needed:
            raise ValueError(f"{name} has {len(given)} cells, but {T} queries and {S} keys need {needed}.")
        return given

    @traitlets.validate("model")
    def _known_model(self, proposal: dict) -> str:
        names = [model["name"] for model in self.meta["models"]]
        if names and proposal["value"] not in names:
            raise ValueError(
                f"There is no model {proposal['value']!r} here; choose from {', '.join(map(repr, names))}."
            )
        return proposal["value"]


class ComplexityView(Canvas):
    """Table 1 by sliders: n, d, k, r, the layers shown, and whether projections are counted, can be read and set.

    meta["rows"] holds each layer's formulas as data, so that the script computes every number by itself.
    """

    _esm = script("complexity.js")
    n = traitlets.Int(70, min=2, max=4096, help="positions").tag(sync=True, own=True)
    d = traitlets.Int(512, min=8, max=2048, help="width").tag(sync=True, own=True)
    k = traitlets.Int(3, min=2, max=31, help="kernel").tag(sync=True, own=True)
    r = traitlets.Int(33, min=2, max=255, help="window").tag(sync=True, own=True)
    core = traitlets.Bool(True, help="count as the paper does, without projections").tag(sync=True, own=True)
    causal = traitlets.Bool(True, help="each position reads earlier ones only").tag(sync=True, own=True)
    shown = traitlets.List(traitlets.Unicode(), help="names of the layers shown").tag(sync=True, own=True)
    picked = traitlets.Unicode("self-attention", help="the layer that is told in words").tag(sync=True, own=True)

    @traitlets.validate("shown")
    def _known_layers(self, proposal: dict) -> list[str]:
        names = [row["name"] for row in self.meta["rows"]]
        if not proposal["value"] or not set(proposal["value"]) <= set(names):
            raise ValueError(f"shown is {proposal['value']}; show one or more of {', '.join(map(repr, names))}.")
        return proposal["value"]

    @traitlets.validate("k", "r", "causal")
    def _odd_if_centred(self, proposal: dict) -> int:
        after = {"k": self.k, "r": self.r, "causal": self.causal} | {proposal["trait"].name: proposal["value"]}
        even = [f"{name} is {after[name]}" for name in ("k", "r") if after[name] % 2 == 0]
        if even and not after["causal"]:
            raise ValueError(f"{' and '.join(even)}; centred, it must be odd, or set causal to True.")
        return proposal["value"]


class SheetView(Canvas):
    """A calculation sheet of linked matrices: numbers typed into the given ones change all that follows from them.

    meta holds the nodes (name, operation, of which matrices), the lanes in which they stand, the sentences to choose
    from and the numbers to begin with; the script computes everything else, in the same order, in double precision.
    """

    _esm = script("sheet.js")
    values = traitlets.Dict(help="the given matrices by name, as lists of rows").tag(sync=True, own=True)
    by_hand = traitlets.Dict(help='numbers in the place of computed ones: {"Q.0:1:0": 2.5}').tag(sync=True, own=True)
    options = traitlets.Dict(help="what is switched on: scale, causal").tag(sync=True, own=True)
    head = traitlets.Int(0, help="the head shown, from 0").tag(sync=True, own=True)
    n_rows = traitlets.Int(4, min=1, help="how many tokens").tag(sync=True, own=True)
    example = traitlets.Int(0, help="which sentence").tag(sync=True, own=True)
    cell: traitlets.List = traitlets.List(help="[name, row, column] whose terms are shown").tag(sync=True, own=True)

    @traitlets.validate("head", "example")
    def _there(self, proposal: dict) -> int:
        name, value = proposal["trait"].name, proposal["value"]
        n = max(self.meta["n_heads"], 1) if name == "head" else len(self.meta["examples"])
        if not 0 <= value < n:
            raise ValueError(f"There is no {name} {value}; choose from 0 to {n - 1}.")
        return value


class ScalingView(Canvas):
    """Scores of random queries and keys with and without the division by √d_k, drawn and computed in the page.

    meta holds the seed, the widths d_k of the slider (grid), and how many queries and keys are drawn.
    """

    _esm = script("scaling.js")
    d_k = traitlets.Int(64, min=1, help="width of queries and keys; the nearest of meta['grid'] is shown").tag(
        sync=True, own=True
    )
    query = traitlets.Int(0, min=0, help="whose weights are shown").tag(sync=True, own=True)
    measure = traitlets.Enum(["variance", "largest", "entropy", "trace"], "largest").tag(sync=True, own=True)


class Table2View(Canvas):
    """Table 2 and its plot of BLEU against training cost; meta["rows"] has each cell as printed."""

    _esm = script("results.js")
    language = traitlets.Enum(["de", "fr"], "de", help="into which language").tag(sync=True, own=True)
    picked = traitlets.Unicode("", help="the model that is told in words").tag(sync=True, own=True)
    claim = traitlets.Int(-1, min=-1, help="which of meta['claims'] is drawn; -1: none").tag(sync=True, own=True)

    @traitlets.validate("picked")
    def _known_model(self, proposal: dict) -> str:
        models = [row["model"] for row in self.meta["rows"]]
        if proposal["value"] not in ("", *models):
            raise ValueError(f"There is no row {proposal['value']!r}; choose from {', '.join(map(repr, models))}.")
        return proposal["value"]

    @traitlets.validate("claim")
    def _known_claim(self, proposal: dict) -> int:
        if proposal["value"] >= (n := len(self.meta["claims"])):
            raise ValueError(f"There is no claim {proposal['value']}; there are {n}, from 0, and -1 is none.")
        return proposal["value"]


class CostView(Canvas):
    """The cost of a training run by Table 2's formula, and the time that its arithmetic takes on other hardware."""

    _esm = script("cost.js")
    model = traitlets.Enum(["base", "big"], "base").tag(sync=True, own=True)
    by = traitlets.Enum(["hours", "steps"], "hours", help="what tells how long the run took").tag(sync=True, own=True)
    hours = traitlets.Float(12.0, min=0.01, max=1e6).tag(sync=True, own=True)
    steps = traitlets.Int(100_000, min=1, max=10**8).tag(sync=True, own=True)
    seconds = traitlets.Float(0.4, min=1e-4, max=1e5, help="of a step").tag(sync=True, own=True)
    gpus = traitlets.Int(8, min=1, max=100_000).tag(sync=True, own=True)
    hardware = traitlets.Unicode("P100", help="what the run was made on").tag(sync=True, own=True)
    share = traitlets.Float(0.3, min=0.01, max=1.0, help="of a data sheet's TFLOPS").tag(sync=True, own=True)
    n_now = traitlets.Int(1, min=1, max=1024, help="GPUs that do the same work now").tag(sync=True, own=True)
    own_tflops = traitlets.Float(10.0, min=1e-3, max=1e6, help="of a machine not listed").tag(sync=True, own=True)
    measured = traitlets.Dict(help="this machine: name, tflops, share").tag(sync=True, own=True)

    @traitlets.validate("hardware")
    def _known_hardware(self, proposal: dict) -> str:
        names = [*self.meta["sustained"], *self.meta["datasheet"], "another"]
        if proposal["value"] not in names:
            raise ValueError(f"There is no hardware {proposal['value']!r} here; choose from {', '.join(names)}.")
        return proposal["value"]


class BeamView(Canvas):
    """A beam search as a tree, for every width, by the core's own search; width, alpha, step, node, layer can be set.

    trees: of each width (1, 2, …), the candidates of each step; data: float32 cross-attention (places, L, S), each row
    the mean over the heads. What the page shows at another α it works out itself.
    """

    _esm = script("decoding.js")
    data = traitlets.Bytes().tag(sync=True, own=True)
    trees: traitlets.List = traitlets.List(help="one for each width").tag(sync=True, own=True)
    width = traitlets.Int(4, min=1, help="hypotheses side by side").tag(sync=True, own=True)
    alpha = traitlets.Float(0.6, min=0.0, help="strength of the length penalty").tag(sync=True, own=True)
    step = traitlets.Int(0, min=0, help="how many steps are shown; 0: all").tag(sync=True, own=True)
    node: traitlets.List = traitlets.List(help="[step from 1, rank from 0] of the node that is open").tag(
        sync=True, own=True
    )
    layer = traitlets.Int(0, min=0, help="whose cross-attention is shown, from 0").tag(sync=True, own=True)
    show = traitlets.Enum(["all", "beam", "finished"], "all", help="how much of the tree").tag(sync=True, own=True)

    @traitlets.validate("width", "layer", "alpha")
    def _there(self, proposal: dict) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        ends = {"width": len(self.trees), "layer": self.meta["n_layers"] - 1, "alpha": self.meta["most_alpha"]}
        if not value <= ends[name]:  # nor is nan
            raise ValueError(f"{name} is {value}; here it goes up to {ends[name]}.")
        return value


class SamplingView(Canvas):
    """The next token under temperature, top-k and top-p; data: float32 logits (places, V), each row largest first."""

    _esm = script("sampling.js")
    SHOWN = 28  # tokens with a bar and a name
    data = traitlets.Bytes().tag(sync=True, own=True)
    place = traitlets.Int(0, min=0, help="which distribution").tag(sync=True, own=True)
    temperature = traitlets.Float(1.0, min=0.1, max=3.0).tag(sync=True, own=True)
    top_k = traitlets.Int(0, min=0, help="0: all").tag(sync=True, own=True)
    top_p = traitlets.Float(1.0, min=0.01, max=1.0).tag(sync=True, own=True)

    @traitlets.validate("place")
    def _there(self, proposal: dict) -> int:
        place, n = proposal["value"], len(self.meta["places"])
        if place >= n:
            raise ValueError(f"There is no place {place} here; choose from 0 to {n - 1}.")
        return place


class BleuView(Canvas):
    """BLEU of two sentences that the reader may type, n-gram by n-gram and step by step, all computed in the page.

    The settings have sacreBLEU's names and values; brevity "printed" is min(1, c/r), which sacreBLEU does not know.
    """

    _esm = script("bleu.js")
    hypothesis = traitlets.Unicode("").tag(sync=True, own=True)
    reference = traitlets.Unicode("").tag(sync=True, own=True)
    tokenize = traitlets.Enum(["13a", "none", "intl", "char"], "13a").tag(sync=True, own=True)
    lowercase = traitlets.Bool(False).tag(sync=True, own=True)
    smooth = traitlets.Enum(["none", "exp", "floor", "add-k"], "exp").tag(sync=True, own=True)
    effective = traitlets.Bool(False, help="leave out orders of which the hypothesis has no n-gram").tag(
        sync=True, own=True
    )
    brevity = traitlets.Enum(["standard", "printed"], "standard").tag(sync=True, own=True)
    n = traitlets.Int(2, min=1, max=4, help="which n-grams are shown").tag(sync=True, own=True)

    @traitlets.validate("hypothesis", "reference")
    def _short_enough(self, proposal: dict) -> str:
        name, text, longest = proposal["trait"].name, proposal["value"], self.meta["longest"]
        if len(text) > longest:
            raise ValueError(f"The {name} has {len(text)} characters; the view shows {longest}: pass a shorter one.")
        return text


class TrainingView(Canvas):
    """A training run as it goes or as it went: curves, and the cross-attention of every head at some of its steps.

    curve: float32 rows of step, loss, nll, rate, gradient norm, tokens a second. data: for each sentence of
    meta["sentences"], frame by frame, the bytes of `packed(weights)`, weights (L, H, T, S); frames: their steps.
    checks: what was measured on unseen sentences, by step. While a run goes on, only messages tell the page.
    """

    _esm = script("training.js")
    run: Any = None  # what makes the steps, where it can be made to go on
    data = traitlets.Bytes().tag(sync=True, own=True)
    curve = traitlets.Bytes().tag(sync=True, own=True)
    frames = traitlets.List(traitlets.Int(), help="the steps that have maps").tag(sync=True, own=True)
    checks = traitlets.List(traitlets.Dict(), help="BLEU and more, by step").tag(sync=True, own=True)
    kept = traitlets.List(traitlets.Int(), help="the steps one can go back to").tag(sync=True, own=True)
    running = traitlets.Bool(False).tag(sync=True, own=True)
    trouble = traitlets.Unicode("", help="why the run stopped, if not by itself").tag(sync=True, own=True)
    factor = traitlets.Float(1.0, min=0.1, max=10.0, help="times the recipe's learning rate").tag(sync=True, own=True)
    frame = traitlets.Int(-1, min=-1, help="the frame looked at; -1: the newest").tag(sync=True, own=True)
    layer = traitlets.Int(0, min=0).tag(sync=True, own=True)
    head = traitlets.Int(0, min=0).tag(sync=True, own=True)
    sentence = traitlets.Int(0, min=0).tag(sync=True, own=True)
    gold = traitlets.Enum(["naive", "shifted", "none"], "naive", help="which gold cells are outlined").tag(
        sync=True, own=True
    )

    @traitlets.validate("layer", "head", "sentence")
    def _there(self, proposal: dict) -> int:
        name, value = proposal["trait"].name, proposal["value"]
        n = len(self.meta["sentences"]) if name == "sentence" else self.meta[f"n_{name}s"]
        if value >= n:
            raise ValueError(f"There is no {name} {value} here; choose from 0 to {n - 1}.")
        return value


class RecipeView(Canvas):
    """Batches of real lengths, equation 3 and smoothed targets by sliders, computed in the page from these traits.

    meta["lengths"] holds source and target tokens of sentence pairs, in an order that nobody sorted.
    """

    _esm = script("recipe.js")
    tab = traitlets.Enum(["batches", "rate", "smoothing"], "batches").tag(sync=True, own=True)
    way = traitlets.Enum(["sorted", "random", "count"], "sorted", help="how batches are cut").tag(sync=True, own=True)
    budget = traitlets.Int(200, min=50, max=1000, help="tokens of a batch on either side").tag(sync=True, own=True)
    window = traitlets.Int(400, min=2, max=400, help="pairs sorted together").tag(sync=True, own=True)
    d_model = traitlets.Int(512, min=64, max=2048).tag(sync=True, own=True)
    warmup = traitlets.Int(4000, min=1, max=16000, help="steps of warm-up").tag(sync=True, own=True)
    steps = traitlets.Int(20000, min=1000, max=100_000, help="steps shown").tag(sync=True, own=True)
    step = traitlets.Int(4000, min=1, max=100_000, help="the step read off").tag(sync=True, own=True)
    eps_ls = traitlets.Float(0.1, min=0.0, max=0.9).tag(sync=True, own=True)
    vocab = traitlets.Int(37000, min=2, max=100_000).tag(sync=True, own=True)
    among = traitlets.Enum(["all", "others"], "all", help="over which words ε is spread").tag(sync=True, own=True)
    chance = traitlets.Float(0.9, min=0.001, max=0.9999, help="what the model gives the right word").tag(
        sync=True, own=True
    )


class VariationsView(Canvas):
    """Table 3 by row, with the vocabulary as a slider; meta["rows"] holds sizes and what is printed.

    The script computes every count by the formulas of viz/variations.py; a test holds the two together.
    """

    _esm = script("variations.js")
    vocabulary = traitlets.Int(37_000, min=30_000, max=45_000, help="rows of the shared embedding").tag(
        sync=True, own=True
    )
    picked = traitlets.Unicode("base", help="the row whose page is open").tag(sync=True, own=True)
    order = traitlets.Enum(
        ["paper", "ppl", "bleu", "millions", "params", "off", "cost"], "paper", help="what the rows are sorted by"
    ).tag(sync=True, own=True)
    down = traitlets.Bool(False, help="largest first").tag(sync=True, own=True)
    n = traitlets.Int(25, min=1, max=200, help="tokens of each side of the pair whose cost is counted").tag(
        sync=True, own=True
    )

    @traitlets.validate("picked")
    def _known_row(self, proposal: dict) -> str:
        names = [row["name"] for row in self.meta["rows"]]
        if proposal["value"] not in names:
            raise ValueError(f"There is no row {proposal['value']!r} here; choose from {', '.join(names)}.")
        return proposal["value"]


class NormsView(Canvas):
    """Gradients of each layer before the first step, both norms, with the depth as a slider over meta["depths"]."""

    _esm = script("norms.js")
    depth = traitlets.Int(6, help="layers of each stack").tag(sync=True, own=True)

    @traitlets.validate("depth")
    def _known_depth(self, proposal: dict) -> int:
        if proposal["value"] not in self.meta["depths"]:
            raise ValueError(f"Depth {proposal['value']} was not measured; choose from {self.meta['depths']}.")
        return proposal["value"]


class GateView(Canvas):
    """Queries and keys mixed with their context under λ, which the reader may set; then scores, softmax, a row.

    data: float32, for each sentence and layer: Q, C·U_Q, K, C·U_K (H, n, K), then λ_Q and λ_K (n, G) of the model.
    """

    _esm = script("gate.js")
    data = traitlets.Bytes().tag(sync=True, own=True)
    sentence = traitlets.Int(0, min=0, help="which of meta['sentences']").tag(sync=True, own=True)
    layer = traitlets.Int(0, min=0).tag(sync=True, own=True)
    head = traitlets.Int(0, min=0).tag(sync=True, own=True)
    query = traitlets.Int(0, min=0, help="the word whose row is shown").tag(sync=True, own=True)
    key = traitlets.Int(0, min=0, help="the word whose key is shown").tag(sync=True, own=True)
    gate_q = traitlets.Float(-1.0, min=-1.0, max=1.0, help="λ of all queries; below 0: the model's").tag(
        sync=True, own=True
    )
    gate_k = traitlets.Float(-1.0, min=-1.0, max=1.0, help="λ of all keys; below 0: the model's").tag(
        sync=True, own=True
    )

    @traitlets.validate("sentence", "layer", "head", "query", "key")
    def _there(self, proposal: dict) -> int:
        name, value = proposal["trait"].name, proposal["value"]
        n = self.meta["n" if name in ("query", "key") else f"n_{name}s"]
        if value >= n:
            raise ValueError(f"There is no {name} {value} here; choose from 0 to {n - 1}.")
        return value


class ContextView(Canvas):
    """Which vectors of which layers a word's context is made of, how wide it is and what it adds in parameters.

    meta["encoder"] and meta["decoder"] hold tokens and which of them are real (1) or padding (0).
    """

    _esm = script("context.js")
    kinds = traitlets.List(traitlets.Enum(["global", "deep", "deep-global"]), ["deep-global"], minlen=1).tag(
        sync=True, own=True
    )
    layer = traitlets.Int(2, min=0, help="from 0").tag(sync=True, own=True)
    side = traitlets.Enum(["encoder", "decoder", "both"], "encoder").tag(sync=True, own=True)
    word = traitlets.Int(0, min=0, help="whose context is drawn").tag(sync=True, own=True)
    d_model = traitlets.Enum([512, 1024], 512).tag(sync=True, own=True)

    @traitlets.validate("layer")
    def _there(self, proposal: dict) -> int:
        if proposal["value"] >= (n := self.meta["n_layers"]):
            raise ValueError(f"There is no layer {proposal['value']} here; choose from 0 to {n - 1}.")
        return proposal["value"]


class ParseView(Canvas):
    """A line of tree tokens, read with a stack token by token, and the tree that grows from it.

    meta["examples"] holds words and lines; data the cross-attention behind them, float32 [token][layer][head][word],
    from each example's "begin" on. Where meta["editable"], line is what is read; else it is the example's own.
    """

    _esm = script("parsing.js")
    data = traitlets.Bytes().tag(sync=True, own=True)
    example = traitlets.Int(0, min=0, help="which sentence").tag(sync=True, own=True)
    line = traitlets.Unicode("", help="tree tokens, where they can be edited").tag(sync=True, own=True)
    step = traitlets.Int(-1, min=-1, help="tokens said; -1: all, and the end").tag(sync=True, own=True)
    layer = traitlets.Int(-1, min=-1, help="whose cross-attention is shown; -1: the mean").tag(sync=True, own=True)
    head = traitlets.Int(-1, min=-1, help="-1: the mean").tag(sync=True, own=True)
    folded = traitlets.List(traitlets.Int(), help="brackets that are only a roof, by order").tag(sync=True, own=True)
    beam_size = traitlets.Int(1, min=1, help="hypotheses searched side by side").tag(sync=True, own=True)

    @traitlets.validate("example", "layer", "head")
    def _there(self, proposal: dict) -> int:
        name, value = proposal["trait"].name, proposal["value"]
        n = len(self.meta["examples"]) if name == "example" else self.meta[f"n_{name}s"]
        if value >= n:
            raise ValueError(f"There is no {name} {value} here; there are {n}, counted from 0.")
        return value


class ScoreView(Canvas):
    """A gold tree above its words and a predicted one below, whose line of tree tokens may be edited."""

    _esm = script("parsing.js")
    example = traitlets.Int(0, min=0, help="which pair of trees").tag(sync=True, own=True)
    predicted = traitlets.Unicode("", help="the predicted tree as tokens").tag(sync=True, own=True)
    node = traitlets.Int(-1, min=-1, help="the predicted bracket that is chosen, by order").tag(sync=True, own=True)

    @traitlets.validate("example")
    def _there(self, proposal: dict) -> int:
        if proposal["value"] >= (n := len(self.meta["examples"])):
            raise ValueError(f"There is no example {proposal['value']} here; there are {n}, counted from 0.")
        return proposal["value"]


class RecurrenceView(Canvas):
    """A recurrent translator step by step: scores, weights and context, computed in the page from the vectors in data.

    meta["sentences"] says for each sentence and model its words and where in data, float32, its vectors lie.
    """

    _esm = script("recurrence.js")
    data = traitlets.Bytes(help="all vectors as float32").tag(sync=True, own=True)
    sentence = traitlets.Int(0, min=0, help="which sentence is shown").tag(sync=True, own=True)
    score = traitlets.Enum(["additive", "dot", "fixed"], "additive", help="how states are scored").tag(
        sync=True, own=True
    )
    step = traitlets.Int(0, min=0, help="which word is about to be said").tag(sync=True, own=True)
    place = traitlets.Int(-1, min=-1, help="the source word whose score is taken apart; -1: the strongest").tag(
        sync=True, own=True
    )
    unit = traitlets.Int(0, min=0, help="the component of the context that is worked out").tag(sync=True, own=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.steps: list[Any] = []  # what the bytes were made of, exactly
