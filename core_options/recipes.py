"""What a training is not told: sizes, rates and a precision that suit its text, its model, its machine and its time.

    vocabulary     5·√words pieces, 1,500 to 37,000: most are then seen often enough to be learned
    batch          what makes some 2,500 steps in the time given, or a fiftieth of the text: 400 to 4,096 target tokens,
                   and so many that 99 of 100 pairs fit
    steps          those that the time allows; without --minutes the text thirty times, 2,000 to 100,000
    warm-up        a tenth of the steps, 50 to 4,000
    peak           0.36 / d_model, at most 2e-3, where the warm-up is chosen too; else equation 3's
    cooldown       the last third to zero in a straight line, by the clock where the clock ends the run
    dropout        at least 0.1; 0.2 where the text is read over 6 times, 0.3 where over 20 times
    validation     ten times; where the clock does not end the run, in more than 10,000 steps every 1,000
    precision      on a CPU the fastest in a trial of some steps, each 5 % faster than a more exact one; bf16 only where
                   the processor has it (elsewhere one step takes a minute); not on a CPU the core's

Every option given overrides its line, and --steps the cooldown and dropout as well, which then stay as they are.
`--recipe paper` is the paper's, for which there are days and millions of pairs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch

import transformer_core as tc

if TYPE_CHECKING:
    from core_options.runs import TrainArguments

ENDLESS = 10_000_000  # steps of a run that the clock ends
PAPER = dict(vocab_size=37_000, tokens_per_batch=25_000, warmup_steps=4000, steps=100_000, save_every=1000)
COOLDOWN = 1 / 3  # of the run
PRECISIONS = ("fp32", "medium", "bf16")  # the more exact first
GAIN = 1.05  # for which a more exact one is given up
FEWEST, SHORTEST = 1500, 2000  # pieces, steps
CHOSEN = "vocab_size tokens_per_batch warmup_steps peak_learning_rate p_drop"  # and kept to the run's end
LENGTH = "steps minutes cooldown_steps save_every"  # chosen as well, but free to change


def between(least: float, x: float, most: float) -> int:
    """x as a whole number of two digits, within limits."""
    x = max(least, min(x, most))
    return int(most) if x == most else int(max(least, min(float(f"{x:.2g}"), most)))


def filled(arguments: TrainArguments, values: dict[str, Any]) -> TrainArguments:
    """With these values where none were given: None, or 0 where whole numbers are asked for."""
    asked = {name: getattr(arguments, name) for name in values}
    is_open = {name: x is None or (type(x) is int and x == 0) for name, x in asked.items()}
    return replace(arguments, **{name: value for name, value in values.items() if is_open[name]})


def as_begun(arguments: TrainArguments, about: dict[str, Any]) -> TrainArguments:
    """With what was chosen when a run began, where nothing else is asked for; about: what its state says."""
    begun = about.get("arguments", {})
    if "length" not in about:  # it is older than recipes
        arguments = replace(arguments, recipe="paper")
    before = {} if arguments.minutes is not None and not arguments.steps else about.get("length", {})
    length = {name: before[name] for name in LENGTH.split() if before.get(name)}
    if arguments.steps:
        length.pop("minutes", None)
    chosen = {name: begun[name] for name in CHOSEN.split() if begun.get(name) is not None}
    if arguments.precision == "auto":
        precision = begun.get("precision", "auto")
        can_be = precision != "medium" or tc.pick_device(arguments.device).type == "cpu"
        arguments = replace(arguments, precision=precision if can_be else "fp32")
    known = filled(arguments, chosen | length)
    return for_paper(known) if known.recipe == "paper" else replace(known, steps=known.steps or ENDLESS)


def for_paper(arguments: TrainArguments) -> TrainArguments:
    """With the paper's own values (sections 5.1 to 5.4) where no others are given."""
    return filled(arguments, PAPER)


def for_text(arguments: TrainArguments, n_words: int) -> TrainArguments:
    """With a vocabulary that suits a text of so many words."""
    return filled(arguments, dict(vocab_size=between(FEWEST, 5 * n_words**0.5, 37_000)))


