"""A training run in full: what the core's command does, and what long runs on real data want besides.

its record          a log with a line for each step
its validation      nll and greedy BLEU, and the best checkpoint by them
its interruption    the first SIGINT, SIGTERM or SIGHUP saves and ends; one process at a time trains in a folder
its sizes, rates    what it is not told is chosen to suit its text, its machine and its time (recipes)
its end             a screen of how it went (report)
its speed           the fastest way of working batches, several processes
its model           context, two vocabularies, another dropout than the preset's
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import math
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import torch
from tqdm import tqdm

import transformer_core as tc
from core_options import (
    context_aware,
    fast_cpu,
    packing,
    pairs,
    processes,
    recipes,
    report,
    safekeeping,
    schedule,
    threads,
    ways,
    words,
)


@dataclass(frozen=True, kw_only=True)
class TrainArguments(schedule.TrainingConfig, tc.TrainArguments):
    """What the command `train` is told; 0 is what the recipe chooses (core_options/recipes.py)."""

    recipe: Literal["auto", "paper"] = "auto"  # by what numbers are chosen: text and time, or paper
    steps: int = 0  # updates to make in all
    warmup_steps: int = 0  # the learning rate rises for so long
    vocab_size: int = 0  # at most so many sub-word pieces, shared by both languages
    tokens_per_batch: int = 0  # real tokens of a batch, on either side
    minutes: float | None = None  # stop before `steps`, after so many minutes of training
    save_every: int = 0  # steps between checkpoints and validations
    cooldown_steps: int = 0  # the last steps, over which the rate falls to zero in a straight line; 1 is next to none
    start_from: str | None = None  # a checkpoint whose weights, shape and vocabulary are the beginning
    p_drop: float | None = None  # dropout, in place of the recipe's or the preset's
    eps_ls: float | None = None  # label smoothing, in place of the preset's
    context: str | None = None  # what self-attention's queries and keys read besides, such as deep-global+deep
    context_in: str | None = None  # encoder (if none is named), decoder or both
    tgt_vocab_size: int | None = None  # at most so many of the target's own: whole words, where they are so few
    keep: int = 5  # how many of the step-N folders stay, to be averaged at the end
    bleu_sentences: int = 500  # of valid, translated greedily at each validation
    max_extra: int = 50  # tokens that such a translation may have more than its source
    accumulate: int = 1  # work each batch in so many parts, to save memory
    compile: bool = False  # torch.compile the model
    packed: Literal["auto", "yes", "no"] = "auto"  # sentences end to end, no padding; auto: on CUDA in bf16
    overwrite: bool = False  # begin anew in an OUT that holds a run, a model or other files (which stay)

    # What --resume may change.
    free: ClassVar = "data out steps minutes cooldown_steps save_every resume device keep max_extra overwrite recipe"
    # What --resume may change, and says so.
    noted: ClassVar = "warmup_steps peak_learning_rate precision"
    # What must be at least 1; other numbers may be 0.
    counts: ClassVar = "tgt_vocab_size keep accumulate"

    def check(self) -> None:
        """Refuse what makes no sense, before anything is read or written."""
        for name, value in asdict(self).items():
            option, least = name.replace("_", "-"), int(name in self.counts.split())
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError(f"--{option} is {value}; it must be a finite number.")
            if isinstance(value, (int, float)) and value < least:
                raise ValueError(f"--{option} is {value}; it must be at least {least}.")
        if self.preset not in tc.PRESETS:
            raise ValueError(f"There is no preset {self.preset!r}; choose one of {', '.join(tc.PRESETS)}.")
        tc.pick_precision(tc.pick_device(self.device), self.precision)
        self.model_config(1)

    def model_config(self, vocab_size: int, tgt_vocab_size: int | None = None) -> tc.TransformerConfig:
        names = ("p_drop", "eps_ls", "context", "context_in")
        values = {name: getattr(self, name) for name in names}
        changes = {name: value for name, value in values.items() if value is not None}
        shape = tc.PRESETS[self.preset] | changes
        return context_aware.config_of(vocab_size, tgt_vocab_size=tgt_vocab_size, **shape)

    @property
    def is_clocked(self) -> bool:
        """Whether the clock ends the run, and so its cooldown too."""
        return self.recipe == "auto" and self.minutes is not None and self.steps in (0, recipes.ENDLESS)

    def is_over(self, step: int, seconds: float) -> bool:
        return step >= self.steps or (self.minutes is not None and seconds >= 60 * self.minutes)

    def is_due(self, step: tc.Step, seconds: float) -> bool:
        """Whether it is time to validate: after so many steps, or a tenth of the minutes."""
        if self.save_every:
            return step.step % self.save_every == 0
        tenth = 6 * (self.minutes or 1)  # seconds
        return seconds // tenth > (seconds - step.seconds) // tenth

    def fixed(self) -> dict[str, Any]:
        """The arguments that a run keeps to its end."""
        return {name: value for name, value in asdict(self).items() if name not in self.free.split()}

    def text(self, split: str) -> pairs.Text:
        return pairs.Text(self.data, split, self.src, self.tgt)

    def is_finished(self, saved: dict[str, Any]) -> bool:
        """Whether a saved run has nothing more to do, which is said."""
        place = saved.get("place")
        if not place or not self.is_over(place["step"], place["seconds"]):
            return False
        tc.say(f"{self.out} is finished, at step {place['step']}; raise --steps or --minutes to train longer.")
        return True


@dataclass(frozen=True, kw_only=True)
class Cooling(TrainArguments):
    """The arguments of a run that the clock ends, in its last part."""

    share: float  # of the rate

    def learning_rate(self, step: int, d_model: int) -> float:
        return self.share * super().learning_rate(step, d_model)


def check_same(out: str, saved: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Refuse to go on with a run in another way than it was begun."""
    begun = saved.get("about", {}).get("arguments", {})
    for name, value in arguments.items():
        if value != begun.get(name, value):
            if name in TrainArguments.noted.split():
                tc.say(f"Note: {out} was begun with {name} {begun[name]!r} and goes on with {value!r}.")
                continue
            raise ValueError(f"{out} was begun with {name} {begun[name]!r}, not {value!r}; go on as it was begun.")


