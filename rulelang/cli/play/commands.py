"""The commands at the prompt of `rulelang play`.

Enters: a line, the desk where it was typed. Leaves: an action, CHANGED if the session is another one, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from rulelang.cli.common import read_text
from rulelang.cli.console import Text
from rulelang.cli.files import write_whole
from rulelang.cli.play.card import card
from rulelang.cli.play.options import LEAVE
from rulelang.cli.play.saves import free_name, read_save, save_text
from rulelang.cli.play.sheet import score_sheet
from rulelang.diagnostics import IllegalAction, RulesetError, SaveError, UsageError
from rulelang.game import Action
from rulelang.record import CHANCE, MOVED, SHOWN
from rulelang.search import Searcher
from rulelang.search.options import MOST_ITERATIONS
from rulelang.session import Undo
from rulelang.table.facts import cited
from rulelang.table.names import folded, holding
from rulelang.table.sheet import sheet, source
from rulelang.words.phrases import capital

if TYPE_CHECKING:
    from rulelang.cli.play.desk import Desk

MAX_DIGITS = 9
HINT, BEST, LINE = 2000, 3, 6
"""Of a hint: default number of iterations, options shown, longest expected line."""
LAST = 20
"""Default number of events that the log shows."""


class Stopped(Exception):  # noqa: N818 - a signal, not an error
    """The player quits."""


CHANGED = "changed"
"""The result of a command after which the session is another one."""
Result = Action | str | None


@dataclass(frozen=True)
class Command:
    """A command.

    Attributes:
        run: executes it with its argument. argument, help: keys of texts. short: its abbreviation. needs: whether it
            needs an argument.
    """

    run: Callable[[Desk, str], Result]
    argument: str
    help: str
    short: str = ""
    needs: bool = False


def run(desk: Desk, line: str) -> Result:
    """Execute a line: the number of an option, a command, an id, or words of an option; say what is wrong with it."""
    try:
        return _run(desk, line)
    except (IllegalAction, RulesetError, SaveError, UsageError) as error:
        desk.terminal.say(str(error), "red")
        return None


def _run(desk: Desk, line: str) -> Result:
    """Execute a line; raise what its command raises."""
    if not line:
        return None if desk.more() else _options(desk, "")
    if line.isdecimal():
        return _choose_number(desk, line)
    name, _, rest = line.partition(" ")
    command = COMMANDS.get(SHORT.get(name.lower(), name.lower()))
    # A line that is no complete command may be the text of an option.
    if command is not None and (rest or not command.needs or desk.options.called(line) is None):
        return command.run(desk, rest.strip())
    return _choose_words(desk, line)


# ---- choosing


def _choose_number(desk: Desk, line: str) -> Result:
    """Choose the option with a number."""
    option = desk.options.numbered(int(line)) if len(line) <= MAX_DIGITS else None
    if option is not None:
        return option.action
    return _no_number(desk, line)


def _no_number(desk: Desk, number: str) -> Result:
    """Say that there is no option with this number."""
    return _print_text(desk, "no_number", number=number[:MAX_DIGITS], first=desk.options.first, count=desk.options.last)


def _choose_words(desk: Desk, line: str) -> Result:
    """Choose the option with this id or text, or the only one with all these whole words; else show those that
    match."""
    option = desk.options.called(line)
    if option is not None:
        return option.action
    if ":" in line or "=" in line or line in _refused_items(desk):
        return desk.session.state.legal(line, desk.seat)
    matches = desk.options.search(line)
    words = folded(line).split()
    if len(matches) == 1 and set(words) <= set(_words_of(matches[0].searched)):
        return matches[0].action
    return _show_matches(desk, line)


def _words_of(text: str) -> list[str]:
    """Return the words of a text."""
    return "".join(letter if letter.isalnum() else " " for letter in text).split()


def _refused_items(desk: Desk) -> set[str]:
    """Return the names of menu items that are only refused now: typing one shows the reason."""
    refused = {str(refusal["item"]) for refusal in desk.session.state.refusals(desk.seat)}
    if not refused:
        return refused
    return refused - {str(option.action.data["item"]) for option in desk.options.all}


def _show_matches(desk: Desk, words: str) -> Result:
    """Show the options that match search words."""
    matches = desk.options.search(words)
    if not matches:
        return _print_text(desk, "not_found", words=words, count=len(desk.options))
    if len(matches) == 1:
        return _print_text(desk, "one_found", words=words, number=matches[0].number, option=matches[0].text)
    desk.terminal.say(desk.texts("found", count=desk.options.found(words), words=words), "dim")
    desk.list_options(matches)
    return None


def _options(desk: Desk, words: str) -> Result:
    """List all options, or those that match words."""
    if words:
        return _show_matches(desk, words)
    desk.list_options()
    return None


def _more(desk: Desk, _: str) -> Result:
    """Show the next page."""
    return None if desk.more() else _print_text(desk, "no_more")


# ---- looking


def _board(desk: Desk, words: str) -> Result:
    """Show the table, or the zones with a name."""
    if not words:
        desk.board()
        return None
    seen = desk.session.state.observation(desk.seat)
    board = desk.screen.place(seen, words)
    if board is None:
        return _print_text(desk, "no_such_place", words=words, names=desk.screen.place_names(seen))
    desk.terminal.show(board)
    return None


def _why(desk: Desk, words: str) -> Result:
    """Show the rule of an option, or the reason of a refusal."""
    option = desk.options.numbered(int(words)) if words.isdecimal() and len(words) <= MAX_DIGITS else None
    if option is None and words.isdecimal():
        return _no_number(desk, words)
    option = option or desk.options.called(words)
    offered = [option] if option is not None else desk.options.search(words) if words else []
    refused = [] if option is not None else _refused(desk, words)
    for number, match in enumerate(offered):
        if number == LAST:
            break
        desk.terminal.say(desk.texts("why_offered", option=capital(match.text)), "green")
        where = _source_rows(
            desk,
            match.action.data["rule"],
            match.action.file,
            match.action.line,
            match.action.cites,
        )
        _show_rows(desk, [("id", match.action.id), *where])
    for refusal in refused[:LAST]:
        desk.terminal.say(desk.texts("why_refused", option=capital(refusal["text"])), "red")
        desk.terminal.say(f"  {capital(refusal['missing'])}")
        _show_rows(desk, _source_rows(desk, refusal["rule"], refusal["file"], refusal["line"], refusal["cites"]))
    if not offered and not refused:
        return _print_text(desk, "why_nothing", words=words) if words else _print_text(desk, "why_none")
    return None


def _refused(desk: Desk, words: str) -> list[dict[str, Any]]:
    """Return the refusals that contain all these words."""
    refusals = desk.session.state.refusals(desk.seat, desk.lang)
    texts = [folded(f"{refusal['text']} {refusal.get('id', '')} {refusal['item']}") for refusal in refusals]
    return [refusals[n] for n in holding(words, texts)]


def _source_rows(desk: Desk, rule: str, file: str, line: int, cites: Sequence[str]) -> list[tuple[str, str]]:
    """Return rule, file and line, and citations, as labelled rows."""
    book = cited(desk.session.state.ruleset, cites, desk.lang)
    return [("rule", f"{rule}, {file}:{line}"), *(("book", text) for text in book)]


def _show_rows(desk: Desk, rows: list[tuple[str, str]]) -> None:
    """Show labelled rows."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column()
    grid.add_column(overflow="fold")
    for name, text in rows:
        grid.add_row(Text(f"  {desk.texts(name)}", "dim"), Text(text))
    desk.terminal.show(grid)


