"""Head facts against values worked out by hand; a cell, a head off and its effect are those of the model."""

import inspect
import math
import re

import pytest
import torch

import transformer_core as tc
from studies import attention
from studies.reading import KINDS, Reading, log_probs, read

ASYMMETRIC = [[0.9, 0.1, 0.0], [0.0, 0.2, 0.8]]  # two queries, three keys: swapping them would show
SENTENCES = ["the cat sees a dog .", "die Katze sieht einen Hund .", "a dog , a cat and the street"]

pytestmark = pytest.mark.usefixtures("one_thread")  # so small a model is quickest so


@pytest.fixture(scope="module")
def translator() -> tc.Translator:
    torch.manual_seed(3)
    with pytest.warns(UserWarning):
        tokenizer = tc.Tokenizer.train(SENTENCES * 3, 1000)
    config = tc.TransformerConfig(
        vocab_size=len(tokenizer), n_layers=2, d_model=24, d_ff=16, n_heads=3, d_k=8, d_v=5, p_drop=0.5
    )
    return tc.Translator(tc.Transformer(config), tokenizer, "little")


@pytest.fixture
def reading(translator: tc.Translator) -> Reading:
    return read(translator, SENTENCES[0])


# ─── Head facts, held against values worked out by hand ──────────────────────────────────────────────────────────────


def fact(weights, *tokens, **options) -> dict:
    return attention.head_facts(weights, *tokens, **options)[0]


def test_uniform_rows_have_the_entropy_ln_s_and_the_distance_n2_minus_1_over_3n():
    for n in (2, 5, 8):
        facts = fact(torch.full((n, n), 1 / n), ["x"] * n)
        assert facts["entropy"] == pytest.approx(math.log(n), abs=1e-6)
        assert facts["spread"] == pytest.approx(1, abs=1e-6)
        assert facts["distance"] == pytest.approx((n * n - 1) / (3 * n), abs=1e-6)
        assert attention.uniform_facts([[0, n]] * n) == pytest.approx((facts["entropy"], facts["distance"]), abs=1e-6)


def test_one_hot_rows_have_no_entropy_and_full_confidence():
    facts = fact(torch.eye(4), list("abcd"))
    assert (facts["entropy"], facts["spread"], facts["confidence"], facts["distance"]) == (0, 0, 1, 0)


def test_uniform_causal_rows_spread_fully_over_what_they_may_see():
    n = 5
    weights = torch.ones(n, n).tril()
    facts = fact(weights / weights.sum(-1, keepdim=True), ["x"] * n)
    assert facts["spread"] == pytest.approx(1, abs=1e-6)
    spans = [[0, query + 1] for query in range(n)]
    assert (facts["entropy"], facts["distance"]) == pytest.approx(attention.uniform_facts(spans), abs=1e-6)


def test_a_window_bounds_what_a_head_can_spread_over():
    n = 6
    spans = [[max(0, query - 1), min(n, query + 2)] for query in range(n)]
    weights = torch.tensor([[1 / (end - start) if start <= j < end else 0 for j in range(n)] for start, end in spans])
    facts = fact(weights, ["x"] * n, allowed=spans)
    assert facts["spread"] == pytest.approx(1, abs=1e-6) and facts["role"] == "broad"
    assert (facts["entropy"], facts["distance"]) == pytest.approx(attention.uniform_facts(spans), abs=1e-6)


def test_a_decoder_has_no_next_token_to_look_at():
    weights = torch.eye(4)
    assert fact(weights, list("abcd"), causal=True)["next"] is None
    assert fact(weights, list("abcd"), causal=False)["next"] == 0


def test_previous_and_next_count_only_queries_that_have_such_a_neighbour():
    weights = torch.zeros(4, 4)
    weights[[0, 1, 2, 3], [0, 0, 1, 0]] = 1  # the second and third look just before them, the first cannot
    facts = fact(weights, list("abcd"), causal=False)
    assert (facts["previous"], facts["next"]) == (pytest.approx(2 / 3), 0)
    facts = fact(weights.flip(0, 1), list("abcd"), causal=False)
    assert (facts["previous"], facts["next"]) == (0, pytest.approx(2 / 3))


def test_confidence_leaves_the_end_of_the_sentence_out_on_both_sides():
    weights = [[0.2, 0.1, 0.7], [0.3, 0.6, 0.1], [0, 0, 1]]
    assert fact(weights, ["a", "b", "</s>"])["confidence"] == pytest.approx((0.2 + 0.6) / 2)


def test_the_sink_is_the_mean_weight_on_special_tokens():
    weights = [[0.2, 0.1, 0.7], [0.3, 0.6, 0.1]]
    assert fact(weights, ["x", "y"], ["<s>", "b", "</s>"])["sink"] == pytest.approx((0.9 + 0.4) / 2)
    assert fact(weights, ["x", "y"], list("abc"))["sink"] is None


