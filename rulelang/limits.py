"""What the engine refuses, whoever asks: bounds that keep input that nobody vouches for from taking time or memory.

Enters: nothing. Leaves: numbers, each with its reason. docs/language/limits.md lists them for authors. A refusal for
size takes less than two seconds and less than 500 MB, whatever the input. Whoever serves games sets some of them lower
with `use` (docs/api.md).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

# ---- files

FILE_BYTES = 4 << 20
"""One file of a ruleset: 20,000 cards on a line each have 2 MiB. The largest shipped one has a hundredth of it."""
TEXT_BYTES = 8 << 20
"""All files of a ruleset, the layers below it and the overlays above it together."""
FILES = 500
"""The files of one folder."""
ENTRIES = 20_000
"""What may lie in a ruleset's folder, at any depth, read or not."""
LAYERS = 16
"""How often one ruleset may extend another."""
OVERLAYS = 16
"""What may be laid over one ruleset: a folder for each, which is read before the next."""
PATH = 4096
"""The characters of a path that names a ruleset: no system has longer ones."""
LINE = 10_000
"""The characters of a line: messages show lines."""
YAML_NODES = 500_000
"""Keys and values of all YAML files together, as the parser counts: 40 millionths of a second each. The largest games
of collectible cards have 20,000 cards of some 15."""
ROWS = 20_000
"""Rows of pieces that groups of rows stand for: some 0.2 milliseconds each."""
LEXEMES = 1_000_000
"""Words, numbers and signs of all files together: 40 millionths of a second each until they are compiled."""
FINDINGS = 50
"""The findings of one YAML file: what follows is mostly the same again."""
DEPTH = 100
"""Brackets, blocks, operators and YAML collections within each other: what reads them may call itself."""
DIGITS = 18
"""The digits of a number in a file, so that it fits 64 bits."""
SAVE_BYTES = 4 << 20
"""A script, or a document that is read in one piece: reading JSON takes up to thirty times its size in memory."""
PARSED_BYTES = 1 << 30
"""The memory that the values of a saved game may take: of some 400,000 choices."""
STATE_BYTES = 16 << 20
"""A saved state or a record without its long list (its log, its steps), which is read element by element."""
ELEMENT_BYTES = 4 << 20
"""An element of such a list."""
ENTRY_BYTES = 128
"""A saved log may have so many for each entry that a game may have: none of them takes more, but those with long names,
of which there are few."""
GAME_BYTES = 512 << 20
"""A file of a saved game or a record: 4,000,000 choices."""
POSITIONS = 32
"""The positions of one game that are stored to go back to: one takes up to 8 MB."""
UNDONE = 1000
"""The marks of choices that were taken back, on one record."""
MESSAGE = 10_000
"""The characters of an error that a command says: of a longer one the middle is left out."""
SCRIPT_LINES = 100_000
"""The lines of a script: some millionths of a second each."""

# ---- tables

SIDE = 64
"""Columns or rows of a grid."""
CELLS = 100_000
"""Values of all variables of a game together, one for each place of a variable, and as many zones."""
PLAYERS = 32
"""Seats of a game, as the schema of rulesets has it."""
PIECES = 20_000
"""Pieces of a game: their numbers have 16 bits, and each move may look through a zone."""

# ---- running

FUEL = 1_000_000
"""The most work between two decisions that a ruleset may declare: about a millionth of a second each."""
DECISIONS = 10_000_000
"""The most decisions of a game that a ruleset may declare."""
EVENTS = 1_000_000
"""The log of a game: one for each event, and one more for each piece or value that it names; 250 bytes each."""
EVENTS_OF_DECISION = 16
"""So many more for each decision that was made: a game may be as long as its ruleset declares. A host that sets the
limit of events lower means all of them."""
LEVELS = 1000
"""So deep a rule or function may call itself, as deep as the schema of rulesets lets calls wait for each other."""
OPTIONS = 1 << 16
"""The options of one decision, or outcomes of a draw, that are listed: any of 16 different pieces."""
WAYS = 20_000
"""The ways to pay that are listed."""
COUNTED = 1 << 62
"""The options of one decision that are counted without being listed."""
SELECTION_TABLE = 1_000_000
"""Entries of the table by which selections of several are counted."""
COST_PARTS = 128
"""Parts of a cost that each want identical resources."""
COVERING_STEPS = 20_000
"""Tries to pay such parts before it is said that there are too many ways."""
JOBS = 256
"""Processes that play side by side: each takes some 25 MB."""

# ---- what a host sets


@dataclass(frozen=True)
class Limits:
    """The limits that whoever serves games may set lower than they are; none can be set higher.

    Attributes:
        text: bytes of all files of a ruleset. cells: values of all variables of a game, and as many zones.
        pieces: pieces of a game. fuel: units of work between two decisions. decisions: decisions of a game.
        options: options of a decision that are listed. events: entries of a game's log.
    """

    text: int = TEXT_BYTES
    cells: int = CELLS
    pieces: int = PIECES
    fuel: int = FUEL
    decisions: int = DECISIONS
    options: int = OPTIONS
    events: int = EVENTS

    def __post_init__(self) -> None:
        """Validate that each limit is a whole number from 1 to its default.

        Raises:
            ValueError: one is not a whole number from 1 to its default.
        """
        for field in fields(self):
            value, most = getattr(self, field.name), getattr(Limits, field.name)
            if type(value) is not int or not 1 <= value <= most:
                raise ValueError(f"`{field.name}` must be a whole number from 1 to {most}, not {value!r}")


in_force = Limits()
"""The limits of this process; `use` sets them."""


def current() -> Limits:
    """Return the limits that are in force in this process."""
    return in_force


def use(limits: Limits) -> Limits:
    """Set the limits of this process for rulesets that are loaded and games that are begun from now on.

    Returns:
        The limits before.
    """
    global in_force
    before, in_force = in_force, limits
    return before
