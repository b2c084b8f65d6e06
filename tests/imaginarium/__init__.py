"""Imaginarium: its golden scenarios, figures, playthroughs, edits, and what seats see."""
