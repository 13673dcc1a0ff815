"""The canvas widgets, and all that this project knows of anywidget: typed traits, one script each, one style sheet.

A widget here holds numbers that are ready to draw; it knows no model. What its script asks (exact numbers, a cell's
arithmetic) is answered by the functions in `answers`, which the file of the topic that made the widget provides.
"""

from __future__ import annotations

import ast
import base64
import gzip
import hashlib
import inspect
import json
import math
import pathlib
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import FrameType
from typing import Any

import anywidget
import torch
import traitlets
from torch import Tensor

from viz import page, stills, theme

HERE = pathlib.Path(__file__).parent
Answer = Callable[[dict], tuple[dict, list[bytes]]]


def packed(weights: Tensor) -> bytes:
    """Weights as one byte each, round(255 √w), in C order: small weights keep their differences."""
    return bytes((255 * weights.clamp(0, 1).sqrt()).round().to(torch.uint8).flatten().tolist())


def floats(numbers: Tensor) -> bytes:
    """Numbers as little-endian float32, for the script to print."""
    values = array("f", numbers.detach().cpu().float().flatten().tolist())
    return values.tobytes()


def script(file: str) -> str:
    """The script beside a view's Python file, with canvas.js in the place of its import: widgets load from memory.

    file: the view's `__file__`; its script is of the same word, NAME.py and NAME.js.
    """
    return with_imports(pathlib.Path(file).with_suffix(".js"))


IMPORT = re.compile(r'^import \{[^}]*\} from "(\.\.?/[\w./]+)";\n', flags=re.MULTILINE)


def with_imports(path: pathlib.Path) -> str:
    """A script with what it imports from files beside it in the places of the imports."""
    return IMPORT.sub(lambda found: with_imports(path.parent / found[1]), path.read_text(encoding="utf-8"))


# ─── What an address may set ─────────────────────────────────────────────────────────────────────────────────────────


class Takes:
    """What an address may set a trait to, as JSON that a page holds it against (viz/page/address.js).

    A path leads into meta, or to a trait: "kinds.n_heads" is n_heads of each of meta["kinds"]; the largest counts.
    """

    @staticmethod
    def one_of(*values: Any) -> dict[str, Any]:
        return {"is": "one", "values": list(values)}

    @staticmethod
    def one_in(path: str, *more: Any) -> dict[str, Any]:
        """One of the names on a path, or one of these."""
        return {"is": "one", "among": path, "values": list(more)}

    @staticmethod
    def whole(least: int, most: int, step: int = 1) -> dict[str, Any]:
        return {"is": "int", "min": least, "max": most, "step": step}

    @staticmethod
    def below(path: str, least: int = 0) -> dict[str, Any]:
        """A whole number that counts from 0 what lies on a path."""
        return {"is": "int", "min": least, "below": path}

    @staticmethod
    def up_to(path: str, least: float = 1, whole: bool = True) -> dict[str, Any]:
        return {"is": "int" if whole else "float", "min": least, "to": path}

    @staticmethod
    def list_of(part: dict[str, Any], least: int = 0, most: int = 500) -> dict[str, Any]:
        return {"is": "list", "of": part, "least": least, "most": most}

    @staticmethod
    def for_each(part: dict[str, Any], *paths: str) -> dict[str, Any]:
        """A list as long as there are things on a path; of several paths, as their product."""
        return {"is": "list", "of": part, "long": list(paths)}

    @staticmethod
    def row(*parts: dict[str, Any], or_none: bool = False) -> dict[str, Any]:
        """A list of one part after the other; or_none: it may also be empty."""
        return {"is": "row", "of": list(parts), "or_none": or_none}

    @staticmethod
    def named(part: dict[str, Any], most: int) -> dict[str, Any]:
        """A dict of at most so many such parts."""
        return {"is": "map", "of": part, "most": most}

    @staticmethod
    def like_now() -> dict[str, Any]:
        """Numbers, lists and names as the trait has them, with other values."""
        return {"is": "like"}

    @staticmethod
    def text(most: int, least: int = 0) -> dict[str, Any]:
        """A text of so many characters, spaces around it not counted."""
        return {"is": "text", "least": least, "most": most}

    @staticmethod
    def any_of(*parts: dict[str, Any]) -> dict[str, Any]:
        return {"is": "any", "of": list(parts)}

    @staticmethod
    def where(path: str, takes: dict[str, Any]) -> dict[str, Any]:
        """The same, but only where there is something on a path."""
        return takes | {"where": path}

    @staticmethod
    def asking(takes: dict[str, Any]) -> dict[str, Any]:
        """The same, but only where a model answers; it is set before what may hang on the answer."""
        return takes | {"asks": True}

    @staticmethod
    def by_type(kind: traitlets.TraitType) -> dict[str, Any] | None:
        """Numbers within bounds, yes or no, one of a few; a type of lists and texts says too little: None."""
        if isinstance(kind, traitlets.Bool):
            return {"is": "bool"}
        if isinstance(kind, traitlets.Enum):
            return Takes.one_of(*(kind.values or ()))
        if not isinstance(kind, (traitlets.Int, traitlets.Float)):
            return None
        ends = {end: number for end in ("min", "max") if (number := getattr(kind, end)) is not None}
        finite = {end: number for end, number in ends.items() if math.isfinite(number)}
        return {"is": "int" if isinstance(kind, traitlets.Int) else "float"} | finite


