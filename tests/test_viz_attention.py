"""The attention view: what it refuses, what it says of heads, and that its numbers are those of the model."""

import json
import math
import pathlib
import re
import xml.etree.ElementTree as ET

import pytest
import torch
from lab import Reader

import transformer_core as tc
from studies import attention as study
from viz import attention, canvas, stills, theme
from viz.attention.maps import shown_map

ASYMMETRIC = [[0.9, 0.1, 0.0], [0.0, 0.2, 0.8]]  # two queries, three keys: swapping them would show
SENTENCES = ["the cat sees a dog .", "die Katze sieht einen Hund .", "a dog , a cat and the street"]
NASTY = ["<script>alert(1)</script>", "<b>bold</b>", "</svg>", "\"&'", "\x00\x1b", "$x$"]


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
def explorer(translator: tc.Translator) -> attention.AttentionExplorer:
    return attention.explore_attention(translator, SENTENCES[0])


def softmax_rows(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0)).softmax(-1)


def sent_by(view: attention.AttentionView, message: dict) -> tuple[dict, list[bytes]]:
    """What the script would get for a question."""
    answers: list = []
    view.send = lambda content, buffers: answers.append((content, buffers))
    view._asked(view, message, [])
    return answers[0]


# ─── Arrays in, bytes out ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("lead", [(), (3,), (2, 3)])
def test_plain_arrays_of_every_shape_become_bytes_in_the_order_layer_head_query_key(lead):
    weights = softmax_rows(*lead, 2, 4)
    view = attention.attention_view(weights, ["x", "y"], list("abcd"))
    kind = view.shape()
    assert (kind["n_layers"], kind["n_heads"]) == ((1, 1), (1, 3), (2, 3))[len(lead)]
    decoded = (torch.tensor(list(view.data)) / 255) ** 2
    assert torch.allclose(decoded.reshape(weights.shape), weights, atol=4e-3)


def test_rows_are_queries_and_columns_are_keys():
    view = attention.attention_view(ASYMMETRIC, ["q0", "q1"], ["k0", "k1", "k2"])
    assert (view.shape()["queries"], view.shape()["keys"]) == (["q0", "q1"], ["k0", "k1", "k2"])
    assert list(view.data) == [round(255 * math.sqrt(w)) for row in ASYMMETRIC for w in row]
    reply, _ = sent_by(view, {"ask": "cell", "cell": ["attention", 0, 0, 1, 2]})
    assert reply["weight"] == pytest.approx(0.8)


def test_lists_arrays_and_tensors_give_the_same_view():
    numpy = pytest.importorskip("numpy")
    tokens = (["q0", "q1"], ["k0", "k1", "k2"])
    views = [attention.attention_view(make(ASYMMETRIC), *tokens) for make in (list, numpy.array, torch.tensor)]
    assert len({view.data for view in views}) == 1


def test_three_kinds_of_six_layers_eight_heads_and_64_tokens_take_at_most_800_kilobytes():
    assert 3 * len(canvas.packed(torch.zeros(6, 8, 64, 64))) <= 0.8e6


def test_weights_of_the_wrong_shape_are_refused_with_both_shapes_in_the_message():
    with pytest.raises(ValueError, match=r"\(3, 2\).*2 query and 3 key.*transpose"):
        attention.attention_view(torch.tensor(ASYMMETRIC).T, ["q0", "q1"], ["k0", "k1", "k2"])
    with pytest.raises(ValueError, match=r"\(2, 3\).*4 query and 5 key.*\(4, 5\)"):
        attention.attention_view(ASYMMETRIC, list("abcd"), list("abcde"))
    with pytest.raises(ValueError, match=r"\(1, 1, 1, 2, 3\).*\(L, H, T, S\).*weights\[:, 0\]"):
        attention.attention_view(torch.tensor(ASYMMETRIC)[None, None, None], ["q0", "q1"], list("abc"))