def test_a_diagonal_is_aligned_and_its_shift_by_one_is_aligned_as_read():
    n = 8
    assert fact(torch.eye(n), list("abcdefgh"), list("ABCDEFGH"))["alignment"] == 1
    late = torch.eye(n).roll(1, dims=0)  # row i reads what row i - 1 predicted: within one of either diagonal
    facts = fact(late, list("abcdefgh"), list("ABCDEFGH"))
    assert facts["shifted"] == 1
    anti = torch.eye(n).flip(0)
    assert fact(anti, list("abcdefgh"), list("ABCDEFGH"))["alignment"] == pytest.approx(2 / 8)


def test_facts_that_do_not_apply_are_none():
    crossed = fact(ASYMMETRIC, ["q0", "q1"], ["k0", "k1", "k2"])
    assert crossed["distance"] is None and crossed["previous"] is None and crossed["alignment"] is not None
    itself = fact(torch.eye(3), list("abc"))
    assert itself["alignment"] is None and itself["distance"] == 0


def test_heads_are_named_by_their_clearest_fact():
    n = 9
    assert fact(torch.eye(n), list("abcdefghi"))["role"] is None
    before = torch.zeros(n, n)
    before[range(n), [0, *range(n - 1)]] = 1
    assert fact(before, list("abcdefghi"))["role"] == "previous"
    assert fact(torch.full((n, n), 1 / n), list("abcdefghi"))["role"] == "broad"
    assert fact(torch.eye(n)[[n - 1] * n], [*"abcdefgh", "</s>"])["role"] == "sink"
    assert fact(torch.eye(n), list("abcdefghi"), list("ABCDEFGHI"))["role"] == "alignment"


def test_a_head_that_looks_everywhere_alike_is_broad_even_where_the_diagonal_fills_the_map():
    for n in (2, 3, 4):
        facts = fact(torch.full((n, n), 1 / n), list("abcd")[:n], list("ABCD")[:n])
        assert facts["role"] == "broad", facts
    assert fact(torch.ones(3, 1), list("abc"), ["</s>"])["role"] is None


# ─── What a cell is made of, and what a head is good for ─────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_a_cells_arithmetic_differs_from_the_recorded_weight_by_at_most_1e6(reading, kind):
    queries, keys = reading.tokens(kind)
    for query in range(len(queries)):
        for key in range(len(keys)):
            steps = attention.arithmetic(reading, kind, 1, 2, query, key)
            assert abs(steps["recomputed"] - steps["weight"]) <= 1e-6
            assert sum(q * k for q, k in zip(steps["q"], steps["k"], strict=True)) == pytest.approx(steps["dot"])
            assert steps["score"] == pytest.approx(steps["dot"] / math.sqrt(8))
            assert sum(steps["softmax"]) == pytest.approx(1)
            if kind == "decoder" and key > query:
                assert steps["scores"][key] is None and steps["recomputed"] == 0


def test_the_lines_quoted_are_the_cores_own():
    code, where = attention.core_lines()
    source = inspect.getsource(tc)
    assert "math.sqrt(q.size(-1))" in code and "softmax(-1)" in code
    assert all(line in source for line in code.splitlines())
    first, last = map(int, re.findall(r"\d+", where))
    assert source.splitlines()[first - 1] in code and source.splitlines()[last - 1] in code


def test_a_head_switched_off_is_the_model_with_that_heads_output_at_zero(reading, translator):
    model = translator.model
    changed = attention.without_heads(reading, [["decoder", 1, 2], ["cross", 0, 1]])
    kept = [p.detach().clone() for p in model.parameters()]
    with torch.no_grad():  # W^O reads nothing of a head whose columns are zero
        model.decoder[1].self_attention.w_o.weight[:, 2 * 5 : 3 * 5] = 0
        model.decoder[0].cross_attention.w_o.weight[:, 5 : 2 * 5] = 0
        logits = model(reading.src, reading.tgt_in)
        ids = tc.beam_search(model, reading.src)[0].ids
        for parameter, value in zip(model.parameters(), kept, strict=True):
            parameter.copy_(value)
    wanted = log_probs(logits[0], reading.ids) - reading.log_prob
    assert torch.allclose(torch.tensor(changed["delta"]), wanted, atol=1e-5)
    assert changed["total"] == pytest.approx(wanted.sum().item(), abs=1e-4)
    assert changed["translation"] == translator.tokenizer.decode(ids)


def test_all_heads_measured_in_batches_equal_each_measured_by_itself(reading):
    effects = attention.head_effects(reading)
    for kind in KINDS:
        for layer, head in ((0, 2), (1, 0)):
            alone = attention.without_heads(reading, [[kind, layer, head]])["total"]
            assert effects[kind][layer, head].item() == pytest.approx(alone, abs=1e-4)


