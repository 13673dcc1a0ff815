"""What notebook 07 says of the shipped translator and of its toys."""

from pathlib import Path

import pytest
import torch

import transformer_core as tc
from core_options import fast_cpu
from corpora import grammar
from studies import bleu, decoding, masks, stored

TEXT = "The thunder frightened the horses."
UMBRELLA = "Somebody has stolen my umbrella again."
ALPHAS = (0.0, 0.1, 0.2, 0.6, 1.0, 2.0)


@pytest.fixture(scope="module")
def translator() -> tc.Translator:
    return tc.load_pretrained("tatoeba-en-de")


@pytest.fixture(scope="module")
def trees(translator) -> dict[int, decoding.Tree]:
    return decoding.read(translator, TEXT).trees


# ─── The translator's searches ───────────────────────────────────────────────────────────────────────────────────────


def test_greedy_is_the_recorded_beam_of_one_and_comes_to_an_end(translator, trees):
    ids = trees[1].result(alpha=0).ids
    assert ids == tc.greedy_decode(translator.model, translator.source([TEXT]))[0].ids and ids[-1] == tc.EOS


def test_every_recorded_width_is_the_core_s_search_and_two_beginnings_are_enough_for_the_best(translator, trees):
    log_probs = {}
    for width, recorded in trees.items():
        result = recorded.result(alpha=0.6)
        assert result == tc.beam_search(translator.model, translator.source([TEXT]), width, alpha=0.6)[0]
        log_probs[width] = result.log_prob
    assert all(
        log_probs[1] < log_probs[w] - 1 and log_probs[w] == pytest.approx(log_probs[2], abs=1e-4) for w in range(2, 9)
    )


def test_a_larger_alpha_chooses_the_longer_translation_as_the_core_does(translator):
    reading, lengths = decoding.read(translator, UMBRELLA, [4]), []
    for alpha in ALPHAS:
        result = reading.trees[4].result(alpha)
        assert result == tc.beam_search(translator.model, reading.src, 4, alpha)[0]
        lengths.append(len(result.ids))
    assert lengths == [8, 8, 9, 9, 9, 10]


def test_the_search_stops_after_the_first_end_and_long_before_the_limit_with_the_result_of_a_longer_one(translator):
    search = decoding.read(translator, UMBRELLA, [4]).trees[4]
    for alpha in (0.0, 0.6, 2.0):
        ranking = search.finished(alpha, len(search.steps))
        assert min(one.step for one in ranking) <= search.n_steps(alpha) < search.limit
        assert ranking[0].score == search.result(alpha).score


def test_over_20_sentences_no_output_becomes_shorter_with_alpha_and_some_longer(translator):
    sources = translator.source([pair.english for pair in grammar.sample(20, seed=7)])
    results = (fast_cpu.beam_search(translator.model, sources, 4, alpha) for alpha in (0.0, 0.6, 1.0, 2.0))
    lengths = torch.tensor([[len(best.ids) for best in by_sentence] for by_sentence in results])  # (4, 20)
    assert (lengths.diff(dim=0) >= 0).all() and lengths[-1].sum() > lengths[0].sum()


def test_taught_and_alone_guess_alike_up_to_where_they_part_and_there(translator):
    reference = [*translator.tokenizer.encode("Der Donner erschreckte die Pferde."), tc.EOS]
    ways = decoding.two_ways(translator.model, translator.source([TEXT]), reference)
    assert ways.taught[: ways.parts + 1] == ways.free[: ways.parts + 1]
    right = [guess == wanted for guess, wanted in zip(ways.taught, ways.reference, strict=True)]
    assert right.index(False) == ways.parts


def test_of_the_likeliest_token_alone_a_draw_is_greedy(translator, trees):
    drawn = decoding.sample(translator.model, translator.source([TEXT]), 0, top_k=1)
    assert drawn == trees[1].result(0).ids


@pytest.mark.parametrize("cached", [True, False])
def test_the_operations_that_torch_counts_in_the_shipped_decoder_are_the_formula_s(translator, trees, cached):
    src, ids = translator.source([TEXT]), trees[4].result(0.6).ids
    counted = decoding.counted_operations(translator.model, src, ids, cached)
    assert counted == decoding.operations(translator.model.config, src.size(1), len(ids), cached)


def test_the_cache_needs_no_mask_and_a_prefix_run_anew_does(translator, trees):
    ids = trees[4].result(0.6).ids
    gap = masks.at_test_time(translator.model, translator.source([TEXT]), torch.tensor([[tc.BOS, *ids[:-1]]]))
    assert gap["cache"].max() < 1e-5 and gap["no mask"][1:].min() > 1e-3


# ─── Toys ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_in_the_first_toy_a_beam_of_two_does_worse_than_greedy_and_four_finds_the_best_of_121():
    src, toy = torch.tensor([[4, tc.EOS]]), decoding.Little(seed=8, vocab_size=6, lean=0.5)
    everything = decoding.every_sentence(toy, src, limit=5)
    searches = {width: tc.beam_search(toy, src, width, alpha=0, max_extra=4)[0] for width in (1, 2, 4)}
    assert len(everything) == 121 and searches[4].ids == everything[0][0]
    assert searches[2].log_prob < searches[1].log_prob < searches[4].log_prob