@pytest.mark.parametrize(
    ("weights", "advice"),
    [
        ([[0.5, 0.2], [0.5, 0.5]], "sums to 0.7; are these scores"),
        ([[0.5, 0.5], [0.0, 0.0]], "masked"),
        ([[0.9, 0.8], [0.1, 0.2]], "columns sum to 1.*transpose"),
        ([[math.nan, 0.5], [0.5, 0.5]], "NaN"),
        ([[1.5, -0.5], [0.5, 0.5]], "scores"),
    ],
)
def test_rows_that_are_no_distribution_are_refused_with_both_shapes_and_advice(weights, advice):
    with pytest.raises(ValueError, match=rf"shape \(2, 2\) \(needed: \(…, 2, 2\)\).*{advice}"):
        attention.attention_view(weights, ["a", "b"])


def test_layer_heads_kind_and_pin_are_read_and_set_and_wrong_ones_refused():
    view = attention.attention_view(softmax_rows(2, 3, 2, 4), ["x", "y"], list("abcd"))
    view.layer, view.heads, view.pin, view.threshold = 1, [2, 0], [["query", 1]], 0.9
    assert (view.layer, view.heads, view.pin, view.threshold) == (1, [0, 2], [["query", 1]], 0.9)
    for name, value in [("layer", 2), ("heads", [3]), ("heads", []), ("kind", "cross"), ("pin", [["row", 0]])]:
        with pytest.raises(ValueError, match=r"layer|head|kind|pin"):
            setattr(view, name, value)


def test_views_do_not_share_state():
    one, two = (attention.attention_view(softmax_rows(2, 3, 2, 4), ["x", "y"], list("abcd")) for _ in range(2))
    one.layer, one.heads, one.pin = 1, [1], [["key", 0]]
    one.meta["kinds"][0]["queries"][0] = "changed"
    assert (two.layer, two.heads, two.pin, two.shape()["queries"]) == (0, [0, 1, 2], [], ["x", "y"])


def test_a_causal_mask_is_found_and_never_assumed():
    causal = softmax_rows(3, 3).tril()
    causal = causal / causal.sum(-1, keepdim=True)
    assert attention.attention_view(causal, list("abc")).shape()["allowed"] == [[0, 1], [0, 2], [0, 3]]
    assert attention.attention_view(softmax_rows(3, 3), list("abc")).shape()["allowed"] is None
    assert attention.attention_view(causal, list("abc"), causal=False).shape()["allowed"] is None


# ─── The live view of a model ────────────────────────────────────────────────────────────────────────────────────────


def test_the_view_shows_what_the_model_did_and_says_so(explorer, translator):
    reading, view = explorer.reading, explorer.view
    assert [kind["name"] for kind in view.meta["kinds"]] == ["encoder", "decoder", "cross"]
    assert view.meta["shows"] == "trained: little"
    with tc.record(translator.model) as trace, torch.no_grad():
        translator.model(reading.src, reading.tgt_in)
    for kind, probe in (("encoder", "encoder.1.self"), ("decoder", "decoder.1.self"), ("cross", "decoder.1.cross")):
        assert torch.equal(reading.stack(kind)[1], trace[probe + "_attention.weights"][0])
        assert view.shape(kind)["row_sums"] == pytest.approx([1, 1], abs=1e-5)


def test_a_cross_attention_row_names_what_it_reads_and_what_it_predicts(explorer, translator):
    reading, kind = explorer.reading, explorer.view.shape("cross")
    assert kind["queries"] == translator.tokenizer.pieces([tc.BOS, *reading.ids[:-1]])
    assert kind["predicts"] == translator.tokenizer.pieces(reading.ids)
    assert kind["keys"] == translator.tokenizer.pieces(reading.src[0].tolist())
    assert kind["keys"][-1] == "</s>" and kind["special_keys"][-1]


def test_the_decoders_map_is_masked_above_the_diagonal_and_the_others_nowhere(explorer):
    n = len(explorer.reading.ids)
    assert explorer.view.shape("decoder")["allowed"] == ([[0, i + 1] for i in range(n)] if n > 1 else None)
    assert explorer.view.shape("encoder")["allowed"] is None and explorer.view.shape("cross")["allowed"] is None


