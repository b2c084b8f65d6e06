"""The tests; those of one folder that share helpers import them from here or by plain name."""
