"""Table 2's view and the calculator, and the WMT14 recipe, whose own commands run scaled down."""

import gzip
import itertools
import json
import math
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import fields
from pathlib import Path

import pytest
import torch

import transformer_core as tc
from benchmarks import speed
from experiments import results as experiment
from studies import results as study
from studies import stored
from viz import results

ROOT = Path(__file__).parent.parent
DATA = ROOT / "notebooks" / "data"


# ─── Table 2 ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_view_holds_every_row_and_claim_and_refuses_what_is_not_there():
    view = results.table_2_view(language="fr")
    assert (view.language, view.picked, view.claim) == ("fr", "", -1)
    assert [row["model"] for row in view.meta["rows"]] == [row.model for row in study.TABLE_2]
    assert len(view.meta["claims"]) == 6
    with pytest.raises(ValueError, match="There is no row 'BERT'"):
        view.picked = "BERT"
    with pytest.raises(ValueError, match="There is no claim 6; there are 6"):
        view.claim = 6
    with pytest.raises(ValueError, match="There are no rows to show"):
        results.table_2_view([])


def test_rows_of_one_s_own_are_drawn_beside_the_paper_s_and_some_rows_alone_have_no_claims():
    mine = study.Row("<b>mine", "yours", de=("25.3", "1.2e17"))
    assert len(results.table_2_view([*study.TABLE_2, mine]).meta["claims"]) == 6
    alone = results.table_2_view([mine, study.TABLE_2[0]])
    assert alone.meta["claims"] == []
    drawn = alone.picture()
    assert "<b>" not in drawn.text and "mine: English-German 25.3 BLEU for 1.2·10¹⁷ FLOP" in drawn.description
    assert results.table_2_view(study.TABLE_2[-2:]).meta["claims"] == []


def test_the_picture_beside_the_view_says_the_whole_table_in_words():
    drawn = results.table_2_view().picture()
    for row in study.TABLE_2:
        assert f"{row.model}: English-{'German' if row.de[0] else 'French'}" in drawn.description
        assert (row.model in drawn.text) == bool(row.de[1] + row.fr[1])  # ByteNet has no cost


# ─── The cost of training ────────────────────────────────────────────────────────────────────────────────────────────


def test_the_script_computes_what_python_computes(tmp_path):
    if not shutil.which("node"):
        pytest.skip("node not found")
    times = [0.4, 0.0318, 89.99, 90, 5399, 5400, 172_799, 172_800, 1.3e7, 730 * 86400, 4e9, 4e13]
    runs = [(12, 8, 9.5), (0.5, 3, 312.0)]
    ask = f"""
        import {{ script }} from "{ROOT / "tests" / "script.mjs"}";
        const view = await script("results/cost.js");
        console.log(JSON.stringify([{json.dumps(times)}.map(view.duration),
          {json.dumps(runs)}.map(([h, n, t]) => view.trainingCost(h, n, t)), view.arithmetic(62984192, 25000, 100000),
          view.secondsOn(9.45e17, 2, 989, 0.3)]));"""
    (tmp_path / "ask.mjs").write_text(ask)
    done = subprocess.run(["node", str(tmp_path / "ask.mjs")], capture_output=True, text=True, check=True)
    written, costs, work, seconds = json.loads(done.stdout)
    assert written == [study.duration(time) for time in times]
    assert costs == pytest.approx([study.training_cost(*run) for run in runs])
    assert work == 100_000 * study.step_arithmetic(62_984_192)
    assert seconds == pytest.approx(study.seconds_on(9.45e17, 2, 989, 0.3))


def test_hardware_that_is_not_listed_is_refused():
    view = results.cost_view()
    with pytest.raises(ValueError, match="no hardware 'abacus' here; choose from K80"):
        view.hardware = "abacus"


def test_the_calculator_opens_as_asked_and_its_picture_says_the_hours():
    view = results.cost_view(
        model="big", steps=300_000, share=0.5, n_now=2, measured=dict(name="x", tflops=1, share=0.5)
    )
    said = view.picture().description
    wanted = study.seconds_on(300_000 * study.step_arithmetic(214_048_768), 2, 312, 0.5)
    assert f"2 × A100: {study.duration(wanted)}" in said and "8 × P100, the paper: 3.47 days" in said


def test_costs_of_table_2_stand_in_the_calculator_a_transformers_in_both_languages_as_its_cell_does():
    costs = results.cost_view().meta["costs"]
    assert len(costs) == sum(bool(cell[1]) for row in study.TABLE_2 for cell in (row.de, row.fr))
    spanning = [(cost["model"], cost["language"]) for cost in costs if cost["kind"] == "Transformer"]
    assert sorted(spanning) == [(f"Transformer ({size})", pair) for size in ("base", "big") for pair in ("de", "fr")]


