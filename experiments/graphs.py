"""Training where a GPU is at hand for minutes: sentences in tables of one length, an update one CUDA graph.

    python -m experiments.graphs --data DIR --start-from CHECKPOINT --out RUN --seconds 130 [--scenes DIR …]

An update of a small model is many short kernels, perhaps sooner worked than launched (benchmarks/gpu.md has times, and
no count). Here the pairs wait on the GPU, filled up to 8, 12, 16 … 64 tokens (longer ones are left out), and forward,
backward, clipping and Adam are recorded once for each length and replayed. On a GPU in bf16; on a CPU the same without
graphs, slowly.

The rate rises for 3 % of the seconds, stays until 30 % and falls to zero. As in `experiments.emphasis` the pronouns
that *it* may be count --weight times in the gradient. Of the pairs of --scenes each epoch reads a --share, drawn anew.
`experiments.captions` trains in the same way on a GPU.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

import transformer_core as tc
from core_options import fast_cpu
from experiments import bench, emphasis

LENGTHS = 8, 12, 16, 20, 24, 28, 32, 40, 48, 64
RISEN, LEVEL = 0.03, 0.3  # shares of the seconds at which the rate is at its peak, and begins to fall
TOGETHER = 20  # updates between two looks at the clock


# ─── The text ────────────────────────────────────────────────────────────────────────────────────────────────────────
def tables(pairs: Sequence[tc.Pair]) -> tuple[dict[int, list[int]], dict[int, tc.Batch]]:
    """For each length the places of its pairs, and these as a batch filled up to it: (N, length) each side."""
    rows: dict[int, list[int]] = {length: [] for length in LENGTHS}
    for row, (source, target) in enumerate(pairs):
        if fitting := [length for length in LENGTHS if length > max(len(source), len(target))]:
            rows[fitting[0]].append(row)
    places = {length: own for length, own in rows.items() if own}
    return places, {length: filled([pairs[row] for row in own], length) for length, own in places.items()}


def filled(pairs: Sequence[tc.Pair], length: int) -> tc.Batch:
    """The pairs as a batch whose sides are both of this length."""
    return each(tc.Batch.of(pairs), lambda side: F.pad(side, (0, length - side.size(1))))


def each(batch: tc.Batch, change: Callable[[Tensor], Tensor]) -> tc.Batch:
    """The batch with its three sides changed alike."""
    return tc.Batch(change(batch.src), change(batch.tgt_in), change(batch.tgt_out))


class Plan:
    """Which pairs come together: `epoch` yields a length and rows of its table, always as many of each length."""

    def __init__(self, places: dict[int, list[int]], n_always: int, share: float, tokens: int, seed: int):
        self.random, self.share = random.Random(seed), share
        self.always = {length: [i for i, row in enumerate(own) if row < n_always] for length, own in places.items()}
        self.at_times = {length: [i for i, row in enumerate(own) if row >= n_always] for length, own in places.items()}
        drawn = {length: len(self.always[length]) + self.n_drawn(length) for length in places}
        self.sizes = {length: min(max(1, tokens // length), n) for length, n in drawn.items() if n}  # of a batch

    def n_drawn(self, length: int) -> int:
        return int(self.share * len(self.at_times[length]))

    def epoch(self) -> Iterator[tuple[int, list[int]]]:
        """The batches in random order; what does not fill one is left out this time."""
        batches = []
        for length, size in self.sizes.items():
            rows = self.always[length] + self.random.sample(self.at_times[length], self.n_drawn(length))
            self.random.shuffle(rows)
            batches += [(length, rows[i : i + size]) for i in range(0, len(rows) - size + 1, size)]
        self.random.shuffle(batches)
        yield from batches


# ─── An update ───────────────────────────────────────────────────────────────────────────────────────────────────────
def step_by_step(q: Tensor, k: Tensor, v: Tensor, mask: tc.Mask) -> Tensor:
    """Equation 1 in plain products: on an H100 an update of short sentences took 33 ms, with torch's kernel 37."""
    scores = (q * q.size(-1) ** -0.5) @ k.transpose(-2, -1)
    return (scores if mask is None else scores.masked_fill(~mask, -3e4)).softmax(-1).to(v.dtype) @ v


