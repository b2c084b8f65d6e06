"""Method combination: the bodies of events, quantities, abilities and trades."""
