"""Multi30k by the preset tiny: a run goes on where it stopped, none is made twice, the test text is scored once."""

import argparse
import json
import statistics
import sys

import pytest
import torch

import transformer_core as tc
from core_options import processes
from corpora import grammar
from experiments import captions, graphs, stored

PAIRS = [(pair.english.lower(), pair.german.lower()) for pair in grammar.sample(60, 0)]


@pytest.fixture(scope="module")
def tokenizer():
    return tc.Tokenizer.train((text for pair in PAIRS for text in pair), 600)


@pytest.fixture
def folder(tmp_path):
    for split, pairs in (("train", PAIRS), ("valid", PAIRS[:7]), ("test_2016_flickr", PAIRS[:5])):
        for language, side in (("en", 0), ("de", 1)):
            (tmp_path / f"{split}.{language}").write_text("".join(pair[side] + "\n" for pair in pairs))
    return tmp_path


def options(folder, **changes):
    values = vars(captions.PARSER.parse_args(["--data", str(folder), "--runs", str(folder / "runs")]))
    return argparse.Namespace(**values | dict(steps=3, warmup_steps=1, tokens_per_batch=200) | changes)


def test_a_run_that_was_stopped_ends_like_one_that_was_not(folder, tokenizer, monkeypatch):
    monkeypatch.setattr(captions, "EVERY", 1)
    whole = captions.trained(options(folder), 0, tokenizer).state_dict()
    parted = options(folder, runs=folder / "parted")
    monkeypatch.setattr(captions.tc, "say", lambda line: line.startswith('seed 0: {"step": 2') and stop())
    with pytest.raises(KeyboardInterrupt):
        captions.trained(parted, 0, tokenizer)
    monkeypatch.setattr(captions.tc, "say", lambda line: None)
    torch.testing.assert_close(captions.trained(parted, 0, tokenizer).state_dict(), whole, rtol=0, atol=0)


def stop():
    raise KeyboardInterrupt


@pytest.mark.parametrize("way", [captions.Twice, captions.TwiceLikeLengths])
def test_r_drop_adds_nothing_where_nothing_is_dropped_and_draws_two_dropouts_together(way):
    batch = tc.Batch.of([([7, 8, 9], [5, 6, 7, 4]), ([4], [8, 6])])
    shape = dict(d_model=16, d_ff=24, n_heads=2, d_k=8, d_v=8, n_layers=1)
    sums = {}
    for p_drop, r_drop in ((0.0, 0.0), (0.0, 5.0), (0.5, 0.0), (0.5, 5.0)):
        torch.manual_seed(0)
        model = tc.Transformer(tc.TransformerConfig(20, **shape, p_drop=p_drop)).train()
        state = tc.TrainingState(model, tc.TrainingConfig(device="cpu", precision="fp32"))
        twice = way(model)
        twice.r_drop = r_drop
        torch.manual_seed(1)
        sums[p_drop, r_drop] = [sum(part) for part in zip(*twice.sums(state, batch), strict=True)]
    plain = tc.objective(model.eval()(batch.src, batch.tgt_in), batch.tgt_out, 0.1)  # of the same weights
    for r_drop in (0.0, 5.0):
        torch.testing.assert_close(sums[0.0, r_drop], [*plain])
    assert sums[0.5, 5.0][0] > sums[0.5, 0.0][0] + 0.1
    torch.testing.assert_close(sums[0.5, 5.0][1], sums[0.5, 0.0][1])


@pytest.mark.parametrize("way", [captions.Twice, captions.TwiceLikeLengths])
def test_r_drop_begins_after_the_plain_steps(way, tokenizer):
    model, worked = tc.Transformer(tc.TransformerConfig(len(tokenizer), **tc.PRESETS["tiny"])), []
    model.register_forward_hook(lambda module, sides, logits: worked.append(len(logits)))
    twice, config = way(model), tc.TrainingConfig(steps=4, device="cpu")
    twice.r_drop, twice.begins = 3.0, 2
    batches = tc.Batches(tc.encode_pairs(PAIRS[:1], tokenizer, tokenizer), 100, 0)
    for _ in captions.ways.train(model, batches, config, way=twice):
        pass
    assert worked == [1, 1, 2, 2]


def test_two_dropouts_are_torch_s_divergence_apart():
    batch, shape = (
        tc.Batch.of([([7, 8, 9], [5, 6, 7, 4])]),
        dict(d_model=16, d_ff=24, n_heads=2, d_k=8, d_v=8, n_layers=1),
    )
    torch.manual_seed(0)
    model = tc.Transformer(tc.TransformerConfig(20, **shape, p_drop=0.5)).train()
    state = tc.TrainingState(model, tc.TrainingConfig(device="cpu", precision="fp32"))
    losses = []
    for r_drop in (0.0, 2.0):
        way = captions.Twice(model)
        way.r_drop = r_drop
        torch.manual_seed(1)
        ((loss, _),) = way.sums(state, batch)
        losses.append(loss)
    torch.manual_seed(1)
    p, q = model(batch.src.repeat(2, 1), batch.tgt_in.repeat(2, 1)).log_softmax(-1)
    kl = torch.nn.functional.kl_div
    both = kl(q, p, reduction="sum", log_target=True) + kl(p, q, reduction="sum", log_target=True)
    torch.testing.assert_close(losses[1] - losses[0], 2.0 / 4 * both)