# ─── Measuring ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_measured_step_has_the_tokens_asked_for_and_becomes_a_share_of_the_machine(monkeypatch):
    monkeypatch.setitem(tc.PRESETS, "toy", dict(n_layers=1, d_model=16, d_ff=24, n_heads=2, d_k=8, d_v=8))
    monkeypatch.setitem(experiment.SIZES, "toy", (60, 75))
    found = experiment.measure({"toy": 75}, rounds=2, device="cpu")
    step = found["steps"]["toy"]
    assert (step["tokens"], step["rounds"]) == (75, 2)
    config = tc.TransformerConfig(60, **tc.PRESETS["toy"])
    assert step["flop"] == study.step_arithmetic(study.matmul_weights(config), 75)
    mine = study.measured_machine(found, "toy")
    reached = mine["tflops"] * 1e12 * mine["share"]
    assert reached == pytest.approx(step["flop"] / step["seconds"])


def test_the_stored_steps_name_their_machine_and_agree_with_the_arithmetic():
    found = stored.load(DATA / "training_step.json")
    assert found["command"].startswith("python -m experiments.results step") and found["machine"]["device"]
    for preset, step in found["steps"].items():
        config = tc.TransformerConfig(experiment.SIZES[preset][0], **tc.PRESETS[preset])
        assert step["flop"] == study.step_arithmetic(study.matmul_weights(config), step["tokens"])
        assert 0 < study.measured_machine(found, preset)["share"] < 1.1


# ─── The recipe ──────────────────────────────────────────────────────────────────────────────────────────────────────


def options(command: str) -> dict[str, str]:
    """The options of a command line and their values."""
    words = shlex.split(command)
    return {a: b for a, b in itertools.pairwise([*words, ""]) if a.startswith("--")}


def test_the_recipe_is_the_paper_s():
    commands = experiment.Recipe().commands()
    assert list(commands) == ["fetch and clean", "train", "average", "evaluate"]
    train = options(commands["train"])
    assert train["--preset"] == "base" and train["--vocab-size"] == "37000" and train["--tokens-per-batch"] == "25000"
    assert train["--steps"] == "100000" and train["--warmup-steps"] == "4000"
    assert int(train["--save-every"]) * study.PAPER_RUNS["base"].seconds == 600  # ten minutes
    assert options(commands["average"])["--last"] == "5" == train["--keep"]
    assert options(commands["evaluate"])["--beam-size"] == "4" and options(commands["evaluate"])["--alpha"] == "0.6"
    defaults = {field.name: field.default for field in fields(tc.TrainArguments)}
    assert (defaults["beta1"], defaults["beta2"], defaults["eps_adam"]) == (0.9, 0.98, 1e-9)
    assert (
        tc.PRESETS["base"] == {} and tc.TransformerConfig(37_000).p_drop == tc.TransformerConfig(37_000).eps_ls == 0.1
    )


def test_the_rehearsal_s_commands_differ_from_the_paper_s_in_values_alone(tmp_path):
    for name, command in experiment.Recipe().commands().items():
        scaled = experiment.rehearsal(tmp_path, tmp_path).commands()[name]
        assert set(options(scaled)) - {"--from"} == set(options(command))
        assert scaled.split()[:3] == command.split()[:3]


def newstest_pieces(folder: Path, source: Path) -> Path:
    """Pieces of newstest2013 as a folder of three splits."""
    folder.mkdir()
    for language in ("en", "de"):
        lines = gzip.decompress((source / f"newstest2013.{language}.gz").read_bytes()).decode().split("\n")
        for split, start, end in (("train", 0, 700), ("valid", 700, 720), ("test", 720, 745)):
            (folder / f"{split}.{language}").write_text("".join(f"{line}\n" for line in lines[start:end]))
    return folder


def test_the_recipe_s_own_commands_scaled_down_lead_to_a_checkpoint_an_average_and_a_score(tmp_path):
    source = Path(os.environ.get("TRANSFORMER_DATA", "nowhere")) / "wmt_newstest"
    given = newstest_pieces(tmp_path / "pieces", source) if source.is_dir() else None
    found = experiment.rehearse(tmp_path, given, steps=10)
    assert [step["name"] for step in found["steps"]] == [*experiment.Recipe().commands()]
    assert re.match(
        r"nrefs:1\|case:mixed\|eff:no\|tok:13a\|smooth:exp\|version:\S+ beam:4\|alpha:0.6$", found["signature"]
    )
    assert re.match(r"BLEU = \d+\.\d\d ", found["score"])
    mean = tc.load_model(tmp_path / "run-mean")
    steps = tc.step_folders(tmp_path / "run")
    assert [folder.name for folder in steps] == [f"step-{n}" for n in (2, 4, 6, 8, 10)]
    for name, weight in tc.average_checkpoints(steps).items():
        assert torch.equal(weight, tc.weights_of(mean)[name])
    expected = experiment.disk_bytes(tc.count_parameters(mean))
    assert found["bytes"] == pytest.approx(expected, rel=0.02)
    left = (tmp_path / "data" / "train.en").read_text().splitlines()
    assert 0 < len(left) == len(set(zip(left, (tmp_path / "data" / "train.de").read_text().splitlines(), strict=True)))


