"""Text to learn from: a grammar whose every answer is known (grammar.py), and real corpora (translation.py)."""
