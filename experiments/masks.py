"""What the causal mask is worth: the same small Transformer trained with it and without it, on a task made here.

    python -m experiments.masks [--seeds 5] [--steps 400] [--out notebooks/data/masking.json]

The task is a made-up translation in which several German sentences are right for each English one: words have synonyms
(the first is taken 7 times in 10), and a word of time stands in front or after the verb. So nobody can know every next
word, and the best that an honest model can reach is known exactly (`best_possible`). A model without the mask has the
answer among its inputs: it is far better than the best possible while it is taught, and has learnt nothing.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

import transformer_core as tc
from core_options import schedule, ways
from experiments import bench

FIRST = 0.7  # how often the first of two synonyms is taken
NOUNS = {
    "teacher": ["Lehrer", "Schulmeister"], "doctor": ["Arzt", "Doktor"], "father": ["Vater", "Papa"], "dog": ["Hund"],
    "friend": ["Freund", "Kumpel"], "tree": ["Baum"], "garden": ["Garten", "Park"], "path": ["Weg", "Pfad"],
    "chair": ["Stuhl", "Sessel"], "coat": ["Mantel", "Umhang"], "table": ["Tisch"], "boat": ["Kahn", "Nachen"],
}  # fmt: skip
ADJECTIVES = {
    "wise": ["weis", "klug"], "big": ["groß", "riesig"], "small": ["klein", "winzig"], "new": ["neu", "modern"],
    "pretty": ["schön", "hübsch"], "red": ["rot"], "strong": ["stark", "kräftig"], "quiet": ["still", "leis"],
}  # fmt: skip
VERBS = {
    "saw": ["sah", "erblickte"], "found": ["fand", "entdeckte"], "sought": ["suchte"], "bought": ["kaufte", "erwarb"],
    "painted": ["malte", "zeichnete"], "loved": ["liebte", "mochte"], "praised": ["lobte", "rühmte"],
}  # fmt: skip
TIMES = {"yesterday": ["gestern"], "today": ["heute"], "often": ["oft", "häufig"], "always": ["immer", "stets"]}
ARTICLES = {"the": ("der", "den"), "a": ("ein", "einen")}  # as subject, as object; all nouns are masculine
WORDS = [*NOUNS, *ADJECTIVES, *VERBS, *TIMES, *ARTICLES]
SIZE: dict[str, Any] = dict(n_layers=2, d_model=64, d_ff=128, n_heads=4, d_k=16, d_v=16, p_drop=0.0, eps_ls=0.0)
Sentence = tuple[str, ...]
Chances = dict[Sentence, float]


# ─── The task ────────────────────────────────────────────────────────────────────────────────────────────────────────
def english(rng: random.Random) -> Sentence:
    """A sentence such as "the wise teacher saw a red table yesterday"."""

    def phrase() -> list[str]:
        return [rng.choice([*ARTICLES]), *rng.sample([*ADJECTIVES], rng.randint(0, 1)), rng.choice([*NOUNS])]

    return (*phrase(), rng.choice([*VERBS]), *phrase(), *rng.sample([*TIMES], rng.randint(0, 1)))


def choices(words: Sequence[str]) -> list[tuple[str, float]]:
    """Each synonym with its chance."""
    return [(words[0], 1.0)] if len(words) == 1 else [(words[0], FIRST), (words[1], 1 - FIRST)]


def german_phrase(words: Sequence[str], is_object: bool) -> list[list[tuple[str, float]]]:
    """The places of a noun phrase, each with its possible words."""
    article, *adjective, noun = words
    ending = "en" if is_object else "er" if article == "a" else "e"
    middle = [[(word + ending, chance) for word, chance in choices(ADJECTIVES[a])] for a in adjective]
    return [[(ARTICLES[article][is_object], 1.0)], *middle, choices(NOUNS[noun])]


def translations(sentence: Sentence) -> Chances:
    """Every right translation, with its probability."""
    at = next(i for i, word in enumerate(sentence) if word in VERBS)
    late = [choices(TIMES[word]) for word in sentence[-1:] if word in TIMES]
    subject = german_phrase(sentence[:at], False)
    object_ = german_phrase(sentence[at + 1 : len(sentence) - len(late)], True)
    verb = [choices(VERBS[sentence[at]])]
    orders = (
        [[*late, *verb, *subject, *object_], [*subject, *verb, *late, *object_]] if late else [subject + verb + object_]
    )
    chances: Chances = {}
    for order in orders:
        for pick in itertools.product(*order):
            chances[tuple(word for word, _ in pick)] = math.prod(chance for _, chance in pick) / len(orders)
    return chances


def draw(rng: random.Random, chances: Chances) -> Sentence:
    """One of the translations, by its probability."""
    return rng.choices([*chances], [*chances.values()])[0]


def next_words(chances: Chances, begun: Sentence) -> dict[str, float]:
    """What may follow after these words, "</s>" included, each with its probability."""
    weights: dict[str, float] = {}
    for words, chance in chances.items():
        if words[: len(begun)] == begun:
            word = words[len(begun)] if len(words) > len(begun) else "</s>"
            weights[word] = weights.get(word, 0.0) + chance
    total = sum(weights.values())
    return {word: chance / total for word, chance in weights.items()}


class Score(NamedTuple):
    """Teacher-forced, over all target tokens and "</s>": how often the likeliest is right, and nats per token."""

    accuracy: float
    nll: float


def best_possible(pairs: Sequence[tuple[Sentence, Sentence]]) -> Score:
    """The score of one who knows the task perfectly, but not what will be said next."""
    right, nll, n = 0, 0.0, 0
    for source, target in pairs:
        chances = translations(source)
        for place, word in enumerate((*target, "</s>")):
            following = next_words(chances, target[:place])
            right += max(following, key=lambda word: following[word]) == word
            nll, n = nll - math.log(following[word]), n + 1
    return Score(right / n, nll / n)


def vocabulary() -> list[str]:
    """Every word of both languages, the four special ones first."""
    endings = [word + ending for words in ADJECTIVES.values() for word in words for ending in ("e", "er", "en")]
    lists = itertools.chain(*NOUNS.values(), *VERBS.values(), *TIMES.values(), *ARTICLES.values())
    return ["<pad>", "<s>", "</s>", "<unk>", *WORDS, *lists, *endings]


PLACES = {word: place for place, word in enumerate(vocabulary())}


def ids(words: Sentence) -> list[int]:
    return [PLACES[word] for word in words]


def spelled(numbers: Sequence[int]) -> Sentence:
    """The words of ids, up to the end."""
    names = vocabulary()
    before_end = itertools.takewhile(lambda number: number != tc.EOS, numbers)
    return tuple(names[number] for number in before_end)


def make_pairs(n: int, seed: int, without: Collection[Sentence] = frozenset()) -> list[tuple[Sentence, Sentence]]:
    """n sentence pairs, no English sentence among `without`."""
    rng, pairs = random.Random(seed), []  # type: ignore[var-annotated]
    while len(pairs) < n:
        source = english(rng)
        if source not in without:
            pairs.append((source, draw(rng, translations(source))))
    return pairs


# ─── The two models ──────────────────────────────────────────────────────────────────────────────────────────────────
class Unmasked(tc.Transformer):
    """The bug: the decoder's self-attention hides the padding, but not the future."""

    def tgt_mask(self, tgt_in: Tensor, start: int = 0) -> Tensor:
        return tc.padding_mask(tgt_in)


