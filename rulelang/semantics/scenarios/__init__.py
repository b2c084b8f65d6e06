"""The texts, positions and patterns of scenarios."""