def test_an_experiment_told_what_cannot_be_ends_in_one_sentence(tmp_path, monkeypatch, capsys):
    wrong = {
        "rehearse --steps 8": "Error: 8 steps leave fewer than 5 checkpoints to average; take 9 or more.",
        "memory no.en no.de": "No such file or directory: 'no.en'",
        "step --rounds 0": "--rounds is 0; it must be at least 1.",
        "step --device abacus": "Error: The device 'abacus' is not to be had here",
    }
    monkeypatch.chdir(tmp_path)
    for words, sentence in wrong.items():
        monkeypatch.setattr("sys.argv", ["results", *words.split(), "--out", str(tmp_path / "out.json")])
        with pytest.raises(SystemExit, match="2"):
            experiment.main()
        assert sentence in capsys.readouterr().err.splitlines()[-1]
    assert not [*tmp_path.iterdir()]


def test_a_command_that_fails_is_named_with_what_it_said():
    with pytest.raises(RuntimeError, match=r"'average' ended with status 2: .*nowhere"):
        experiment.run("average", "python transformer_core.py average nowhere --last 2 --out nowhere-mean")


def test_the_stored_rehearsal_and_memory_are_of_these_commands():
    found = stored.load(DATA / "wmt14_rehearsal.json")
    recipe = experiment.rehearsal(Path("DIR"), Path("DIR/text"))
    assert [step["command"] for step in found["steps"]] == [*recipe.commands().values()]
    assert found["score"].startswith("BLEU = ") and "tok:13a" in found["signature"]
    grown = stored.load(DATA / "wmt14_memory.json")
    few, many = grown["peaks"].values()
    for name, bytes_a_pair in grown["bytes_a_pair"].items():
        assert math.isclose(bytes_a_pair, (many[name] - few[name]) / 30_000, abs_tol=1) and bytes_a_pair > 0


# ─── Beside other libraries ──────────────────────────────────────────────────────────────────────────────────────────


def cell(workload: str, contender: str, rate: float, precision: str = "fp32", threads: int = 1) -> dict:
    return dict(workload=workload, threads=threads, contender=contender, precision=precision, rate=rate)


def test_a_point_of_the_speed_chart_is_ours_over_theirs_in_one_precision_and_one_number_of_threads():
    found = dict(
        cells=[
            cell("T1", "limit", 9), cell("T1", "ours", 30), cell("T1", "torch", 20), cell("T1", "ours", 60, "bf16"),
            cell("T1", "torch", 80, "bf16"), cell("D1", "ours", 5.0), cell("D1", "engine", 10.0, "int8"),
            cell("D1", "torch", 1.0), cell("D1", "torch", 5.0, threads=2),
        ],
        machine=dict(processor="a processor", cores=2),
        targets=[dict(workload="T1", threads=1, precision="fp32", peer="torch", target=1.25, ratio=1.5)],
    )  # fmt: skip
    chart = results.speed_chart(found)
    assert {c.name: dict(zip(c.x, c.y, strict=True)) for c in chart.panels[0].curves} == {
        "torch": {"train, tiny": 1.5, "greedy, base": 5.0},
        "torch, bf16": {"train, tiny": 0.75},
    }
    assert "1 thread" in chart.shows and "a processor" in chart.shows
    (row,) = study.speed_rows(found)
    assert [*row.values()] == ["train, tiny", 1, "fp32", 1.5, "torch", 1.25]


def test_the_stored_speeds_hold_every_workload_and_the_ratios_of_their_own_rates():
    found = stored.load(ROOT / "benchmarks" / "results" / "speed.json")
    assert {cell["workload"] for cell in found["cells"]} == {*study.WORKLOADS}
    assert {*study.WORKLOADS} == {*speed.WORKLOADS}
    assert found["targets"] == speed.reached(found["cells"])


def test_what_the_chart_of_speeds_does_not_show_is_said():
    found = stored.load(ROOT / "benchmarks" / "results" / "speed.json")
    rates = {(c["workload"], c["threads"], c["contender"], c["precision"]): c for c in found["cells"]}
    shares, greedy = study.said_of_speed(found)
    for name in ("ours", "torch.nn.Transformer", "HF Marian", "joeynmt"):
        assert (
            f"{name} {100 * rates['T2', 1, name, 'fp32']['share_of_limit']:.0f} %" in shares and "limit" not in shares
        )
    for threads, place in ((1, "0.93 on 1 thread"), (2, "1.10 on 2")):
        ours, theirs = (rates["D1", threads, name, "fp32"]["rate"] for name in ("ours", "CTranslate2"))
        assert place in greedy and f"{ours / theirs:.2f}" == place[:4]
