"""Texts: tokens, words, names, references, similarity, secrets."""