def test_numbers_printed_are_the_recorded_float32_numbers(explorer):
    pairs = [[1, 2], [0, 1]]
    reply, buffers = sent_by(explorer.view, {"ask": "maps", "version": 0, "kind": "cross", "heads": pairs})
    stack = explorer.reading.stack("cross")
    wanted = torch.stack([stack[layer, head] for layer, head in pairs])
    assert torch.equal(torch.frombuffer(bytearray(buffers[0]), dtype=torch.float32).reshape(wanted.shape), wanted)
    assert (reply["heads"], reply["version"]) == (pairs, 0)


def test_a_cells_address_finds_its_weight_in_the_trace(explorer):
    kind = explorer.view.shape("cross")
    name = kind["address"].format(layer=1)
    steps = study.arithmetic(explorer.reading, "cross", 1, 2, 0, 3)
    assert explorer.reading.trace[name][0, 2, 0, 3].item() == steps["weight"]


def test_switching_a_head_off_and_on_again_leaves_the_model_as_it_was(explorer, translator):
    before = translator.translate([SENTENCES[0]])
    explorer.view.off = [["cross", 1, 0]]
    assert explorer.view.ablation["off"] == [["cross", 1, 0]]
    assert len(explorer.view.ablation["delta"]) == len(explorer.reading.ids)
    explorer.view.off = []
    assert explorer.view.ablation == {} and translator.translate([SENTENCES[0]]) == before


def test_another_sentence_is_read_shown_and_drops_what_belonged_to_the_old_one(explorer):
    explorer.view.pin, explorer.view.cell = [["query", 0]], ["cross", 0, 0, 0, 0]
    explorer.view.layer, explorer.view.heads = 1, [1]
    explorer.text = "a street"
    assert explorer.reading.text == "a street" and explorer.view.meta["title"] == "a street"
    assert (explorer.view.pin, explorer.view.cell, explorer.view.layer, explorer.view.heads) == ([], [], 1, [1])
    size = sum(k["n_layers"] * k["n_heads"] * len(k["queries"]) * len(k["keys"]) for k in explorer.view.meta["kinds"])
    assert len(explorer.view.data) == size
    assert "source" in explorer.status.value


def test_the_old_sentences_ablation_never_stands_under_the_new_one(explorer):
    explorer.view.off = [["cross", 1, 2]]
    old, seen = explorer.view.ablation, []
    explorer.view.observe(lambda change: seen.append((explorer.view.meta["title"], change["new"])), "ablation")
    explorer.text = "a street"
    assert old and [bool(ablation) for _, ablation in seen] == [False, True]
    assert seen[1][0] == "a street" and len(seen[1][1]["tokens"]) == len(explorer.reading.ids)


def test_a_head_that_is_not_there_cannot_be_switched_off(explorer):
    with pytest.raises(ValueError, match="layers 0 to 1 and heads 0 to 2"):
        explorer.view.off = [["cross", 99, 0]]
    assert explorer.view.off == []


def test_a_word_is_changed_where_it_stands_and_the_box_follows(explorer, translator):
    first = explorer.reading
    explorer.view.words = [["replace", 1, "dog"], ["mask", 4]]
    assert explorer.text == explorer.reading.text == explorer.view.meta["title"] == "the dog sees a dog ."
    assert explorer.view.meta["first"] == [SENTENCES[0], first.translation]
    masked = explorer.view.shape("cross")["masked"]
    assert (
        masked
        and not explorer.reading.stack("cross")[..., masked].any()
        and "masked" not in explorer.view.shape("decoder")
    )
    assert explorer.view.ablation["rewritten"] == explorer.view.words
    assert explorer.view.ablation["tokens"] == first.predicted_pieces
    assert "explorer.text" not in explorer.view.meta["call"]["text"]
    explorer.view.words = []
    assert explorer.reading is first and explorer.text == SENTENCES[0] and explorer.view.ablation == {}
    assert explorer.view.meta["since"] == 0 < explorer.view.meta["version"]


