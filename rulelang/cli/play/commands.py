"""The commands at the prompt of `rulelang play`.

Enters: a line, the desk where it was typed. Leaves: an action, CHANGED if the session is another one, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.table import Table

from rulelang.cli.common import read_text
from rulelang.cli.console import EscapedText
from rulelang.cli.files import write_whole
from rulelang.cli.play.card import card
from rulelang.cli.play.options import LEAVE
from rulelang.cli.play.rules import INDENT, rule_text, rules_page
from rulelang.cli.play.saves import free_name, read_save, save_text
from rulelang.cli.play.sheet import score_sheet
from rulelang.cli.play.terminal import InputEnded
from rulelang.diagnostics import IllegalAction, RulesetError, SaveError, UsageError, nearest
from rulelang.game import Action
from rulelang.languages import folded
from rulelang.record import CHANCE, MOVED, SHOWN
from rulelang.search import Searcher
from rulelang.search.options import MOST_ITERATIONS
from rulelang.session import Undo
from rulelang.table.facts import cited
from rulelang.table.recent_events import in_words
from rulelang.table.sheet import sheet, source
from rulelang.words.phrases import capital
from rulelang.words.search import holding
from rulelang.words.terminal import spoken

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


Run = Callable[["Desk", str], Result]


@cache
def called() -> dict[str, dict[str, str]]:
    """Return what is typed for commands: language -> folded name -> command."""
    return {
        lang: {folded(name): command for command, names in texts.commands.items() for name in names}
        for lang, texts in spoken().items()
    }


def meant(desk: Desk, line: str) -> tuple[str, str]:
    """Return the command that a line begins with and the rest of the line; an empty command for none.

    What another language calls a command is one only if no option has these words.
    """
    word, _, rest = line.partition(" ")
    own = called()[desk.texts.lang].get(folded(word), "")
    command = own or next((names[folded(word)] for names in called().values() if folded(word) in names), "")
    is_whole = own and (rest or own not in NEEDING)
    if command and not is_whole and (desk.options.called(line) or (not own and desk.options.found(line))):
        command = ""
    return (command, rest.strip()) if command else ("", line)


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
    command, rest = meant(desk, line)
    return COMMANDS[command](desk, rest) if command else _choose_words(desk, line)


# ---- choosing


def _choose_number(desk: Desk, line: str) -> Result:
    """Choose the option with a number."""
    option = desk.options.numbered(int(line)) if len(line) <= MAX_DIGITS else None
    if option is not None:
        return option.action
    return _no_number(desk, line)


def _no_number(desk: Desk, number: str) -> Result:
    """Say that there is no option with this number."""
    options = desk.options
    text = "no_number" if options.last > options.first else "no_other_number"
    return _print_text(desk, text, number=number[:MAX_DIGITS], first=options.first, count=options.last)


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
        _print_text(desk, "not_found", words=words, count=len(desk.options))
        near = called()[desk.texts.lang].get(nearest(folded(words.split()[0]), called()[desk.texts.lang]))
        return _print_text(desk, "meant", command=desk.texts.commands[near][0]) if near else None
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
    seen = desk.seen()
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
        action = match.action
        rule = rule_text(desk.names, action.data["rule"])
        if rule:
            desk.terminal.show(Padding(EscapedText(rule), INDENT))
        if desk.cites:
            where = _source_rows(desk, action.data["rule"], action.file, action.line, action.cites)
            _show_rows(desk, [("id", action.id), *where])
    for refusal in refused[:LAST]:
        desk.terminal.say(desk.texts("why_refused", option=capital(refusal["text"])), "red")
        desk.terminal.say(f"  {capital(refusal['missing'])}")
        if desk.cites:
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
        grid.add_row(EscapedText(f"  {desk.texts(name)}", "dim"), EscapedText(text))
    desk.terminal.show(grid)


def _card(desk: Desk, words: str) -> Result:
    """Show the card of a piece."""
    if not words:
        return _needs(desk, "card")
    desk.terminal.show(card(desk.session.state.ruleset, desk.names, words, desk.cites))
    return None


def _rules(desk: Desk, words: str) -> Result:
    """Show what the game is about and its rules in words; with words, the rules and cards that they name."""
    desk.terminal.show(rules_page(desk.session.state.ruleset, desk.names, words, desk.cites))
    return None


def _log(desk: Desk, words: str) -> Result:
    """Show the last events; by default at least those since the seat's last decision."""
    new = len(desk.session.story(desk.seat, desk.since_choice(desk.seat), desk.lang))
    last = int(words) if words.isdecimal() and len(words) <= MAX_DIGITS else max(LAST, new)
    events = desk.session.story(desk.seat, 0, desk.lang)
    if not events:
        return _print_text(desk, "no_log")
    for event in events[-last:] if last else []:
        where = f"  {source(event['file'], event['line'], event['cites'])}" if event["rule"] and desk.cites else ""
        desk.terminal.show(EscapedText.assemble(in_words(event), (where, "dim")))
    return None


