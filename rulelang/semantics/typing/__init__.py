"""From syntax trees to the checked tree: names, types, values that are known before a game."""