def test_typing_the_sentence_that_stands_changes_nothing_and_typing_another_begins_anew(explorer):
    explorer.view.words = [["replace", 1, "dog"]]
    explorer.answer()
    assert explorer.view.words == [["replace", 1, "dog"]]
    explorer.text = SENTENCES[0]
    assert explorer.view.words == [] and explorer.view.meta["since"] == explorer.view.meta["version"]
    explorer.view.put_back({"words": [["delete", 0]]})
    assert explorer.text == "cat sees a dog ."


def test_changes_of_words_that_cannot_be_are_refused_and_leave_all_as_it_was(explorer):
    for words in ([["delete", 99]], [["delete", place] for place in range(6)], ["delete", 1]):
        with pytest.raises(ValueError, match=r"word|change"):
            explorer.view.words = words
    explorer.view.words = [["replace", 0, "a " * 300]]
    assert explorer.view.words == [] and "tokens" in explorer.line and explorer.text == SENTENCES[0]
    view = attention.attention_view(softmax_rows(2, 4), ["x", "y"], list("abcd"))
    with pytest.raises(ValueError, match="no model answers"):
        view.words = [["delete", 0]]


def test_a_row_is_held_and_let_go_and_another_sentence_lets_go_of_it(explorer, translator):
    before, n = translator.translate([SENTENCES[0]]), explorer.reading.src.size(1)
    row = ["cross", 1, -1, 1, [1.0] + [0.0] * (n - 1)]
    explorer.view.held = [row]
    assert explorer.view.ablation["held"] == [row] and explorer.view.ablation["delta"][1] != 0
    explorer.view.held = []
    assert explorer.view.ablation == {} and translator.translate([SENTENCES[0]]) == before
    explorer.view.put_back({"held": [row], "off": [["cross", 0, 0]]})
    assert explorer.view.ablation["held"] == [row] and explorer.view.ablation["off"] == [["cross", 0, 0]]
    explorer.text = "a street"
    assert explorer.view.held == [] == explorer.view.ablation["held"]


def test_a_row_stays_held_while_words_change_and_is_idle_where_there_are_other_tokens(explorer):
    n = explorer.reading.src.size(1)
    explorer.view.held = [["cross", 1, 0, 1, [1 / n] * n]]
    explorer.view.words = [["delete", 0]]
    assert explorer.reading.src.size(1) != n and explorer.view.ablation["idle"] == [0]
    explorer.view.words = []
    assert explorer.view.ablation["idle"] == [] and explorer.view.ablation["held"] == explorer.view.held != []


def test_rows_that_cannot_be_held_are_refused_and_leave_all_as_it_was(explorer):
    for row in (
        ["cross", 99, 0, 1, [1.0]],
        ["cross", 0, 3, 1, [1.0]],
        ["cross", 0, 0, 1, [2.0]],
        ["decoder", 0, 0, 1, [1.0]],
    ):
        with pytest.raises(ValueError, match=r"layers 0 to 1|from 0 to 1|reads 2 keys"):
            explorer.view.held = [row]
    assert explorer.view.held == [] and explorer.view.ablation == {}
    view = attention.attention_view(softmax_rows(2, 4), ["x", "y"], list("abcd"))
    with pytest.raises(ValueError, match="no model answers"):
        view.held = [["attention", 0, 0, 0, [1.0, 0.0, 0.0, 0.0]]]


def test_a_masked_word_is_drawn_as_what_may_not_be_looked_at(explorer):
    explorer.view.words, explorer.view.merge_words = [["mask", 1]], True
    (place, *_) = explorer.view.shape("cross")["masked"]
    merged, _ = attention.as_grouped(explorer.view, explorer.view.shape("cross"), explorer.reading.stack("cross")[0, 0])
    assert [explorer.reading.tokens("cross")[1][place]] == [merged["keys"][column] for column in merged["masked"]]