def _scores(desk: Desk, _: str) -> Result:
    """Show the score sheet."""
    state = desk.session.state
    scores = sheet(state, desk.seat)
    desk.terminal.show(score_sheet(scores, desk.names, desk.terminal.width, desk.cites))
    if scores.rows:
        desk.terminal.say(desk.texts("so_far"), "dim")
    return None


# ---- the session


def _hint(desk: Desk, words: str) -> Result:
    """Show the best options with their rules, by a search that knows what the seat knows; `words`: iterations."""
    count = int(words) if words.isdecimal() and len(words) <= MAX_DIGITS else HINT
    searcher = Searcher(max(min(count, MOST_ITERATIONS), 1), desk.session.state.decisions, desk.seat)
    desk.wait("hint_thinks")
    result = searcher.search(desk.session.state, desk.seat, LINE)
    number_of = {option.action.id: option.number for option in desk.options.all}
    for move in result.moves[:BEST]:
        share = round(100 * move.visits / max(result.iterations, 1))
        option, value = capital(move.action.text(desk.lang)), round(100 * move.value)
        _print_text(desk, "hint", number=number_of[move.action.id], option=option, share=share, value=value)
        if desk.cites:
            action = move.action
            _show_rows(desk, _source_rows(desk, action.data["rule"], action.file, action.line, action.cites))
    if len(result.expected) > 1:
        line = "; ".join(
            desk.names.labelled(desk.names.party(action.seat or 0), action.text(desk.lang))
            for action in result.expected
        )
        desk.terminal.say(desk.texts("hint_line", line=line), "dim")
    return _print_text(desk, "hint_from", count=result.iterations)


def _cite(desk: Desk, words: str) -> Result:
    """Execute a command that shows something, with its places in the rules and the rulebook; of other words, `why`."""
    command, rest = meant(desk, words)
    desk.cites = True
    try:
        return COMMANDS[command](desk, rest) if command in CITING else _why(desk, words)
    finally:
        desk.cites = False


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
        return _needs(desk, "save")
    file = Path(words)
    if file.is_file() and '"rulelang_save"' not in read_text(file)[:100]:
        return _print_text(desk, "not_over_it", file=file)
    write_whole(file, save_text(desk.session))
    desk.session.file = words
    return _print_text(desk, "saved", file=file)


def _load(desk: Desk, words: str) -> Result:
    """Continue a saved game."""
    if not words:
        return _needs(desk, "load")
    session = read_save(read_text(Path(words)), desk.session.state.ruleset)
    session.file = words
    desk.take(session)
    _print_text(desk, "loaded", file=words, count=len(session.moments))
    return CHANGED


def _help(desk: Desk, _: str) -> Result:
    """Show the list of commands."""
    rows = [(f"1, 2, … / {desk.texts('arg_words')}", desk.texts("help_choose"))]
    rows.append((str(LEAVE), desk.texts("help_leave")))
    for command in COMMANDS:
        name, *others = desk.texts.commands[command]
        argument = f" [{desk.texts(ARGUMENTS[command])}]" if command in ARGUMENTS else ""
        also = f" ({', '.join(others)})" if others else ""
        rows.append((f"{name}{argument}{also}", desk.texts(f"help_{command}")))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold")
    for left, right in rows:
        grid.add_row(EscapedText(left), EscapedText(right))
    desk.terminal.show(grid)
    desk.terminal.say(desk.texts("help_also"), "dim")
    return None


def _quit(desk: Desk, _: str) -> Result:
    """Save the game in its file and end, after confirmation; at the end of the input, end."""
    file = desk.session.file or free_name(desk.session.state.ruleset.name)
    desk.terminal.say(desk.texts("quit_asks", file=file))
    try:
        answer = desk.terminal.ask(desk.texts("undo_prompt"))
    except InputEnded:
        raise Stopped from None
    if folded(answer) not in desk.texts("yes").split():
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


def _needs(desk: Desk, command: str) -> Result:
    """Say that a command needs an argument."""
    name = desk.texts.commands[command][0]
    example = f"{name} {desk.texts(ARGUMENTS[command])}"
    return _print_text(desk, "needs", command=name, what=desk.texts(NEEDING[command]), example=example)


COMMANDS: dict[str, Run] = {
    "options": _options,
    "more": _more,
    "why": _why,
    "hint": _hint,
    "board": _board,
    "card": _card,
    "rules": _rules,
    "log": _log,
    "scores": _scores,
    "cite": _cite,
    "undo": _undo,
    "save": _save,
    "load": _load,
    "help": _help,
    "quit": _quit,
}
"""What a command does, in the order of the help; what it is called stands in the texts of each language."""
NEEDING = {"card": "needs_words", "save": "needs_file", "load": "needs_file"}
"""Commands that need an argument -> what that is."""
ARGUMENTS = {
    "options": "arg_words",
    "why": "arg_words",
    "hint": "arg_number",
    "board": "arg_words",
    "card": "arg_name",
    "rules": "arg_words",
    "log": "arg_number",
    "cite": "arg_command",
    "save": "arg_file",
    "load": "arg_file",
}
"""Commands that take an argument -> what the help calls it."""
CITING = ("why", "hint", "card", "rules", "log", "scores")
"""Commands that tell what has a place in the rules."""