def worth_a_trial() -> list[str]:
    """The precisions that may pay here: without instructions of its own, bf16 takes twenty times as long as fp32."""
    return [name for name in PRECISIONS if name != "bf16" or torch.ops.mkldnn._is_mkldnn_bf16_supported()]


def for_machine(arguments: TrainArguments, paces: dict[str, float]) -> TrainArguments:
    """With the precision that pays; paces: target tokens a second in each, the more exact first."""
    best, *others = paces
    for precision in others:
        if paces[precision] > GAIN * paces[best]:
            best = precision
    tried = ", ".join(f"{precision} {pace:,.0f}" for precision, pace in paces.items())
    tc.say(f"Precision: {best}; in a trial, tokens/s: {tried}. --precision overrides it.")
    return replace(arguments, precision=best)


def expected(a: TrainArguments, pace: float) -> int:
    """Steps that a run is to make; pace: target tokens a second, asked only where the clock ends it."""
    return max(1, round(pace * 60 * (a.minutes or 0) / a.tokens_per_batch)) if a.is_clocked else a.steps


def for_time(
    arguments: TrainArguments, epoch: int, d_model: int, p_drop: float, pace: float, fits: int = 0
) -> TrainArguments:
    """With batches, steps and rates that suit the time.

    Args:
        epoch: target tokens of the text
        d_model, p_drop: of the model as it is named
        pace: target tokens a second, asked only where minutes are given
        fits: tokens that 99 of 100 pairs have at most
    """
    a, clocked = arguments, arguments.is_clocked
    tokens = pace * 60 * (a.minutes or 0) / 2500 if clocked else epoch / 50
    a = filled(a, dict(tokens_per_batch=between(min(max(400, fits), 4096), tokens, 4096)))
    if not a.steps:
        steps = between(SHORTEST, 30 * epoch / a.tokens_per_batch, 100_000)
        length = dict(steps=ENDLESS) if clocked else dict(steps=steps, cooldown_steps=round(COOLDOWN * steps))
        a = filled(a, length)
        times = expected(a, pace) * a.tokens_per_batch / epoch
        a = filled(a, dict(p_drop=max(p_drop, 0.3 if times > 20 else 0.2 if times > 6 else 0.1)))
    n = expected(a, pace)
    if not a.warmup_steps:  # one that is given without a peak means equation 3's
        peak = min(2e-3, float(f"{0.36 / d_model:.2g}"))
        a = filled(a, dict(warmup_steps=between(50, n / 10, 4000), peak_learning_rate=peak))
    return filled(a, dict(save_every=0 if clocked else between(1, n / 10, 1000)))


def say(a: TrainArguments, epoch: int, pace: float) -> None:
    """What a run is to be, before it begins; also that it ends while its rate still rises."""
    n = expected(a, pace)
    cooldown = f"cooldown in the last {a.cooldown_steps:,}" if a.cooldown_steps else "no cooldown"
    if a.is_clocked:
        cooldown = f"cooldown in the last {COOLDOWN * (a.minutes or 0):.2g} minutes"
    peak = "equation 3's peak" if a.peak_learning_rate is None else f"{a.peak_learning_rate:.1e}"
    dropout = "" if a.p_drop is None else f", dropout {a.p_drop:g}"
    tc.say(
        f"Recipe: at most {a.vocab_size:,} pieces, batches of {a.tokens_per_batch:,} tokens, warm-up of "
        f"{a.warmup_steps:,} steps to {peak}, {cooldown}{dropout}; some {n:,} steps, which read "
        f"the text {n * a.tokens_per_batch / epoch:.2g} times. Options override it; --recipe paper is the paper's."
    )
    if n <= a.warmup_steps:
        problem = f"The run ends after some {n:,} steps, within its warm-up of {a.warmup_steps:,}, and learns little"
        tc.say(f"Note: {problem}; lower --warmup-steps, or train longer.")
