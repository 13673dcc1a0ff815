"""Text to learn from: a grammar whose every answer is known (grammar.py) and loaders of real corpora (translation.py)."""