def test_changed_words_are_marked_on_both_sides():
    before, after = attention.changed_words("der Hund sieht die Katze", "der Hund mag die Katze sehr")
    assert [word for word, changed in before if changed] == ["sieht"]
    assert [word for word, changed in after if changed] == ["mag", "sehr"]


def test_facts_of_many_sentences_are_averaged_head_by_head(translator):
    rows = attention.survey_heads(translator, SENTENCES[:2])
    assert len(rows) == 3 * 2 * 3 and all(row["n_sentences"] == 2 for row in rows)
    single = [attention.facts_of(read(translator, text), "encoder")[0]["entropy"] for text in SENTENCES[:2]]
    assert rows[0]["entropy"] == pytest.approx(sum(single) / 2)


def test_a_survey_can_measure_effects_too(translator):
    [row, *_] = attention.survey_heads(translator, SENTENCES[:1], effects=True)
    reading = read(translator, SENTENCES[0], beam_size=1)
    assert row["effect"] == pytest.approx(attention.without_heads(reading, [["encoder", 0, 0]])["total"], abs=1e-4)


def test_reading_leaves_dropout_out_and_the_mode_as_it_was(translator):
    translator.model.train()
    first, second = (read(translator, SENTENCES[0]) for _ in range(2))
    assert translator.model.training
    translator.model.eval()
    assert first.ids == second.ids and torch.equal(first.stack("encoder"), second.stack("encoder"))
    effects = attention.head_effects(first)["cross"], attention.head_effects(second)["cross"]
    assert torch.equal(*effects)


# ─── Habits over many sentences ──────────────────────────────────────────────────────────────────────────────────────


def test_a_habit_is_the_mean_of_the_survey_inside_an_interval_that_narrows_with_more_sentences(translator):
    readings = [read(translator, text, 1) for text in SENTENCES]
    facts = attention.facts_by_head(readings)
    habits = attention.habits(facts, [*attention.MARKS, "entropy"])
    for habit, head in zip(habits, attention.survey_heads(translator, SENTENCES), strict=True):
        assert [habit[name] for name in ("kind", "layer", "head", "n_sentences", "role")] == [
            head[name] for name in ("kind", "layer", "head", "n_sentences", "role")
        ]
        mean, low, high = habit["entropy"]
        assert mean == pytest.approx(head["entropy"]) and low < mean < high
        assert ("next" in habit) == (head["next"] is not None)
    twice = attention.habits({at: rows * 4 for at, rows in facts.items()}, ["entropy", *attention.MARKS])
    widths = [[habit["entropy"][2] - habit["entropy"][1] for habit in group] for group in (habits, twice)]
    assert all(wide > 2 * narrow for wide, narrow in zip(*widths, strict=True))


def test_a_role_is_sure_only_where_the_whole_interval_lies_above_its_mark():
    rows = {0.7: [0.69, 0.71, 0.70], 0.62: [0.5, 0.74, 0.62], 0.3: [0.2, 0.4, 0.3]}
    plain = dict.fromkeys(attention.FACTS) | dict(spread=0.2)
    marks = {}
    for middle, values in rows.items():
        facts = {("cross", 0, 0): [plain | dict(alignment=value) for value in values]}
        (habit,) = attention.habits(facts, ["spread", "alignment"])
        marks[middle] = (habit["role"], habit["mark"])
    assert marks == {0.7: ("alignment", "sure"), 0.62: ("alignment", "near"), 0.3: (None, None)}


def test_a_layer_s_habit_is_the_mean_over_its_heads_of_every_sentence(translator):
    facts = attention.facts_by_head(read(translator, text, 1) for text in SENTENCES)
    of_layer = attention.layer_habit(facts, "cross", 1, "entropy")
    rows = [facts["cross", 1, head] for head in range(3)]
    assert of_layer == [
        pytest.approx(sum(heads[sentence]["entropy"] for heads in rows) / 3) for sentence in range(len(SENTENCES))
    ]


def test_a_layer_off_is_all_its_heads_off_at_once(reading):
    effects = attention.layer_effects(reading)
    assert set(effects) == {(kind, layer) for kind in KINDS for layer in range(2)}
    for (kind, layer), effect in effects.items():
        with attention.heads_off(reading.translator.model, [[kind, layer, head] for head in range(3)]):
            off = read_again(reading)
        assert effect == pytest.approx(off, abs=1e-4) and abs(effect) > 1e-6


def read_again(reading: Reading) -> float:
    """How much likelier the reading's translation is to its model as it stands now."""
    with tc.evaluating(reading.translator.model):
        logits = reading.translator.model(reading.src, reading.tgt_in)[0]
    return (log_probs(logits, reading.ids) - reading.log_prob).sum().item()
