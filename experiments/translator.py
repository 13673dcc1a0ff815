"""Scores of a translator from English to German: sacreBLEU on `valid`, and the pronouns of held-out sentences.

    python -m experiments.translator CHECKPOINT --data DIR [--n 1000] [--beam-size 4] [--alpha 0.6] [--wrong 20]
        [--by-hand tests/pronouns_by_hand.tsv tests/pronouns_everyday.tsv] [--out notebooks/data/translator.json]

Prints a JSON object, or writes it, with its command, machine and code. Each part stands for itself: BLEU with its
signature and length ratio over all of DIR's valid (none without --data), pronoun accuracy over n sentences of the test
split of corpora.pronouns and over their twins, and over the sentences of tables by hand; and over n of the test split
of corpora.antecedents, with one noun and with two, of corpora.scenes and of corpora.contexts (of DIR's train), how
often the right pronoun is the likeliest in its place.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import transformer_core as tc
from core_options import serving
from corpora import antecedents, contexts, scenes
from corpora.pronouns import Example, sample
from experiments import bench
from studies.pronouns import FORMS, Accuracy, accuracy, likeliest, share
from studies.pronouns import by_hand as read_by_hand


def scores(
    checkpoint: str,
    data: str | None = None,
    n: int = 1000,
    by_hand: Sequence[str] = (),
    beam_size: int = 4,
    alpha: float = 0.6,
    wrong: int = 0,
) -> dict:
    """All scores of a checkpoint, as JSON takes them; wrong: so many of the sentences with a wrong pronoun as well."""
    translator = serving.load_pretrained(checkpoint)
    scored: dict = {"checkpoint": str(checkpoint), "beam_size": beam_size, "alpha": alpha}
    if data:
        sources, references = tc.read_parallel(data, "valid", "en", "de")
        lines = translator.translate(sources, beam_size, alpha)
        bleu, metric = tc.corpus_bleu(lines, references)
        scored["valid"] = {
            "n": len(sources), "bleu": bleu.score, "precisions": bleu.precisions, "brevity_penalty": bleu.bp,
            "length_ratio": bleu.sys_len / bleu.ref_len, "signature": str(metric.get_signature()),
        }  # fmt: skip
    parts = {"pronouns": sample(n, split="test")} if n else {}
    parts |= {Path(table).stem.removeprefix("pronouns_"): read_by_hand(table) for table in by_hand}
    for part, examples in parts.items():
        score = accuracy(lambda texts: translator.translate(texts, beam_size, alpha), examples)
        scored[part] = in_words(score, wrong)
    for name, is_asked in (("one noun", lambda e: not e.other), ("two nouns", lambda e: e.other)) if n else ():
        examples = list(islice(filter(is_asked, antecedents.examples(0, "test")), n))
        scored[f"antecedents, {name}"] = chosen(likeliest(translator, examples))
    if n:
        scored["scenes"] = chosen(likeliest(translator, list(islice(scenes.examples(0, "test"), n))))
    if data and n:
        pairs = [*zip(*tc.read_parallel(data, "train", "en", "de"), strict=True)]
        scored["contexts"] = chosen(likeliest(translator, contexts.sample(pairs, n, split="test")))
    return scored


def chosen(answers: Sequence[tuple[Example, str]]) -> dict:
    """How often the likeliest pronoun is the right one, of all and of each pronoun."""
    right = [(example.pronoun, form == example.pronoun) for example, form in answers]
    of_pronoun = {form: share([ok for pronoun, ok in right if pronoun == form]) for form in FORMS}
    return {"n": len(right), "accuracy": share([ok for _, ok in right]), "by_pronoun": of_pronoun}


def in_words(score: Accuracy, wrong: int) -> dict:
    return {
        "n": score.n, "accuracy": score.right, "by_pronoun": score.of_pronoun, "both_twins": score.twins,
        "length_ratio": score.length_ratio, "wrong": score.wrong[:wrong],
    }  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.translator", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("checkpoint", help="a folder, or a name under checkpoints/")
    parser.add_argument("--data", metavar="DIR", help="folder of parallel text whose valid is scored")
    parser.add_argument("--n", type=int, default=1000, help="held-out sentences with a pronoun")
    parser.add_argument(
        "--by-hand", metavar="TSV", nargs="+", default=(), help="sentences by hand, such as tests/pronouns_by_hand.tsv"
    )
    parser.add_argument("--beam-size", type=int, default=4)
    parser.add_argument("--alpha", type=float, default=0.6)
    parser.add_argument("--wrong", type=int, default=0, help="print so many sentences with a wrong pronoun")
    parser.add_argument("--out", type=Path, help="write there what is else printed")
    options = vars(parser.parse_args(arguments))
    out, scored = options.pop("out"), scores(**options)
    if options["data"]:
        options["data"] = Path(options["data"]).name
    checkpoint = options.pop("checkpoint")
    command = bench.spelled(f"experiments.translator {checkpoint}", options, parser.get_default)
    bench.write(out, bench.head("translator", command) | bench.rounded(scored))


if __name__ == "__main__":
    main()
