"""Training from tables of one length: the text, the plan, an update beside the plain way's, the command. On a CPU."""

import random

import pytest
import torch
from safetensors.torch import load_file

import transformer_core as tc
from core_options import fast_cpu
from experiments import graphs

rng = random.Random(0)
PAIRS = [([*range(4, 4 + rng.randrange(1, 70))], [*range(5, 5 + rng.randrange(1, 70))]) for _ in range(300)]


@pytest.fixture(scope="module")
def text():
    return graphs.tables(PAIRS)


def sides(batch):
    return batch.src, batch.tgt_in, batch.tgt_out


def test_each_pair_stands_once_in_the_least_table_that_holds_it_with_its_end(text):
    places, batches = text
    for length, rows in places.items():
        for row, src, tgt_in, tgt_out in zip(rows, *sides(batches[length]), strict=True):
            plain = tc.Batch.of([PAIRS[row]])
            for side, whole in zip(sides(plain), (src, tgt_in, tgt_out), strict=True):
                assert whole.size(0) == length and not whole[side.size(1) :].any()
                torch.testing.assert_close(whole[: side.size(1)], side[0])
            shorter = [n for n in graphs.LENGTHS if n < length]
            assert not shorter or max(map(len, PAIRS[row])) + 1 > shorter[-1]
    there = sorted(row for rows in places.values() for row in rows)
    assert there == [row for row, pair in enumerate(PAIRS) if max(map(len, pair)) < 64]


