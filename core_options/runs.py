"""A training run in full: the core's, with what long runs on real data want besides.

its validation      greedy BLEU, and the best checkpoint by it
its interruption    the first SIGINT or SIGTERM saves and ends; one process at a time trains in a folder
its speed           the fastest way of working batches, several processes
its model           context, two vocabularies, another dropout than the preset's
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import transformer_core as tc
from core_options import context_aware, fast_cpu, packing, processes, safekeeping, ways


@dataclass(frozen=True, kw_only=True)
class TrainArguments(tc.TrainArguments):
    """What the command `train` is told."""

    p_drop: float | None = None  # dropout, in place of the preset's
    eps_ls: float | None = None  # label smoothing, in place of the preset's
    context: str | None = None  # what self-attention's queries and keys read besides, such as deep-global+deep
    context_in: str | None = None  # encoder (if none is named), decoder or both
    tgt_vocab_size: int | None = None  # at most so many of the target's own: whole words, where they are so few
    keep: int = 5  # how many of the step-N folders stay, to be averaged at the end
    bleu_sentences: int = 500  # of valid, translated greedily at each validation
    max_extra: int = 50  # tokens that such a translation may have more than its source
    compile: bool = False  # torch.compile the model
    packed: Literal["auto", "yes", "no"] = "auto"  # sentences end to end, no padding; auto: on CUDA in bf16

    free: ClassVar = tc.TrainArguments.free + " keep max_extra"
    counts: ClassVar = tc.TrainArguments.counts + " tgt_vocab_size keep"

    def model_config(self, vocab_size: int, tgt_vocab_size: int | None = None) -> tc.TransformerConfig:
        names = ("p_drop", "eps_ls", "context", "context_in")
        values = {name: getattr(self, name) for name in names}
        changes = {name: value for name, value in values.items() if value is not None}
        return context_aware.config_of(vocab_size, tgt_vocab_size=tgt_vocab_size, **self.shape() | changes)


class Run(tc.Run):
    """The core's run, in full."""

    arguments: TrainArguments

    def __init__(self, arguments: TrainArguments):
        state_path = Path(arguments.out, "state.safetensors")
        if state_path.exists():
            safekeeping.check_state(state_path)
        super().__init__(arguments)
        self.best: list[float] = []  # BLEU, -nll
        self.is_best = False
        self.stop_signal = 0

    def is_finished(self) -> bool:
        """Whether the saved run has nothing more to do."""
        place: dict[str, Any] = self.saved.get("place", {})
        return bool(place) and self.arguments.is_over(place["step"], place["seconds"])

    @property
    def is_first(self) -> bool:
        """Whether this is the process that writes."""
        return processes.world()[0] == 0

    def read_texts(self, split: str) -> list[tuple[str, str]]:
        """Of valid as they are written, which BLEU's references must be; of train the digest is taken."""
        if split == "valid":
            return list(zip(*tc.read_parallel(self.arguments.data, split, *self.sides), strict=True))
        texts = super().read_texts(split)
        self.digest = hashlib.sha256(repr(texts).encode()).hexdigest()[:16]
        return texts

    @property
    def sides(self) -> tuple[str, str]:
        return self.arguments.src, self.arguments.tgt

    def learn_tokenizers(self, texts: list[tuple[str, str]]) -> list[tc.Tokenizer]:
        """The core's, or one for each language; the first process learns them, while the others wait."""
        size, tgt_size = self.arguments.vocab_size, self.arguments.tgt_vocab_size
        if self.is_first and tgt_size is None:
            super().learn_tokenizers(texts)
        elif self.is_first:
            for name, side, n in zip(tc.TOKENIZERS, zip(*texts, strict=True), (size, tgt_size), strict=True):
                path = self.folder / name
                if not (self.saved and path.exists()):
                    learned = tc.Tokenizer.train(side, n or 0, whole_words=name != tc.TOKENIZERS[0])
                    tc.write_atomically(path, learned.model)
        processes.summed(0)
        return [tc.Tokenizer.load(self.folder / name) for name in tc.TOKENIZERS[: 1 if tgt_size is None else 2]]

    def about(self) -> dict[str, Any]:
        """The core's, with a digest of the text, and the best scores."""
        arguments = super().about()["arguments"] | {"digest of the text": self.digest}
        return {"arguments": arguments, "best": self.best}

    def read_data(self) -> None:
        super().read_data()
        self.valid_batches = list(tc.make_batches(self.encode(self.valid), 1 << 14)) if self.valid else []

    def encode(self, texts: list[tuple[str, str]]) -> list[tuple[list[int], list[int]]]:
        """The core's; learned positions refuse what is too long before anything is trained."""
        pairs = super().encode(texts)
        tc.Positions(self.config)(max((len(ids) + 1 for pair in pairs for ids in pair), default=0))
        return pairs

    def begin(self) -> None:
        super().begin()
        self.shown = self.is_first
        self.best = self.saved.get("about", {}).get("best", [])
        self.way = ways.pick_way(self.state, self.batches, self.arguments.packed, self.arguments.compile)

    def steps(self) -> Iterator[tc.Step]:
        return ways.train(self.model, self.batches, self.arguments, self.state, self.way)

    def pace(self, step: tc.Step) -> str:
        """The core's, with the arithmetic that was done."""
        flop = packing.step_flop(self.model.config, self.way.batch) if self.way.batch else 0
        return super().pace(step) + packing.pace(flop, step.seconds, self.state.device)

    def is_over(self) -> bool:
        """All processes end where one does."""
        return bool(processes.summed(super().is_over())[0])

    def after(self, step: tc.Step) -> bool:
        """The core's; a signal saves, where this step has not been saved."""
        over = super().after(step)
        stopped = bool(processes.summed(self.stop_signal)[0])
        if stopped and not over and step.step % self.arguments.save_every:
            self.save()
        return over or stopped

    def validate(self) -> None:
        """Log nll and greedy BLEU; whether they are the best so far, nll deciding between equal BLEU."""
        if not self.is_first:
            return
        nll = tc.validation_nll(self.model, self.valid_batches, self.arguments.precision)
        scores = dict(valid_nll=nll, valid_perplexity=math.exp(min(nll, 700.0)))
        pairs = self.valid[: self.arguments.bleu_sentences]
        if pairs:
            sources, references = zip(*pairs, strict=True)
            lines = self.translator().translate(sources, 1, max_extra=self.arguments.max_extra)
            scores["valid_bleu"] = tc.corpus_bleu(lines, references)[0].score
        self.log(step=self.state.step, **scores)
        tc.say(f"step {self.state.step}: " + ", ".join(f"{name} {score:.4g}" for name, score in scores.items()))
        before, self.best = self.best, max(self.best, [scores.get("valid_bleu", 0.0), -nll])
        self.is_best = self.best > before

    def translator(self) -> tc.Translator:
        """The model as it is."""
        return fast_cpu.Translator(self.model, self.tokenizers[0], tgt_tokenizer=self.tokenizers[-1])

    def save_step(self, over: bool) -> None:
        """Besides the core's, the best is kept; of the others the last few, and at the end their mean (section 6.1)."""
        if not self.is_first:
            return
        super().save_step(over)
        if self.is_best:
            self.write_checkpoint("best", tc.weights_of(self.model))
        folders, keep = tc.step_folders(self.folder), self.arguments.keep
        for folder in folders[:-keep]:
            shutil.rmtree(folder.rename(f"{folder}.part"))  # at once no checkpoint any more
        if over:
            self.write_checkpoint("averaged", tc.average_checkpoints(folders[-keep:]))

    def save(self) -> None:
        if self.is_first:
            super().save()

    def work(self) -> None:
        """The core's; after a step that could not be made, the state before it is saved, if it is of numbers."""
        try:
            super().work()
        except tc.NonFiniteStep:
            if all(weight.isfinite().all() for weight in self.model.parameters()):
                self.save()
            raise

    @contextlib.contextmanager
    def taking_part(self) -> Iterator[None]:
        """Join the processes of a torchrun, if this is one; a first SIGINT or SIGTERM saves and ends, a second ends."""

        def ask(number: int, frame: object) -> None:
            self.stop_signal = number
            signal.signal(signal.SIGINT, signal.SIG_DFL), signal.signal(signal.SIGTERM, signal.SIG_DFL)
            tc.say(f"{signal.Signals(number).name}: saving after this step.")

        with contextlib.ExitStack() as leaving:
            if processes.is_shared():
                leaving.enter_context(processes.joined(self.arguments.device))
            if self.is_first:
                leaving.enter_context(safekeeping.held(self.folder))
            for number in (signal.SIGINT, signal.SIGTERM):
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
    if run.is_finished():
        return tc.finish(run)  # which says so
    with run.taking_part():
        tc.finish(run)
    return 128 + run.stop_signal if run.stop_signal else 0