def apart(log_probs: Tensor) -> Tensor:
    """KL(p‖q) + KL(q‖p) of each token, where p was said under one dropout, q under another: (2B, T, V) -> (B, T)."""
    p, q = log_probs.chunk(2)
    return ((p - q) * (p.exp() - q.exp())).sum(-1)


class Updates:
    """Updates of a model from tables of pairs, recorded by length on a GPU; sums: of the nll, and tokens, so far.

    r_drop: how strongly what two dropouts say of a sentence is drawn together ("R-Drop", Liang et al., 2021).
    """

    def __init__(
        self, model: tc.Transformer, of_pieces: Tensor, text: dict[int, tc.Batch], sizes: dict[int, int],
        device: torch.device, r_drop: float = 0.0,
    ):  # fmt: skip
        self.model, self.device, self.r_drop = model.to(device).train(), device, r_drop
        model.src_positions(LENGTHS[-1]), model.tgt_positions(LENGTHS[-1])  # make room before anything is recorded
        self.of_pieces, self.eps_ls = of_pieces.to(device), model.config.eps_ls
        self.rate, self.sums = torch.zeros((), device=device), torch.zeros(2, device=device)
        self.parameters = list(model.parameters())
        self.optimizer = torch.optim.Adam(
            self.parameters, lr=self.rate, betas=(0.9, 0.98), eps=1e-9, fused=True, capturable=device.type == "cuda"
        )
        for parameter in self.parameters:
            parameter.grad = torch.zeros_like(parameter)
        self.text = {length: batch.to(device) for length, batch in text.items()}
        self.shown = {n: each(self.text[n], lambda side, size=size: side[:size].clone()) for n, size in sizes.items()}  # type: ignore
        self.graphs = self.recorded() if device.type == "cuda" else {}

    def __call__(self, length: int, rows: Sequence[int]) -> None:
        """One update from these rows of the table of this length."""
        whole, shown, chosen = self.text[length], self.shown[length], torch.tensor(rows)
        if self.graphs:  # from pinned memory the rows follow without a wait
            chosen = chosen.pin_memory().to(self.device, non_blocking=True)
        for side in ("src", "tgt_in", "tgt_out"):
            torch.index_select(getattr(whole, side), 0, chosen, out=getattr(shown, side))
        self.graphs[length].replay() if self.graphs else self.work(shown)

    def work(self, batch: tc.Batch) -> None:
        """One update; nothing in it waits for the GPU."""
        if self.r_drop:
            batch = each(batch, lambda side: side.repeat(2, 1))
        torch._foreach_zero_([parameter.grad for parameter in self.parameters if parameter.grad is not None])
        with torch.autocast(self.device.type, torch.bfloat16, self.device.type == "cuda", cache_enabled=False):
            logits = self.model(batch.src, batch.tgt_in)
        log_probs, real = logits.float().log_softmax(-1), batch.tgt_out != tc.PAD
        nll = -log_probs.gather(-1, batch.tgt_out[..., None]).squeeze(-1)
        loss = (1 - self.eps_ls) * nll - self.eps_ls * log_probs.mean(-1)
        total = (loss * self.of_pieces[batch.tgt_out]).masked_fill(~real, 0.0).sum()
        if self.r_drop:
            total = total + self.r_drop / 2 * apart(log_probs).masked_fill(~real.chunk(2)[0], 0.0).sum()
        (total / real.sum()).backward()
        self.sums += torch.stack([nll.detach().masked_fill(~real, 0.0).sum(), real.sum().float()])
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.optimizer.step()

    def recorded(self) -> dict[int, torch.cuda.CUDAGraph]:
        """A graph of `work` for each length; the model is left as it was."""
        before = [parameter.detach().clone() for parameter in self.parameters]
        side, pool, graphs = torch.cuda.Stream(), torch.cuda.graph_pool_handle(), {}
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):  # torch wants everything run before it is recorded
            for batch in self.shown.values():
                self.work(batch)
        torch.cuda.current_stream().wait_stream(side)
        for length, batch in sorted(self.shown.items(), reverse=True):
            graphs[length] = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graphs[length], pool=pool):
                self.work(batch)
        with torch.no_grad():
            for parameter, value in zip(self.parameters, before, strict=True):
                parameter.copy_(value)
            for value in (x for state in self.optimizer.state.values() for x in state.values()):
                value.zero_()
            self.sums.zero_()
        return graphs


