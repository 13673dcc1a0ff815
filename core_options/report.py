"""The screen at the end of a training: how it went, what it can do, what to try next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

BARS = "▁▂▃▄▅▆▇█"
WIDTH = 48  # characters of a curve


def curve(values: Sequence[float]) -> str:
    """The course of some numbers in at most WIDTH characters, each the mean of its part."""
    n = min(WIDTH, len(values))
    cuts = [values[i * len(values) // n : (i + 1) * len(values) // n] for i in range(n)]
    means = [sum(cut) / len(cut) for cut in cuts]
    low, high = min(means), max(means)
    return "".join(BARS[int((mean - low) / ((high - low) or 1) * (len(BARS) - 1) + 0.5)] for mean in means)


def line(name: str, values: Sequence[float]) -> str:
    return f"{name:<18}{values[0]:7.3f}  {curve(values)}  {values[-1]:.3f}"


def advice(validated: Sequence[dict[str, Any]], out: str) -> str:
    """What to try next, by where the best validation lies."""
    if not validated:
        return "With valid.SRC and valid.TGT beside its text, a run shows how good it is on what it has not read."
    nll = [row["valid_nll"] for row in validated]
    best = nll.index(min(nll))
    if best == len(nll) - 1:
        return "It was still getting better: the same command with --resume and more --minutes or --steps goes on."
    lowest = f"Its validation nll was lowest at step {validated[best]['step']:,}"
    if best + 1 <= 0.7 * len(nll):
        return f"{lowest}, and since then it learns by heart; try more text, or a higher --p-drop ({out}/best is kept)."
    return f"{lowest}, near the end; more text or a larger --preset will help more than more time."


def screen(log: Sequence[dict[str, Any]], examples: Sequence[tuple[str, str, str]], out: str) -> str:
    """All of it.

    Args:
        log: the rows of log.jsonl
        examples: source, translation, reference
        out: the run's folder
    """
    trained = [row["nll"] for row in log if "nll" in row]
    validated = [row for row in log if "valid_nll" in row]
    lines = [line("nll, training", trained)] if trained else []
    if validated:
        lines.append(line("nll, validation", [row["valid_nll"] for row in validated]))
    scored = [row for row in validated if "valid_bleu" in row]
    if scored:
        best = max(scored, key=lambda row: row["valid_bleu"])
        lines.append(line("BLEU, validation", [row["valid_bleu"] for row in scored]))
        lines.append(f"Best: BLEU {best['valid_bleu']:.1f} (greedy) at step {best['step']:,}")
    for source, translation, reference in examples:
        lines += ["", f"  {source}", f"→ {translation}", f"= {reference}"]
    return "\n".join([*lines, "", advice(validated, out)])