# ─── What a view's class is made of ──────────────────────────────────────────────────────────────────────────────────

Check = Callable[[Any, str, Any], Any]  # view, the trait's name, what is asked for → what is taken, or a ValueError

TYPES = {
    bool: traitlets.Bool, int: traitlets.Int, float: traitlets.Float, str: traitlets.Unicode, bytes: traitlets.Bytes,
    list: traitlets.List, dict: traitlets.Dict,
}  # fmt: skip


def shared(kind: Any, check: Check | None = None) -> Any:
    """A trait that the page and Python share: either may read it and set it, and it goes into an exported page."""
    return kind.tag(sync=True, own=True, **({"check": check} if check else {}))


def trait(
    default: Any, help: str = "", *, of: Any = None, check: Check | None = None, takes: dict[str, Any] | None = None,
    **bounds: Any,
) -> Any:  # fmt: skip
    """A shared trait that takes values of its default's type, within bounds: min and max of a number, minlen of a list.

    of: what each value of a list is, e.g. trait(0, min=0). check: takes the view, the trait's name and the value, and
    returns the value, or raises the ValueError that says what is wrong with it. takes: what an address may set it to,
    where that is not said by its type; {}: nothing.
    """
    parts = () if of is None else (of,)
    kind = shared(TYPES[type(default)](*parts, default_value=default, help=help, **bounds), check)
    return kind if takes is None else kind.tag(takes=takes)


def OneOf(values: Sequence[Any], help: str = "", default: Any = None, check: Check | None = None) -> Any:
    """A shared trait of a few values that are known beforehand: the first, unless another is its default."""
    return shared(traitlets.Enum(values, values[0] if default is None else default, help=help), check)


THERE = "There is no {name} {value} here; choose from 0 to {last}."


def PlaceIn(among: str, help: str = "", default: int = 0, *, least: int = 0, otherwise: str = THERE) -> Any:
    """A shared trait that counts from 0 what meta[among] has or is; least=-1 lets it stand for none, or for all."""

    def check(view: Canvas, name: str, value: int) -> int:
        counted = view.meta[among]
        n = counted if isinstance(counted, int) else len(counted)
        if not least <= value < n:
            raise ValueError(otherwise.format(name=name, value=value, n=n, last=n - 1))
        return value

    return trait(default, help, check=check).tag(takes=Takes.below(among, least))


def HeadOrMean(default: int = 0) -> Any:
    """A shared trait that is one of meta["n_heads"] heads, or the mean of all."""
    return PlaceIn("n_heads", "from 0; -1: the mean of all", default, least=-1)


def checked(view: Canvas, proposal: dict) -> Any:
    """What a trait takes, by its own check."""
    changed = proposal["trait"]
    return changed.metadata["check"](view, changed.name, proposal["value"])


