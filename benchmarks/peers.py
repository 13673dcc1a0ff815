"""The libraries people would pick instead, with the weights of one of our models, so that all do the same work.

Each peer is a class that takes a `tc.Transformer` and does what it can: `loss` (label-smoothed, mean over real target
tokens, to train on), `decode` (ids of a greedy or beam search), `weights` (every attention weight of one pair).
Dropout is where the paper has it: on embeddings and sub-layers, not inside attention or the feed-forward layer.
"""

from __future__ import annotations

import copy
import itertools
import tempfile
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

import transformer_core as tc
from core_options import fast_cpu, serving

# a parameter of theirs, and those of ours that are, one below the other, the same
Pairs = Iterator[tuple[Tensor, list[Tensor]]]


def take_weights(pairs: Pairs, model: nn.Module) -> None:
    """Zero every bias of the model, which ours may not have, then copy each of ours to where it belongs."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("bias"):
                parameter.zero_()
        for theirs, ours in pairs:
            theirs.copy_(torch.cat([x.detach() for x in ours]))


def same(theirs: nn.Module, ours: nn.Module) -> Pairs:
    """Weight and bias of two modules that have the same ones, such as two layers of normalisation."""
    return ((getattr(theirs, name), [parameter]) for name, parameter in ours.named_parameters())


def mean_loss(logits: Tensor, tgt_out: Tensor, eps_ls: float) -> Tensor:
    """Label-smoothed cross-entropy by torch itself: (B, T, V), (B, T) -> ()."""
    logits, targets = logits.flatten(0, 1).float(), tgt_out.flatten()
    return F.cross_entropy(logits, targets, ignore_index=tc.PAD, label_smoothing=eps_ls)


class TorchTransformer(nn.Module):
    """torch.nn.Transformer, with the embedding, the positions and the softmax that it leaves to its user."""

    name = "torch.nn.Transformer"

    def __init__(self, ours: tc.Transformer):
        super().__init__()
        c = self.config = ours.config
        self.embedding = nn.Embedding(c.vocab_size, c.d_model)
        sizes = dict(dim_feedforward=c.d_ff, dropout=c.p_drop, layer_norm_eps=1e-6, batch_first=True)
        self.transformer = nn.Transformer(c.d_model, c.n_heads, c.n_layers, c.n_layers, **sizes)  # type: ignore[arg-type]
        self.encoder, self.decoder = self.transformer.encoder, self.transformer.decoder
        self.encoder.norm = self.decoder.norm = None  # the paper has none after the last layer
        for layer in (*self.encoder.layers, *self.decoder.layers):
            layer.dropout = nn.Identity()  # inside the feed-forward layer
        for attention in self.modules():
            if isinstance(attention, nn.MultiheadAttention):
                attention.dropout = 0.0
        self.dropout = nn.Dropout(c.p_drop)
        self.register_buffer("table", tc.sinusoidal_positions(256, c.d_model).float(), persistent=False)
        take_weights(self.pairs(ours), self)

    def pairs(self, ours: tc.Transformer) -> Pairs:
        """Their parameters and ours."""

        def attention(theirs: nn.MultiheadAttention, mine: tc.MultiHeadAttention) -> Pairs:
            yield theirs.in_proj_weight, [mine.w_q.weight, mine.w_k.weight, mine.w_v.weight]
            yield theirs.out_proj.weight, [mine.w_o.weight]

        yield self.embedding.weight, [ours.src_embedding.weight]
        stacks = ((self.encoder.layers, ours.encoder), (self.decoder.layers, ours.decoder))
        for theirs, mine in itertools.chain(*(zip(*stack, strict=True) for stack in stacks)):
            yield from attention(theirs.self_attn, mine.self_attention)
            if hasattr(theirs, "multihead_attn"):
                yield from attention(theirs.multihead_attn, mine.cross_attention)
            yield from same(theirs.linear1, mine.feed_forward.w_1)
            yield from same(theirs.linear2, mine.feed_forward.w_2)
            for i, residual in enumerate(mine.add_norm, 1):
                yield from same(getattr(theirs, f"norm{i}"), residual.layer_norm)

    def embed(self, ids: Tensor) -> Tensor:
        return self.dropout(self.embedding(ids) * self.config.d_model**0.5 + self.table[: ids.size(1)])

    def hidden(self, tgt_in: Tensor, memory: Tensor, no_src: Tensor) -> Tensor:
        future = nn.Transformer.generate_square_subsequent_mask(tgt_in.size(1)).isinf()
        padding = dict(tgt_key_padding_mask=tgt_in == tc.PAD, memory_key_padding_mask=no_src)
        return self.decoder(self.embed(tgt_in), memory, future, tgt_is_causal=True, **padding)

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        no_src = src == tc.PAD
        memory = self.encoder(self.embed(src), src_key_padding_mask=no_src)
        return F.linear(self.hidden(tgt_in, memory, no_src), self.embedding.weight)

    def loss(self, batch: tc.Batch) -> Tensor:
        return mean_loss(self(batch.src, batch.tgt_in), batch.tgt_out, self.config.eps_ls)

    def decode(self, src: Tensor, beam_size: int, n: int) -> list[list[int]]:
        """Greedy alone, and all of the prefix anew at every step: it has no cache."""
        if beam_size > 1:
            raise NotImplementedError
        no_src, ids = src == tc.PAD, torch.full((len(src), 1), tc.BOS)
        memory = self.encoder(self.embed(src), src_key_padding_mask=no_src)
        for _ in range(n):
            logits = F.linear(self.hidden(ids, memory, no_src)[:, -1], self.embedding.weight)
            logits[:, [tc.PAD, tc.BOS, tc.EOS]] = -torch.inf
            ids = torch.cat([ids, logits.argmax(-1, keepdim=True)], 1)
        return ids[:, 1:].tolist()

    def weights(self, src: Tensor, tgt_in: Tensor) -> list[Tensor]:
        """Its layers ask for none, so each attention is called once more by hand, as its users do."""
        maps: list[Tensor] = []

        def asking(forward: Callable) -> Callable:
            def ask(*args: Any, **kwargs: Any) -> Any:
                out = forward(*args, **kwargs | dict(need_weights=True, average_attn_weights=False))
                maps.append(out[1])
                return out

            return ask

        attentions = [m for m in self.modules() if isinstance(m, nn.MultiheadAttention)]
        for attention in attentions:
            attention.forward = asking(attention.forward)  # type: ignore[method-assign]
        fast = torch.backends.mha.get_fastpath_enabled()
        torch.backends.mha.set_fastpath_enabled(False)  # it would go past them
        self(src, tgt_in)
        torch.backends.mha.set_fastpath_enabled(fast)
        for attention in attentions:
            del attention.forward
        return maps


class Marian(nn.Module):
    """Hugging Face's MarianMTModel, built from a configuration of the same shape."""

    name = "HF Marian"

    def __init__(self, ours: tc.Transformer):
        from transformers import MarianConfig, MarianMTModel

        super().__init__()
        c = self.config = ours.config
        sides = ("encoder", "decoder")
        sizes = dict(layers=c.n_layers, ffn_dim=c.d_ff, attention_heads=c.n_heads)
        shape = {f"{side}_{name}": n for side in sides for name, n in sizes.items()}
        special = dict(pad_token_id=tc.PAD, bos_token_id=tc.BOS, eos_token_id=tc.EOS, decoder_start_token_id=tc.BOS)
        self.model = MarianMTModel(MarianConfig(
            vocab_size=c.vocab_size, d_model=c.d_model, dropout=c.p_drop, activation_function="relu",
            max_position_embeddings=256, scale_embedding=True, forced_eos_token_id=None, **shape, **special,
        ))  # fmt: skip
        for module in self.modules():
            if isinstance(module, nn.LayerNorm):
                module.eps = 1e-6
        take_weights(self.pairs(ours), self)
        table = tc.sinusoidal_positions(256, c.d_model)  # Marian's has the sines first, then the cosines
        for side in sides:
            getattr(self.model.model, side).embed_positions.weight.data.copy_(table)

    def pairs(self, ours: tc.Transformer) -> Pairs:
        """Their parameters and ours."""

        def attention(theirs: Any, mine: tc.MultiHeadAttention) -> Pairs:
            for name in ("q", "k", "v"):
                yield getattr(theirs, f"{name}_proj").weight, [getattr(mine, f"w_{name}").weight]
            yield theirs.out_proj.weight, [mine.w_o.weight]

        whole = self.model.model
        yield whole.shared.weight, [ours.src_embedding.weight]
        stacks = ((whole.encoder.layers, ours.encoder), (whole.decoder.layers, ours.decoder))
        for theirs, mine in itertools.chain(*(zip(*stack, strict=True) for stack in stacks)):
            yield from attention(theirs.self_attn, mine.self_attention)
            norms = [theirs.self_attn_layer_norm, theirs.final_layer_norm]
            if hasattr(theirs, "encoder_attn"):
                yield from attention(theirs.encoder_attn, mine.cross_attention)
                norms.insert(1, theirs.encoder_attn_layer_norm)
            yield from same(theirs.fc1, mine.feed_forward.w_1)
            yield from same(theirs.fc2, mine.feed_forward.w_2)
            for norm, residual in zip(norms, mine.add_norm, strict=True):
                yield from same(norm, residual.layer_norm)

    def forward(self, src: Tensor, tgt_in: Tensor, **options: Any) -> Any:
        masks = dict(attention_mask=(src != tc.PAD).long(), decoder_attention_mask=(tgt_in != tc.PAD).long())
        return self.model(input_ids=src, decoder_input_ids=tgt_in, use_cache=False, **masks, **options)

    def loss(self, batch: tc.Batch) -> Tensor:
        return mean_loss(self(batch.src, batch.tgt_in).logits, batch.tgt_out, self.config.eps_ls)

    def decode(self, src: Tensor, beam_size: int, n: int) -> list[list[int]]:
        ids = self.model.generate(
            input_ids=src, attention_mask=(src != tc.PAD).long(), do_sample=False, num_beams=beam_size,
            min_new_tokens=n, max_new_tokens=n, length_penalty=0.6, bad_words_ids=[[tc.PAD], [tc.BOS]],
        )  # fmt: skip
        return ids[:, 1:].tolist()

    def weights(self, src: Tensor, tgt_in: Tensor) -> list[Tensor]:
        self.model.set_attn_implementation("eager")
        out = self(src, tgt_in, output_attentions=True)
        self.model.set_attn_implementation("sdpa")
        return [*out.encoder_attentions, *out.decoder_attentions, *out.cross_attentions]