def rate(passed: float, peak: float) -> float:
    """The learning rate when this share of the seconds has passed."""
    return peak * (min(1.0, passed / RISEN) if passed < LEVEL else max(0.0, (1 - passed) / (1 - LEVEL)))


def trained_for(seconds: float, peak: float, plan: Plan, updates: Updates) -> Iterator[dict[str, float]]:
    """Epoch after epoch until the seconds have passed; what each was, and the last as far as it went."""
    began, n, passed = time.perf_counter(), 0, 0.0
    for epoch in itertools.count(1):
        for length, rows in plan.epoch():
            if n % TOGETHER == 0:
                if updates.device.type == "cuda":
                    torch.cuda.synchronize()
                passed = (time.perf_counter() - began) / seconds
                if passed >= 1:
                    break
                updates.rate.fill_(rate(passed, peak))
            updates(length, rows)
            n += 1
        nll, tokens = updates.sums.tolist()
        updates.sums.zero_()
        yield dict(epoch=epoch, updates=n, seconds=passed * seconds, tokens=tokens, nll=nll / max(tokens, 1))
        if passed >= 1:
            return


# ─── The command ─────────────────────────────────────────────────────────────────────────────────────────────────────
PARSER = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
PARSER.add_argument("--data", type=Path, required=True, metavar="DIR", help="train.en and train.de (or .gz)")
PARSER.add_argument("--scenes", type=Path, nargs="*", default=(), metavar="DIR", help="such folders, read in part")
PARSER.add_argument("--start-from", type=Path, required=True, metavar="CHECKPOINT")
PARSER.add_argument("--out", type=Path, required=True, metavar="RUN")
PARSER.add_argument("--seconds", type=float, required=True, help="of training, reading and recording not among them")
PARSER.add_argument("--tokens", type=int, default=24_576, help="positions of a batch, padding among them")
PARSER.add_argument("--share", type=float, default=0.3, help="of --scenes, in an epoch")
PARSER.add_argument("--weight", type=float, default=5.0, help="of the pronouns in the gradient")
PARSER.add_argument("--peak", type=float, default=1e-3, help="highest learning rate")
PARSER.add_argument("--p-drop", type=float, default=0.2)
PARSER.add_argument("--seed", type=int, default=0)
PARSER.add_argument("--device", default="cuda")


def read(folders: Sequence[Path], tokenizer: tc.Tokenizer) -> list[tc.Pair]:
    """The training pairs of these folders, one behind the other, in ids."""
    texts = [zip(*tc.read_parallel(folder, "train", "en", "de"), strict=True) for folder in folders]
    return tc.encode_pairs([pair for text in texts for pair in text], tokenizer, tokenizer)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    options = PARSER.parse_args(arguments)
    bench.at_least_one(PARSER, options, "seconds", "tokens")
    if not 0 <= options.share <= 1:
        PARSER.error(f"--share is {options.share}; it must lie between 0 and 1.")
    try:
        device = tc.pick_device(options.device)
        tc.refuse_trained(str(options.out))
        folder = tc.find_checkpoint(options.start_from)
        tokenizer, trained = tc.Tokenizer.load(folder / "tokenizer.model"), tc.load_model(folder)
        always = read([options.data], tokenizer)
        pairs = always + read(options.scenes, tokenizer)
        of_pieces = emphasis.weights(tokenizer, emphasis.WORDS, options.weight)
    except ValueError as error:
        PARSER.error(str(error))
    torch.manual_seed(options.seed)
    model = tc.Transformer(replace(trained.config, p_drop=options.p_drop))
    model.load_state_dict(trained.state_dict())
    places, text = tables(pairs)
    plan = Plan(places, len(always), options.share, options.tokens, options.seed)
    if not plan.sizes:
        PARSER.error(f"Of {len(pairs)} pairs none can be read: each side must be shorter than {LENGTHS[-1]} tokens.")
    with fast_cpu.kernel(model, step_by_step):
        updates = Updates(model, of_pieces, text, plan.sizes, device)
        for line in trained_for(options.seconds, options.peak, plan, updates):
            tc.say(json.dumps(bench.rounded(line)))
    tc.save_checkpoint(options.out, model.config, tc.weights_of(model), tokenizer)


if __name__ == "__main__":
    main()
