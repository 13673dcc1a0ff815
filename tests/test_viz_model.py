"""Figure 1 drawn: every box is a block of the model, and the page is told what the model did."""

import itertools
import json
import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
import torch

import transformer_core as tc
from studies.model import blocks_of
from viz import canvas, model, theme

SENTENCES = ["the cat sees a dog .", "die Katze sieht einen Hund .", "a dog , a cat and the street"]
CONFIG = tc.TransformerConfig(
    vocab_size=300, n_layers=2, d_model=24, d_ff=16, n_heads=3, d_k=7, d_v=5, p_drop=0.5, max_len=32
)


pytestmark = pytest.mark.usefixtures("one_thread")  # so small a model is quickest so


def transformer(**changes) -> tc.Transformer:
    torch.manual_seed(5)
    return tc.Transformer(replace(CONFIG, **changes)).eval()


@pytest.fixture(scope="module")
def translator() -> tc.Translator:
    with pytest.warns(UserWarning):
        tokenizer = tc.Tokenizer.train(SENTENCES * 3, 1000)
    return tc.Translator(transformer(vocab_size=len(tokenizer)), tokenizer, "little")


@pytest.fixture(scope="module")
def explorer(translator) -> model.ModelExplorer:
    return model.explore_model(translator, SENTENCES[0])


def ids(*shape: int) -> torch.Tensor:
    return torch.randint(4, 300, shape, generator=torch.Generator().manual_seed(0))


VARIATIONS = [
    {}, {"norm": "pre"}, {"positions": "learned"}, {"tie_softmax": False}, {"tgt_vocab_size": 310}, {"window": 3},
]  # fmt: skip


# ─── Blocks ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("changes", VARIATIONS, ids=str)
def test_every_block_drawn_is_a_module_of_the_model_and_every_wire_leaves_one(changes):
    net = transformer(**changes)
    modules = dict(net.named_modules(remove_duplicate=False))
    blocks = {block.name: block for block in blocks_of(net, ids(2, 5), ids(2, 3))}
    assert all(block.module in modules for block in blocks.values())
    for unfolded in (False, True):
        plan = model.drawing(2, net.config.norm, unfolded)
        for layer in range(2):
            names = {box.name.replace("*", str(layer)) for box in plan.boxes}
            assert names <= set(blocks)
            ends = {end.replace("*", str(layer)) for edge in plan.edges for end in edge}
            assert ends <= names | {"src", "tgt", ""}


def test_a_six_layer_model_has_eighteen_attention_blocks_and_each_can_be_clicked():
    plan = model.drawing(6, unfolded=True)
    attention = [box for box in plan.boxes if box.kind == "attention"]
    assert len({box.name for box in attention}) == 18
    assert min(min(box.w, box.h) for box in attention) > 15


def test_only_notebooks_that_are_there_are_linked():
    block = next(b for b in blocks_of(transformer(), ids(1, 5), ids(1, 3)) if b.kind == "attention")
    assert model.for_page(block, [])["notebooks"] == []
    assert model.for_page(block, ["05_attention_heads"])["notebooks"] == ["05_attention_heads"]


# ─── The drawing ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("n", "norm", "unfolded"), list(itertools.product((1, 2, 6, 8), ("post", "pre"), (False, True)))
)
def test_blocks_lie_on_the_page_and_do_not_overlap_but_with_the_layer_around_them(n, norm, unfolded):
    boxes = model.drawing(n, norm, unfolded).boxes
    for box in boxes:
        assert box.x >= 0 and box.x + box.w <= model.WIDTH and box.y >= 0 and box.bottom <= model.HEIGHT, box
    for a, b in itertools.combinations([box for box in boxes if box.kind != "layer"], 2):
        apart = a.x + a.w <= b.x or b.x + b.w <= a.x or a.bottom <= b.y or b.bottom <= a.y
        assert apart, (a, b)


@pytest.mark.parametrize("unfolded", [False, True])
def test_with_the_norm_before_the_sublayer_another_graph_is_drawn(unfolded):
    post, pre = (model.drawing(2, norm, unfolded).edges for norm in ("post", "pre"))
    assert post != pre
    one = "*" if not unfolded else "1"
    assert (f"encoder.{one}.self_attention", f"encoder.{one}.add_norm.0") in post & pre
    assert (f"encoder.{one}.add_norm.0.layer_norm", f"encoder.{one}.self_attention") in pre - post
    assert ("decoder_norm", "linear") in pre - post


def test_every_cross_attention_reads_the_top_of_the_encoder():
    edges = model.drawing(3, unfolded=True).edges
    assert {("encoder.2.add_norm.1", f"decoder.{layer}.cross_attention") for layer in range(3)} <= edges
    edges = model.drawing(3, "pre", unfolded=True).edges
    assert {("encoder_norm", f"decoder.{layer}.cross_attention") for layer in range(3)} <= edges


