"""The distribution of a next token, and what is drawn from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from studies import decoding as study
from viz import stills
from viz.canvas import Canvas, PlaceIn, floats, script, trait


class SamplingView(Canvas):
    """The next token under temperature, top-k and top-p; data: float32 logits (places, V), each row largest first."""

    _esm = script(__file__)
    SHOWN = 28  # tokens with a bar and a name
    data = trait(b"")
    place = PlaceIn("places", "which distribution")
    temperature = trait(1.0, min=0.1, max=3.0)
    top_k = trait(0, "0: all", min=0)
    top_p = trait(1.0, min=0.01, max=1.0)


def sampling_view(
    logits: Any, tokens: Sequence[str], places: Sequence[str], *, shows: str = "given logits", title: str = "",
    **opens_with: Any,
) -> SamplingView:  # fmt: skip
    """Distributions under temperature, top-k and top-p: logits (P, V), the names of V tokens and of P places."""
    logits = torch.as_tensor(logits, dtype=torch.float32)
    if logits.dim() != 2 or logits.shape != (len(places), len(tokens)) or not logits.numel():
        raise ValueError(
            f"logits has shape {tuple(logits.shape)}, and there are {len(places)} places and {len(tokens)} tokens; "
            f"pass one row of logits for each place, one column for each token."
        )
    ordered, order = logits.sort(dim=-1, descending=True, stable=True)
    words = [[tokens[i] for i in row[: SamplingView.SHOWN]] for row in order.tolist()]
    meta = {"title": title, "shows": shows, "places": list(places), "words": words, "n_tokens": len(tokens)}
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


def sampling_picture(logits: Tensor, view: SamplingView, dark: bool = False) -> stills.Svg:
    """The likeliest tokens as bars, those that are kept filled; logits (V,), largest first."""
    words = view.meta["words"][view.place]
    cut, free = study.cut(logits, view.temperature, view.top_k, view.top_p), study.cut(logits, view.temperature)
    n_kept = int(cut.count_nonzero())
    shares = zip(words, free[: len(words)].tolist(), strict=True)
    bars = [stills.Bar(word, share, faint=i >= n_kept) for i, (word, share) in enumerate(shares)]
    mass = f"{n_kept} of {len(logits)} tokens kept, {free[:n_kept].sum():.1%} of the mass"
    settings = f"T = {view.temperature:g}, top-k = {view.top_k or 'all'}, top-p = {view.top_p:g}: {mass}"
    title = f"{view.meta['title']} · {view.meta['places'][view.place]}"
    chart = stills.bar_chart(bars, most=1, height=200, width=27)
    return stills.page([[chart]], view.meta["shows"], f"{title}. {settings}", title=title, notes=[settings], dark=dark)
