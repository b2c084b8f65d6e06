"""The table as a seat sees it: zones and values by owner, names, events, the score sheet.

Enters: a state's observation, events and scores for a seat (or for an omniscient reader). Leaves: plain values and
texts for whoever draws them, the terminal (`rulelang.cli.play`) or a page (`rulelang.web`).
"""