class JoeyNMT(nn.Module):
    """joeynmt's model, loss and search; its loss is a Kullback-Leibler divergence from 1-ε and ε/(V-2)."""

    name = "joeynmt"

    def __init__(self, ours: tc.Transformer):
        from joeynmt.model import build_model

        class Words(SimpleNamespace):
            def __len__(self) -> int:
                return ours.config.vocab_size

        super().__init__()
        c = self.config = ours.config
        places = dict(pad_index=tc.PAD, bos_index=tc.BOS, eos_index=tc.EOS, unk_index=tc.UNK, sep_index=None)
        words = Words(specials=[], lang_tags=[], lookup=None, **places)
        side = dict(
            type="transformer", num_layers=c.n_layers, num_heads=c.n_heads, hidden_size=c.d_model, ff_size=c.d_ff,
            dropout=c.p_drop, layer_norm="post", embeddings=dict(embedding_dim=c.d_model, scale=True),
        )  # fmt: skip
        tied = dict(tied_embeddings=True, tied_softmax=True)
        self.model = build_model(dict(encoder=side, decoder=side) | tied, words, words)
        self.model.loss_function = ("crossentropy", c.eps_ls)
        for name, module in self.named_modules():
            if isinstance(module, nn.Dropout) and name.endswith(("att.dropout", "pwff_layer.2")):
                module.p = 0.0  # inside attention and inside the feed-forward layer
        with torch.no_grad():
            self.model.src_embed.lut.weight.copy_(ours.src_embedding.weight)  # so that no sentence ends early

    def given(self, src: Tensor) -> dict[str, Tensor]:
        return dict(src=src, src_length=(src != tc.PAD).sum(1), src_mask=(src != tc.PAD)[:, None])

    def forward(self, kind: str, src: Tensor, tgt_in: Tensor, tgt_out: Tensor) -> Any:
        target = dict(trg_input=tgt_in, trg=tgt_out, trg_mask=(tgt_out != tc.PAD)[:, None])
        return self.model(return_type=kind, **self.given(src), **target)[0]

    def loss(self, batch: tc.Batch) -> Tensor:
        return self("loss", batch.src, batch.tgt_in, batch.tgt_out) / batch.n_tokens

    def decode(self, src: Tensor, beam_size: int, n: int) -> list[list[int]]:
        from joeynmt.search import beam_search, greedy

        memory, hidden, *_ = self.model(return_type="encode", **self.given(src))
        how = dict(model=self.model, encoder_output=memory, encoder_hidden=hidden, max_output_length=n)
        how |= dict(src_mask=(src != tc.PAD)[:, None], min_output_length=n)
        outputs = greedy(**how) if beam_size == 1 else beam_search(beam_size=beam_size, alpha=0.6, **how)
        return [list(map(int, row)) for row in outputs[0]]

    def weights(self, src: Tensor, tgt_in: Tensor) -> list[Tensor]:
        maps: list[Tensor] = []
        softmaxes = [module for name, module in self.named_modules() if name.endswith("att.softmax")]
        hooks = [module.register_forward_hook(lambda *call: maps.append(call[-1])) for module in softmaxes]
        self("loss", src, tgt_in, tgt_in)
        for hook in hooks:
            hook.remove()
        return maps


