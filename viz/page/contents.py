"""The first page of all pages: a sentence to try, ways in for three kinds of readers, and what each chapter asks."""

from __future__ import annotations

import html
import urllib.parse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

# Who comes, and which chapters such a reader may take in which order, each with why.
WAYS = (
    ("To learn it", (
        ("00_start_here", "the whole of it in one drawing"),
        ("01_tokens_and_positions", "how a sentence becomes numbers"),
        ("02_scaled_dot_product", "one attention, every number by hand"),
        ("05_attention_heads", "every head of a trained model: predict a row, then see it"),
    )),
    ("To teach it", (
        ("02_scaled_dot_product", "numbers small enough for the board"),
        ("03_masking", "paint a mask, and see what it hides"),
        ("07_decoding", "a search as a tree that grows; the model taught and alone"),
        ("04_training", "a run from nothing, step by step"),
    )),
    ("To look into it", (
        ("13_evidence", "which word matters: six answers against what happens"),
        ("05_attention_heads", "heads out, rows set, words replaced; two readings; keys in a plane"),
        ("08_variations", "Table 3, every row counted and run anew"),
        ("11_context_aware", "what came after: gates and contexts"),
    )),
)  # fmt: skip

HEAD = "<title>Attention is all you need, explained</title>"

BODY = """<body class="pg">
<main class="pg-contents">
<h1>Attention is all you need, explained</h1>
<p>The Transformer of <i>Attention Is All You Need</i> (Vaswani et al., 2017), chapter by chapter: read, predict, then
try it. The pages answer by themselves, with nothing to install and no network; what needs Python is marked.</p>
{first}{ways}<h2>All chapters</h2>
<ul class="pg-index">
{entries}</ul>
</main>
</body>"""

FIRST = """<section class="pg-small">
<h2>Type a sentence</h2>
<p>Write English below and <b>press Enter</b>. A Transformer of {millions} million numbers, trained for this, translates
it into German here in the page. Below, one of its {heads} attention heads: where it looked in your sentence for each
piece that it said.</p>
{view}{onward}</section>
"""

ONWARD = """<p><a data-goes-on="AttentionView" href="{}.html">All heads of this sentence, and what is said without
them</a></p>
"""
MOST_LETTERS = 100_000  # of a chapter's picture: a list is to be light


@dataclass(frozen=True)
class Chapter:
    """A page as the list has it: its name without .html, its title, what it asks, and its picture's address or ""."""

    name: str
    title: str
    sentence: str
    picture: str = ""


def address(name: str) -> str:
    """Where a page lies."""
    return f"{urllib.parse.quote(name)}.html"


def body(chapters: Sequence[Chapter], first: str = "") -> str:
    """The body of the first page; first: what `living` gives, where a model answers."""
    known = {chapter.name: chapter for chapter in chapters}
    return BODY.format(first=first, ways=ways(known), entries="".join(map(entry, chapters)))


def living(view: str, onward: bool, millions: int, heads: int) -> str:
    """A sentence box and its view (HTML) with words around them; onward: the chapter of all heads is there."""
    link = ONWARD.format("05_attention_heads") if onward else ""
    return FIRST.format(view=view, onward=link, millions=millions, heads=heads)


def ways(known: Mapping[str, Chapter]) -> str:
    """The ways in, as far as their chapters are there."""
    lists = [(title, [step for step in steps if step[0] in known]) for title, steps in WAYS]
    parts = [
        f"<section>\n<h3>{title}</h3>\n<ol>\n{way(steps, known)}</ol>\n</section>\n" for title, steps in lists if steps
    ]
    return f'<h2>Three ways in</h2>\n<div class="pg-ways">\n{"".join(parts)}</div>\n' if len(parts) == len(WAYS) else ""


def way(steps: Iterable[tuple[str, str]], known: Mapping[str, Chapter]) -> str:
    """The chapters of one way, each with why."""
    line = '<li><a href="{}">{}</a> {}</li>\n'
    return "".join(line.format(address(name), html.escape(known[name].title), html.escape(why)) for name, why in steps)


def entry(chapter: Chapter) -> str:
    """A chapter of the list: its title, what it asks, and its picture."""
    light = 0 < len(chapter.picture) <= MOST_LETTERS
    source = html.escape(chapter.picture, quote=False).replace("'", "%27")  # a picture's text is full of "
    picture = f'<img alt="" loading="lazy" src=\'{source}\'>' if light else ""
    title, sentence = html.escape(chapter.title), html.escape(chapter.sentence)
    return f'<li><a href="{address(chapter.name)}">{title}</a><p>{sentence}</p>{picture}</li>\n'