def _card(desk: Desk, words: str) -> Result:
    """Show the card of a piece."""
    if not words:
        return _needs(desk, "card", "needs_words", "arg_name")
    desk.terminal.show(card(desk.session.state.ruleset, desk.names, words))
    return None


def _log(desk: Desk, words: str) -> Result:
    """Show the last events."""
    last = int(words) if words.isdecimal() and len(words) <= MAX_DIGITS else LAST
    events = desk.session.state.events(desk.seat, 0, desk.lang)
    if not events:
        return _print_text(desk, "no_log")
    for event in events[-last:] if last else []:
        where = f"  {source(event['file'], event['line'], event['cites'])}" if event["rule"] else ""
        desk.terminal.show(Text.assemble(event["text"], (where, "dim")))
    return None


def _scores(desk: Desk, _: str) -> Result:
    """Show the score sheet."""
    state = desk.session.state
    scores = sheet(state, desk.seat)
    desk.terminal.show(score_sheet(scores, desk.names, desk.terminal.width))
    if scores.rows:
        desk.terminal.say(desk.texts("so_far"), "dim")
    return None


# ---- the session


def _hint(desk: Desk, words: str) -> Result:
    """Show the best options with their rules, by a search that knows what the seat knows; `words`: iterations."""
    count = int(words) if words.isdecimal() and len(words) <= MAX_DIGITS else HINT
    searcher = Searcher(max(min(count, MOST_ITERATIONS), 1), desk.session.state.decisions, desk.seat)
    result = searcher.search(desk.session.state, desk.seat, LINE)
    for move in result.moves[:BEST]:
        share = round(100 * move.visits / max(result.iterations, 1))
        rule = f"{move.action.file}:{move.action.line}"
        cites = f", {', '.join(move.action.cites)}" if move.action.cites else ""
        desk.terminal.say(
            desk.texts(
                "hint",
                option=move.action.text(desk.lang),
                share=share,
                value=round(100 * move.value),
                rule=rule + cites,
            )
        )
    if len(result.line) > 1:
        line = ", ".join(f"{desk.names.party(seat)} {id_}" for seat, id_ in result.line)
        desk.terminal.say(desk.texts("hint_line", line=line), "dim")
    return _print_text(desk, "hint_from", count=result.iterations)