def test_over_twenty_toys_a_wider_beam_finds_the_best_no_less_often_and_only_two_falls_below_greedy():
    src, widths = torch.tensor([[4, tc.EOS]]), (1, 2, 4, 8, 6**3)
    hits, level, n_ended = dict.fromkeys(widths, 0), dict.fromkeys(widths, 0), 0
    for seed in range(20):
        toy = decoding.Little(seed, vocab_size=6, lean=0.5)
        best = decoding.every_sentence(toy, src, limit=4)[0][0]
        results = {width: tc.beam_search(toy, src, width, alpha=0, max_extra=3)[0] for width in widths}
        ended = results[1].ids[-1] == tc.EOS
        n_ended += ended
        for width, result in results.items():
            hits[width] += result.ids == best
            level[width] += ended and result.log_prob > results[1].log_prob - 1e-5
    assert [*hits.values()] == sorted(hits.values()) and hits[6**3] == 20
    assert level[2] < level[4] == level[8] == level[6**3] == n_ended


@pytest.mark.parametrize("n", [1, 3, 10])
def test_a_model_that_never_ends_is_stopped_fifty_tokens_past_its_source(n):
    endless, src = decoding.Little(seed=1, vocab_size=9, lean=-50.0), torch.tensor([[*range(4, 4 + n)]]).clamp(max=8)
    assert len(tc.greedy_decode(endless, src)[0].ids) == len(tc.beam_search(endless, src, 4)[0].ids) == n + 50


# ─── BLEU ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("c", [14, 12, 10])
def test_a_hypothesis_cut_short_scores_its_mean_times_the_standard_factor_the_slides_is_milder(c):
    cut = bleu.score(" ".join(bleu.HYPOTHESIS.split()[:c]), bleu.REFERENCE, tokenize="none", smooth="none")
    standard = bleu.brevity_factor(c, 14)
    assert abs(cut.score - bleu.geometric_mean(cut.precisions) * standard) < 1e-9
    assert bleu.brevity_factor(c, 14, "printed") >= standard


def test_the_corpus_adds_up_first_and_is_near_a_mean_weighted_by_length_not_near_the_plain_mean(translator):
    pairs = grammar.sample(30, seed=9, difficulty=3)
    references, outputs = [pair.german for pair in pairs], translator.translate([pair.english for pair in pairs])
    corpus = bleu.metric().corpus_score(outputs, [references])
    each = [bleu.score(*pair, effective=True) for pair in zip(outputs, references, strict=True)]
    for n in range(4):
        assert sum(one.counts[n] for one in each) == corpus.counts[n]
        assert sum(one.totals[n] for one in each) == corpus.totals[n]
    average = sum(one.score for one in each) / len(each)
    weighted = sum(one.score * one.sys_len for one in each) / corpus.sys_len
    assert average > corpus.score + 2 and abs(weighted - corpus.score) < 1 < abs(average - corpus.score)
    assert tc.corpus_bleu(outputs, references)[0].score == corpus.score


def test_splitting_compounds_at_hyphens_raises_the_notebook_s_pair_by_more_than_ten_points():
    near = "die EU-Behörde und die EU-Länder trafen sich in der Landes-Hauptstadt ."
    right = "die EU-Kommission und die EU-Staaten trafen sich in der Bundes-Hauptstadt ."
    whole = bleu.score(near, right, tokenize="none", smooth="none").score
    parts = bleu.score(*map(bleu.compounds_split, (near, right)), tokenize="none", smooth="none").score
    assert parts > whole + 10


def test_a_lost_not_costs_bleu_little_and_the_same_in_other_words_nearly_all():
    told = "The animal did not cross the street because it was too tired."
    assert bleu.score("The animal did cross the street because it was too tired.", told).score > 70
    assert bleu.score("Being exhausted, the beast stayed on its side of the road.", told).score < 10


# ─── What the beam and α do ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def searched() -> dict[tuple[int, float], dict]:
    result = stored.load(Path(__file__).parent.parent / "notebooks" / "data" / "beam_alpha.json")
    assert result["pairs"] == 300
    return {(row["width"], row["alpha"]): row for row in result["searches"]}


def test_without_a_penalty_a_wider_beam_says_less_and_alpha_lengthens_at_every_width(searched):
    plain = [searched[width, 0.0]["length_ratio"] for width in (1, 2, 4, 8)]
    assert plain == sorted(plain, reverse=True) and plain[0] - plain[-1] > 0.015
    for width in (2, 4, 8):
        rows = [searched[width, alpha] for alpha in (0.0, 0.6, 1.0)]
        lengths = [row["length_ratio"] for row in rows]
        assert lengths == sorted(lengths)


def test_of_seventeen_intervals_none_leaves_0_out_and_every_beam_is_above_greedy(searched):
    scores = [row["bleu"] for row in searched.values()]
    assert min(scores) > 45.5 and max(scores) < 46.8 and max(searched, key=lambda at: searched[at]["bleu"]) == (4, 1.0)
    for name in ("minus greedy", "minus paper"):
        ends = [row[name][1:] for row in searched.values() if name in row]
        assert len(ends) == 9 and all(low < 0 < high for low, high in ends)
    assert all(row["minus greedy"][0] > 0.5 for search, row in searched.items() if search != (1, 0.0))
    assert searched[4, 0.6]["other than greedy"] == 60