@pytest.mark.parametrize("text", ["", "  "])
def test_what_has_no_word_leaves_everything_as_it_was_and_says_so(explorer, text):
    explorer.text = text
    assert "type a sentence of at least one word." in explorer.status.value
    assert explorer.reading.text == SENTENCES[0] == explorer.view.meta["title"]


def test_an_example_is_typed_by_choosing_it_and_the_menu_can_choose_it_again(explorer):
    sentence, shows = attention.AttentionExplorer.examples[1]
    assert (f"{shows}: {sentence}", sentence) in explorer.menu.options
    for _ in range(2):
        explorer.text = SENTENCES[0]
        explorer.menu.value = sentence
        assert explorer.text == explorer.reading.text == sentence and explorer.menu.value == ""


def test_a_sentence_in_letters_that_the_model_never_read_is_answered_with_a_warning(explorer):
    explorer.text = "日本語 ☃"
    n = len(explorer.translator.tokenizer.encode("日本語 ☃"))
    assert f"{n - 2} of its pieces are single bytes" in explorer.status.value
    explorer.text = SENTENCES[0]
    assert "single bytes" not in explorer.status.value


@pytest.mark.parametrize("text", ["<script>alert(1)</script> $x$ <b>", "日本語 ☃", "a" * 60])
def test_strange_sentences_are_answered(explorer, text):
    explorer.text = text
    assert explorer.reading.text == text
    assert "<script" not in explorer.status.value and "<b>" not in explorer.status.value


def test_a_sentence_too_long_to_draw_says_so_in_one_line(explorer):
    explorer.text = "dog " * 300
    assert "tokens" in explorer.status.value and explorer.reading.text == SENTENCES[0]


def test_text_that_is_no_string_is_refused(translator):
    with pytest.raises(TypeError, match="list; give one sentence"):
        attention.explore_attention(translator, SENTENCES)


# ─── Pictures and pages ──────────────────────────────────────────────────────────────────────────────────────────────


def test_a_still_picture_is_sound_svg_with_every_token_in_it_and_no_markup_from_them():
    weights = softmax_rows(len(NASTY), len(NASTY))
    picture = attention.attention_heatmap(weights, NASTY, title="<script>", shows="<b>synthetic")
    root = ET.fromstring(picture.text)
    texts = {"".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"<script>alert(1)</script>", "<b>bold</b>", "<b>synthetic"} <= texts
    assert any("each row sums to 1.000" in text for text in texts)
    assert not any(node.tag.endswith("script") for node in root.iter())


def test_a_still_picture_puts_queries_down_and_keys_across():
    picture = attention.attention_heatmap([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], ["q0", "q1"], ["k0", "k1", "k2"])
    assert "M0 0h1v1h-1zM2 1h1v1h-1z" in picture.text  # x is the key's place, y the query's


def test_a_line_picture_joins_the_chosen_queries_alone_in_each_heads_colour():
    picture = attention.attention_lines([ASYMMETRIC, ASYMMETRIC], ["q0", "<b>"], list("abc"), queries=[1], heads=[2, 5])
    paths = [node.attrib for node in ET.fromstring(picture.text).iter("{http://www.w3.org/2000/svg}path")]
    assert len(paths) == 4 and {path["stroke"] for path in paths} == {theme.OKABE_ITO[2], theme.OKABE_ITO[5]}
    assert all(path["d"].split()[1].startswith("66.0C") for path in paths)  # from the second token on the left
    with pytest.raises(ValueError, match="names 1 heads, but weights has 2"):
        attention.attention_lines([ASYMMETRIC, ASYMMETRIC], ["q0", "q1"], list("abc"), heads=[0])


def test_a_live_view_carries_a_picture_for_pages_without_javascript(explorer):
    for shown in (explorer, explorer.view):
        data, _ = shown._repr_mimebundle_()
        assert "application/vnd.jupyter.widget-view+json" in data
        assert len(data["text/markdown"]) < 60_000 and "trained: little" in data["text/markdown"]
        ET.fromstring(explorer.view.picture().text)


