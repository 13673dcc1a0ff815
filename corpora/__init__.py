"""Text to learn from.

grammar        English and German sentences whose every answer is known (words: lexicon)
pronouns       *it* and its noun in one mould (words: pronoun_words)
antecedents    *it* told in hundreds of frames (words: antecedent_words, _home, _town, _tales; how: clauses)
scenes         *it* in sentences that are written whole (scenes/*.txt)
contexts       *it* in the place of a noun of real sentences
treebank       trees as lines of tokens, for section 6.3, and the F1 of what a parser writes
translation    parallel corpora, by their names
"""
