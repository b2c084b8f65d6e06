"""The table as a seat sees it: whose things they are, what they are called, what happened, what it counts.

Enters: a state's observation, events and scores for a seat (or for who sees all). Leaves: plain values and words
for whoever draws them, the terminal (`rulelang.cli.play`) or a page (`rulelang.web`).
"""