def texts_of(picture: stills.Svg) -> list[str]:
    return ["".join(node.itertext()) for node in ET.fromstring(picture.text).iter("{http://www.w3.org/2000/svg}text")]


def test_the_picture_shows_what_the_view_shows_now():
    stack = softmax_rows(2, 3, 4, 4)
    tokens = ["▁Stra", "ßen", ".", "</s>"]
    view = attention.attention_view(stack, tokens, layer=1, heads=[0, 2])
    drawn = {"plain": attention.view_picture(view).text}
    changes = dict(hide_special=True, renormalise=True, colours_to=0.5, merge_words=True, sqrt=True, per_row=True)
    for name, value in changes.items():
        view.set_trait(name, value)
        drawn[name] = attention.view_picture(view).text
    view.threshold = 0.5
    drawn["threshold"] = attention.view_picture(view).text
    assert len(set(drawn.values())) == len(drawn)
    texts = texts_of(attention.view_picture(view))
    assert "▁Straßen" in texts and "</s>" not in texts
    assert any("colours by √weight, colours per row" in text and "50% of each row's mass" in text for text in texts)


def test_a_row_set_by_hand_stands_in_the_picture_and_nowhere_else(explorer):
    view, n_keys = explorer.view, len(explorer.view.shape()["keys"])
    kind, row = view.shape(), [0.0] * (n_keys - 1) + [1.0]
    made = view.maps[kind["name"]].clone()
    assert kind["name"] == "cross" and view.layer == 1 and made.shape[:2] == (2, 3)
    view.held = [["cross", 1, -1, 0, row], ["cross", 0, 2, 1, row], ["encoder", 0, 0, 0, row]]
    standing = attention.maps.standing(view, kind)
    for layer, head, query in [(1, 0, 0), (1, 1, 0), (1, 2, 0), (0, 2, 1)]:
        assert standing[layer, head, query].tolist() == row
        standing[layer, head, query] = made[layer, head, query]
    assert torch.equal(standing, made) and torch.equal(view.maps["cross"], made)
    shown = "|".join(texts_of(attention.view_picture(view)))
    assert shown.count("1 row set by hand") == 1
    view.layer = 0
    view.heads = [0, 2]
    assert "|".join(texts_of(attention.view_picture(view))).count("1 row set by hand") == 2  # of the encoder, too
    view.heads = [1]
    assert "set by hand" not in "|".join(texts_of(attention.view_picture(view)))


def test_what_special_tokens_hide_is_kept_from_a_row_or_shared_out_to_the_rest_of_it():
    stack = softmax_rows(1, 2, 3, 3)
    view = attention.attention_view(stack, ["a", "b", "</s>"], heads=[0, 1], hide_special=True)
    kind = view.shape()
    sums = {}
    for view.renormalise in (False, True):
        _, shown = attention.as_grouped(view, kind, shown_map(view, kind))
        sums[view.renormalise] = shown.sum(-1)
    rest = stack[0, :, :2, :2].mean(0)
    assert torch.allclose(sums[False], rest.sum(-1)) and torch.allclose(sums[True], torch.ones(2))
    each = stack[0, :, :2, :2] / stack[0, :, :2, :2].sum(-1, keepdim=True)  # of each head by itself, then their mean
    assert torch.allclose(shown, each.mean(0), atol=1e-6)
    assert "renormalised without special tokens" in "|".join(texts_of(attention.view_picture(view)))


def test_colours_end_where_the_reader_says_and_the_legend_says_it():
    view = attention.attention_view(ASYMMETRIC, ["q0", "q1"], ["k0", "k1", "k2"], colours_to=0.2)
    shades = attention.shades(view, torch.tensor(ASYMMETRIC))
    assert torch.allclose(shades, torch.tensor([[1.0, 0.5, 0.0], [0.0, 1.0, 1.0]]))
    assert "≥ 0.2" in texts_of(attention.view_picture(view))
    view.colours_to = 1.0
    assert "1" in texts_of(attention.view_picture(view)) and "≥ 0.2" not in texts_of(attention.view_picture(view))


