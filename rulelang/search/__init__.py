"""Bots that search: determinized Monte Carlo tree search for any ruleset, honest about what a seat knows.

Enters: a state, the seat that is asked. Leaves: a `SearchResult`: its action, with the visits and values of all
options it tried. Nothing here reads what the seat can't know: worlds are drawn from its observation history
(`rulelang/ismcts/c/pilot.h`), by rejection (`rulelang.runtime.rejection`) where native code has none; where that finds
none either the action is drawn at random, with a `BlindWarning`.
"""

from rulelang.search.core import BlindWarning
from rulelang.search.finding import SearchedAction, SearchResult
from rulelang.search.options import SearchOptions
from rulelang.search.searcher import Searcher
from rulelang.search.worlds import Worlds

__all__ = ["BlindWarning", "SearchOptions", "SearchResult", "SearchedAction", "Searcher", "Worlds"]
