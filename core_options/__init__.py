"""Other ways of the same than transformer_core.py's plain one; each file imports the core and plugs into it.

    command_line     chooses among all of these; the core's `main` hands over to it
    endings          how a command ends: in one sentence, and quietly where nobody reads any more
    start            the console command of an installed copy
    filter           translate as a filter: lines go out as they are done
    ways             the fastest way of working batches in training
    fast_cpu         like lengths together, faster kernels; the same training and decoding on a CPU
    threads          parts of a batch side by side, a core for each
    beams            a beam search over many sentences at once
    packing          batches without padding, meant for a GPU; arithmetic counted
    pairs            training text of millions of pairs: ids in flat arrays, in one file for all processes
    precision        bf16 as an autocast, and inside products alone
    processes        batches worked in parts, by one process or several, or compiled
    runs             a training run in full: BLEU, the best checkpoint, signals, context, two vocabularies
    recipes          what a run is not told is chosen to suit its text, its model, its machine and its time
    schedule         a learning rate with a height of its own, that falls to zero at the end
    report           the screen at the end of a run
    safekeeping      refuses checkpoints that lie or lead out of their folder, loses nobody's files
    serving          weights in bf16 or int8, the command `export` to CTranslate2
    page_weights     a checkpoint as one script, for pages without Python
    words            a vocabulary of whole words, for a target that has few, such as trees
    context_aware    another model: context mixed into queries and keys (Yang et al., 2019)

To take them along, copy this folder to where transformer_core.py is.
"""