def test_an_epoch_reads_the_text_once_and_a_share_of_the_scenes_in_batches_of_one_size(text):
    places, _ = text
    assert set(graphs.Plan(places, 100, 0.25, 7, 0).sizes.values()) == {1}  # of fewer tokens than a sentence has
    plan = graphs.Plan(places, 100, 0.25, 160, 0)
    seen = {length: [] for length in places}
    for length, rows in plan.epoch():
        assert len(rows) == plan.sizes[length] <= max(1, 160 // length)
        seen[length] += rows
    for length, rows in seen.items():
        assert len(set(rows)) == len(rows)
        always = sum(row < 100 for row in places[length])
        at_most = always + int(0.25 * (len(places[length]) - always))
        assert at_most - plan.sizes.get(length, 1) < len(rows) <= at_most
    assert [*plan.epoch()] != [*plan.epoch()]
    assert [*graphs.Plan(places, 100, 0.25, 160, 1).epoch()] == [*graphs.Plan(places, 100, 0.25, 160, 1).epoch()]


def test_an_update_is_that_of_the_plain_way_where_no_word_is_heavy(monkeypatch):
    monkeypatch.setattr(tc, "learning_rate", lambda step, d_model, warmup_steps=4000: 1e-2 / step)  # that it moves
    config = tc.TransformerConfig(90, d_model=16, d_ff=24, n_heads=2, d_k=8, d_v=8, n_layers=2, p_drop=0.0)
    torch.manual_seed(0)
    ours, plain = tc.Transformer(config), tc.Transformer(config)
    plain.load_state_dict(ours.state_dict())
    places, batches = graphs.tables(PAIRS[:40])
    length = max(places, key=lambda n: len(places[n]))
    updates = graphs.Updates(ours, torch.ones(90), batches, {length: 3}, torch.device("cpu"))
    state = tc.TrainingState(plain, tc.TrainingConfig(device="cpu", precision="fp32", clip_norm=1.0))
    for step in (1, 2, 3):
        rows = [step, 0, step + 1]
        updates.rate.fill_(state.config.learning_rate(step, config.d_model))
        with fast_cpu.kernel(ours, graphs.step_by_step):
            updates(length, rows)
        tc.update(state, tc.Batch.of([PAIRS[places[length][row]] for row in rows]), tc.Way())
    for (name, a), b in zip(ours.named_parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-6, msg=name)


def test_a_heavy_word_has_its_weight_in_the_gradient():
    config = tc.TransformerConfig(90, d_model=16, d_ff=24, n_heads=2, d_k=8, d_v=8, n_layers=1, p_drop=0.0)
    torch.manual_seed(0)
    model, of_pieces = tc.Transformer(config), torch.ones(90)
    of_pieces[6] = 4.0
    batch = graphs.tables([([7, 8, 9], [5, 6, 7]), ([4], [8, 6])])[1][8]
    logits, targets = model(batch.src, batch.tgt_in).flatten(0, 1), batch.tgt_out.flatten()
    losses = torch.stack(
        [tc.objective(row[None, None], token[None, None], 0.1)[0] for row, token in zip(logits, targets, strict=True)]
    )
    weight = model.encoder[0].feed_forward.w_1.weight
    heavy, plain = (
        torch.autograd.grad((w[targets] * losses).sum(), weight, retain_graph=True)[0]
        for w in (of_pieces, torch.ones(90))
    )
    graphs.Updates(model, of_pieces, {8: batch}, {8: 2}, torch.device("cpu"))(8, [0, 1])
    direction = weight.grad / weight.grad.norm()  # its length may be clipped
    torch.testing.assert_close(direction, heavy / heavy.norm())
    assert not torch.allclose(direction, plain / plain.norm(), rtol=1e-2)


@pytest.mark.parametrize(("passed", "share"), [(0.0, 0.0), (0.015, 0.5), (0.03, 1.0), (0.29, 1.0), (0.65, 0.5), (1, 0)])
def test_the_rate_rises_stays_and_falls(passed, share):
    assert graphs.rate(passed, 2e-3) == pytest.approx(2e-3 * share)


def test_the_command_trains_and_saves_what_other_commands_load(tmp_path, capsys):
    for name, n in (("base", 40), ("scenes", 60)):
        (tmp_path / name).mkdir()
        for language, line in (("en", "I see the dog and it sees me."), ("de", "Ich sehe den Hund und er sieht mich.")):
            (tmp_path / name / f"train.{language}").write_text(f"{line}\n" * n, encoding="utf-8")
    common = ["--data", str(tmp_path / "base"), "--scenes", str(tmp_path / "scenes"), "--device", "cpu"]
    run = [*common, "--start-from", "tatoeba-en-de", "--out", str(tmp_path / "run"), "--tokens", "64"]
    graphs.main([*run, "--seconds", "2"])
    assert '"epoch": 1' in capsys.readouterr().err
    begun, ended = (load_file(f / "model.safetensors") for f in (tc.find_checkpoint("tatoeba-en-de"), tmp_path / "run"))
    assert begun.keys() == ended.keys() and any(not torch.equal(begun[x].float(), ended[x]) for x in begun)
    assert tc.load_pretrained(tmp_path / "run").translate(["I see the dog."], 1)
    with pytest.raises(SystemExit):
        graphs.main([*run, "--seconds", "2"])
    assert "trained" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "more", "said"),
    [
        ("I see. " * 40, [], "Of 3 pairs none can be read: each side must be shorter than 64 tokens."),
        ("I see.", ["--share", "1.5"], "--share is 1.5; it must lie between 0 and 1."),
        ("I see.", ["--tokens", "0"], "--tokens is 0; it must be at least 1."),
    ],
)
def test_what_cannot_be_trained_on_ends_in_one_sentence(tmp_path, capsys, line, more, said):
    for language in ("en", "de"):
        (tmp_path / f"train.{language}").write_text(f"{line}\n" * 3, encoding="utf-8")
    command = ["--data", str(tmp_path), "--start-from", "tatoeba-en-de", "--out", str(tmp_path / "run")]
    with pytest.raises(SystemExit):
        graphs.main([*command, "--seconds", "1", "--device", "cpu", *more])
    assert capsys.readouterr().err.splitlines()[-1].endswith(said)


def test_a_folder_without_text_ends_in_one_sentence(tmp_path, capsys):
    command = [
        "--data",
        str(tmp_path),
        "--start-from",
        "tatoeba-en-de",
        "--out",
        str(tmp_path / "run"),
        "--seconds",
        "1",
    ]
    with pytest.raises(SystemExit):
        graphs.main([*command, "--device", "cpu"])
    assert "train.en" in capsys.readouterr().err
