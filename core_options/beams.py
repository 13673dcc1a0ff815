"""A beam search over many sentences at once: the core's, of which each step is one for all of a batch."""

from __future__ import annotations

import itertools
import math

import torch
from torch import Tensor

import transformer_core as tc
from core_options import threads


def select_rows(cache: tc.Cache, rows: Tensor) -> None:
    """Keep these sentences of a cache, in this order; no more than there are."""
    for side in itertools.chain(*cache):
        side.k, side.v = (to_front(x, rows, side.n) for x in (side.k, side.v))
        side.state = side.state[rows] if len(side.state) else side.state


def to_front(x: Tensor, rows: Tensor, n: int) -> Tensor:
    """These rows of x (B, H, capacity, D), of which the first n positions are in use: the rest is not copied."""
    if len(x):  # a recurrent model keeps a state alone
        x[: len(rows), :, :n] = x[rows, :, :n]  # the right side is a copy
    return x[: len(rows)]


class BeamSearch:
    """A beam search over all of src (B, S); each step adds a token to all, and sentences leave when they are done."""

    def __init__(self, model: tc.Transformer, src: Tensor, beam_size: int, alpha: float, max_extra: int):
        if beam_size < 1 or not 0 <= alpha < math.inf or max_extra < 0:
            values = f"beam_size is {beam_size}, alpha {alpha}, max_extra {max_extra}"
            raise ValueError(f"{values}; pass at least 1, 0 and 0.")
        self.model, self.width, self.alpha = model, beam_size, alpha
        self.n = 0  # tokens so far
        self.memory, self.src_mask = model.encode(src), src != tc.PAD
        self.limits = tc.token_limits(model, src, max_extra)  # (B,)
        self.cache = tc.new_cache(model, int(self.limits.max()) * beam_size)
        n, device = len(src), src.device
        self.own = torch.eye(beam_size, device=device).bool()  # each sees the position it adds; the largest comes first
        self.past = self.own.expand(n, 1, -1, -1)  # (B, 1, W, n·W)
        self.best: dict[int, tc.Hypothesis] = {}  # by sentence, the best finished hypothesis
        self.best_score = torch.full((n,), -math.inf, device=device)  # (B,) and its score
        self.sentences = torch.arange(n, device=device)  # (B,) places in src
        self.slots = torch.full((n, 1), beam_size, device=device)  # not kept by a finished one
        self.log_prob = torch.full((n, beam_size), -math.inf, device=device)  # -inf: not in use
        self.log_prob[:, 0] = 0.0
        self.tokens = torch.full((n, beam_size, 1), tc.BOS, device=device)  # (B, W, n + 1)

    def step(self) -> None:
        """Prolong all hypotheses by every token, and keep the W likeliest of each sentence."""
        before = self.log_prob
        last = self.tokens[:, :, -1].reshape(-1, 1)  # (B·W, 1)
        logits = self.model.decode(last, self.memory, self.src_mask, self.cache, self.past)
        log_probs = tc.next_log_probs(logits).view(*before.shape, -1)  # (B, W, V)
        candidates = (before[:, :, None] + log_probs).flatten(1)  # (B, W·V)
        log_prob, index = candidates.topk(self.width)  # (B, W), best first
        parents, tokens = index // log_probs.size(-1), index % log_probs.size(-1)
        has_slot = torch.arange(self.width, device=index.device) < self.slots
        ended = (tokens == tc.EOS) & has_slot & log_prob.isfinite()
        self.n += 1
        self.log_prob = log_prob.masked_fill(~has_slot, -math.inf)
        self.prolong(parents, tokens)
        self.finish(ended)
        self.leave()

    def prolong(self, parents: Tensor, tokens: Tensor) -> None:
        """Give each hypothesis the tokens of the one it prolongs, and one more: (B, W)."""
        earlier = self.tokens.take_along_dim(parents[:, :, None], 1)
        self.tokens = torch.cat([earlier, tokens[:, :, None]], dim=-1)
        earlier = self.past.take_along_dim(parents[:, None, :, None], 2)
        own = self.own.expand(len(parents), 1, -1, -1)
        self.past = torch.cat([earlier, own], dim=-1)
        for own_cache, _ in self.cache:
            if len(own_cache.state):
                own_cache.state = own_cache.state.take_along_dim(parents[:, :, None], 1)

    def finish(self, ended: Tensor) -> None:
        """Take hypotheses that ended out of the live ones; remember the best of each sentence."""
        scores = self.log_prob / tc.length_penalty(self.n, self.alpha)
        score, rank = scores.masked_fill(~ended, -math.inf).max(1)
        self.keep(score > self.best_score, rank)
        self.best_score = torch.maximum(self.best_score, score)
        self.slots = self.slots - ended.sum(1, keepdim=True)
        self.log_prob = self.log_prob.masked_fill(ended, -math.inf)

    def keep(self, which: Tensor, rank: Tensor) -> None:
        """Of these sentences, the hypothesis at this rank is the best so far."""
        for b in which.nonzero().squeeze(1).tolist():
            ids = self.tokens[b, rank[b], 1:].tolist()
            log_prob = self.log_prob[b, rank[b]].item()
            score = log_prob / tc.length_penalty(self.n, self.alpha)
            self.best[int(self.sentences[b])] = tc.Hypothesis(ids, log_prob, score)

    def leave(self) -> None:
        """Let go of the sentences that are done: nothing live can win, or the limit is reached."""
        live, rank = self.log_prob.max(1)
        hoped_for = live / tc.length_penalty(self.limits, self.alpha)  # no score can be better
        done = (hoped_for <= self.best_score) | (self.n >= self.limits)
        self.keep(done & self.best_score.isinf(), rank)  # cut off
        if done.any():
            self.select((~done).nonzero().squeeze(1))

    def select(self, rows: Tensor) -> None:
        """Go on with these sentences."""
        self.memory, self.src_mask = self.memory[rows], self.src_mask[rows]
        self.limits, self.sentences = self.limits[rows], self.sentences[rows]
        self.best_score, self.slots = self.best_score[rows], self.slots[rows]
        self.log_prob, self.tokens = self.log_prob[rows], self.tokens[rows]
        self.past = self.past[rows]
        select_rows(self.cache, rows)


def beam_search(
    model: tc.Transformer, src: Tensor, beam_size: int = 4, alpha: float = 0.6, max_extra: int = 50
) -> list[tc.Hypothesis]:
    """As the core's: the best translation found for each sentence of src (B, S)."""
    with tc.evaluating(model):
        search = BeamSearch(model, src, beam_size, alpha, max_extra)
        while len(search.sentences):
            threads.check_wanted()
            search.step()
    return [search.best[row] for row in range(len(src))]
