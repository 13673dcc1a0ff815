"""Which code each stored result was made with, and whether that code is still the same.

A result names the definitions that trained or timed it, each with a digest. What a digest is of: the definition as
Python parses it, without comments, docstrings, annotations, the texts of errors, the modules that names come from, its
own name and those of its locals; a constant of its file (a name in capitals) counts by its value. So nothing that is
moved, laid out anew, or named or explained better is taken for a change, and other settings are.

Where code moves, only the table has to follow.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.numbering import numbered

ROOT = Path(__file__).resolve().parent.parent
CLONED = (ROOT / "pyproject.toml").is_file()  # else it is installed, among other packages


# ─── The table ───────────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class Result:
    """A stored result: where it lies, the command that makes all of it anew, how long that took, and its code.

    file: with #KEY, that part of the file alone. code: lines "module: definitions".
    """

    file: str
    command: str
    takes: str
    code: tuple[str, ...]


ATTENTION = "transformer_core: attention_scores attention_weights MultiHeadAttention"
MODEL = (
    f"{ATTENTION} padding_mask causal_mask FeedForward Residual EncoderLayer DecoderLayer sinusoidal_positions "
    "Positions Transformer"
)
TRAINING = (
    "transformer_core: Batch.of objective learning_rate train update",
    "core_options.schedule: TrainingConfig.learning_rate",
    "core_options.fast_cpu: LikeLengths",
)
BATCHES = "transformer_core: Batches"
SEARCH = "core_options.beams: BeamSearch beam_search"
GREEDY = (SEARCH, "transformer_core: greedy_decode")
TRANSLATING = (
    SEARCH,
    "transformer_core: Tokenizer.train Tokenizer.encode corpus_bleu",
    "core_options.fast_cpu: Translator.encode Translator.translate",
)
CONTEXT = "core_options.context_aware: d_context ContextLinear ContextAttention ContextTransformer"
GRAMMAR = "corpora.grammar: LEVELS NounPhrase Clause determiner Speaker pairs sample"
LESSONS = "studies.training: Lessons"
RECURRENT = "baselines: Recurrent Alignment RecurrentDecoder RecurrentEncoderDecoder"
TABLE_3 = "experiments.variations: Text learnt write_grammar"
VARIATIONS = (
    MODEL, *TRAINING, BATCHES, *TRANSLATING, GRAMMAR, TABLE_3, "experiments.training: NoWarmup",
    "experiments.variations: smaller training run",
)  # fmt: skip
CAPTIONS = (
    MODEL, *TRAINING, BATCHES, *TRANSLATING, "core_options.fast_cpu: smoothed",
    "experiments.captions: read moses bleus step_by_step trained scored run",
)  # fmt: skip
ALIGNED = "studies.alignment: links alignment_error error_counts cross_weights"

RESULTS = {
    "positions": Result(
        "notebooks/data/positions.json", "python -m experiments.positions", "10 minutes",
        (MODEL, *TRAINING, "experiments.positions: make_model lengthened sequences Fresh right run scores"),
    ),
    "attention_scale": Result(
        "notebooks/data/attention_scale.json", "python -m experiments.scaled_dot_product scale", "2 minutes",
        (ATTENTION, "experiments.scaled_dot_product: lookup_batch Lookup fit accuracy at_start"),
    ),
    "attention_scores": Result(
        "notebooks/data/attention_scores.json", "python -m experiments.scaled_dot_product scores", "2 minutes",
        (
            ATTENTION,
            "experiments.scaled_dot_product: lookup_batch AdditiveAttention additive_scores Lookup fit accuracy "
            "at_start cost",
        ),
    ),
    "attention_heads": Result(
        "notebooks/data/attention_heads.json", "python -m experiments.scaled_dot_product heads", "a minute",
        (
            f"{ATTENTION} FeedForward Positions",
            "experiments.scaled_dot_product: neighbours_batch Neighbours fit accuracy",
        ),
    ),
    "masking": Result(
        "notebooks/data/masking.json", "python -m experiments.masks", "3 minutes",
        (
            MODEL, *TRAINING, BATCHES, *GREEDY,
            "experiments.masks: english choices german_phrase translations draw make_pairs vocabulary best_possible "
            "Unmasked taught on_its_own made_to_go_on learn",
        ),
    ),
    "breaking": Result(
        "notebooks/data/breaking.json", "python -m experiments.training breaking", "70 minutes",
        (
            MODEL, *TRAINING, BATCHES, *TRANSLATING, GRAMMAR, LESSONS, "experiments.masks: Unmasked",
            "experiments.training: Nowhere NoResidual NoWarmup no_scale no_positions no_residual lessons learn",
        ),
    ),
    "forming": Result(
        "notebooks/data/forming.json", "python -m experiments.training forming", "15 minutes",
        (
            MODEL, *TRAINING, BATCHES, *TRANSLATING, GRAMMAR, LESSONS,
            "transformer_core: average_checkpoints",
            ALIGNED, "studies.alignment: truth head_alignments", "studies.attention: entropy",
            "experiments.training: reading quality averaged form",
        ),
    ),
    "captions": Result(
        "notebooks/data/captions.json", "python -m experiments.captions --data multi30k", "2 hours", CAPTIONS
    ),
    **{
        name: Result(
            f"notebooks/data/{name}.json",
            f"python -m experiments.captions --data multi30k {options} --runs runs/{name} "
            f"--out notebooks/data/{name}.json",
            takes,
            (
                *CAPTIONS, "experiments.captions: Twice way_of in_graphs",
                "experiments.graphs: tables filled each Plan apart Updates",
            ),
        )
        for name, options, takes in (
            (
                "captions_seeds", "--seeds 3 --steps 12000 --vocab-size 10000 --r-drop 3 --alpha 1 --device cuda",
                "8 minutes on a GPU",
            ),
            ("captions_r_drop", "--steps 24000 --r-drop 3 --device cuda", "5 minutes on a GPU"),
            (
                "captions_pieces",
                "--vocab-size 10000 --steps 11000 --plain-steps 5000 --r-drop 3 --precision bf16", "2 hours",
            ),
        )
    },
    "beam_alpha": Result(
        "notebooks/data/beam_alpha.json", "python -m experiments.beam_alpha", "3 minutes",
        (
            MODEL, *TRANSLATING, "studies.bleu: score sentence_counts summed resampled_differences",
            "studies.statistics: central", "experiments.beam_alpha: searches drawn measured",
        ),
    ),
    "translator": Result(
        "notebooks/data/translator.json",
        "python -m experiments.translator tatoeba-en-de --data $TRANSFORMER_DATA/tatoeba_en_de "
        "--by-hand tests/pronouns_by_hand.tsv tests/pronouns_everyday.tsv --wrong 12 "
        "--out notebooks/data/translator.json",
        "2 minutes",
        (
            MODEL, *TRANSLATING, "corpora.pronouns: sample examples Speaker is_held_out", "corpora.scenes: Scene",
            "corpora.antecedents: Narrator", "corpora.contexts: contexts in_german together Reader",
            "studies.pronouns: clauses names genders_as_translated is_right accuracy FORMS likeliest",
            "experiments.translator: scores chosen",
        ),
    ),
    "pronoun_heads": Result(
        "notebooks/data/pronoun_heads.json", "python -m experiments.pronoun_heads", "15 minutes",
        (
            MODEL,
            "studies.pronoun_heads: Twins place_of until_pronoun noun_pieces as_row twins_of margins edited with_head "
            "mean_of share Study studied every_head together layers places",
            "experiments.pronoun_heads: measured",
        ),
    ),
    "head_habits": Result(
        "notebooks/data/head_habits.json", "python -m experiments.head_habits", "2 minutes",
        (
            MODEL, "transformer_core: beam_steps beam_search", "studies.reading: read",
            "studies.attention: head_facts role_of MARKS entropy entropy_facts distance_facts alignment_facts facts_of "
            "facts_by_head habits layer_habit layer_effects heads_off",
            "experiments.beam_alpha: drawn", "experiments.head_habits: layers measured",
        ),
    ),
    "geometry": Result(
        "notebooks/data/geometry.json", "python -m experiments.geometry", "2 minutes",
        (
            MODEL, "transformer_core: beam_steps beam_search", "studies.reading: read teacher_forced",
            "studies.geometry: scores_of open_keys open_in centred weights_of Plane.scores plane_of facts_of by_head "
            "of_random untrained means_by_kind",
            "experiments.beam_alpha: drawn", "experiments.geometry: heads measured",
        ),
    ),
    "evidence": Result(
        "notebooks/data/evidence.json", "python -m experiments.evidence", "half an hour",
        (
            MODEL, *TRANSLATING, "studies.reading: read teacher_forced",
            "studies.contributions: transformed contributions layer_norms carried shares",
            "studies.rollout: RESIDUAL by_weights by_norms rollout Network network flow",
            "studies.evidence: STEPS gradients gradient_times_input integrated_gradients answers losses of_its_kind "
            "agreement same_first agreements over_sentences",
            "studies.pruning: gate_gradients importance normalised mean_outputs exchanged nll_from nll_of knock_outs "
            "gains_of fisher rank_agreement by_importance at_random greedily curve translations",
            "studies.pronoun_heads: with_head",
            "studies.jobs: better alignment_roles LEAST coreference_roles arcs syntax_roles with_roles",
            "studies.lens: lens decided by_layer", "studies.statistics: rank_correlation bootstrapped",
            "experiments.beam_alpha: drawn",
            "experiments.evidence: asked_of heads orders pruned trees by_job all_jobs parts", ALIGNED,
        ),
    ),
    "complexity": Result(
        "notebooks/data/complexity_cpu.json", "python -m experiments.complexity --seconds 100", "2 minutes",
        (
            ATTENTION,
            "baselines: Recurrent RNN GRU LSTM Convolution SeparableConvolution SelfAttention RestrictedSelfAttention "
            "measured_memory",
            "experiments.complexity: layers_of run seconds measure",
        ),
    ),
    "variations": Result(
        "notebooks/data/variations.json", "python -m experiments.variations", "85 minutes", VARIATIONS,
    ),
    "variations_few": Result(
        "notebooks/data/variations_few.json",
        "python -m experiments.variations --only base D-drop0.0 D-ls0.0 --pairs 2000 --steps 1200 "
        "--out notebooks/data/variations_few.json",
        "45 minutes", VARIATIONS,
    ),
    "variations_longer": Result(
        "notebooks/data/variations_longer.json",
        "python -m experiments.variations --only base A-h1 B-dk16 C-N2 D-drop0.0 D-ls0.0 E-learned --seeds 6 "
        "--steps 1200 --out notebooks/data/variations_longer.json",
        "two hours", VARIATIONS,
    ),
    "training_step": Result(
        "notebooks/data/training_step.json",
        "python -m experiments.results step --threads 1 --rounds 4 --out notebooks/data/training_step.json",
        "a minute",
        (
            MODEL, *TRAINING, BATCHES, "core_options.fast_cpu:", "experiments.results: measure_step",
            "experiments.bench: product_tflops",
        ),
    ),
    "wmt14_rehearsal": Result(
        "notebooks/data/wmt14_rehearsal.json",
        "python -m experiments.results rehearse --out notebooks/data/wmt14_rehearsal.json", "6 minutes",
        (
            MODEL, *TRAINING, BATCHES, *TRANSLATING, GRAMMAR, "transformer_core: average_checkpoints",
            "experiments.results: Recipe rehearsal rehearse",
        ),
    ),
    "wmt14_memory": Result(
        "notebooks/data/wmt14_memory.json",
        "python -m experiments.results memory newstest2013.en newstest2013.de --out notebooks/data/wmt14_memory.json",
        "a minute",
        (
            f"{BATCHES} Tokenizer.train Tokenizer.encode read_parallel encode_pairs",
            "core_options.runs: Run.read_data",
            "experiments.results: memory read",
        ),
    ),
    **{
        f"parsing#{name}": Result(
            f"notebooks/data/parsing.json#{name}",
            f"python -m experiments.parsing {name} --work runs/parsing_{name}", takes,
            (
                MODEL, *TRAINING, BATCHES, *TRANSLATING, *([GRAMMAR] if name != "ptb" else []),
                "corpora.treebank: linearise repair report",
                "experiments.parsing: Recipe gather measured",
            ),
        )
        for name, takes in {"grammar": "8 minutes", "ptb": "32 minutes", "craft": "46 minutes"}.items()
    },
    **{
        f"parser_limits#{name}": Result(
            f"notebooks/data/parser_limits.json#{name}", f"python -m experiments.parser_limits {name}", takes,
            (
                MODEL, "transformer_core: beam_steps", "corpora.treebank: linearise repair report",
                "studies.statistics: central resampled", "studies.parsing: bracket_counts f1_of", *code,
            ),
        )
        for name, takes, code in (
            (
                "shapes", "2 minutes",
                (
                    "studies.parsing: of_like_length", "transformer_core: Translator.translate", GRAMMAR,
                    "experiments.parser_limits: craft learnt_shapes shapes",
                ),
            ),
            (
                "silence", "10 minutes",
                (
                    "studies.parsing: endings chosen break_even",
                    "experiments.parser_limits: craft searched compared nothing silence",
                ),
            ),
        )
    },
    "context_grammar": Result(
        "notebooks/data/context_grammar.json", "python -m experiments.context", "150 minutes",
        (
            MODEL, *TRAINING, BATCHES, *TRANSLATING, GRAMMAR, CONTEXT, TABLE_3,
            "experiments.context: begun mean_gates run of_pronouns", "studies.pronouns: on_coreference",
        ),
    ),
    "context_multi30k": Result(
        "notebooks/data/context_multi30k.json",
        "python -m experiments.context --data multi30k --test test_2016_flickr --seeds 3 --only base "
        "'encoder deep-global+deep' 'decoder deep-global+deep' 'both deep-global+deep' 'query only' 'key only'",
        "80 minutes",
        (MODEL, *TRAINING, BATCHES, *TRANSLATING, CONTEXT, TABLE_3, "experiments.context: begun mean_gates run"),
    ),
    "context_speed": Result(
        "notebooks/data/context_speed.json", "python -m experiments.context --speed", "20 minutes",
        (MODEL, CONTEXT, "transformer_core: objective update beam_search", "experiments.context: Endless runner speed"),
    ),
    "recurrence_reverse": Result(
        "notebooks/data/recurrence_reverse.json", "python -m experiments.recurrence reverse --runs runs/anew",
        "11 minutes",
        (
            MODEL, *TRAINING, *GREEDY, RECURRENT, "experiments.positions: sequences",
            "experiments.recurrence: made recipe trained Backwards reversed_right maps_of anti_diagonal reverse_run",
        ),
    ),
    "recurrence_grammar": Result(
        "notebooks/data/recurrence_grammar.json",
        "python -m experiments.recurrence grammar --only 'GRU, one vector' 'GRU, additive' 'GRU, dot' Transformer "
        "--runs runs/anew", "7 minutes",
        (
            MODEL, *TRAINING, BATCHES, *TRANSLATING, GRAMMAR, RECURRENT, LESSONS, ALIGNED, "studies.text: words_of",
            "experiments.recurrence: made recipe trained linked by_length errors alignment grammar_run",
        ),
    ),
    "recurrence_speed": Result(
        "notebooks/data/recurrence_speed.json", "python -m experiments.recurrence speed", "a minute",
        (
            MODEL, RECURRENT, "transformer_core: objective", "baselines: longest_chain",
            "experiments.recurrence: made step_of fastest chain_of",
        ),
    ),
    "recurrence_gold": Result(
        "notebooks/data/recurrence_gold.json", "python -m experiments.recurrence gold", "a minute",
        (
            MODEL, ALIGNED, "studies.text: words_of", "transformer_core: Tokenizer.encode",
            "experiments.recurrence: gold_pairs linked errors",
        ),
    ),
    "recurrence_korean": Result(
        "notebooks/data/recurrence_korean.json", "python -m experiments.recurrence korean --runs runs/anew",
        "2 minutes",
        (
            *TRAINING, BATCHES, *TRANSLATING, RECURRENT, LESSONS,
            "experiments.recurrence: korean_pairs recipe trained reading_of",
        ),
    ),
    "cost": Result(
        "benchmarks/results/cost_cpu.json", "python -m benchmarks.cost", "7 minutes",
        (MODEL, "transformer_core: objective", "benchmarks.cost: model_of Workload measure"),
    ),
    "gpu": Result(
        "benchmarks/results/gpu.json", "python -m benchmarks.gpu", "10 minutes",
        (
            MODEL, *TRAINING, BATCHES, *GREEDY, "core_options.packing:",
            "benchmarks.gpu: Sizes VARIANTS corpus time_steps compare_losses decode captions",
        ),
    ),
    "decoding": Result(
        "benchmarks/results/decoding.json", "python -m benchmarks.decoding", "10 minutes",
        (
            MODEL, *TRANSLATING, "core_options.fast_cpu:", "core_options.serving:",
            "benchmarks.decoding: translators translated",
        ),
    ),
    "pairs": Result(
        "benchmarks/results/pairs.json", "python -m benchmarks.pairs", "8 minutes",
        (
            "core_options.pairs:", "core_options.runs: Run.read_data Run.learn_tokenizers",
            f"{BATCHES} Tokenizer.train Tokenizer.encode read_parallel encode_pairs",
            "benchmarks.pairs: sentences memory arguments listed start growth",
        ),
    ),
    "page_engine": Result(
        "benchmarks/results/page_engine.json", "python -m benchmarks.page_engine", "half an hour",
        (
            MODEL, "transformer_core: greedy_decode beam_search", "core_options.page_weights: in_precision widened",
            "benchmarks.page_engine: translations intervention interventions eight_bits times",
        ),
    ),
    "precision": Result(
        "benchmarks/results/precision.json", "python -m benchmarks.precision", "40 minutes",
        (MODEL, *TRAINING, BATCHES, "core_options.fast_cpu:", "benchmarks.precision: text trained"),
    ),
    "speed": Result(
        "benchmarks/results/speed.json", "python -m benchmarks.speed", "15 minutes",
        (
            MODEL, *TRAINING, BATCHES, *GREEDY, "core_options.fast_cpu:", "core_options.serving:", "benchmarks.peers:",
            "benchmarks.speed: sentence_pairs training decoding looking contests race",
        ),
    ),
}  # fmt: skip


def names(code: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Module and definition of each name in the lines of a result; a line without definitions is a whole module."""
    for line in code:
        module, _, definitions = line.partition(":")
        for name in definitions.split() or [""]:
            yield module, name