LONGEST = 200  # characters of an argument that a call spells out


def call_of(frame: FrameType | None) -> dict[str, str]:
    """The call of viz that makes a view now: its Python as text, and the view's name then; {} where there is none.

    An argument that is no plain value, or a long one, stands as its parameter's name: `explore_order(translator, "…")`.
    """
    explorer = False
    while frame and frame.f_back and frame.f_back.f_globals.get("__name__", "").startswith("viz."):
        frame = frame.f_back
        explorer |= frame.f_code.co_name == "first_view"
    function = frame and frame.f_globals.get(frame.f_code.co_name)
    if frame is None or not inspect.isfunction(function):
        return {}
    package, name = ".".join(function.__module__.split(".")[:2]), "explorer" if explorer else "view"
    arguments = ", ".join(arguments_of(function, frame.f_locals))
    text = f"from {package} import {function.__name__}\n\n{name} = {function.__name__}({arguments})"
    return {"text": text, "view": f"{name}.view" if explorer else name}


def arguments_of(function: Callable, values: Mapping[str, Any]) -> Iterator[str]:
    """The arguments of a call as they are written, without those that are the defaults."""
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            yield from (f"{key}={spelled(key, value)}" for key, value in values[name].items())
        elif parameter.default is parameter.empty and parameter.kind is not parameter.KEYWORD_ONLY:
            yield spelled(name, values[name])
        elif values[name] is not parameter.default:
            yield f"{name}={spelled(name, values[name])}"


def spelled(name: str, value: Any) -> str:
    """A short plain value as Python writes it, else the name."""
    try:
        text = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
        return text if len(text) <= LONGEST and ast.literal_eval(text) == value else name
    except (ValueError, SyntaxError):
        return name


class Canvas(anywidget.AnyWidget):
    """What every canvas shares: the look, questions from its script, and a picture for pages without JavaScript."""

    _css = HERE / "canvas.css"
    look = trait({}, "colours, light and dark")
    waits = traitlets.Bool(False, help="a model answers for another sentence: the picture is dimmed").tag(sync=True)
    meta = trait({}, "what is shown; shows: the corner's words, live: a model answers, version: which data, call")

    def __init_subclass__(cls, **options: Any) -> None:
        """Let every trait be held against its check when it is set."""
        super().__init_subclass__(**options)
        traits = {name: kind for part in reversed(cls.__mro__) for name, kind in vars(part).items()}
        names = {
            name for name, kind in traits.items() if isinstance(kind, traitlets.TraitType) and "check" in kind.metadata
        }
        if not names.isdisjoint(vars(cls)):
            cls._checked = traitlets.validate(*names)(checked)  # type: ignore[attr-defined]

    def __init__(self, **traits: Any) -> None:
        if unknown := sorted(traits.keys() - set(self.trait_names())):
            own = ", ".join(sorted({*self.trait_names(own=True, sync=True)} - {"data", "look", "meta"}))
            raise ValueError(f"This view has no {unknown[0]!r} to open with; it has {own}.")
        call = call_of(inspect.currentframe())
        meta = {"version": 0, "live": False, "call": call} | traits.pop("meta", {})
        super().__init__(look=theme.for_canvas(), meta=meta, **traits)
        self.answers: dict[str, Answer] = {}
        self.maps: dict[str, Tensor] = {}  # what the bytes were made of, exactly
        self.picture: Callable[[], stills.Svg] | None = None
        self.twin: Callable[[], dict[str, Any]] | None = None  # what a page's own model must know to answer (viz/page)
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
        """The widget's style sheet, for a page of its own: what every view wears, and what its script names."""
        shared, *sections = re.split(r"\n\n(?=/\* )", str(self._css))
        text = self.script()
        worn = [part for part in sections if any(name in text for name in re.findall(r"\.((?!view-)[a-z]+-)", part))]
        return "\n\n".join([shared, *worn])

    def get_state(self, *names: Any, **options: Any) -> dict[str, Any]:
        """The traits as they are sent: JSON's encoding has no halves of pairs, which a token may hold."""
        return theme.all_whole(super().get_state(*names, **options))

    def send(self, content: Any, buffers: Any = None) -> None:
        """Tell the page."""
        super().send(theme.all_whole(content), buffers)

    def state(self) -> dict[str, Any]:
        """The synced traits that are this widget's own, without what the notebook's machinery adds."""
        return {name: getattr(self, name) for name in self.trait_names(sync=True, own=True) if name[0] != "_"}

    def put_back(self, state: str | Mapping[str, Any]) -> None:
        """Show again what the bar's *state* copied, JSON or a dict: all of it, or, if one value is refused, nothing."""
        values = json.loads(state) if isinstance(state, str) else dict(state)
        own = self.state().keys() - {"data", "look", "meta"}
        if unknown := sorted(values.keys() - own):
            raise ValueError(f"This view has no {unknown[0]!r} to put back; it has {', '.join(sorted(own))}.")
        before = {name: getattr(self, name) for name in values}
        try:
            for name, value in values.items():
                setattr(self, name, value)
        except (ValueError, traitlets.TraitError):
            for name, value in before.items():
                setattr(self, name, value)
            raise

    @classmethod
    def takes(cls) -> dict[str, dict[str, Any]]:
        """What an address may set of such a view in a page, by the names of traits (Takes)."""
        kinds = cls.class_traits(sync=True, own=True)
        known = {name: kind.metadata.get("takes", Takes.by_type(kind)) for name, kind in kinds.items()}
        return {name: takes for name, takes in known.items() if takes}

    def frozen(self) -> dict[str, Any]:
        """What a page without Python needs to go on with this view, as JSON; `offline_page` takes it."""
        state = {name: value for name, value in self.state().items() if name != "look"}  # a page holds the look once
        state["meta"] = {**self.meta, "live": False}
        data = self.picture()._repr_mimebundle_() if self.picture else {}
        return {
            "id": self.model_id, "script": type(self).__name__, "text": self.script(),
            "state": plain(state), "takes": self.takes(), "still": data,
            "twin": plain(self.twin()) if self.twin else None,
        }  # fmt: skip


