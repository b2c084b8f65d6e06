"""A recorded game as its players write it down: numbered choices, or a file that other programs read.

Enters: a record and its positions. Leaves: the text. The two formats are PGN (Edwards, *Portable Game Notation*, 1994)
and SGF (Hollosi, *Smart Game Format* FF[4], 1999); what a ruleset has of its own in them stands in its `notation`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from string import ascii_letters

from rulelang.game import Action, State
from rulelang.languages import DEFAULT
from rulelang.record import Positions, Record
from rulelang.ruleset.model import GameNotation
from rulelang.ruleset.positions import FIELD

ROSTER = ("Event", "Site", "Date", "Round")
"""The tags that every game in PGN begins with (8.1.1), before those of who played."""
UNKNOWN = {"Date": "????.??.??"}
WIDTH = 79
"""Lines of PGN have less than 80 columns (4.3)."""


def transcript(record: Record, positions: Positions, lang: str) -> str:
    """Return a game as its ruleset has games written down; without a format of its own, as `movetext`.

    Args:
        lang: of choices that have no notation.
    """
    start = positions.at(0, record.steps)
    notation = start.ruleset.written.notation
    if notation is None or notation.game is None:
        return movetext(record, positions, lang)
    if notation.game.format == "sgf":
        return _sgf(record, positions, notation.game)
    return _pgn(record, positions, notation.game)


def movetext(record: Record, positions: Positions, lang: str) -> str:
    """Return the choices of a game as players write them down, `1. e4 e5 2. Nf3`; what has no notation in words.

    A new number begins with the turn of a seat that has had one under the last number; what else is chosen in a turn
    follows after a comma. From a given position a later seat begins with `1...`.
    """
    text, number, had, last = "", 0, set[int](), (-1, -1)
    for step, (state, action, seat) in enumerate(_choices(record, positions)):
        turn = state.turns, seat
        if turn == last:
            text += ", "
        elif not number or (seat in had and (turn[0] != last[0] or not turn[0])):
            had = set(range(seat)) if record.scenario and not number else set()  # these had theirs before
            number += 1
            text += f" {number}{'...' if had else '.'} "
        else:
            text += " "
        had.add(seat)
        last = turn
        text += positions.notation(step, record.steps, lang) or action.text(lang)
    return text.strip()


def _choices(record: Record, positions: Positions) -> Iterator[tuple[State, Action, int]]:
    """Yield the choices of a game, each with the state in which it was made and who made it."""
    for number, choice in enumerate(record.steps):
        state = positions.at(number, record.steps)
        yield state, state.legal(choice.id, choice.seat), choice.seat


def _pgn(record: Record, positions: Positions, form: GameNotation) -> str:
    """Return a game in PGN."""
    start, last = positions.at(0, record.steps), positions.at(len(record.steps), record.steps)
    result = _result(last)
    tags = {tag: UNKNOWN.get(tag, "?") for tag in (*ROSTER, *form.seats)} | {"Result": result}
    tags |= {tag: _filled(text, start.options) for tag, text in form.tags.items()}
    if record.scenario:
        tags |= {"SetUp": "1", "FEN": start.notation()}
    head = "".join(f'[{tag} "{_escaped(text)}"]\n' for tag, text in tags.items())
    moves = f"{movetext(record, positions, DEFAULT)} {result}".split()
    lines = [""]
    for move in moves:
        if lines[-1] and len(lines[-1]) + 1 + len(move) > WIDTH:
            lines.append("")
        lines[-1] += f" {move}" if lines[-1] else move
    return "\n".join((head, *lines))


def _escaped(text: str) -> str:
    """Return a text as a string of PGN."""
    return text.replace("\\", r"\\").replace('"', r"\"")


def _result(last: State) -> str:
    """Return the result of a game for two as PGN has it, `*` of others and of one that is not over."""
    if not last.is_terminal() or last.players != 2:
        return "*"
    winners = last.winners()
    return "1/2-1/2" if len(winners) != 1 else "1-0" if winners == [0] else "0-1"


def _sgf(record: Record, positions: Positions, form: GameNotation) -> str:
    """Return a game in SGF."""
    start, last = positions.at(0, record.steps), positions.at(len(record.steps), record.steps)
    seats = form.seats or tuple("BW")
    properties = {"FF": "4", "CA": "UTF-8", "AP": "RuleLang"}
    properties |= {tag: _filled(text, start.options) for tag, text in form.tags.items()}
    if last.is_terminal():
        properties["RE"] = _margin(last, seats)
    nodes = ["".join(f"{tag}[{_simple(text)}]" for tag, text in properties.items())]
    cells = _cells_of(start)
    for _, action, seat in _choices(record, positions):
        data = action.data
        template = form.moves.get(data.get("item") or data["rule"])
        if template is None:
            nodes[-1] += f"C[{_simple(f'{seats[seat]}: {action.text()}')}]"
            continue
        values = {name: cells.get(str(value), str(value)) for name, value in data["arguments"].items()}
        nodes.append(f"{seats[seat]}[{_simple(_filled(template, values))}]")
    return f"(;{chr(10).join((nodes[0], *(f';{node}' for node in nodes[1:])))})"


def _margin(last: State, seats: tuple[str, ...]) -> str:
    """Return the result of a game as SGF has it: who won, and by how much where that was scored."""
    winners = last.winners()
    if len(winners) != 1:
        return "0"
    scores = sorted(last.scores())
    scored = bool(last.score_sheet(winners[0]).lines) and scores[-1] > scores[-2]
    return f"{seats[winners[0]]}+{scores[-1] - scores[-2] if scored else ''}"


def _simple(text: str) -> str:
    """Return a text as a value of SGF."""
    return text.replace("\\", r"\\").replace("]", r"\]").replace(":", r"\:")


def _cells_of(state: State) -> dict[str, str]:
    """Return the cells of the boards as SGF has points: letters of column and row, from the left and the top."""
    names: dict[str, str] = {}
    for grid in state.engine[1].layout.grids:
        for cell, (column, row) in zip(grid.cells, grid.places, strict=True):
            line = grid.line(row)
            if max(column, line) < len(ascii_letters):
                names[cell] = ascii_letters[column] + ascii_letters[line]
    return names


def _filled(template: str, values: Mapping[str, object]) -> str:
    """Return a text with values in place of its fields; others stay."""
    return FIELD.sub(lambda match: str(values.get(match[1], match[0])), template)
