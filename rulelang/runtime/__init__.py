"""What every backend shares: the state and its layout, chance, pools of unseen pieces, grids, payments, names.

Enters: a `Program` and the choices of one game (players, options). Leaves: `Layout`, `State` and pure helpers on them.
"""