def with_picture(bundle: Any, picture: Callable[[], stills.Svg] | None) -> Any:
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


def without_stills(markup: str) -> str:
    """The HTML of slots without their pictures."""
    return re.sub(r'<div class="pg-still" hidden>(?:(?!</div>).)*</div>', "", markup, flags=re.S)


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


def policy(styles: Iterable[str], scripts: Iterable[str] = (), model: bool = False, beside: bool = True) -> str:
    """What a browser lets a page do: run these scripts, wear these style sheets, draw its own pictures, nothing else.

    No eval, no script or style sheet that is not named here by its hash, no address to load from or to send to. What
    cannot be had is a ban of `style` attributes: formulas and words in colour, Plotly and Vega set them; as nothing can
    be loaded they change looks only. blob: is for the picture that Plotly's camera button makes.

    model: also what a page needs in which a trained model answers (viz/page): WebAssembly and a worker made of its own
    scripts. beside: its weights lie where the page does, as scripts; for a page that is a file, some browsers call that
    file:, not 'self'.
    """
    run, worn = (" ".join(map(digest, texts)) or "'none'" for texts in (scripts, styles))
    own, worker = (" 'wasm-unsafe-eval'", "worker-src blob:; ") if model else ("", "")
    own = f" 'self' file:{own}" if model and beside else own
    return (
        f"default-src 'none'; script-src {run}{own}; {worker}style-src {worn}; style-src-attr 'unsafe-inline'; "
        "img-src data: blob:; connect-src 'none'; base-uri 'none'; form-action 'none'"
    )


def without_comments(script: str) -> str:
    """A script without the lines that are comments alone: a page is read by browsers."""
    texts = re.sub(r"^ */\*\*(?:(?!\*/).)*\*/ *\n", "", script, flags=re.M | re.S)
    return re.sub(rf"^(?!{SHARED}) *//.*\n", "", texts, flags=re.M)


def page_script() -> str:
    """What moves a page without a kernel, and keeps its reader's place."""
    return without_comments(with_imports(HERE / "page" / "start.js")).replace("</script", "<\\/script")


