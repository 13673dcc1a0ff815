"""The view of Table 1, its charts and its linked table: their numbers are those of the formulas and of real layers."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from lab import Lab, remember_latencies, wait_until
from toys_complexity import timed_layers

import baselines
from benchmarks import cost
from experiments import complexity as benchmark
from studies import complexity as study
from studies import stored
from viz import canvas, charts, complexity

ROOT = Path(__file__).parent.parent


@pytest.fixture
def result() -> dict:
    return timed_layers()


# ─── The view ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_script_s_numbers_are_those_of_python_for_every_layer(tmp_path):
    if not shutil.which("node"):
        pytest.skip("node not found")
    sizes = [(n, d, k, r) for n, d in [(2, 8), (33, 64), (70, 512), (4096, 2048)] for k, r in [(3, 5), (9, 255)]]
    (tmp_path / "rows.json").write_text(json.dumps({"rows": complexity.rows_of_table(), "sizes": sizes}))
    ask = f"""
        import {{ readFileSync }} from "node:fs";
        import {{ script }} from "{ROOT / "tests" / "script.mjs"}";
        const view = await script("complexity/table.js");
        const {{ rows, sizes }} = JSON.parse(readFileSync("{tmp_path / "rows.json"}"));
        console.log(JSON.stringify(rows.flatMap((row) => sizes.map(([n, d, k, r]) => {{
          const size = {{ n, d, k, r }};
          return [view.multiplyAdds(row, size, false), view.multiplyAdds(row, size, true), view.chainOf(row, n),
            view.pathLength(row, size, true), view.pathLength(row, size, false),
            view.crossing(rows[0], row, size, false)];
        }}))));"""
    (tmp_path / "ask.mjs").write_text(ask)
    said = subprocess.run(["node", str(tmp_path / "ask.mjs")], capture_output=True, text=True, check=True).stdout
    wanted = [
        [
            baselines.multiply_adds(name, n, d, k, r), baselines.multiply_adds(name, n, d, k, r, core=True),
            baselines.sequential_operations(name, n), baselines.path_length(name, n, k, r),
            baselines.path_length(name, n, k, r, causal=False), baselines.crossing("self-attention", name, d, k, r),
        ]
        for name in baselines.KINDS
        for n, d, k, r in sizes
    ]  # fmt: skip
    got = json.loads(said)
    for ours, theirs in zip(wanted, got, strict=True):
        assert ours[:5] == theirs[:5]
        assert theirs[5] == (None if ours[5] is None else pytest.approx(ours[5]))


def test_every_layer_has_a_look_of_its_own_and_no_two_share_it():
    looks = [complexity.STYLES[name][:2] for name in baselines.KINDS]
    assert len(set(looks)) == len(looks) == len(complexity.STYLES)


def test_sizes_and_layers_are_read_and_set_and_wrong_ones_refused():
    view = complexity.complexity_view(n=5, d=16, k=5, r=7, core=False)
    assert (view.n, view.d, view.k, view.r, view.core) == (5, 16, 5, 7, False)
    with pytest.raises(ValueError, match=r"shown is .*'GRU'"):
        view.shown = ["transformer"]
    view.k = 4
    with pytest.raises(ValueError, match="k is 4; centred, it must be odd"):
        view.causal = False
    view.k, view.causal = 3, False
    with pytest.raises(ValueError, match="r is 6"):
        view.r = 6


def test_the_button_s_answer_is_measured_and_equals_the_formulas():
    view = complexity.explore_complexity()
    answers: list = []
    view.send = lambda content, buffers: answers.append(content)
    names = ["self-attention", "LSTM", "dilated convolution", "feed-forward"]
    view._asked(view, dict(ask="measure", n=9, d=16, k=3, r=5, causal=True, names=names, version=0), [])
    for name in names:
        assert answers[0]["measured"][name] == {
            "multiply_adds": baselines.multiply_adds(name, 9, 16, 3, 5),
            "sequential": baselines.sequential_operations(name, 9),
            "path": baselines.path_length(name, 9, 3, 5),
        }


def test_the_picture_beside_the_view_says_the_numbers_in_words():
    view = complexity.complexity_view(n=70, d=512, core=False)
    drawn = canvas.with_picture(({}, {}), view.picture)[0]
    assert "data:image/svg+xml,%3Csvg" in drawn["text/markdown"]
    assert "self-attention at n = 70: 78,417,920 multiply-adds, 4 sequential, path 1" in drawn["text/plain"]


def test_where_there_is_no_path_or_no_formula_of_it_the_picture_says_which():
    said = complexity.formula_chart(["feed-forward", "dilated convolution"], 70, 512, 3, 5, causal=False).description
    assert "2 sequential, no path between positions;" in said and "1 sequential, no formula for the path" in said


# ─── Charts ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_layer_that_never_arrives_has_no_points_in_the_chart_of_paths():
    path = complexity.formula_chart(["feed-forward", "RNN"], 70, 512, 3, 5).panels[2]
    assert [len(curve.x) for curve in path.curves] == [0, len(complexity.LENGTHS)]
    assert list(path.curves[1].y) == list(complexity.LENGTHS)


def test_the_first_input_s_gradient_is_drawn_against_the_length_a_curve_a_layer():
    chart = complexity.first_input_chart({"RNN": {2: 0.5, 8: 1e-9}, "self-attention": {2: 0.25, 8: 0.125}})
    rnn, attention = chart.panels[0].curves
    assert list(rnn.x) == [2, 8] and attention.y == [0.25, 0.125] and rnn.y == [0.5, 1e-9]


def test_measured_paths_are_dots_on_the_lines_of_the_formulas():
    chart = complexity.path_chart({"RNN": {2: 2, 5: 5}, "convolution": {5: 2}}, k=3, r=5)
    *lines, dots = chart.panels[0].curves
    assert (list(dots.x), list(dots.y), dots.kind) == ([2, 5, 5], [2, 5, 2], "dots")
    assert [list(line.y) for line in lines] == [[2, 3, 4, 5], [1, 1, 2, 2]]
    assert chart.figure.data[-1].mode == "markers"


def test_the_words_of_an_upright_line_stand_at_it_on_a_logarithmic_axis(result):
    figure = complexity.measured_chart(result, ["LSTM"], d=6).figure
    words = next(note for note in figure.layout.annotations if "n = d = 6" in note.text)
    assert 10**words.x == pytest.approx(6)


def test_times_are_drawn_with_their_quartiles_and_memory_in_mebibytes(result):
    time, memory = (panel.curves[0] for panel in complexity.measured_chart(result, ["LSTM"], d=6).panels)
    assert (time.x, time.y, time.low, time.high) == ([4, 8], [20, 30], [19, 29], [22, 32])
    assert memory.y == [float(f"{size / 2**20:.3g}") for size in (40, 80)]


def test_the_stored_figures_name_their_machine_and_hold_every_layer_at_every_size():
    result = stored.load(ROOT / "notebooks" / "data" / "complexity_cpu.json")
    assert {"device", "cores", "threads", "torch"} == set(result["machine"])
    assert result["command"].startswith("python -m experiments.complexity")
    names = {*benchmark.LAYERS, *benchmark.TORCH_LAYERS}
    found = {(row["layer"], row["d"], row["n"]) for row in result["rows"]}
    assert found == {(name, d, n) for name in names for d in benchmark.WIDTHS for n in benchmark.LENGTHS}
    for d in benchmark.WIDTHS:
        assert len(study.timing_sentences(result, d)) == 7


def test_the_benchmark_times_every_layer_and_counts_what_it_keeps():
    rows = benchmark.measure(d=8, n=5, device="cpu", budget=0.0)
    assert [row["layer"] for row in rows] == [*benchmark.LAYERS, *benchmark.TORCH_LAYERS]
    for row in rows:
        assert 0 < row["low"] <= row["ms"] <= row["high"]
        assert (row["d"], row["n"], row["rounds"] >= 15, row["bytes"] > 0) == (8, 5, True, True)


# ─── The linked table ────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_linked_table_holds_the_exact_integers_and_a_curve_for_each_row():
    drawn = complexity.linked_table(["self-attention", "feed-forward"], n=70, d=512, k=3, r=5)
    text = json.dumps(drawn.spec, ensure_ascii=False)
    for number in ("78,417,920", "146,800,640", "4nd² + 2n²d", "never"):
        assert f'"{number}"' in text
    curves = drawn.spec["hconcat"][1]["layer"][0]["data"]["values"]
    assert {row["layer"] for row in curves} == {"self-attention", "feed-forward"}
    assert len(curves) < 5000


def test_a_linked_chart_is_alive_offline_and_carries_its_picture_and_its_specification():
    spec = {
        "mark": "bar",
        "data": {"values": [{"a": "<b>", "b": 2}]},
        "encoding": {"x": {"field": "a", "type": "nominal"}},
    }
    drawn = charts.LinkedChart(spec, "synthetic", "one bar")
    bundle = drawn._repr_mimebundle_()
    assert bundle["application/vnd.vegalite.v6+json"]["mark"] == "bar"
    assert bundle["text/plain"] == "one bar (synthetic)"
    assert "%3Csvg" in bundle["text/markdown"] and "<b>" not in drawn.picture.text
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert "https://" not in str(drawn.live._esm)[:2000]


# ─── In the browser ──────────────────────────────────────────────────────────────────────────────────────────────────


SLIDE = """async (times) => {
  const slider = document.querySelector(".cpl .cpl-slider"), view = slider.closest(".cpl"), took = [];
  for (let i = 0; i < times; i++) {
    const before = view.dataset.n;
    slider.value = String((+slider.value + 1) % (+slider.max + 1));
    const start = performance.now();
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    while (view.dataset.n === before) {
      await new Promise(requestAnimationFrame);
      if (performance.now() - start > 20_000) throw new Error(`n stays ${before}, though its slider has moved`);
    }
    took.push(performance.now() - start);
    await new Promise(resolve => setTimeout(resolve, 40 + (i * 7) % 17));
  }
  return took;
}"""


@pytest.mark.browser
def test_table_1_moves_measures_and_links_in_the_browser(lab: Lab):
    names = ("n", "d", "k", "r", "core", "causal", "shown", "picked")
    with lab.opened("06_complexity.ipynb", "view", names, shown=["linked_table("]) as reader:
        page, view = reader.page, reader.page.locator(".cpl").first
        view.scroll_into_view_if_needed()
        wait_until(lambda: view.get_attribute("data-paint-ms"), "the view to be painted")
        board = view.locator('canvas[data-column="cost"]')
        before = reader.pixels(board)
        view.get_by_label("d, width").focus()
        page.keyboard.press("End")
        reader.wait_for("d", 2048)
        assert reader.pixels(board) != before
        view.get_by_label("d, exactly").fill("100")
        page.keyboard.press("Enter")
        reader.wait_for("d", 100)
        wait_until(lambda: '["RNN",100]' in board.get_attribute("data-crossings"), "the core to cross the RNN at n = d")
        for name in ("GRU", "LSTM", "convolution", "restricted self-attention"):  # the first two come, the others go
            view.locator(f'.cpl-chip[data-name="{name}"]').click()
        view.get_by_label("Which multiply-adds").select_option("whole")
        reader.wait_for("core", False)
        wait_until(
            lambda: board.get_attribute("data-crossings") == '[["GRU",100],["LSTM",200]]', "the crossings at d and 2d"
        )
        view.get_by_label("Which multiply-adds").select_option("core")
        reader.wait_for("core", True)
        view.get_by_label("n, exactly").fill("24")
        page.keyboard.press("Enter")
        reader.wait_for("n", 24)
        view.locator('.cpl-chip[data-name="convolution"]').click()
        wait_until(lambda: "convolution" in reader.python("shown"), "the convolution to be shown")
        view.get_by_role("button", name="Measure these layers").click()
        row = view.locator('tr[data-name="convolution"] td').last
        wait_until(lambda: "= formula" in row.inner_text(), "the real layers to be measured")
        assert row.inner_text() == f"{3 * 24 * 100**2:,} · 1 · 12 = formula"
        board.focus()
        page.keyboard.press("ArrowRight")
        wait_until(lambda: reader.python("n") > 24, "an arrow to move n")
        took = sorted(page.evaluate(SLIDE, 40))
        remember_latencies(
            {"complexity: n slider to repaint, ms": {"median": round(took[20], 1), "p95": round(took[37], 1)}}
        )
        linked = page.locator(".vega-embed").first
        linked.scroll_into_view_if_needed()
        wait_until(lambda: linked.get_by_text("restricted self-attention").count(), "the linked table to be drawn")
        every_row = linked.inner_html()
        linked.get_by_text("LSTM", exact=True).first.click(force=True)
        wait_until(lambda: linked.inner_html() != every_row, "the row clicked to stand out")
        assert linked.locator("summary").count() == 0  # no menu that leads to a web site
        assert (reader.refused, reader.errors) == ([], [])


def test_a_path_of_no_layers_is_not_one_that_never_arrives():
    rows = complexity.linked_table(["convolution", "feed-forward"], n=1, d=8, k=3, r=3).spec
    said = json.dumps(rows)
    assert said.count('"never"') == 1


def test_what_a_model_costs_is_drawn_in_multiples_of_the_smallest_and_its_slopes_are_told():
    def curve(size: str, first: int) -> dict:
        points = [{size: first * k, "seconds": 0.5 * k, "bytes": 20 * k * k, "flop": 7 * k} for k in (1, 2, 4)]
        slopes = {"fitted over": [first, 4 * first], "time": 1.0, "expected of time": 1.0, "memory": 2.0}
        return dict(points=points, slopes=slopes | {"expected of memory": 1.9})

    sizes = {"length": 16, "width": 64, "batch": 2}
    made = dict(machine=dict(threads=1, cores=2), curves={size: curve(size, first) for size, first in sizes.items()})
    chart = complexity.cost_chart(made)
    for panel, first in zip(chart.panels, sizes.values(), strict=True):
        assert [(c.name, [*c.x], [*c.y]) for c in panel.curves] == [
            ("time", [first, 2 * first, 4 * first], [1, 2, 4]),
            ("memory", [first, 2 * first, 4 * first], [1, 4, 16]),
            ("multiply-adds", [first, 2 * first, 4 * first], [1, 2, 4]),
        ]
    assert study.cost_sentences(made)[0] == (
        "length 16 to 64     time 1.00 (multiply-adds 1.00), memory 2.00 (numbers kept 1.90)"
    )


def test_the_stored_costs_are_those_of_the_benchmark():
    found = stored.load(ROOT / "benchmarks" / "results" / "cost_cpu.json")
    assert {size: [p[size] for p in c["points"]] for size, c in found["curves"].items()} == {
        size: [*sizes] for size, sizes in cost.CURVES.items()
    }
    for size, curve in found["curves"].items():
        assert curve["slopes"] == json.loads(json.dumps(cost.summary(size, curve["points"])))