MODELS: dict[str, Callable[[tc.TransformerConfig], tc.Transformer]] = {
    "with the mask": tc.Transformer, "without the mask": Unmasked
}  # fmt: skip


def taught(model: tc.Transformer, batch: tc.Batch) -> Score:
    """Teacher-forced: every input token is the right one."""
    with tc.evaluating(model):
        logits = model(batch.src, batch.tgt_in)
    real = batch.tgt_out != tc.PAD
    right = (logits.argmax(-1) == batch.tgt_out)[real].float().mean().item()
    return Score(right, tc.label_smoothed_loss(logits, batch.tgt_out, 0.0).item())


def on_its_own(model: tc.Transformer, src: Tensor) -> list[Sentence]:
    """Greedy translations, each word chosen by the model from its own words before."""
    return [spelled(hypothesis.ids) for hypothesis in tc.greedy_decode(model, src, max_extra=4)]


def made_to_go_on(model: tc.Transformer, src: Tensor, lengths: Sequence[int]) -> list[Sentence]:
    """As many words as asked for, the end forbidden; the whole prefix is run anew for each word, as in training."""
    tokens = torch.full((len(src), 1), tc.BOS)
    with tc.evaluating(model):
        for _ in range(max(lengths)):
            logits = model(src, tokens)[:, -1]
            logits[:, [tc.PAD, tc.BOS, tc.EOS]] = -math.inf
            tokens = torch.cat([tokens, logits.argmax(-1, keepdim=True)], 1)
    return [spelled(row[1 : n + 1]) for row, n in zip(tokens.tolist(), lengths, strict=True)]