def _undo(desk: Desk, _: str) -> Result:
    """Take the last choice back, after confirmation if something was revealed since."""
    session = desk.session
    undo = session.undoing(desk.undoes())
    if undo is None:
        return _print_text(desk, "nothing_to_undo")
    step = session.record.steps[undo.left]
    option = session.before(undo.left).legal(step.id, step.seat).text(desk.lang)
    if not undo.free:
        seen = _revealed_text(desk, undo)
        desk.terminal.say(desk.texts("undo_asks", option=option, seen=seen))
        answer = desk.terminal.ask(desk.texts("undo_prompt"))
        if folded(answer) not in desk.texts("yes").split():
            return _print_text(desk, "undo_left")
    session.undo(undo)
    desk.undone()
    desk.terminal.say(desk.texts("undone" if undo.free else "undone_marked", option=option), "green")
    return CHANGED


def _revealed_text(desk: Desk, undo: Undo) -> str:
    """Return in words what was revealed since a choice."""
    texts = {
        MOVED: desk.texts("seen_moved"),
        CHANCE: desk.texts("seen_chance"),
        SHOWN: desk.texts("seen_shown_to", seats=desk.names.parties_of(undo.seats)),
    }
    return desk.names.words.lexicon.joined([texts[sort] for sort in undo.seen])


def _save(desk: Desk, words: str) -> Result:
    """Save the game in a file."""
    if not words:
        return _needs(desk, "save", "needs_file", "arg_file")
    file = Path(words)
    if file.is_file() and '"rulelang_save"' not in read_text(file)[:100]:
        return _print_text(desk, "not_over_it", file=file)
    write_whole(file, save_text(desk.session))
    desk.session.file = words
    return _print_text(desk, "saved", file=file)


def _load(desk: Desk, words: str) -> Result:
    """Continue a saved game."""
    if not words:
        return _needs(desk, "load", "needs_file", "arg_file")
    session = read_save(read_text(Path(words)), desk.session.state.ruleset)
    session.file = words
    desk.take(session)
    _print_text(desk, "loaded", file=words, count=len(session.moments))
    return CHANGED


def _help(desk: Desk, _: str) -> Result:
    """Show the list of commands."""
    rows = [(f"1, 2, … / {desk.texts('id')} / {desk.texts('arg_words')}", desk.texts("help_choose"))]
    rows.append((str(LEAVE), desk.texts("help_leave")))
    for name, command in COMMANDS.items():
        argument = f" [{desk.texts(command.argument)}]" if command.argument else ""
        short = f" ({command.short})" if command.short else ""
        rows.append((f"{name}{argument}{short}", desk.texts(command.help)))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold")
    for left, right in rows:
        grid.add_row(Text(left), Text(right))
    desk.terminal.show(grid)
    return None


def _quit(desk: Desk, _: str) -> Result:
    """Save the game in its file and end, after confirmation."""
    file = desk.session.file or free_name(desk.session.state.ruleset.name)
    desk.terminal.say(desk.texts("quit_asks", file=file))
    if folded(desk.terminal.ask(desk.texts("undo_prompt"))) not in desk.texts("yes").split():
        return _print_text(desk, "quit_left")
    desk.session.file = file
    desk.keep()
    _print_text(desk, "kept", file=file)
    desk.terminal.release()
    raise Stopped


def _print_text(desk: Desk, text: str, **fields: object) -> Result:
    """Print a text by its key."""
    desk.terminal.say(desk.texts(text, **fields))
    return None


def _needs(desk: Desk, command: str, noun: str, argument: str) -> Result:
    """Say that a command needs an argument.

    Args:
        noun, argument: keys of texts.
    """
    example = f"{command} {desk.texts(argument)}"
    return _print_text(desk, "needs", command=command, what=desk.texts(noun), example=example)


COMMANDS = {
    "options": Command(_options, "arg_words", "help_search", "o"),
    "more": Command(_more, "", "help_more", "m"),
    "why": Command(_why, "arg_words", "help_why", "w"),
    "hint": Command(_hint, "arg_number", "help_hint"),
    "board": Command(_board, "arg_words", "help_board", "b"),
    "card": Command(_card, "arg_name", "help_card", "c", needs=True),
    "log": Command(_log, "arg_number", "help_log", "l"),
    "scores": Command(_scores, "", "help_scores", "s"),
    "undo": Command(_undo, "", "help_undo", "u"),
    "save": Command(_save, "arg_file", "help_save", needs=True),
    "load": Command(_load, "arg_file", "help_load", needs=True),
    "help": Command(_help, "", "help_help", "?"),
    "quit": Command(_quit, "", "help_quit", "q"),
}
"""Name -> command."""

SHORT = {command.short: name for name, command in COMMANDS.items() if command.short} | {"h": "help"}
