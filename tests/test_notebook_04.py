"""What notebook 04 says of its lessons, of the run kept at thirteen steps, and of the runs with a part taken out."""

import copy
import itertools
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import transformer_core as tc
from core_options.processes import SharedWay
from corpora import grammar
from experiments import training as experiment
from studies import alignment, training

DATA = Path(__file__).parent.parent / "notebooks" / "data"
pytestmark = pytest.mark.usefixtures("one_thread")  # so small a model is quickest so


@pytest.fixture(scope="module")
def lessons() -> training.Lessons:
    return training.setting(grammar.sample).lessons


@pytest.fixture(scope="module")
def recipe() -> tc.TrainingConfig:
    return replace(training.RECIPE, device="cpu")


@pytest.fixture(scope="module")
def formed() -> dict:
    return json.loads((DATA / "forming.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def ends() -> dict[str, dict[str, list[float]]]:
    return training.last_checks(json.loads((DATA / "breaking.json").read_text(encoding="utf-8")))


def errors_of(formed: dict) -> list[float]:
    layer, head = alignment.best_head(formed)
    return [reading["naive"][layer][head] for reading in formed["readings"]]


# ─── Its own lessons ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_untrained_model_repeats_what_it_read_and_is_worse_than_guessing(lessons):
    even = math.log(len(lessons.tokenizer))
    assert lessons.nll(lessons.model()) > even + 1
    assert training.repetition(lessons.model(), lessons.unseen_batches) > 0.5


def test_with_a_softmax_matrix_of_its_own_an_untrained_model_guesses_nearly_evenly(lessons):
    untied = lessons.model(tgt_vocab_size=len(lessons.tokenizer), tie_softmax=False)
    assert abs(lessons.nll(untied) - math.log(len(lessons.tokenizer))) < 0.2
    assert training.repetition(untied, lessons.unseen_batches) < 2 / len(lessons.tokenizer)


def test_five_steps_made_again_from_a_copy_are_equal_to_the_bit_and_another_rate_is_another_configuration(
    lessons, recipe
):
    state = tc.TrainingState(lessons.model(), recipe)
    steps = tc.train(state.model, lessons.batches(), recipe, state)
    list(itertools.islice(steps, 5))
    kept = copy.deepcopy(state)
    first = list(itertools.islice(steps, 5))
    again = list(itertools.islice(tc.train(kept.model, lessons.batches(), recipe, kept), 5))
    assert [step.nll for step in first] == [step.nll for step in again]
    twice = next(tc.train(kept.model, lessons.batches(), replace(recipe, peak_learning_rate=6e-3), kept))
    assert math.isclose(twice.learning_rate, 2 * 0.11 * 3e-3)


def test_the_pieces_of_a_pair_make_its_text_again(lessons):
    assert all(lessons.tokenizer.encode(lessons.tokenizer.decode(ids)) == ids for ids in lessons.pairs[5])


def test_batches_hold_every_pair_within_their_budget_and_pad_less_than_half_of_unsorted_ones(lessons):
    budget = 1000
    core = lessons.batches(budget)
    lengths, order = core.lengths, range(len(core.lengths))
    plan, count = core.plan(0), round(len(lengths) / len(core))
    sides = [[sum(lengths[row][side] for row in batch) for batch in plan] for side in (0, 1)]
    assert max(map(max, sides)) <= budget and sum(map(len, plan)) == len(lengths)
    unsorted = training.cut_in_order(lengths, budget, order), training.cut_by_count(count, order)
    least = min(training.filling(lengths, other).padding for other in unsorted)
    assert training.filling(lengths, plan).padding < 0.4 * least


@pytest.mark.parametrize(("d_model", "highest"), [(512, "6.987712e-04"), (1024, "4.941059e-04")])
def test_the_rate_is_highest_at_the_end_of_the_warm_up(d_model, highest):
    rates = [tc.learning_rate(step, d_model) for step in range(1, 20_001)]
    assert rates.index(max(rates)) + 1 == 4000
    assert f"{max(rates):.6e}" == highest


def test_the_best_possible_model_of_37_000_words_has_the_loss_of_the_floor():
    V, eps = 37_000, 0.1
    logits = torch.full((1, 1, V), math.log(eps / V))
    logits[0, 0, 7] = math.log(1 - eps + eps / V)
    floor = training.smoothing_floor(V, eps)
    assert abs(tc.label_smoothed_loss(logits, torch.tensor([[7]]), eps).item() - floor) < 1e-4
    assert (round(floor, 5), round(training.smoothing_floor(V, eps, "others"), 5)) == (1.37691, 1.37695)


def test_dropout_runs_twice_on_embeddings_and_once_for_each_sub_layer_and_never_in_eval_mode(lessons):
    model, batch, seen = lessons.model(p_drop=0.1), tc.Batch.of(lessons.pairs[:3]), []
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.Dropout):
            module.register_forward_hook(lambda _, inp, out, name=name: seen.append((name, inp[0], out)))
    model.train()(batch.src, batch.tgt_in)
    zeros = torch.cat([out[inp != 0].flatten() == 0 for _, inp, out in seen]).float().mean()
    assert [name for name, *_ in seen].count("dropout") == 2 and len(seen) - 2 == 4 * 2 + 4 * 3
    assert abs(zeros - 0.1) < 0.01
    seen.clear()
    model.eval()(batch.src, batch.tgt_in)
    assert len(seen) == 22 and all(torch.equal(inp, out) for _, inp, out in seen)


def test_a_steady_gradient_moves_its_weight_by_nearly_the_whole_rate_and_a_flickering_one_by_less(lessons, recipe):
    little = lessons.model(n_layers=1, d_model=32, d_ff=64, d_k=8, d_v=8)
    name = "encoder.0.feed_forward.w_1.weight"
    flickering, steady = training.watch_adam(lessons, little, recipe, name, (5, 700), steps=40).values()
    m = v = 0.0
    for moment in steady:
        m, v = 0.9 * m + 0.1 * moment.gradient, 0.98 * v + 0.02 * moment.gradient**2
    assert math.isclose(m, steady[-1].m, rel_tol=1e-4) and math.isclose(v, steady[-1].v, rel_tol=1e-4)
    adam = tc.TrainingState(little, tc.TrainingConfig()).optimizer.param_groups[0]
    assert adam["betas"] == (0.9, 0.98) and adam["eps"] == 1e-9
    far = [sum(abs(moment.moved) for moment in moments) / len(moments) for moments in (flickering, steady)]
    assert far[0] < 0.5 < 0.8 < far[1]


def test_the_loss_of_a_batch_is_that_of_its_parts_weighted_by_tokens_and_not_their_mean(lessons):
    by_length = sorted(lessons.pairs[:300], key=lambda pair: len(pair[1]))
    short, long, both = map(tc.Batch.of, (by_length[:40], by_length[-40:], by_length[:40] + by_length[-40:]))
    start = lessons.model().eval()
    nll = [tc.label_smoothed_loss(start(b.src, b.tgt_in), b.tgt_out, 0.0).item() for b in (short, long, both)]
    weighted = (nll[0] * short.n_tokens + nll[1] * long.n_tokens) / both.n_tokens
    assert abs(weighted - nll[2]) < 1e-4 < abs((nll[0] + nll[1]) / 2 - nll[2])


def test_a_step_in_four_parts_is_the_step_in_one(lessons, recipe):
    ways = (SharedWay(lessons.model(), accumulate=n) for n in (1, 4))
    one, four = (next(tc.train(way.forward, lessons.batches(), recipe, way=way)) for way in ways)
    assert abs(one.loss - four.loss) < 1e-4 and abs(one.gradient_norm - four.gradient_norm) < 1e-3


# ─── The run kept at thirteen steps ──────────────────────────────────────────────────────────────────────────────────


def test_half_of_the_fall_of_aer_comes_at_step_125_and_half_of_bleus_rise_at_150(formed):
    steps, errors = [reading["step"] for reading in formed["readings"]], errors_of(formed)
    bleus = [reading["bleu"] for reading in formed["readings"]]
    assert alignment.locked_on(steps, errors, below=(errors[0] + errors[-1]) / 2) == 125
    assert alignment.locked_on(steps, [-bleu for bleu in bleus], below=-bleus[-1] / 2) == 150
    assert errors[0] > 0.85 and errors[-1] < 0.31


def test_the_rows_that_say_the_word_align_and_those_that_have_read_it_do_not(formed):
    before, after = (min(map(min, formed["readings"][at]["shifted"])) for at in (0, -1))
    assert before - after < 0.05 and min(map(min, formed["readings"][-1]["naive"])) < 0.31


def test_the_head_at_the_end_lies_between_the_least_error_possible_and_a_plain_diagonal(lessons, formed):
    held_out = [alignment.truth(lessons.tokenizer, pair) for pair in grammar.sample(200, split="test")]
    assert alignment.least_error(held_out) < 0.1 < errors_of(formed)[-1] < 0.4 < alignment.diagonal_error(held_out)


def test_the_mean_of_checkpoints_gains_in_the_middle_of_training_and_not_at_its_end(formed):
    middle, end = formed["averaged"]["500"], formed["averaged"]["1100"]
    assert middle["mean"]["nll"] < 0.8 * middle["last"]["nll"]
    assert middle["mean"]["bleu"] > middle["last"]["bleu"] + 1
    assert abs(end["mean"]["bleu"] - end["last"]["bleu"]) < 0.5


# ─── Parts taken out ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_run_was_made_from_three_draws(ends):
    assert {len(values) for scores in ends.values() for values in scores.values()} == {3}


def test_smoothing_makes_the_plain_nll_worse_and_bleu_does_not_tell(ends):
    without, healthy = ends["no smoothing"], ends["healthy"]
    assert max(without["nll"]) < min(healthy["nll"])
    assert min(healthy["bleu"]) < max(without["bleu"]) and min(without["bleu"]) < max(healthy["bleu"])


def test_without_the_mask_the_loss_is_the_lowest_of_all_and_nothing_is_translated(ends):
    highest = max(ends["no mask"]["nll"])
    assert highest < 0.6 * min(ends["healthy"]["nll"]) and max(ends["no mask"]["bleu"]) < 1
    assert all(highest < min(scores["nll"]) for name, scores in ends.items() if name != "no mask")


def test_without_the_residual_nothing_is_translated(ends):
    assert max(ends["no residual"]["bleu"]) < 1


@pytest.mark.parametrize("name", ["no scale", "no positions", "pre-LN"])
def test_what_is_called_worse_is_so_in_every_draw(ends, name):
    assert max(ends[name]["bleu"]) < min(ends["healthy"]["bleu"]) and min(ends[name]["bleu"]) > 70


def test_without_the_scale_one_wide_head_loses_far_more_than_eight_narrow_ones(ends):
    assert max(ends["one head of 64, no scale"]["bleu"]) < 30 < 80 < min(ends["one head of 64"]["bleu"])


def test_without_warm_up_nothing_breaks_at_the_healthy_rate(ends):
    assert min(ends["no warm-up"]["bleu"]) > min(ends["healthy"]["bleu"])


def test_at_three_times_the_rate_two_draws_learn_best_of_all_and_one_hardly_and_without_warm_up_none(ends):
    hardly, *well = sorted(ends["3 × the rate"]["bleu"])
    others = (max(scores["bleu"]) for name, scores in ends.items() if name != "3 × the rate")
    assert hardly < 20 and min(well) > max(others)
    assert max(ends["3 × the rate, no warm-up"]["bleu"]) < 1
    assert min(ends["3 × the rate, no warm-up, pre-LN"]["bleu"]) > 5


# ─── The same run from other first weights ───────────────────────────────────────────────────────────────────────────


def test_the_run_that_is_drawn_is_the_first_of_several(formed):
    first, *others = formed["runs"]
    assert {key: first[key] for key in experiment.brief(formed)} == experiment.brief(formed)
    assert [run["seed"] for run in formed["runs"]] == list(range(len(formed["runs"]))) and others
    assert all(run["steps"] == first["steps"] and run["aer"] != first["aer"] for run in others)


def test_in_every_run_a_head_locks_on_before_the_translations_come_right(formed):
    for row in alignment.forming_rows(formed):
        assert row["half of the fall of AER, step"] < row["half of BLEU's rise, step"] <= 200
        assert row["AER"] < 0.31 and row["BLEU"] > 97


def test_in_every_run_the_rows_that_say_the_word_align_and_those_that_have_read_it_hardly_do(formed):
    for run in formed["runs"]:
        (says_first, says_last), (read_first, read_last) = run["naive"], run["shifted"]
        assert says_first - says_last > 0.5 and read_first - read_last < 0.1 and says_last < 0.31


def test_in_every_run_the_mean_gains_in_the_middle_more_than_runs_differ_by_and_nothing_at_the_end(formed):
    rows = alignment.averaged_rows(formed)
    middle, end = ([row for row in rows if row["step"] == step] for step in (500, 1100))
    gains = [row["nll, last"] - row["nll, mean of 5"] for row in middle]
    lasts = [row["nll, last"] for row in middle]
    assert 4 < min(gains) / (max(lasts) - min(lasts)) < max(gains) / (max(lasts) - min(lasts)) < 5.5
    assert all(0.25 < gain / last < 0.34 for gain, last in zip(gains, lasts, strict=True))
    assert all(row["BLEU, mean of 5"] > row["BLEU, last"] + 1 for row in middle)
    assert all(abs(row["BLEU, mean of 5"] - row["BLEU, last"]) < 0.5 for row in end)