def share_right(sources: Sequence[Sentence], outputs: Sequence[Sentence]) -> float:
    """How many of the sentences are right translations, whichever."""
    return sum(words in translations(source) for source, words in zip(sources, outputs, strict=True)) / len(sources)


def bleu(outputs: Sequence[Sentence], pairs: Sequence[tuple[Sentence, Sentence]]) -> tuple[float, str]:
    """sacreBLEU against the one translation that was drawn, with its signature."""
    score, metric = tc.corpus_bleu([" ".join(words) for words in outputs], [" ".join(target) for _, target in pairs])
    return round(score.score, 2), str(metric.get_signature())


# ─── The experiment ──────────────────────────────────────────────────────────────────────────────────────────────────
def learn(name: str, seed: int, steps: int, every: int = 20) -> Iterator[dict[str, Any]]:
    """Train one model; a point of its curve every so many steps, the last with its BLEU and what it says."""
    test = make_pairs(200, 10_000 + seed)
    sources = [source for source, _ in test]
    train = make_pairs(4000, seed, without={*sources})
    torch.manual_seed(seed)
    model = MODELS[name](tc.TransformerConfig(vocab_size=len(PLACES), **SIZE))
    batches = tc.make_batches([(ids(source), ids(target)) for source, target in train], tokens_per_batch=500, seed=seed)
    batch = tc.Batch.of([(ids(source), ids(target)) for source, target in test])
    times: dict[str, Any] = dict(steps=steps, warmup_steps=max(steps // 5, 1), cooldown_steps=steps // 3)
    config = schedule.TrainingConfig(**times, peak_learning_rate=3e-3, seed=seed, device="cpu", precision="fp32")
    for step in ways.train(model, batches, config):
        if step.step % every and step.step not in (1, steps):
            continue
        outputs = on_its_own(model, batch.src)
        scores = {name: round(value, 4) for name, value in taught(model, batch)._asdict().items()}
        point: dict[str, Any] = dict(step=step.step, **scores, right=share_right(sources, outputs))
        if step.step == steps:
            longer = made_to_go_on(model, batch.src, [len(target) for _, target in test])
            point |= dict(
                zip(("bleu", "signature"), bleu(outputs, test), strict=True), bleu_as_long=bleu(longer, test)[0]
            )
            rows = zip(*zip(*test, strict=True), outputs, longer, strict=True)
            point["examples"] = [[" ".join(words) for words in row] for row in itertools.islice(rows, 4)]
        yield point


def experiment(seeds: Sequence[int] = range(5), steps: int = 400, say: Callable[[str], None] = print) -> dict[str, Any]:
    """Both models for every seed: curves, scores and examples, and the best that is possible without seeing ahead."""
    began, runs = time.process_time(), []
    for seed, name in itertools.product(seeds, MODELS):
        curve = []
        for point in learn(name, seed, steps):
            curve.append(point)
            say(f"seed {seed}, {name}, step {point['step']}: {point['accuracy']:.3f}, alone {point['right']:.3f}")
        best = best_possible(make_pairs(200, 10_000 + seed))
        runs.append(dict(model=name, seed=seed, curve=curve, best=best._asdict()))
    minutes = round((time.process_time() - began) / 60, 1)
    command = f"python -m experiments.masks --seeds {len(seeds)} --steps {steps}"
    return bench.head("masking", command, processor_minutes=minutes, steps=steps) | dict(runs=runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5, help="how many runs of each model")
    parser.add_argument("--steps", type=int, default=400, help="updates of each run")
    parser.add_argument("--out", type=Path, default=bench.DATA / "masking.json")
    options = parser.parse_args()
    torch.set_num_threads(1)  # so small a model gains nothing from more
    bench.write(options.out, experiment(range(options.seeds), options.steps))


if __name__ == "__main__":
    main()
