"""For those who serve a trained model: a faster translator, lower precision, and the command `export`.

`load_pretrained(name, precision="bf16")` rounds all weights to bfloat16; "int8" rounds those of the layers'
projections to 8 bits (and what they read, as it comes); embedding, norms and softmax stay as they are.
`benchmarks/decoding.py` measures what either costs in BLEU and wins in speed.

CTranslate2 (https://opennmt.net/CTranslate2, MIT) runs Transformers in C++, without torch. The folder it gets holds the
weights and vocabularies in its own format, the tokenizers, and `translate.py`, a page of Python that needs no more than
ctranslate2 and sentencepiece.

It expresses the paper's model in every size of Table 3, pre-LN, learned positions and vocabularies apart; neither an
attention window nor a context. Its heads have one width for queries, keys and values: the narrower are filled up with
zeros, which change no product. Its beam search keeps the beam full where ours lets a finished hypothesis keep its slot,
so that rarely another translation wins; greedy translations are the same.
"""

from __future__ import annotations

import copy
import importlib
import importlib.util
import math
import warnings
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from core_options import fast_cpu, safekeeping
from core_options.context_aware import ContextConfig

LONGEST = 2048  # positions written for sinusoids, which CTranslate2 reads from a table
WRITTEN = (  # what an export consists of
    *("model.bin", "config.json", "shared_vocabulary.json", "source_vocabulary.json", "target_vocabulary.json"),
    *(*tc.TOKENIZERS, "translate.py", "README.md"),
)
NEVER = -1e4  # bias of the logits of padding and begin, which decoding never produces; float16 can hold it


def load_pretrained(name_or_path: str | Path, device: str = "cpu", precision: str = "fp32") -> fast_cpu.Translator:
    """The core's, of a folder that has been checked, in "fp32", "bf16" or "int8", and faster."""
    translator = fast_cpu.Translator.of(safekeeping.load_pretrained(name_or_path, device))
    if precision != "fp32":
        translator.model = in_precision(translator.model, precision)
    return translator


