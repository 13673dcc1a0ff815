"""What made notebooks/data, one file a question.

    positions            01  past the length of training, with each kind of position
    scaled_dot_product   02  the division by √d_k, additive scores, one head against several
    masks                03  training with and without the causal mask
    training             04  a part taken out, and cross-attention as it forms
    complexity           06  time and memory of every layer of Table 1
    variations           08  Table 3 in small
    results              09  the speed of training here, and the paper's recipe rehearsed
    parsing              10  a Transformer taught to write trees
    context              11  context-aware self-attention in small
    recurrence           12  recurrent encoder-decoders of the same size
    captions                 Multi30k by `tiny`, beside the score that is published
    translator               scores of the model that ships, for its card
    emphasis                 training in which the pronouns that *it* may be count several times
    graphs                   training of minutes on a GPU, an update one CUDA graph
    head_habits, pronoun_heads, beam_alpha, evidence, geometry, parser_limits        what the models that ship do

`bench` has what they share, `stored` what code each stored result was made with; `python -m experiments` lists the
results that are older than their code, and the command that renews each.
"""
