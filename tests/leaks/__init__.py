"""What leaves for a seat is a function of what it knows: generated rulesets, pairs of states, everything compared."""