@pytest.mark.parametrize("r_drop", [0.0, 3.0])
def test_a_step_in_a_graph_s_way_has_the_gradient_of_the_plain_one(r_drop):
    _, text = graphs.tables([([7, 8, 9], [5, 6, 7, 4]), ([4], [8, 6]), ([5, 6], [9])])
    config = tc.TransformerConfig(20, d_model=16, d_ff=24, n_heads=2, d_k=8, n_layers=1, p_drop=0.5)
    torch.manual_seed(0)
    ours, plain = tc.Transformer(config), tc.Transformer(config).train()
    plain.load_state_dict(ours.state_dict())
    updates = graphs.Updates(ours, torch.ones(20), text, {8: 2}, torch.device("cpu"), r_drop)
    torch.manual_seed(1)
    updates(8, [2, 0])
    state = tc.TrainingState(plain, tc.TrainingConfig(device="cpu", precision="fp32"))
    way = captions.Twice(plain) if r_drop else processes.SharedWay(plain)
    way.r_drop = r_drop
    torch.manual_seed(1)
    batch = graphs.each(text[8], lambda side: side[[2, 0]])
    loss, nll = way.part_sums(state, batch)
    (loss / batch.n_tokens).backward()
    torch.nn.utils.clip_grad_norm_(plain.parameters(), 1.0)
    for (name, a), b in zip(ours.named_parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-4, atol=1e-6, msg=name)
    assert (updates.sums[0] / (2 if r_drop else 1)).item() == pytest.approx(nll.item(), rel=1e-5)


def test_training_in_graphs_goes_through_all_steps_and_looks_as_often_as_asked(folder, tokenizer, monkeypatch):
    monkeypatch.setattr(captions, "EVERY_IN_GRAPHS", 4)
    torch.manual_seed(0)
    model = tc.Transformer(tc.TransformerConfig(len(tokenizer), **tc.PRESETS["tiny"]))
    before = model.src_embedding.weight.detach().clone()
    config = captions.schedule.TrainingConfig(steps=10, warmup_steps=2, cooldown_steps=4, device="cpu")
    state, asked = tc.TrainingState(model, config), options(folder, steps=10)
    pairs = tc.encode_pairs(PAIRS, tokenizer, tokenizer)
    assert [*captions.in_graphs(state, pairs, asked, 0)] == [4, 8, 10]
    assert state.step == 10 and state.seconds > 0
    assert not torch.equal(model.src_embedding.weight, before)
    assert [*captions.in_graphs(state, pairs, asked, 0)] == []


def test_the_command_writes_its_runs_and_makes_none_twice(folder, monkeypatch, capsys):
    command = ["captions", "--data", str(folder), "--seeds", "1", "--steps", "2", "--vocab-size", "600"]
    command += ["--tokens-per-batch", "300", "--runs", str(folder / "runs"), "--out", str(folder / "out.json")]
    monkeypatch.setattr(sys, "argv", command)
    captions.main()
    made = json.loads((folder / "out.json").read_text())
    assert made["command"].startswith(f"python -m experiments.captions --data {folder.name} --steps 2")
    (run,) = made["runs"]
    assert run["seed"] == 0 and run["alpha"] in captions.ALPHAS and "13a" in run["test"]
    assert [line["step"] for line in run["curve"]] == [2]
    monkeypatch.setattr(captions, "run", lambda *_: pytest.fail("made twice"))
    captions.main()


def test_alpha_is_chosen_on_the_validation_text_and_the_test_text_is_translated_once(folder, monkeypatch):
    asked = []

    class Translator:
        def translate(self, texts, beam_size, alpha):
            asked.append((len(texts), beam_size, alpha))
            return ["ein" if alpha != 1.0 else PAIRS[n][1] for n in range(len(texts))]

    scores = captions.scored(Translator(), folder)
    assert scores["alpha"] == 1.0 and scores["test"]["13a"] == 100
    assert asked == [(7, 5, alpha) for alpha in captions.ALPHAS] + [(5, 5, 1.0)]


def test_tokens_of_moses_are_scored_where_they_are_to_be_had(monkeypatch):
    lines, references = ["ein hund, der bellt."], ["ein hund, der laut bellt."]
    monkeypatch.setattr(captions, "moses", lambda lines: None)
    assert set(captions.bleus(lines, references)) == {"13a"}
    monkeypatch.setattr(captions, "moses", lambda lines: [line.replace(",", " ,").replace(".", " .") for line in lines])
    assert set(captions.bleus(lines, references)) == {"13a", "Moses"}