def in_precision(model: tc.Transformer, precision: str) -> tc.Transformer:
    """The model with weights in "bf16" or, on a CPU, "int8", for decoding; ValueError: another word, another device."""
    if precision not in ("bf16", "int8"):
        raise ValueError(f"The precision is {precision!r}; choose fp32, bf16 or int8.")
    if precision == "bf16":
        return model.bfloat16()
    if (device := next(model.parameters()).device.type) != "cpu":
        raise ValueError(f"int8 works on a CPU, not on {device}; add --device cpu, or choose bf16.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch points to a package with more kinds of quantisation
        kind = torch.ao.quantization.default_dynamic_qconfig
        return torch.ao.quantization.quantize_dynamic(model, {"encoder": kind, "decoder": kind})


def refuse(config: tc.TransformerConfig) -> None:
    """What CTranslate2 has no word for."""
    contexts = {"context": config.context} if isinstance(config, ContextConfig) else {}
    for name, value in ({"window": config.window} | contexts).items():
        if value:
            problem = f"This model has {name} {value!r}, and CTranslate2 knows no such attention"
            raise ValueError(f"{problem}; use the command translate, or export a model without a {name}.")


def set_linear(spec: Any, *layers: Any, bias: Tensor | None = None) -> None:
    """One matrix, or several one below the other, (out, in)."""
    spec.weight = torch.cat([getattr(layer, "weight", layer).detach().cpu() for layer in layers])
    if bias is not None:
        spec.bias = bias.detach().cpu()


def set_norm(spec: Any, norm: Any) -> None:
    spec.gamma, spec.beta = norm.weight.detach().cpu(), norm.bias.detach().cpu()


def filled(weight: Tensor, n_heads: int, width: int) -> Tensor:
    """Rows of zeros so that each head has `width` of them: (H·K, D) -> (H·width, D)."""
    heads = weight.detach().unflatten(0, (n_heads, -1))  # (H, K, D)
    return torch.nn.functional.pad(heads, (0, 0, 0, width - heads.size(1))).flatten(0, 1)


def set_attention(spec: Any, attention: tc.MultiHeadAttention, config: tc.TransformerConfig, itself: bool) -> None:
    """W^Q, W^K and W^V as one matrix in self-attention, as W^Q and the other two in cross-attention; then W^O."""
    width = max(config.d_k, config.d_v)
    q, k, v = (filled(w.weight, config.n_heads, width) for w in (attention.w_q, attention.w_k, attention.w_v))
    for linear, matrices in zip(spec.linear, [(q, k, v)] if itself else [(q,), (k, v)], strict=False):
        set_linear(linear, *matrices)
    set_linear(spec.linear[-1], filled(attention.w_o.weight.T, config.n_heads, width).T)
    spec.queries_scale = torch.tensor(1 / math.sqrt(config.d_k)).numpy()[()]


def set_layer(spec: Any, layer: Any, config: tc.TransformerConfig) -> None:
    """An encoder's or a decoder's layer; each sub-layer keeps the norm of its own residual block."""
    parts = [(spec.self_attention, layer.self_attention, True)]
    if isinstance(layer, tc.DecoderLayer):
        parts.append((spec.attention, layer.cross_attention, False))
    for part, attention, itself in parts:
        set_attention(part, attention, config, itself)
    set_linear(spec.ffn.linear_0, layer.feed_forward.w_1, bias=layer.feed_forward.w_1.bias)
    set_linear(spec.ffn.linear_1, layer.feed_forward.w_2, bias=layer.feed_forward.w_2.bias)
    for part, block in zip([*(part for part, *_ in parts), spec.ffn], layer.add_norm, strict=True):
        set_norm(part.layer_norm, block.layer_norm)


def set_stack(spec: Any, model: tc.Transformer, side: str) -> None:
    """Embedding, positions and layers of one side, "src" or "tgt"."""
    embedding, positions = getattr(model, f"{side}_embedding"), getattr(model, f"{side}_positions")
    layers, norm = (model.encoder, model.encoder_norm) if side == "src" else (model.decoder, model.decoder_norm)
    embeddings = spec.embeddings[0] if side == "src" else spec.embeddings
    embeddings.weight = embedding.weight.detach().cpu()
    embeddings.multiply_by_sqrt_depth = True
    spec.scale_embeddings = True
    spec.position_encodings.encodings = positions(positions.max_len if positions.learned else LONGEST).detach().cpu()
    for layer_spec, layer in zip(spec.layer, layers, strict=True):
        set_layer(layer_spec, layer, model.config)
    if model.config.norm == "pre":
        set_norm(spec.layer_norm, norm)


def specification(translator: tc.Translator) -> Any:
    """The model as CTranslate2 describes models: a TransformerSpec."""
    specs, config = importlib.import_module("ctranslate2.specs"), translator.model.config
    model = copy.deepcopy(translator.model)  # CTranslate2 rounds weights where they lie
    layers, pre, width = config.n_layers, config.norm == "pre", max(config.d_k, config.d_v)
    encoder = specs.TransformerEncoderSpec(layers, config.n_heads, pre_norm=pre, head_dim=width)
    decoder = specs.TransformerDecoderSpec(layers, config.n_heads, pre_norm=pre, head_dim=width)
    set_stack(encoder, model, "src")
    set_stack(decoder, model, "tgt")
    never = torch.zeros(model.tgt_embedding.num_embeddings)
    never[[tc.PAD, tc.BOS]] = NEVER
    set_linear(decoder.projection, model.tgt_embedding if config.tie_softmax else model.softmax, bias=never)
    spec = specs.TransformerSpec(encoder, decoder)
    spec.config.layer_norm_epsilon, spec.config.add_source_eos = 1e-6, True
    for tokenizer, register in (
        (translator.tokenizer, spec.register_source_vocabulary),
        (translator.tgt_tokenizer, spec.register_target_vocabulary),
    ):
        pieces = tokenizer.pieces(range(len(tokenizer)))
        register(pieces)
        spec.config.bos_token, spec.config.eos_token, spec.config.unk_token = pieces[tc.BOS : tc.UNK + 1]
    spec.config.decoder_start_token = spec.config.bos_token
    return spec


def export(
    translator: tc.Translator, format: str, out: str | Path, quantization: str = "float32", overwrite: bool = False
) -> None:
    """Write the model into a new folder, whole or not at all.

    quantization: how the weights are stored, "float32", "float16", "bfloat16", "int16" or "int8" (CTranslate2 converts
    when it loads, too). overwrite: replace the files of an export before; others stay. ValueError: what the format
    cannot express, an `out` that is there, a word not known.
    """
    kinds = ("float32", "float16", "bfloat16", "int16", "int8")
    if format != "ctranslate2":
        raise ValueError(f"The format is {format!r}; the one there is, is ctranslate2.")
    if quantization not in kinds:
        raise ValueError(f"The quantization is {quantization!r}; choose one of {', '.join(kinds)}.")
    refuse(translator.model.config)
    if importlib.util.find_spec("ctranslate2") is None:
        raise ValueError("The package ctranslate2 is not installed here; get it by: pip install ctranslate2.")
    with safekeeping.new_folder(out, overwrite, WRITTEN) as folder:
        write(translator, folder, quantization)


def write(translator: tc.Translator, folder: Path, quantization: str) -> None:
    spec = specification(translator)
    spec.validate()
    spec.optimize(quantization)
    spec.save(str(folder))
    for name, tokenizer in zip(tc.TOKENIZERS, (translator.tokenizer, translator.tgt_tokenizer), strict=True):
        (folder / name).write_bytes(tokenizer.model)
    longest = spec.decoder.position_encodings.encodings.shape[0]
    (folder / "translate.py").write_text(SCRIPT.replace("LONGEST = 0", f"LONGEST = {longest}"), encoding="utf-8")
    (folder / "README.md").write_text(README.format(name=translator.name, quantization=quantization), encoding="utf-8")


def export_command(
    checkpoint: str, out: str, format: str = "ctranslate2", quantization: str = "float32", overwrite: bool = False
) -> int:
    """Write a trained model as another program serves it, with a script that translates and a note on serving.

    Args:
        checkpoint: a folder, or a name under checkpoints/, such as tatoeba-en-de
        out: the new folder
        format: for which program: ctranslate2
        quantization: how its weights are stored: float32, float16, bfloat16, int16 or int8
        overwrite: replace the export that is in OUT; other files there stay
    """
    export(safekeeping.load_pretrained(checkpoint), format, out, quantization, overwrite)
    tc.say(f"{out} translates by its own translate.py; README.md there says how to serve it.")
    return 0


README = """\
# {name}, for CTranslate2

Weights stored as {quantization}. To translate, one sentence a line, with no more than two packages:

    pip install ctranslate2 sentencepiece
    python translate.py < source > output

What `translate.py` does, for a server of your own: the text, its spaces cleaned, is cut into pieces by
`tokenizer.model` (CTranslate2 adds `</s>` itself: `add_source_eos` in `config.json`), translated without its length
penalty (`length_penalty=0`), and of the hypotheses the one with the best log-probability / ((5 + n) / 6)^0.6 is taken,
n counting `</s>`; `tgt_tokenizer.model` joins its pieces. A line with too many tokens for the model stays empty, and is
named on standard error. `compute_type="int8"` makes a model of any kind faster.
"""

SCRIPT = '''\
"""Translate standard input to standard output, line for line, with the model of this folder.

Needs no more than: pip install ctranslate2 sentencepiece
"""

import argparse
import itertools
import os
import sys
from pathlib import Path

import ctranslate2
import sentencepiece

HERE = Path(__file__).resolve().parent
LONGEST = 0  # positions that the model knows
WINDOW = 2000  # lines that are read, translated and written together, after some that are fewer
SHOWN = {i: 0x2400 + i for i in range(32)} | {127: 0x2421} | {i: f"\\\\x{i:x}" for i in range(128, 160)}


def translate(lines, translator, src, tgt, beam_size=4, alpha=0.6, max_extra=50, first=1):
    """One translation for each line, empty for an empty one and for one too long, whose number is said."""
    texts = [" ".join(line.split()) for line in lines]
    pieces = {row: src.encode(text, out_type=str) for row, text in enumerate(texts) if text}
    for row in [row for row in pieces if len(pieces[row]) >= LONGEST]:
        n, texts[row] = len(pieces.pop(row)), ""
        note = f"Note: line {first + row} stays empty: {n:,} tokens, above {LONGEST - 1:,}."
        print(note, file=sys.stderr, flush=True)
    results = translator.translate_batch(
        list(pieces.values()), beam_size=beam_size, num_hypotheses=beam_size, return_scores=True, length_penalty=0,
        min_decoding_length=0, max_input_length=0, max_batch_size=2048, batch_type="tokens",
        max_decoding_length=min(max(map(len, pieces.values()), default=0) + max_extra, LONGEST),
    )
    for (row, source), result in zip(pieces.items(), results):
        def score(i):  # section 6.1 of the paper; the end of the sentence counts as a token
            return result.scores[i] / ((6 + len(result.hypotheses[i])) / 6) ** alpha
        best = result.hypotheses[max(range(len(result.scores)), key=score)]
        texts[row] = " ".join(tgt.decode(best[: len(source) + max_extra]).split())
    return texts


def decode(line, number):
    """A line of bytes as text, without the mark that some editors put before the first."""
    try:
        text = line.removesuffix(b"\\n").decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"Line {number} is not valid UTF-8; convert the text to UTF-8 first.") from None
    return text.removeprefix("\\ufeff") if number == 1 else text


def windows(stream):
    """The lines of a stream, some at a time, with the number of the first; few at first, so that these come soon."""
    size, number = 32, 1
    while lines := list(itertools.islice(stream, size)):
        yield number, [decode(line, i) for i, line in enumerate(lines, number)]
        size, number = min(2 * size, WINDOW), number + len(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--beam-size", type=int, default=4)
    parser.add_argument("--alpha", type=float, default=0.6, help="strength of the length penalty")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--compute-type", default="default", help="such as int8; default: as stored")
    parser.add_argument("--threads", type=int, default=0, help="0: as many as there are")
    o = parser.parse_args()
    if sys.stdin is None or sys.stdout is None:
        parser.exit(2, "Error: Standard input or output is closed; connect it to a file, a pipe or a terminal.\\n")
    try:
        translator = ctranslate2.Translator(
            str(HERE), device=o.device, compute_type=o.compute_type, intra_threads=o.threads
        )
        src, tgt = (sentencepiece.SentencePieceProcessor(model_file=str(HERE / name))
                    for name in ("tokenizer.model", "tgt_tokenizer.model"))
        for number, lines in windows(sys.stdin.buffer):
            for line in translate(lines, translator, src, tgt, o.beam_size, o.alpha, first=number):
                sys.stdout.buffer.write((line.translate(SHOWN) + "\\n").encode("utf-8"))
            sys.stdout.buffer.flush()
    except (ValueError, RuntimeError, TypeError) as error:
        parser.exit(2, f"Error: {str(error).splitlines()[0]}\\n")
    except BrokenPipeError:  # nobody reads any more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
'''
