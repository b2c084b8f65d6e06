"""Games written by hand, to measure the engine against."""
