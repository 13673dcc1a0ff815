"""The view of queries and keys in a plane: its scores are the model's, its picture those of the plane."""

import json
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import torch
import toys

import transformer_core as tc
from studies import geometry
from studies.reading import KINDS
from viz import attention
from viz.attention.geometry import places_for

FIRST, SECOND = "ant bee cat ant", "dog eel"

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def translator(tokenizer) -> tc.Translator:
    torch.manual_seed(6)
    shape = tc.TransformerConfig(len(tokenizer), **toys.TOY | {"n_layers": 2})
    return toys.ending(tc.Translator(tc.Transformer(shape), tokenizer, "toy"))


@pytest.fixture
def explorer(translator: tc.Translator) -> attention.GeometryExplorer:
    return attention.explore_geometry(translator, FIRST, layer=1, head=0)


def numbers_in(view: attention.GeometryView) -> torch.Tensor:
    return torch.frombuffer(bytearray(view.data), dtype=torch.float32)


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def texts_of(view: attention.GeometryView) -> list[str]:
    return ["".join(node.itertext()) for node in ET.fromstring(view.picture().text).iter() if node.tag.endswith("text")]


def test_the_scores_of_every_kind_lie_one_after_the_other(explorer):
    expected = torch.cat([geometry.scores_of(explorer.reading, kind).flatten() for kind in KINDS])
    assert numbers_in(explorer.view).equal(expected)
    for kind in explorer.view.meta["kinds"]:
        assert (kind["queries"], kind["keys"]) == explorer.reading.tokens(kind["name"])
        assert (kind["allowed"] is None) == (kind["name"] != "decoder")


def test_it_opens_where_it_is_asked_to(translator, explorer):
    assert (explorer.view.kind, explorer.view.layer, explorer.view.head, explorer.view.centred) == ("cross", 1, 0, True)
    view = attention.explore_geometry(translator, FIRST, kind="encoder", head=1, query=-1, centred=False).view
    assert (view.kind, view.head, view.query, view.centred) == ("encoder", 1, -1, False)


def test_another_sentence_has_other_scores_and_a_query_of_its_own(explorer):
    explorer.view.query = 0
    explorer.text = SECOND
    assert numbers_in(explorer.view)[:4].equal(geometry.scores_of(explorer.reading, "encoder").flatten()[:4])
    assert explorer.view.query == len(explorer.reading.ids) // 2 and explorer.reading.text == SECOND
    assert explorer.view.meta["title"].startswith(SECOND) and explorer.view.meta["version"] == 1
    explorer.text = "ant " * 60
    assert "more than the 36 shown" in explorer.line and explorer.reading.text == SECOND


def test_what_is_not_there_is_refused_by_name(explorer):
    for name, value, why in [
        ("kind", "sideways", "no kind 'sideways'"), ("layer", 2, "no layer 2"), ("head", -1, "no head -1"),
        ("query", 99, "no query 99"), ("map", "third", "map"),
    ]:  # fmt: skip
        with pytest.raises(Exception, match=why):
            setattr(explorer.view, name, value)


@pytest.mark.parametrize("kind", KINDS)
def test_the_picture_says_how_much_the_plane_holds_and_what_the_query_reads(explorer, kind):
    explorer.view.kind, explorer.view.query = kind, 2
    scores = geometry.scores_of(explorer.reading, kind)[1, 0].double()
    share = geometry.plane_of(geometry.centred(scores)).share.item()
    picture = explorer.view.picture()
    assert f"{share:.0%}" in picture.description and "first in the plane" in picture.description
    shown = texts_of(explorer.view)
    assert "scores of the head" in shown and "-" not in "".join(shown[-3:])
    explorer.view.centred, explorer.view.map, explorer.view.query = False, "plane", -1
    assert f"{geometry.plane_of(scores).share.item():.0%}" in explorer.view.picture().description
    assert "scores of the plane" in texts_of(explorer.view)
    assert attention.geometry_picture(explorer.view, dark=True).text != picture.text