# ─── Digests ─────────────────────────────────────────────────────────────────────────────────────────────────────────
UNSEEN = {"ctx", "kind", "annotation", "returns", "type_comment", "type_params"}  # fields that compute nothing


class File:
    """A parsed file: its definitions, what it imports, and its constants."""

    def __init__(self, source: str):
        self.tree = numbered(ast.parse(source))
        imports = [node for node in ast.walk(self.tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        self.imported = {(alias.asname or alias.name).partition(".")[0] for node in imports for alias in node.names}
        self.constants = {name: value for name, value in assigned(self.tree) if name.isupper()}

    def find(self, name: str) -> ast.AST | None:
        """A definition, such as "train" or "Tokenizer.train"; without a name the whole file."""
        node: Any = self.tree
        for part in name.split(".") if name else ():
            inside = (statement for statement in getattr(node, "body", ()) if getattr(statement, "name", None) == part)
            node = next(inside, self.constants.get(part) if node is self.tree else None)
        return node

    def bare(self, node: Any, within: frozenset[str] = frozenset()) -> Any:
        """What is computed, as nested lists; within: constants that are being spelled out."""
        match node:
            case ast.Name(id=name, ctx=ast.Load()) if name in self.constants.keys() - within:
                return self.bare(self.constants[name], within | {name})
            case ast.Name(id=name):
                return name
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module in self.imported:
                return name
            case ast.AnnAssign(target=target, value=value):
                return ["Assign", ["targets", [self.bare(target)]], ["value", self.bare(value, within)]]
            case ast.Raise(exc=ast.Call(func=kind)):
                return ["Raise", self.bare(kind)]
            case ast.AST():
                fields = [(name, value) for name, value in ast.iter_fields(node) if name not in UNSEEN]
                told = [[name, self.bare(value, within)] for name, value in fields if value is not None and value != []]
                return [type(node).__name__, *told]
            case list():
                return [self.bare(item, within) for item in node if not says_only(item)]
            case _:
                return repr(node)

    def digest(self, name: str) -> str | None:
        """Twelve digits for what a definition computes; None where there is none."""
        node = self.find(name)
        if node is None:
            return None
        kind, *told = self.bare(node)
        computes = [kind, *(field for field in told if field[0] != "name")]
        return hashlib.sha256(json.dumps(computes).encode()).hexdigest()[:12]


def assigned(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """The names that a file assigns to, each with its value."""
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            yield node.target.id, node.value
        for target in node.targets if isinstance(node, ast.Assign) else ():
            match target, getattr(node, "value", None):
                case ast.Name(id=name), ast.expr() as value:
                    yield name, value
                case ast.Tuple(elts=targets), ast.Tuple(elts=values):
                    pairs = zip(targets, values, strict=True)
                    yield from ((element.id, value) for element, value in pairs if isinstance(element, ast.Name))


def says_only(node: Any) -> bool:
    """Whether a statement is a docstring or an import."""
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return is_text or isinstance(node, ast.Import | ast.ImportFrom)


def path_of(module: str) -> Path:
    return ROOT / f"{module.replace('.', '/')}.py"


def has_code(name: str) -> bool:
    """Whether the code of a result is here; that of the benchmarks is not installed."""
    return all(path_of(module).is_file() for module, _ in names(RESULTS[name].code))


@functools.cache
def file_of(module: str) -> File:
    return File(path_of(module).read_text(encoding="utf-8"))


def digests(name: str, file_of: Callable[[str], File] = file_of) -> dict[str, str | None]:
    """A digest for each definition that a result was made with; a whole module is named by its file."""
    return {
        definition or module.rpartition(".")[2]: file_of(module).digest(definition)
        for module, definition in names(RESULTS[name].code)
    }


# ─── Results and their code ──────────────────────────────────────────────────────────────────────────────────────────
def read(name: str) -> dict[str, Any] | None:
    """A stored result, None where there is none."""
    path, _, key = RESULTS[name].file.partition("#")
    if not (ROOT / path).exists():
        return None
    result = json.loads((ROOT / path).read_text(encoding="utf-8"))
    return result.get(key) if key else result


def changed(name: str) -> list[str]:
    """Definitions that are not what they were when a result was made."""
    made_with = (read(name) or {}).get("code") or {}
    return [definition for definition, digest in digests(name).items() if made_with.get(definition) != digest]
