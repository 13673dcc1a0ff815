"""Training in which some words count several times: the gradient at these words, and nothing else."""

import pytest
import torch

import transformer_core as tc
from core_options import fast_cpu
from experiments import emphasis

NAME = "tatoeba-en-de"


@pytest.fixture(scope="module")
def tokenizer():
    return tc.load_pretrained(NAME).tokenizer


def test_the_words_have_their_weight_with_a_small_letter_and_a_capital(tokenizer):
    weights = emphasis.weights(tokenizer, ["er", "sie"], 6.0)
    heavy = [piece.removeprefix("▁") for piece in tokenizer.pieces((weights == 6).nonzero().flatten().tolist())]
    assert sorted(heavy) == ["Er", "Sie", "er", "sie"]
    assert weights.sum() == len(tokenizer) + 5 * 4


def test_a_word_of_several_pieces_is_refused_in_one_sentence(tokenizer):
    with pytest.raises(
        ValueError, match=r"^'Donaudampfschiff' is \d+ pieces of this vocabulary; name words that are one.$"
    ):
        emphasis.weights(tokenizer, ["er", "Donaudampfschiff"], 6.0)


def test_the_gradient_is_that_of_a_weighted_loss_and_the_loss_shown_the_plain_one():
    torch.manual_seed(0)
    logits, tgt_out, weights = (
        torch.randn(9, 7, requires_grad=True),
        torch.tensor([1, 2, 3, 4, 5, 6, 2, 0, 3]),
        torch.ones(7),
    )
    weights[2] = 4.0
    sums, slope = emphasis.emphasised(fast_cpu.smoothed, weights)(logits.detach(), tgt_out, 0.1)
    each = torch.stack(
        [tc.objective(row[None, None], token[None, None], 0.1)[0] for row, token in zip(logits, tgt_out, strict=True)]
    )
    (weights[tgt_out] * each).sum().backward()
    torch.testing.assert_close(slope, logits.grad)
    torch.testing.assert_close(sums[0], each.sum().detach())


def test_the_command_trains_with_it_and_leaves_the_kernel_as_it_was(tmp_path, monkeypatch):
    plain, seen = fast_cpu.smoothed, []
    monkeypatch.setattr(tc, "main", lambda arguments: seen.append((arguments, fast_cpu.smoothed)) or 0)
    assert emphasis.main(["--weight", "3", "train", "--data", "text", "--start-from", NAME]) == 0
    ((arguments, inside),) = seen
    assert arguments == ["train", "--data", "text", "--start-from", NAME, "--device", "cpu"]
    assert inside is not plain and fast_cpu.smoothed is plain


def test_without_a_checkpoint_there_is_one_sentence(capsys):
    with pytest.raises(SystemExit):
        emphasis.main(["train", "--data", "text", "--start-from", "nowhere"])
    assert "There is no checkpoint 'nowhere'" in capsys.readouterr().err