def say_odd(counts: pairs.Counts) -> None:
    """Name the pairs that are hardly meant: with one side empty, with both the same."""
    kinds = {"have one side empty and are left out": counts.n_empty, "have two identical sides": counts.n_same}
    odd = [f"{n:,} {what}" for what, n in kinds.items() if n]
    if odd:
        tc.say(f"Note: of {counts.n_pairs:,} pairs of training text, {' and '.join(odd)}.")


def stop_signals() -> list[int]:
    """Those that ask a process to end: also that its terminal was closed, unless it is to outlive that (nohup)."""
    numbers: list[int] = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # Windows has none
        numbers.append(signal.SIGHUP)
    return numbers


class Run:
    """A training run and its folder: checkpoints, a log, and the state that --resume reads."""

    def __init__(self, arguments: TrainArguments):
        self.arguments, self.folder = arguments, Path(arguments.out)
        self.state_path, self.log_path = self.folder / "state.safetensors", self.folder / "log.jsonl"
        self.pairs_path = self.folder / pairs.NAME
        self.saved = self.read_saved()
        if self.saved:
            self.arguments = recipes.as_begun(arguments, self.saved["about"])
        elif arguments.recipe == "paper":
            self.arguments = recipes.for_paper(arguments)
        self.tokenizers: list[tc.Tokenizer] = []
        self.log_lines: list[str] = []
        self.best: list[float] = []  # BLEU, -nll
        self.is_best = False
        self.stop_signal = 0

    @property
    def is_first(self) -> bool:
        """Whether this is the process that writes."""
        return processes.world()[0] == 0

    def read_saved(self) -> dict[str, Any]:
        """What the run in OUT has saved, {} where it has made no step; ValueError unless it may go on, or begin."""
        if self.arguments.overwrite and self.arguments.resume:
            raise ValueError("--resume goes on with a run, and --overwrite begins anew; give one of them.")
        if self.arguments.overwrite:
            return {}
        safekeeping.refuse_others(self.folder)
        if not self.state_path.exists():
            return {}
        safekeeping.check_state(self.state_path)
        saved = tc.saved_training(self.state_path)
        if saved["place"]["step"] == 0:
            return {}
        if not self.arguments.resume:
            raise ValueError(f"{self.folder} holds a run; add --resume to go on with it, or name another --out.")
        return saved

    def read_data(self) -> None:
        """The tokenizers, the training pairs and the validation text, as in a saved run."""
        text = self.arguments.text("train")
        known = pairs.kept(self.pairs_path, text) if self.saved else None
        counts = known.counts if known else text.counts()
        self.digest, self.valid = counts.digest, self.read_valid()
        if not self.saved and self.arguments.recipe == "auto":
            self.arguments = recipes.for_text(self.arguments, counts.n_words)
        check_same(self.arguments.out, self.saved, self.about()["arguments"])
        say_odd(counts)
        self.learn_tokenizers(text)
        self.check_tokenizers()
        self.config = self.model_config()
        if known and known.about["tokenizers"] != self.about()["tokenizers"]:
            known = None
        if self.is_first and not known:
            pairs.cut(self.pairs_path, text, counts, self.tokenizers)
        processes.summed(0)
        self.use(known or pairs.Pairs(self.pairs_path))
        valid = tc.encode_pairs(self.valid, self.tokenizers[0], self.tokenizers[-1])
        self.check_lengths((len(source) + 1, len(target) + 1) for source, target in valid)
        self.valid_batches = list(tc.make_batches(valid, 1 << 14)) if valid else []

    def use(self, training: pairs.Pairs) -> None:
        """Make batches of the training pairs, in a new run after what suits them has been chosen."""
        self.check_lengths(training.lengths)
        if not self.saved:
            self.choose(training)
        self.batches = pairs.Batches(training, self.arguments.tokens_per_batch, self.arguments.seed)

    def choose(self, training: pairs.Pairs) -> None:
        """Fill in what suits the machine, the text and the time, after a trial of some steps where one is needed."""
        a, paces, epoch = self.arguments, dict[str, float](), sum(target for _, target in training.lengths)
        lengths = sorted(map(max, training.lengths))
        on_cpu = tc.pick_device(a.device).type == "cpu"
        is_open = a.precision == "auto" and on_cpu
        if is_open or a.is_clocked:
            size, first, n = (1500, 1, 3) if on_cpu else (a.tokens_per_batch or 4096, 10, 10)
            batches = pairs.Batches(training, max(size, lengths[0]))
            precisions = recipes.worth_a_trial() if is_open else [a.precision]
            measured = processes.summed(*(self.pace_in(precision, batches, first, n) for precision in precisions))
            paces = {name: x / processes.world()[1] for name, x in zip(precisions, measured, strict=True)}
        if is_open:
            a = recipes.for_machine(a, paces)
        if a.recipe == "auto":
            pace = paces.get(a.precision, 0.0)
            fits = lengths[len(lengths) * 99 // 100]  # of a hundred pairs all but one are no longer
            a = recipes.for_time(a, epoch, self.config.d_model, self.config.p_drop, pace, fits)
            if self.is_first:
                recipes.say(a, epoch, pace)
        self.arguments = a
        self.config = self.model_config()

    def pace_in(self, precision: str, batches: tc.Batches, first: int, n: int, most: float = 10.0) -> float:
        """Target tokens a second in this precision: of n steps after the first, or as many as begin in `most` seconds.

        A GPU loads its kernels in the first ten steps, and is as quick with large batches as with small ones. The model
        is then thrown away.
        """
        trial = replace(self.arguments, steps=first + n, warmup_steps=1, peak_learning_rate=1e-6, precision=precision)
        model = tc.MODELS[self.config.kind](self.config)
        state = tc.TrainingState(model, trial)
        way = ways.pick_way(state, batches, trial.packed, False, trial.accumulate)
        steps = []
        for step in ways.train(model, batches, trial, state, way):
            steps.append(step)
            if state.seconds > most:
                break
        counted = steps[first:] or steps[-1:]
        return sum(step.n_tokens for step in counted) / sum(step.seconds for step in counted)

    def model_config(self) -> tc.TransformerConfig:
        """The preset's, or that of the checkpoint from which the run starts."""
        config = self.arguments.model_config(*map(len, self.tokenizers))
        if self.arguments.start_from is None:
            return config
        begun = tc.read_config(self.folder) if self.saved else self.begun.model.config
        return replace(begun, p_drop=config.p_drop, eps_ls=config.eps_ls)

    def read_valid(self) -> list[tuple[str, str]]:
        """The validation text as it is written, which BLEU's references must be."""
        text = self.arguments.text("valid")
        if not any(path.exists() for path in text.paths):
            return []
        text.check()
        return list(zip(*tc.read_parallel(*text.named), strict=True))

    def check_lengths(self, lengths: Iterable[tuple[int, int]]) -> None:
        """Learned positions refuse what is too long before anything is trained."""
        if self.config.positions != "learned":
            return
        tc.Positions(self.config)(max(map(max, lengths), default=0))

    def learn_tokenizers(self, text: pairs.Text) -> None:
        """One for both languages, or one for each; the first process learns and keeps them, while the others wait.

        Not before they are at hand is the folder claimed, and what it holds lost.
        """
        has_them = self.saved and (self.folder / tc.TOKENIZERS[0]).exists()
        if self.is_first and not has_them:
            learned = self.begun_tokenizers() if self.arguments.start_from is not None else self.learned(text)
            if not self.saved:
                safekeeping.claim(self.folder)
            for name, tokenizer in zip(tc.TOKENIZERS, learned, strict=False):
                tc.write_atomically(self.folder / name, tokenizer.model)
        processes.summed(0)
        paths = [self.folder / name for name in tc.TOKENIZERS]
        self.tokenizers = [words.load(path) for path in paths if path.exists()]

    def learned(self, text: pairs.Text) -> list[tc.Tokenizer]:
        """Of the training text."""
        a = self.arguments
        if a.tgt_vocab_size is None:
            return [tc.Tokenizer.train(itertools.chain.from_iterable(text), a.vocab_size)]
        source, target = map(pairs.lines, text.paths)
        return [tc.Tokenizer.train(source, a.vocab_size), words.train(target, a.tgt_vocab_size)]

    def begun_tokenizers(self) -> list[tc.Tokenizer]:
        """Those of the checkpoint from which the run starts."""
        return list(dict.fromkeys([self.begun.tokenizer, self.begun.tgt_tokenizer]))

    @functools.cached_property
    def begun(self) -> tc.Translator:
        """The checkpoint from which the run starts, once checked."""
        start = tc.find_checkpoint(self.arguments.start_from or "")
        if self.folder.resolve() in (Path(start).resolve(), *Path(start).resolve().parents):
            raise ValueError(
                f"--start-from {start} lies in --out {self.folder}, which begins anew; name another --out."
            )
        return safekeeping.load_pretrained(start)

    def check_tokenizers(self) -> None:
        """Refuse to go on with other tokenizers than the run was begun with."""
        digests = self.about()["tokenizers"]
        if self.saved and self.saved["about"].get("tokenizers", digests) != digests:
            problem = f"{self.folder} was begun with another tokenizer than the one that is there"
            raise ValueError(f"{problem}; put back its own, or begin anew with --overwrite.")

    def about(self) -> dict[str, Any]:
        """What is kept with the state: the arguments that must stay, digests of text and tokenizers, best scores."""
        arguments = self.arguments.fixed() | {"digest of the text": self.digest}
        digests = pairs.digests(self.tokenizers)
        length = {name: getattr(self.arguments, name) for name in recipes.LENGTH.split()}
        return {"arguments": arguments, "best": self.best, "tokenizers": digests, "length": length}

    def begin(self) -> None:
        """A new model, or the saved one with its state and its log."""
        a = self.arguments
        torch.manual_seed(a.seed)
        self.model = tc.MODELS[self.config.kind](self.config)
        self.state = tc.TrainingState(self.model, self.arguments)
        if a.start_from is not None and not self.saved:
            self.model.load_state_dict(self.begun.model.state_dict())
        if self.saved:
            self.best = self.state.load(self.state_path).get("best", [])
            lines = tc.read_lines(self.log_path) if self.log_path.exists() else []
            self.log_lines = [line for line in lines if json.loads(line)["step"] <= self.state.step]
        self.way = ways.pick_way(self.state, self.batches, a.packed, a.compile, a.accumulate)
        sizes = f"{tc.count_parameters(self.model):,} parameters, {len(self.batches.usable):,} pairs"
        tc.say(f"{sizes}, on {self.state.device} in {self.state.precision}")

    def work(self) -> None:
        """Train to the end, with a bar of progress."""
        self.begin()
        a, done = self.arguments, self.state.step
        every = 1 if sys.stderr.isatty() else 60  # seconds between lines of progress
        with tqdm(total=a.steps, initial=done, mininterval=every, disable=not self.is_first) as bar:
            for step in ways.train(self.model, self.batches, self.cooled(), self.state, self.way):
                if a.is_clocked:
                    bar.total = round(step.step * 60 * (a.minutes or 0) / self.state.seconds)
                bar.set_postfix_str(self.pace(step), False)
                bar.update()
                if self.after(step):
                    break
        if self.is_first and not self.stop_signal:
            tc.say(report.screen([json.loads(line) for line in self.log_lines], self.examples(), self.arguments.out))

    def pace(self, step: tc.Step) -> str:
        """How fast a step was, and how much arithmetic that is."""
        flop = packing.step_flop(self.model.config, self.way.batch) if self.way.batch else 0
        speed = f"nll {step.nll:.3f}, {step.n_tokens / step.seconds:,.0f} tokens/s"
        return speed + packing.pace(flop, step.seconds, self.state.device)

    def after(self, step: tc.Step) -> bool:
        """Log a step, validate and save when it is time or a signal came; True when the run ends, in all processes."""
        self.state.seconds = processes.summed(self.state.seconds)[0] / processes.world()[1]  # one clock for all
        self.log(**step._asdict() | {"seconds": self.state.seconds})
        over = self.arguments.is_over(step.step, self.state.seconds)
        due = over or bool(processes.summed(self.arguments.is_due(step, self.state.seconds))[0])
        self.state.config = self.cooled()
        if due and self.is_first:
            if self.valid:
                self.validate()
            self.save_step(over)
        stopped = bool(processes.summed(self.stop_signal)[0])
        if due or stopped:
            self.save()
            processes.summed(0)  # nobody's next step lasts as long as that
        return over or stopped

    def cooled(self) -> TrainArguments:
        """What the next step is made with: where the clock ends the run, a rate that falls with the time left."""
        cooldown = 60 * (self.arguments.minutes or 0) * recipes.COOLDOWN  # seconds
        left = 60 * (self.arguments.minutes or 0) - self.state.seconds
        if not self.arguments.is_clocked or left >= cooldown:
            return self.arguments
        return Cooling(**vars(self.arguments), share=max(0.0, left / cooldown))

    def log(self, **values: float) -> None:
        rounded = {name: float(f"{x:.6g}") if isinstance(x, float) else x for name, x in values.items()}
        self.log_lines.append(json.dumps(rounded))

    def validate(self) -> None:
        """Log nll and greedy BLEU; whether they are the best so far, nll deciding between equal BLEU."""
        nll = ways.validation_nll(self.model, self.valid_batches, self.arguments.precision)
        scores = dict(valid_nll=nll, valid_perplexity=math.exp(min(nll, 700.0)))
        texts = self.valid[: self.arguments.bleu_sentences]
        if texts:
            sources, references = zip(*texts, strict=True)
            lines = self.translator().translate(sources, 1, max_extra=self.arguments.max_extra)
            scores["valid_bleu"] = tc.corpus_bleu(lines, references)[0].score
        self.log(step=self.state.step, **scores)
        tc.say(f"step {self.state.step}: " + ", ".join(f"{name} {score:.4g}" for name, score in scores.items()))
        before, self.best = self.best, max(self.best, [scores.get("valid_bleu", 0.0), -nll])
        self.is_best = self.best > before

    def examples(self, n: int = 3) -> list[tuple[str, str, str]]:
        """Some sentences of the validation text, their greedy translations and references."""
        texts = [pair for pair in self.valid if all(pair)]
        texts = texts[:: max(1, len(texts) // n)][:n]
        lines = self.translator().translate([source for source, _ in texts], 1, max_extra=self.arguments.max_extra)
        return [(source, line, reference) for (source, reference), line in zip(texts, lines, strict=True)]

    def translator(self) -> tc.Translator:
        """The model as it is."""
        return fast_cpu.Translator(self.model, self.tokenizers[0], tgt_tokenizer=self.tokenizers[-1])

    def save_step(self, over: bool) -> None:
        """A checkpoint of this step, the best one, the last few of the others, and at the end their mean (6.1)."""
        weights, keep = tc.weights_of(self.model), self.arguments.keep
        self.write_checkpoint(f"step-{self.state.step}", weights)
        if self.is_best:
            self.write_checkpoint("best", weights)
        folders = tc.step_folders(self.folder)
        for folder in folders[:-keep]:
            safekeeping.retire(folder)
        if over:
            self.write_checkpoint("averaged", tc.average_checkpoints(folders[-keep:]))

    def save(self) -> None:
        """Write the run as it is; the state comes last, so that nothing is half-done."""
        if not self.is_first:
            return
        self.write_checkpoint(".", tc.weights_of(self.model))
        tc.write_atomically(self.log_path, "".join(line + "\n" for line in self.log_lines).encode())
        safekeeping.settle(self.folder)
        self.state.save(self.state_path, self.about())
        safekeeping.settle(self.folder)

    def write_checkpoint(self, name: str, weights: tc.Weights) -> None:
        tc.save_checkpoint(self.folder / name, self.config, weights, *self.tokenizers)

    def finish(self) -> None:
        """Read the data, and train; after a step that could not be made, save the state before, if it is of numbers."""
        self.read_data()
        try:
            self.work()
        except tc.NonFiniteStep:
            if all(weight.isfinite().all() for weight in self.model.parameters()):
                self.save()
            raise

    @contextlib.contextmanager
    def taking_part(self) -> Iterator[None]:
        """Join the processes of a torchrun, if this is one; a first signal to end saves and ends, a second ends."""
        on_terminal = sys.stderr.isatty()

        def ask(number: int, frame: object) -> None:
            self.stop_signal = number
            signal.signal(signal.SIGINT, signal.SIG_DFL), signal.signal(signal.SIGTERM, signal.SIG_DFL)
            if signal.Signals(number).name == "SIGHUP" and on_terminal:  # which is no more
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
            tc.say(f"{signal.Signals(number).name}: saving after this step.")

        with contextlib.ExitStack() as leaving:
            if tc.pick_device(self.arguments.device).type == "cpu":
                leaving.callback(torch.set_num_threads, torch.get_num_threads())
                threads.leave_one()
            if processes.is_shared():
                leaving.enter_context(processes.joined(self.arguments.device))
            if self.is_first:
                leaving.enter_context(safekeeping.held(self.folder))
                if self.read_saved().get("place") != self.saved.get("place"):
                    raise ValueError(f"Another process has trained in {self.folder} meanwhile; start again.")
            for number in stop_signals():
                leaving.callback(signal.signal, number, signal.signal(number, ask))
            yield


def train_command(arguments: TrainArguments) -> int:
    """Train a Transformer on a folder of parallel text.

    The folder holds train.SRC, train.TGT and, to watch the progress, valid.SRC, valid.TGT (also .gz), one sentence a
    line. OUT becomes a checkpoint folder with the last state; OUT/best, OUT/averaged and OUT/step-N are others. A run
    that was stopped or killed goes on with --resume and the same arguments; steps, minutes and cooldown may differ.
    """
    arguments.check()
    run = Run(arguments)
    if run.arguments.is_finished(run.saved):
        return 0
    with run.taking_part():
        run.finish()
    return 128 + run.stop_signal if run.stop_signal else 0