def test_the_picture_of_pinned_tokens_has_a_line_for_each_head_and_key():
    stack = torch.full((1, 3, 2, 4), 0.25)
    view = attention.attention_view(stack, ["a", "b"], list("wxyz"), heads=[0, 2], pin=[["query", 1]])
    assert attention.view_picture(view).text.count("stroke-opacity") == 2 * 4
    view.pin = [["query", 1], ["key", 0]]
    assert attention.view_picture(view).text.count("stroke-opacity") == 2 * (4 + 1)


def test_the_picture_of_a_difference_shows_both_heads():
    view = attention.attention_view(
        softmax_rows(2, 3, 4, 4), list("abcd"), panel="difference", compare=[[0, 1], [1, 2]]
    )
    texts = "|".join(texts_of(attention.view_picture(view)))
    assert "layer 0, head 1" in texts and "layer 1, head 2" in texts


def test_merged_words_read_the_mean_and_are_read_the_sum_of_their_tokens():
    weights = torch.tensor([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])
    view = attention.attention_view(weights, ["▁a", "b"], ["▁x", "y", "▁z"], merge_words=True)
    kind, merged = attention.as_grouped(view, view.shape(), weights)
    assert (kind["queries"], kind["keys"]) == (["▁ab"], ["▁xy", "▁z"])
    assert merged.tolist() == [pytest.approx([0.45, 0.55])]


def test_the_threshold_keeps_the_fewest_weights_that_hold_the_mass():
    weights = torch.tensor([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1]])
    view = attention.attention_view(weights, ["a", "b"], list("xyz"), threshold=0.75)
    assert attention.shades(view, weights).tolist() == [pytest.approx([0.5, 0.3, 0]), pytest.approx([0, 0.8, 0])]


def test_weights_in_half_precision_and_layer_by_layer_are_taken():
    for dtype in (torch.float16, torch.bfloat16):
        rows = torch.randn(2, 3, 5, 7, generator=torch.Generator().manual_seed(1)).softmax(-1).to(dtype)
        layers = tuple(rows)  # as other libraries return them
        assert attention.attention_view(layers, list("abcde"), list("ABCDEFG")).shape()["n_layers"] == 2
    with pytest.raises(ValueError, match=r"\(3, 5, 7\), \(2, 5, 7\)"):
        attention.attention_view((rows[0], rows[1, :2]), list("abcde"), list("ABCDEFG"))


def test_the_picture_of_64_tokens_stays_small():
    tokens = [f"▁t{i}" for i in range(64)]
    assert len(attention.attention_heatmap(softmax_rows(64, 64), tokens).text) < 120_000


def test_svg_and_png_are_written(explorer, tmp_path):
    assert attention.export_svg(explorer, tmp_path / "a").read_text().startswith("<svg")
    assert attention.export_png(explorer.view, tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match=r"\.svg or \.png"):
        stills.Svg("<svg/>", "").save(tmp_path / "a.gif")


def exported_state(page: str) -> dict:
    data = json.loads(re.search(r'<script type="application/json">(.*?)</script>', page, re.S)[1])
    return data["models"][0]["state"]


def test_an_exported_page_needs_no_network_and_holds_no_token_as_markup(tmp_path):
    view = attention.attention_view(softmax_rows(len(NASTY), len(NASTY)), NASTY, title="<script>alert(2)</script>")
    page = attention.export_html(view, tmp_path / "view.html").read_text(encoding="utf-8")
    assert not re.search(r"https?://|//cdn|@import|src=|href=", page)
    assert page.count("<script") == page.count("</script") == 2
    assert "<b>bold" not in page and exported_state(page)["meta"]["kinds"][0]["queries"] == NASTY
    assert str(pathlib.Path.home()) not in page and str(pathlib.Path(canvas.__file__).parent) not in page