def test_a_folder_without_the_text_ends_in_one_sentence(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["captions", "--data", str(tmp_path)])
    with pytest.raises(SystemExit):
        captions.main()
    assert "train.en" in capsys.readouterr().err.splitlines()[-1]


def test_what_is_for_a_cpu_is_refused_on_a_gpu(folder, monkeypatch, capsys):
    monkeypatch.setattr(captions.tc, "pick_device", torch.device)
    for words in (["--plain-steps", "2"], ["--precision", "bf16"]):
        command = ["captions", "--data", str(folder), "--device", "cuda", "--r-drop", "3"]
        monkeypatch.setattr(sys, "argv", [*command, *words])
        with pytest.raises(SystemExit):
            captions.main()
        assert "are for a CPU; leave them out" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("alpha", ["-1", "nan", "inf"])
def test_an_alpha_that_cannot_be_is_refused_before_anything_is_trained(folder, monkeypatch, capsys, alpha):
    monkeypatch.setattr(sys, "argv", ["captions", "--data", str(folder), "--alpha", alpha])
    with pytest.raises(SystemExit):
        captions.main()
    assert f"--alpha is {float(alpha)}; it must be a number from 0 on" in capsys.readouterr().err.splitlines()[-1]


def test_plain_steps_come_before_r_drop_alone(folder, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["captions", "--data", str(folder), "--plain-steps", "2"])
    with pytest.raises(SystemExit):
        captions.main()
    assert "add --r-drop" in capsys.readouterr().err.splitlines()[-1]


def test_checkpoints_of_other_settings_are_not_taken_for_these(folder, monkeypatch):
    def run(*words):
        command = ["captions", "--data", str(folder), "--runs", str(folder / "runs"), "--steps", "1"]
        monkeypatch.setattr(sys, "argv", [*command, "--vocab-size", "600", "--tokens-per-batch", "300", *words])
        captions.main()

    run("--out", str(folder / "one.json"))
    run("--out", str(folder / "again.json"))
    assert (folder / "one.json").read_text() == (folder / "again.json").read_text()
    with pytest.raises(SystemExit, match=r"holds checkpoints of other .*r_drop; give another --runs"):
        run("--r-drop", "3", "--out", str(folder / "other.json"))
    assert not (folder / "other.json").exists()


@pytest.mark.parametrize("given", [None, 0.6])
def test_a_given_alpha_is_the_test_text_s(given, folder):
    class Translator:
        def translate(self, texts, beam_size, alpha):
            return [PAIRS[n][1] if alpha == 1.4 else "ein" for n in range(len(texts))]

    scores = captions.scored(Translator(), folder, given)
    assert scores["alpha"] == (given or 1.4) and scores["valid"]["1.4"] == 100
    assert (scores["test"]["13a"] == 100) == (given is None)


def test_the_scores_in_the_documents_are_the_stored_ones():
    text = (stored.ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    for name in "captions", "captions_r_drop", "captions_pieces", "captions_seeds":
        result = stored.read(name)
        valid, test = [], []
        for run in result["runs"]:
            valid.append(run["valid"][str(run["alpha"])])
            test.append(run["test"]["Moses"])
        means = [f"{statistics.mean(valid):.1f}", f"{statistics.mean(test):.1f}"]
        if len(test) > 1:
            means = [
                f"{mean} ± {statistics.stdev(scores):.1f}" for mean, scores in zip(means, (valid, test), strict=True)
            ]
        line = f"{run['parameters'] / 1e6:.1f} million | {run['alpha']} | {means[0]} | "
        assert any(line + end in text for end in (f"{means[1]} |", f"**{means[1]}** |")), name
    assert "test text {}, {} and {})".format(*test) in text.replace("\n", " ")
    hours = {
        name: stored.read(name)["runs"][0]["curve"][-1]["seconds"] / 3600 for name in ("captions", "captions_pieces")
    }
    assert f"of a Xeon, {hours['captions']:.1f} hours" in text and f"EPYC, {hours['captions_pieces']:.1f} hours" in text
    gpu = (stored.ROOT / "benchmarks" / "gpu.md").read_text(encoding="utf-8")
    (drawn_together,) = stored.read("captions_r_drop")["runs"]
    end = drawn_together["curve"][-1]
    assert (
        f"{end['step']:,} updates in {end['seconds']:.0f} seconds, {1000 * end['seconds'] / end['step']:.1f} ms" in gpu
    )
    end = run["curve"][-1]  # of the last seed, beside the second
    assert f"{1000 * end['seconds'] / end['step'] / 2:.1f} ms (two trainings side by side" in gpu
    assert f"{end['step']:,} updates each in {end['seconds']:.0f} seconds" in gpu