def test_the_still_picture_shows_the_shapes_it_was_given_and_says_whose_they_are():
    shapes = {"src": (2, 3), "src_embedding": (2, 3, 4), "encoder.1.feed_forward": (2, 3, 5), "linear": (2, 7, 9)}
    picture = model.model_figure(2, shapes, layer=1, shows="synthetic")
    ET.fromstring(picture.text)
    for shape in shapes.values():
        assert theme.escaped(str(shape)) in picture.text
    assert "synthetic" in picture.text and "2 layers" in picture.description
    assert "(2, 3, 5)" not in model.model_figure(2, shapes, layer=0).text


def test_a_wrong_layer_or_norm_ends_in_one_sentence():
    with pytest.raises(ValueError, match="no layer 2; the layers here are 0 to 1"):
        model.model_figure(2, {}, layer=2)
    with pytest.raises(ValueError, match="'post' or 'pre'"):
        model.drawing(2, "between")


# ─── The sentence's journey ──────────────────────────────────────────────────────────────────────────────────────────


def test_the_view_holds_every_output_and_every_map_as_the_model_made_them(explorer, translator):
    view, journey = explorer.view, explorer.reading
    blocks, start = {block.name: block for block in journey.blocks}, 0
    for name, strip in view.meta["strips"].items():
        numbers = torch.frombuffer(bytearray(view.data[start : start + strip["n"] * strip["d"]]), dtype=torch.int8)
        out = blocks[name].out.reshape(strip["n"], strip["d"])
        gap = (numbers.view(strip["n"], strip["d"]) * strip["scale"] / 127 - out).abs().max().item()
        assert gap <= strip["scale"] / 254 * 1.001, name
        start += strip["n"] * strip["d"]
    with tc.record(translator.model) as trace, torch.no_grad():
        translator.model(journey.src, journey.tgt_in)
    for name, shape in view.meta["maps"].items():
        assert view.data[start : start + math.prod(shape)] == canvas.packed(trace[f"{name}.weights"][0])
        start += math.prod(shape)
    assert start == len(view.data)


def test_the_three_uses_of_attention_have_their_own_maps_and_sizes(explorer):
    S, T = explorer.reading.src.shape[1], explorer.reading.tgt_in.shape[1]
    assert S != T
    sizes = {name.partition(".")[0] + name[9:]: tuple(shape) for name, shape in explorer.view.meta["maps"].items()}
    assert sizes == {
        "encoder.self_attention": (3, S, S), "decoder.self_attention": (3, T, T), "decoder.cross_attention": (3, T, S),
    }  # fmt: skip
    assert len(explorer.view.meta["maps"]) == 6  # two layers


def test_the_steps_shown_are_those_of_the_translation(explorer, translator):
    meta = explorer.view.meta
    assert [step["piece"] for step in meta["steps"]] == translator.tokenizer.pieces(explorer.reading.ids)
    assert meta["translation"] == translator.tokenizer.decode(explorer.reading.ids)
    assert meta["same"] and explorer.reading.same_as_cached
    assert meta["tgt"]["ids"] == [tc.BOS, *explorer.reading.ids[:-1]]
    assert all(step["top"][0][0] == step["piece"] for step in meta["steps"] if step["probability"] == step["top"][0][1])


def test_another_sentence_is_another_journey_from_its_first_stop(translator):
    explorer = model.explore_model(translator, SENTENCES[0])
    explorer.view.stop, before = 3, explorer.view.data
    explorer.text = SENTENCES[2]
    assert explorer.view.stop == 0 and explorer.view.data != before and explorer.view.meta["text"] == SENTENCES[2]
    explorer.text = "cat " * 60
    assert "more than the 48 shown" in explorer.status.value and explorer.view.meta["text"] == SENTENCES[2]
    explorer.text = "<script>alert(1)</script>"
    assert "<script>" not in explorer.status.value
    with pytest.raises(TypeError, match="one sentence"):
        explorer.read(["a", "b"])


def test_what_goes_to_the_page_is_plain_json_and_the_untrained_twin_has_the_same_shapes(explorer):
    meta = json.loads(json.dumps(explorer.view.meta))
    assert meta["own"] == "post" and meta["shows"] == "trained: little"
    shapes = {norm: {b["name"]: b["outs"][0]["shape"] for b in of} for norm, of in meta["blocks"].items()}
    assert set(shapes["pre"]) > set(shapes["post"])
    assert all(shapes["pre"][name] == shape for name, shape in shapes["post"].items())
    assert {b["source"] for of in meta["blocks"].values() for b in of} == set(meta["sources"])


def test_the_view_has_a_picture_for_pages_without_javascript(explorer):
    data, _ = explorer._repr_mimebundle_()
    assert str(tuple(explorer.reading.src.shape)) in data["text/markdown"]
    assert len(data["text/markdown"]) < 30_000
    explorer.view.norm = "pre"
    assert "untrained" in model.view_picture(explorer).text
    explorer.view.norm = "post"


def test_every_trait_that_the_script_reads_is_synced():
    used = set(re.findall(r'\bget\("(\w+)"\)', (canvas.HERE / "model" / "journey.js").read_text()))
    assert used <= set(model.ModelView.class_trait_names(sync=True))
