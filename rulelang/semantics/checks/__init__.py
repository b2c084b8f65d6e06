"""What a finished tree must hold: citations, capacities, sizes, exchanges, words."""