def plain_script(name: str, **known: Any) -> str:
    """A script of viz/page as one that a page can load from a file: no module, what it knows as constants before it."""
    code = re.sub("^export ", "", without_comments(with_imports(HERE / "page" / name)), flags=re.M)
    constants = "".join(f"const {constant} = {json.dumps(plain(value))};\n" for constant, value in known.items())
    return f"(() => {{\n{constants}{code}}})();\n"


def zipped(text: str) -> str:
    """Text for a page, as base64 of gzip."""
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def moving(
    views: Sequence[dict[str, Any]],
    figures: Sequence[dict] = (),
    libraries: Mapping[str, str] | None = None,
    translators: Mapping[str, dict[str, str]] | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """What page.js must know to move views and figures, as `offline_page` takes them, and the scripts that will run."""
    whole = with_imports(HERE / "canvas.js")
    scripts = {view["script"]: without_comments(own_script(view["text"], whole, view["script"])) for view in views}
    shared = without_comments(whole)
    translators = dict(translators or {})
    twins = [twin if (twin := view["twin"]) and twin["model"] in translators else None for view in views]
    code: dict[str, Any] = {"shared": shared, "scripts": scripts}
    data = {
        "models": [
            {"script": view["script"], "state": view["state"], "takes": view["takes"], "twin": twin}
            for view, twin in zip(views, twins, strict=True)
        ],
        "look": theme.for_canvas(), "figures": list(figures), "libraries": (packed_scripts := dict(libraries or {})),
    }  # fmt: skip
    run = [text.replace(SHARED, shared) for text in scripts.values()]
    if answered := {twin["is"] for twin in twins if twin}:
        engine, explorers = (without_comments(text) for text in (page.script(), page.explorers(answered)))
        explorers += said("answering", page.offered(answered))
        code |= {"engine": engine, "explorers": explorers}
        run.append(f"{engine}\n{explorers}")
    run += [gzip.decompress(base64.b64decode(packed)).decode() for packed in packed_scripts.values()]
    return data | {"code": zipped(json.dumps(plain(code), ensure_ascii=False)), "translators": translators}, run


def offline_page(
    head: str,
    body: str,
    style: str,
    views: Sequence[dict[str, Any]],
    figures: Sequence[dict] = (),
    libraries: Mapping[str, str] | None = None,
    translators: Mapping[str, dict[str, str]] | None = None,
    beside: bool = True,
) -> str:
    """One HTML file that moves with no Python and no network; head and body are HTML, views what `Canvas.frozen` gives.

    `slot("canvas", 0)` in the body holds the first view; "plotly" and "vega" stand for the figures, drawn by the
    libraries of these names, which come as base64 of gzip. translators: the models that answer for those views that
    have a twin, by name: "src" of the script beside the page that core_options/page_weights.py writes, and more.
    beside: their weights lie there; else `page_weights.within` puts them into the page.
    """
    data, run = moving(views, figures, libraries, translators)
    script, answered = page_script(), any(model["twin"] for model in data["models"])
    styles = [style, STILL, ""]  # "": the sheet that Plotly fills by its rules
    allowed = policy(styles, [script, *run], answered, beside)
    packed = json.dumps(plain(data), ensure_ascii=False).replace("<", "\\u003c")
    return PAGE.format(policy=allowed, head=head, style=style, still=STILL, body=body, data=packed, script=script)


def views_script(
    name: str,
    style: str,
    markup: Mapping[str, str],
    views: Sequence[dict[str, Any]],
    translators: Mapping[str, dict[str, str]] | None = None,
) -> str:
    """The views of a page as a script beside it, for its notebook where no kernel runs (viz/page/views.js).

    markup: by what is said of a picture, the HTML with the slots of its views. The first line says of which pictures.
    """
    data, _ = moving(views, translators=translators)
    known = {"page": name, "style": zipped(style), "markup": dict(markup)} | data
    return f"// {json.dumps(sorted(markup))}\n{plain_script('views.js', DATA=known)}"
