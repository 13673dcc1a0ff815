"""What transformer_core.py can do besides, one file each; copied alone, the core does without.

    fast_cpu         the same training and decoding, faster on a CPU
    packing          batches without padding, compiling, several processes; arithmetic counted
    safekeeping      refuses checkpoints that lie or lead out of their folder, keeps a run to one process
    serving          weights in bf16 or int8, the command `export` to CTranslate2
    context_aware    context mixed into queries and keys (Yang et al., 2019)

To take them along, copy this folder to where transformer_core.py is.
"""