class CTranslate2:
    """CTranslate2, converted from the Marian model; compute: float32, int8, …"""

    name = "CTranslate2"
    start: ClassVar = {tc.PAD: "<pad>", tc.BOS: "<s>", tc.EOS: "</s>", tc.UNK: "<unk>"}

    def __init__(self, ours: tc.Transformer, compute: str = "float32", threads: int = 1):
        import ctranslate2
        from ctranslate2.converters.transformers import BartLoader

        class Loader(BartLoader):
            def converted(self, model: Any) -> Any:
                model.config.normalize_before = model.config.normalize_embedding = False
                spec, words = self.get_model_spec(model), [self_words(i) for i in range(model.config.vocab_size)]
                spec.register_source_vocabulary(words)
                spec.register_target_vocabulary(words)
                spec.config.bos_token, spec.config.eos_token, spec.config.unk_token = "<s>", "</s>", "<unk>"
                spec.config.decoder_start_token, spec.config.layer_norm_epsilon = "<s>", 1e-6
                return spec

        def self_words(i: int) -> str:
            return self.start.get(i, str(i))

        spec = Loader().converted(Marian(ours).model)
        spec.validate()
        if compute != "float32":
            spec.optimize(quantization=compute)
        with tempfile.TemporaryDirectory() as folder:
            spec.save(folder)
            self.translator = ctranslate2.Translator(folder, compute_type=compute, intra_threads=threads)
        self.word, self.precision = self_words, {"float32": "fp32"}.get(compute, compute)

    def decode(self, src: Tensor, beam_size: int, n: int) -> list[list[int]]:
        rows = [[self.word(i) for i in row if i != tc.PAD] for row in src.tolist()]
        results = self.translator.translate_batch(
            rows, beam_size=beam_size, min_decoding_length=n, max_decoding_length=n, length_penalty=0.6,
            suppress_sequences=[["<pad>"], ["<s>"]],
        )  # fmt: skip
        ids = {word: i for i, word in self.start.items()}
        return [[ids[word] if word in ids else int(word) for word in result.hypotheses[0]] for result in results]


class Ours:
    """transformer_core itself, by the functions that its user would call; bf16 and int8 are for decoding."""

    name = "ours"

    def __init__(self, model: tc.Transformer, precision: str = "fp32"):
        if precision != "fp32":
            model = serving.in_precision(copy.deepcopy(model), precision)
        self.model, self.precision = model, precision

    def decode(self, src: Tensor, beam_size: int, n: int) -> list[list[int]]:
        extra = n - int((src[0] > tc.EOS).sum())  # all sources are of one length here
        hypotheses = fast_cpu.beam_search(self.model, src, beam_size, 0.6 if beam_size > 1 else 0.0, max_extra=extra)
        return [best.ids for best in hypotheses]

    def weights(self, src: Tensor, tgt_in: Tensor) -> list[Tensor]:
        with tc.record(self.model, "*.weights") as trace:
            self.model(src, tgt_in)
        return list(trace.values())


PEERS: tuple[type[Any], ...] = (TorchTransformer, Marian, JoeyNMT, CTranslate2)
