"""Text analysis: tokens, words, entities, references, similarity, secrets."""
