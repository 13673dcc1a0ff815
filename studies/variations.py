"""Table 3: what each row changes, how many parameters and multiply-adds it has, and what small runs of it did.

The formulas count what the model in transformer_core.py has; the runs are those that experiments/variations.py stored.
The last part measures the gradients of untrained models, with the norm before or after each sublayer.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch

import transformer_core as tc
from core_options import packing
from studies import stored
from studies.statistics import interval, mean, signed

# ─── What the paper prints ───────────────────────────────────────────────────────────────────────────────────────────


class Printed(NamedTuple):
    """A row of Table 3 as printed (newstest2013, English to German); millions of parameters None where it is empty."""

    ppl: float
    bleu: float
    millions: int | None = None
    steps: int = 100_000


TABLE_3: dict[str, Printed] = {
    "base": Printed(4.92, 25.8, 65),
    "A-h1": Printed(5.29, 24.9),
    "A-h4": Printed(5.00, 25.5),
    "A-h16": Printed(4.91, 25.8),
    "A-h32": Printed(5.01, 25.4),
    "B-dk16": Printed(5.16, 25.1, 58),
    "B-dk32": Printed(5.01, 25.4, 60),
    "C-N2": Printed(6.11, 23.7, 36),
    "C-N4": Printed(5.19, 25.3, 50),
    "C-N8": Printed(4.88, 25.5, 80),
    "C-d256": Printed(5.75, 24.5, 28),
    "C-d1024": Printed(4.66, 26.0, 168),
    "C-ff1024": Printed(5.12, 25.4, 53),
    "C-ff4096": Printed(4.75, 26.2, 90),
    "D-drop0.0": Printed(5.77, 24.6),
    "D-drop0.2": Printed(4.95, 25.5),
    "D-ls0.0": Printed(4.67, 25.3),
    "D-ls0.2": Printed(5.47, 25.7),
    "E-learned": Printed(4.92, 25.7),
    "big": Printed(4.33, 26.4, 213, 300_000),
}
COUNTED = tuple(row for row, printed in TABLE_3.items() if printed.millions is not None)


# ─── What a row is, and what it costs ────────────────────────────────────────────────────────────────────────────────


def config_of(row: str, vocab_size: int) -> tc.TransformerConfig:
    """The configuration of a row of Table 3."""
    if row not in tc.PAPER_TABLE_3:
        raise ValueError(f"Table 3 has no row {row!r}; choose one of {', '.join(tc.PAPER_TABLE_3)}.")
    return tc.TransformerConfig(vocab_size, **tc.PAPER_TABLE_3[row])


def code_of(row: str) -> str:
    """The one line that makes a row of the base configuration."""
    changes = ", ".join(f"{name}={value!r}" for name, value in tc.PAPER_TABLE_3[row].items())
    return f"replace(base, {changes})" if changes else "base = TransformerConfig(vocab_size)"


def line_of(row: str) -> str:
    """The line of transformer_core.py that holds a row: one for each letter of the table."""
    source = inspect.getsource(tc).partition("\nPAPER_TABLE_3")[2].partition("\n}")[0]
    starts = {match[1]: line for line in source.splitlines() if (match := re.search(r'^[^"]*"([^"{]+)', line))}
    return starts[max((start for start in starts if row.startswith(start)), key=len)].strip()


def parameter_parts(config: tc.TransformerConfig) -> dict[str, int]:
    """How many numbers are learned, by what they are for; embedding and softmax share one matrix."""
    d, n_layers = config.d_model, config.n_layers
    projections = 2 * d * config.n_heads * (config.d_k + config.d_v)
    return {
        "embedding": config.vocab_size * d,
        "attention": 3 * n_layers * projections,  # one an encoder layer, two a decoder layer
        "feed-forward": 2 * n_layers * (2 * d * config.d_ff + config.d_ff + d),
        "norms": 5 * n_layers * 2 * d,
        "positions": 2 * config.max_len * d if config.positions == "learned" else 0,
    }


def parameters(row: str, vocab_size: int) -> int:
    """The exact number of parameters of a row at a vocabulary."""
    return sum(parameter_parts(config_of(row, vocab_size)).values())


def vocabularies(row: str) -> tuple[int, int]:
    """The vocabularies [low, high) with which a row's count rounds to the printed one."""
    millions = TABLE_3[row].millions
    if millions is None:
        raise ValueError(f"Table 3 prints no parameter count for {row!r}; it does for {', '.join(COUNTED)}.")
    body, d = parameters(row, 1) - config_of(row, 1).d_model, config_of(row, 1).d_model
    low, high = (-((body - half * 100_000) // d) for half in (10 * millions - 5, 10 * millions + 5))
    return low, high


def shared_vocabularies(rows: Sequence[str]) -> tuple[int, int] | None:
    """The vocabularies [low, high) with which all these rows round to what is printed; None if there are none."""
    lows, highs = zip(*(vocabularies(row) for row in rows), strict=True)
    return (max(lows), min(highs)) if max(lows) < min(highs) else None


def multiply_adds(row: str, n_src: int, n_tgt: int, vocab_size: int) -> dict[str, int]:
    """Multiply-adds of one forward pass over a pair of n_src and n_tgt tokens, by what they are for."""
    lengths = torch.tensor([n_src]), torch.tensor([n_tgt])
    return packing.multiply_adds(config_of(row, vocab_size), *lengths)


def cost_per_token(row: str, n: int, vocab_size: int) -> int:
    """Multiply-adds for one source token read and one target token predicted, in a pair of n and n tokens."""
    return sum(multiply_adds(row, n, n, vocab_size).values()) // n


# ─── The small runs ──────────────────────────────────────────────────────────────────────────────────────────────────


MEASURES = {"ppl": "perplexity, % against base", "bleu": "BLEU against base"}
LAST_DIGIT = {"ppl": 0.01, "bleu": 0.1}  # to which the paper prints: two numbers that are one apart may be equal


def made_by(result: Mapping[str, Any]) -> str:
    """The command and the machine of a result, and how much there is of it."""
    runs, seconds = result["runs"], sum(run["seconds"] for run in result["runs"])
    seeds = sorted({run["seed"] for run in runs})
    took = f"{len(runs)} runs, seeds {seeds}, {seconds / 60:.0f} processor minutes"
    return f"{result['command']}   ({took}; {result['machine']})"


def runs_of(result: Mapping[str, Any], row: str) -> dict[int, dict[str, Any]]:
    """The runs of a row by their seed."""
    runs = stored.runs_of(result, row)
    if not runs:
        raise ValueError(f"There is no run of {row!r}; there are {', '.join(stored.rows_of(result))}.")
    return runs


class Difference(NamedTuple):
    """A row less base, run by run with the same seed: the mean, its 95 % interval, and the paper's difference."""

    row: str
    paper: float | None
    mean: float
    low: float | None  # None where there is one run only
    high: float | None
    n: int
    even: bool  # the paper's two numbers are no further apart than rounding can make them

    @property
    def sign(self) -> int:
        """The sign that may be claimed: 0 where the interval holds 0, or there is no interval."""
        return 0 if self.low is None or self.high is None else (self.low > 0) - (self.high < 0)

    @property
    def verdict(self) -> str:
        """How the sign compares with the paper's."""
        if self.paper is None or self.even:
            return "not in paper" if self.paper is None else "paper: even"
        return "open" if not self.sign else "same" if (self.paper > 0) == (self.sign > 0) else "opposite"


def difference(result: Mapping[str, Any], row: str, measure: str, to: str = "base") -> Difference:
    """A row less base by "ppl" (in per cent) or "bleu", paired by seed, with Student's 95 % interval of the mean."""
    if measure not in MEASURES:
        raise ValueError(f"The measure is {measure!r}; choose one of {', '.join(MEASURES)}.")
    for name in (row, to):
        runs_of(result, name)  # refuses a row that was not run
    changes = stored.changes(result, row, measure, to)
    if not changes:
        raise ValueError(f"No run of {row!r} has the seed of a run of {to!r}; run both with the same seeds.")
    printed = [getattr(TABLE_3[name], measure) for name in (row, to) if name in TABLE_3]
    paper = round(stored.change(measure, *printed), 2) if len(printed) == 2 else None
    even = paper is not None and abs(printed[0] - printed[1]) < 1.5 * LAST_DIGIT[measure]
    low, high = interval(changes) or (None, None)
    return Difference(row, paper, mean(changes), low, high, len(changes), even)


def measured_rows(result: Mapping[str, Any]) -> list[str]:
    """The rows of Table 3, base left out, of which there is a run."""
    return [row for row in TABLE_3 if row != "base" and row in stored.rows_of(result)]


def differences(result: Mapping[str, Any], measure: str) -> list[Difference]:
    """What every row of Table 3 that was run does to perplexity or BLEU."""
    return [difference(result, row, measure) for row in measured_rows(result)]


WORDS = {
    "same": "the same direction", "opposite": "the opposite direction", "open": "open, the interval holds 0",
    "paper: even": "in the paper no more than rounding", "not in paper": "not in the paper",
}  # fmt: skip


def in_words(result: Mapping[str, Any], row: str) -> list[str]:
    """What the small runs say of a row, a line for each measure; nothing where there is no run of it."""
    if row not in stored.rows_of(result):
        return []
    lines = []
    for measure, unit in (("ppl", " % perplexity"), ("bleu", " BLEU")):
        gap = difference(result, row, measure)
        ends = f" (95 %: {signed(gap.low, 1)} to {signed(gap.high, 1)})" if gap.n > 1 else ""
        verdict = WORDS[gap.verdict] if gap.n > 1 else "one run, no sign is claimed"
        lines.append(f"{signed(gap.mean, 1)}{unit}{ends}; paper {signed(gap.paper, 1)}{unit}: {verdict}")
    return lines


def around(gap: Difference) -> str:
    """A mean difference and half of its interval; of one run, the difference alone."""
    return signed(gap.mean, 1) + (" (one run)" if gap.high is None else f" ± {gap.high - gap.mean:.1f}")


def printed_rows() -> list[dict[str, Any]]:
    """Table 3 as printed: what a row changes, its perplexity, BLEU, millions of parameters (or a blank) and steps."""
    return [
        {"row": row, "changes": code_of(row), "perplexity": f"{printed.ppl:.2f}", "BLEU": str(printed.bleu)}
        | {"million parameters": printed.millions, "steps": printed.steps}
        for row, printed in TABLE_3.items()
    ]


def difference_rows(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All differences to base as rows of a table: the paper's, ours with half of its interval, and the verdict."""
    return [
        {"row": ppl.row, "runs": ppl.n, "ppl, paper %": signed(ppl.paper, 1), "ppl, here %": around(ppl)}
        | {"ppl": ppl.verdict, "BLEU, paper": signed(bleu.paper, 1), "BLEU, here": around(bleu), "BLEU": bleu.verdict}
        for ppl, bleu in zip(differences(result, "ppl"), differences(result, "bleu"), strict=True)
    ]


def tally(result: Mapping[str, Any], measure: str) -> dict[str, list[str]]:
    """The rows by their verdict."""
    rows: dict[str, list[str]] = {}
    for gap in differences(result, measure):
        rows.setdefault(gap.verdict, []).append(gap.row)
    return rows


def in_a_line(result: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    """A run made here beside the stored one of the same row and seed."""
    run = result["runs"][-1]
    line = f"{run['row']}, seed {run['seed']}: perplexity {run['ppl']:.3f}, BLEU {run['bleu']:.1f}"
    if run["row"] not in stored.rows_of(known) or run["seed"] not in runs_of(known, run["row"]):
        return line
    other = runs_of(known, run["row"])[run["seed"]]
    return f"{line} (stored: {other['ppl']:.3f}, {other['bleu']:.1f})"


# ─── Pictures of the runs ────────────────────────────────────────────────────────────────────────────────────────────


def learning_curve(result: Mapping[str, Any], row: str) -> dict[str, list[float]]:
    """nll of a row's training by the share of its steps in per cent: mean, lowest and highest over the seeds."""
    runs = list(runs_of(result, row).values())
    curves = list(zip(*(run["curve"] for run in runs), strict=True))
    return {
        "x": [round(100 * (i + 0.5) / len(curves), 1) for i in range(len(curves))],
        "y": [round(sum(at) / len(at), 3) for at in curves],
        "low": [min(at) for at in curves], "high": [max(at) for at in curves],
    }  # fmt: skip


# ─── Gradients of untrained models ───────────────────────────────────────────────────────────────────────────────────


SETTINGS = {"post-LN": ("post", False), "pre-LN": ("pre", False), "post-LN, half gain": ("post", True)}


def gradient_norms(norm: str, n_layers: int, half_gain: bool, seeds: int = 3) -> dict[str, list[float]]:
    """‖∂loss/∂W₂‖ of every feed-forward layer of an untrained model on random text, the mean over seeds.

    half_gain: the core's own start; else plain Xavier everywhere, as Xiong et al. (2020) had it.
    """
    runs = [_gradients(norm, n_layers, half_gain, seed) for seed in range(seeds)]
    return {
        stack: [sum(layer) / seeds for layer in zip(*(run[stack] for run in runs), strict=True)] for stack in runs[0]
    }


def _gradients(norm: str, n_layers: int, half_gain: bool, seed: int) -> dict[str, list[float]]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = tc.Transformer(tc.TransformerConfig(100, n_layers, 64, 256, 4, 16, 16, p_drop=0.0, norm=norm))
        for name, weight in model.named_parameters():
            if not half_gain and name.endswith(("w_v.weight", "w_o.weight", "w_1.weight", "w_2.weight")):
                torch.nn.init.xavier_uniform_(weight)
        src, tgt_in, tgt_out = (torch.randint(4, 100, (8, n)) for n in (14, 12, 12))
    torch.nn.functional.cross_entropy(model(src, tgt_in).flatten(0, 1), tgt_out.flatten()).backward()
    norms = {}
    for stack in ("encoder", "decoder"):
        weights = [layer.feed_forward.w_2.weight for layer in getattr(model, stack)]
        norms[stack] = [w.grad.norm().item() for w in weights if w.grad is not None]
    return norms


def gradients_by_depth(depths: Sequence[int] = (1, 2, 4, 6, 9, 12), seeds: int = 3) -> dict[str, Any]:
    """`gradient_norms` of both norms at several depths, as `norms_view` takes them."""
    by_setting = {
        name: {str(n): gradient_norms(norm, n, half, seeds) for n in depths} for name, (norm, half) in SETTINGS.items()
    }
    return {"depths": list(depths), "settings": by_setting}