def test_an_exported_page_of_three_kinds_at_64_tokens_is_under_one_megabyte(tmp_path):
    tokens = [f"▁tok{i}" for i in range(64)]
    view = attention.attention_view(softmax_rows(18, 8, 64, 64), tokens)  # as many bytes as 3 kinds of 6 layers
    assert attention.export_html(view, tmp_path / "view.html").stat().st_size < 1e6


def test_the_scales_step_evenly_to_the_eye_and_the_difference_is_centred_on_the_page():
    for dark in (False, True):
        scale = [theme.oklab(colour) for colour in theme.weight_scale(dark)]
        steps = [math.dist(scale[i], scale[i + 16]) for i in range(0, 240, 16)]
        assert max(steps) < 1.15 * min(steps)
        page = (theme.DARK if dark else theme.LIGHT)["page"]
        assert theme.weight_scale(dark)[0] == theme.difference_scale(dark)[128] == page
        assert len(theme.difference_scale(dark)) == 257


# ─── The exported page in a browser ──────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 1180, "height": 1040})
    Reader(page)  # keeps what it shows if the test fails
    page.seen = []
    page.on("request", lambda request: page.seen.append(request.url))
    page.on("console", lambda message: message.type == "error" and page.seen.append(message.text))
    page.on("pageerror", lambda error: page.seen.append(str(error)))
    page.on("dialog", lambda dialog: (page.seen.append("dialog"), dialog.dismiss()))
    yield page
    page.close()


DARKNESS = """(kind) => {
  const canvas = document.querySelector(`canvas.att-heat[data-kind="${kind}"]`), at = canvas.dataset;
  const ratio = canvas.width / canvas.clientWidth;
  const dark = (row, col) => {
    const x = (+at.left + (col + 0.5) * at.cell) * ratio, y = (+at.top + (row + 0.5) * at.cell) * ratio;
    const [r, g, b] = canvas.getContext("2d").getImageData(x, y, 1, 1).data;
    return 765 - r - g - b;
  };
  return Array.from({ length: +at.rows }, (_, row) => Array.from({ length: +at.cols }, (_, col) => dark(row, col)));
}"""


def test_a_view_of_arrays_opens_as_asked():
    stack = torch.tensor([[ASYMMETRIC, ASYMMETRIC], [ASYMMETRIC, ASYMMETRIC]])
    view = attention.attention_view(
        stack, ["q0", "q1"], ["k0", "k1", "k2"], layer=1, heads=[1], pin=[["query", 0]], panel="difference"
    )
    assert (view.layer, view.heads, view.pin, view.panel) == (1, [1], [["query", 0]], "difference")


@pytest.mark.browser
def test_an_exported_page_draws_queries_down_and_keys_across_and_moves_without_python(page, tmp_path):
    stack = torch.stack([torch.tensor([ASYMMETRIC]), torch.tensor([[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]])])
    view = attention.attention_view(
        stack, ["<b>q0", "<script>alert(1)</script>"], ["k0", "k1", "k2"], shows="synthetic"
    )
    page.goto(attention.export_html(view, tmp_path / "view.html").as_uri())
    page.wait_for_selector(".view[data-paint-ms]")
    dark = page.evaluate(DARKNESS, "attention")
    assert dark[0][0] > dark[1][2] > dark[1][1] > dark[0][1] > dark[0][2] == dark[1][0] == 0
    page.get_by_label("Layer", exact=True).press("ArrowRight")
    page.wait_for_selector('.view[data-layer="1"]')  # set in the frame in which it is painted
    dark = page.evaluate(DARKNESS, "attention")
    assert dark[0][2] == dark[1][0] > 0 == dark[0][0]
    page.locator("canvas.att-heat").focus()
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    assert page.locator(".view-live").text_content() == "query '<script>alert(1)</script>', key 'k0', ≈1.0, rank 1"
    assert page.locator(".view-address").text_content() == "weights[1, 0, 1, 0]"
    assert [line for line in page.seen if not line.startswith(("file:", "blob:"))] == []