def test_your_own_queries_and_keys_in_any_of_three_shapes():
    q, k = drawn(5, 8), drawn(3, 8, seed=1)
    view = attention.geometry_view(q, k, "abcde", "xyz", query=2)
    assert torch.allclose(numbers_in(view).view(5, 3), q @ k.T / 8**0.5, atol=1e-6)
    assert {"a", "x"} <= set(texts_of(view))
    several = attention.geometry_view(drawn(4, 2, 5, 8), drawn(4, 2, 3, 8), "abcde", "xyz", layer=3, head=1)
    assert (several.meta["n_layers"], several.meta["n_heads"]) == (4, 2)
    causal = attention.geometry_view(q, q, "abcda", causal=True, query=1)
    assert causal.meta["kinds"][0]["allowed"] == [[0, n] for n in range(1, 6)]
    assert {"a₁", "a₅"} <= set(texts_of(causal))


@pytest.mark.parametrize(
    ("q", "k", "why"),
    [
        (drawn(5, 8), drawn(3, 7), "same layers and heads"),
        (drawn(2, 5, 8), drawn(3, 8), "same layers and heads"),
        (drawn(4, 8), drawn(3, 8), "5 query and 3 key tokens"),
    ],
)
def test_vectors_that_do_not_fit_are_refused_with_their_shapes(q, k, why):
    with pytest.raises(ValueError, match=why) as refused:
        attention.geometry_view(q, k, "abcde", "xyz")
    assert str(tuple(q.shape)) in str(refused.value)


def test_names_stand_on_no_mark_and_on_no_other_name():
    marks = (torch.rand(31, 2, generator=torch.Generator().manual_seed(1)) * torch.tensor([500, 400])).tolist()
    boxes = places_for(marks, [(40 + n, 14) for n in range(30)], (500, 400))
    there = [box for box in boxes if box]
    assert len(there) > 20
    for n, box in enumerate(there):
        assert all(a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1] for m, other in enumerate(there)
                   for a, b in [(box, other)] if m != n)  # fmt: skip
        assert not any(box[0] < x < box[2] and box[1] < y < box[3] for x, y in marks)


def test_what_the_bar_copied_is_put_back(explorer):
    state = {"kind": "decoder", "layer": 0, "head": 1, "query": 1, "centred": False, "map": "plane"}
    explorer.view.put_back(state)
    assert {name: getattr(explorer.view, name) for name in state} == state


IN_NODE = """
import {{ script }} from "./script.mjs";
const {{ planeOf, singular, centred }} = await script("attention/geometry.js");
const valuesOf = (rows) => singular(rows).map(({{ value }}) => value);
const answers = {matrices}.map((rows) => ({{ ...planeOf(rows), values: valuesOf(rows), less: centred(rows) }}));
console.log(JSON.stringify(answers));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_script_finds_the_plane_that_torch_finds():
    low = drawn(7, 2).double() @ drawn(2, 5, seed=1).double()
    matrices = [drawn(6, 4, seed=2).double(), drawn(3, 9, seed=3).double(), low, geometry.centred(drawn(5, 5).double())]
    source = IN_NODE.format(matrices=[matrix.tolist() for matrix in matrices])
    command = ["node", "--input-type=module", "-e", source]
    done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    for matrix, answer in zip(matrices, json.loads(done.stdout), strict=True):
        plane, values = geometry.plane_of(matrix), torch.linalg.svdvals(matrix)
        here = {name: torch.tensor(answer[name], dtype=torch.double) for name in ("queries", "keys", "values", "less")}
        assert torch.allclose(here["values"], values, atol=1e-12)
        assert torch.allclose(here["queries"], plane.queries) and torch.allclose(here["keys"], plane.keys)
        assert answer["share"] == pytest.approx(plane.share.item())
        assert answer["line"] == pytest.approx(geometry.plane_of(matrix, 1).share.item())
        assert torch.allclose(here["less"], geometry.centred(matrix))
