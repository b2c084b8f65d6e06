"""`rulelang debug`: a game under an editor's debugger, by the Debug Adapter Protocol on stdin and stdout.

Enters: messages of the protocol (JSON behind a `Content-Length` header). Leaves: the same. What a game does under a
debugger is `rulelang.debugger`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import click

from rulelang.cli.common import guarded
from rulelang.debugger import ASKED, ENDED, Breakpoint, Debugger
from rulelang.diagnostics import RuleError, RulesetError, UsageError
from rulelang.game.ruleset import load
from rulelang.registry import registering

MOST_BYTES = 16 << 20
"""A message may be so long."""
THREAD = 1
"""The one thread that there is: the game."""

Arguments = Mapping[str, Any]
HANDLERS: dict[str, Callable[[Adapter, Arguments], Any]] = {}
"""Request -> what answers it."""


answers = registering(HANDLERS)


@click.command()
@guarded
def debug() -> int:
    """Let an editor stop, step through and go back in a game, by the Debug Adapter Protocol. An editor starts it."""
    Adapter(sys.stdin.buffer, sys.stdout.buffer).run()
    return 0


class Adapter:
    """One session.

    Attributes:
        game: the game, once it is launched. breakpoints: lines by file. shown: what `variablesReference` stands for.
        seat: whose view is shown.
    """

    def __init__(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        self._in, self._out = stdin, stdout
        self._sent = 0
        self._events: list[dict[str, Any]] = []
        self.game: Debugger | None = None
        self.breakpoints: dict[str, list[Breakpoint]] = {}
        self.shown: list[Mapping[str, Any]] = []
        self.told: int = 0
        self.seat = 0
        self.entry = True
        self.ends = False

    def run(self) -> None:
        """Answer requests until the editor disconnects."""
        while not self.ends and (request := self._read()) is not None:
            command = str(request.get("command"))
            handle = HANDLERS.get(command)
            body: Any = None
            error = f"`{command}` is not known here" if handle is None else ""
            if handle is not None:
                try:
                    body = handle(self, request.get("arguments") or {})
                except (UsageError, RulesetError, RuleError) as raised:
                    error = str(raised)
                except (KeyError, TypeError, ValueError, IndexError) as raised:
                    error = f"`{command}` was asked with arguments that do not fit: {raised}"
            told = {"message": error} if error else {"body": body} if body is not None else {}
            answer = {"type": "response", "request_seq": request.get("seq", 0), "command": command}
            self._send({**answer, "success": not error, **told})
            if not error:
                self._follow(command)
            for event in self._events:
                self._send(event)
            self._events.clear()

    def _follow(self, command: str) -> None:
        """Send what follows an answer."""
        if command == "initialize":
            self.event("initialized")
        elif command == "configurationDone" and self.game is not None:
            self.stopped(*("stopped", "entry") if self.entry else (self.game.go_on(), "breakpoint"))

    def _read(self) -> dict[str, Any] | None:
        """Read a message; None at the end of the input."""
        length = 0
        while line := self._in.readline(1024).strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length" and value.strip().isdigit():
                length = int(value)
        if not 0 < length <= MOST_BYTES:
            return None
        message = json.loads(self._in.read(length) or b"null")
        return message if isinstance(message, dict) else None

    def _send(self, message: dict[str, Any]) -> None:
        self._sent += 1
        content = json.dumps({"seq": self._sent, **message}).encode()
        self._out.write(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        self._out.flush()

    def event(self, name: str, **body: Any) -> None:
        """Send an event, behind the answer to the request that brought it about."""
        self._events.append({"type": "event", "event": name, "body": body})

    def output(self, text: str, category: str = "console") -> None:
        """Show a line of text."""
        self.event("output", category=category, output=f"{text}\n")

    def playing(self) -> Debugger:
        """Return the game.

        Raises:
            UsageError: none was launched.
        """
        if self.game is None:
            raise UsageError("no game was launched")
        return self.game

    def stopped(self, why: str, reason: str = "step") -> None:
        """Tell what has happened since the last stop, and why the game stands still."""
        game = self.playing()
        self.shown = []
        events = game.public().events()
        for event in events[self.told :]:
            self.output(str(event["text"]), "stdout")
        self.told = len(events)
        if game.error:
            self.output(game.error, "stderr")
        if game.is_cut:
            self.output("more happens up to the next choice than is kept: its last statements are not stepped through")
        if why == ENDED:
            state = game.public()
            self.output("the game is over" if not game.error else "the game can't go on")
            self.output(f"scores: {state.scores()}" if not game.error else "")
        elif why == ASKED:
            asked = game.machine.waiting(game.state)
            seat = asked.seats[0] if asked is not None else -1
            self.output(f"it is for seat {seat} to choose; type one of: {', '.join(game.offered()[:30])}")
        reason = {ASKED: "pause", ENDED: "pause"}.get(why, reason)
        text = {ASKED: "somebody chooses", ENDED: "the end"}.get(why, "")
        self.event("stopped", reason=reason, description=text or reason, threadId=THREAD, allThreadsStopped=True)

    def refer(self, values: Mapping[str, Any]) -> int:
        """Return the number under which values can be asked for until the game goes on."""
        self.shown.append(values)
        return len(self.shown)


@answers("initialize")
def _initialize(adapter: Adapter, arguments: Arguments) -> dict[str, bool]:
    able = (
        "ConfigurationDoneRequest StepBack ConditionalBreakpoints EvaluateForHovers TerminateRequest CompletionsRequest"
    )
    return {f"supports{name}": True for name in able.split()}


@answers("launch")
def _launch(adapter: Adapter, arguments: Arguments) -> None:
    """Begin a game of `program`, a ruleset: `players`, `seed`, `options`, `script`, `random`, `seat`, `stopOnEntry`."""
    adapter.game = Debugger(
        load(str(arguments["program"])),
        arguments.get("players"),
        int(arguments.get("seed", 0)),
        arguments.get("options"),
        [str(each) for each in arguments.get("script", ())],
        bool(arguments.get("random", False)),
    )
    adapter.entry = bool(arguments.get("stopOnEntry", True))
    adapter.seat = int(arguments.get("seat", 0))
    _set_all(adapter)


def _set_all(adapter: Adapter) -> None:
    if adapter.game is not None:
        adapter.game.breakpoints = [point for points in adapter.breakpoints.values() for point in points]


@answers("setBreakpoints")
def _set_breakpoints(adapter: Adapter, arguments: Arguments) -> dict[str, Any]:
    """Take the breakpoints of a file in place of those it had. A line where no statement stands is not verified."""
    path = str(arguments["source"]["path"])
    requested = arguments.get("breakpoints", [])
    adapter.breakpoints[path] = [
        Breakpoint(path, int(each["line"]), str(each.get("condition") or "")) for each in requested
    ]
    _set_all(adapter)
    lines = adapter.game.lines_of(path) if adapter.game is not None else None
    return {
        "breakpoints": [
            {"verified": lines is None or each.line in lines, "line": each.line} for each in adapter.breakpoints[path]
        ]
    }


@answers("setExceptionBreakpoints", "setFunctionBreakpoints", "configurationDone", "pause")
def _nothing(adapter: Adapter, arguments: Arguments) -> None:
    return None


@answers("threads")
def _threads(adapter: Adapter, arguments: Arguments) -> dict[str, Any]:
    return {"threads": [{"id": THREAD, "name": "the game"}]}


@answers("stackTrace")
def _stack(adapter: Adapter, arguments: Arguments) -> dict[str, Any]:
    frames = []
    for frame in adapter.playing().frames():
        site = frame.site
        place: dict[str, Any] = {"line": 0, "column": 0}
        if site is not None:
            file = Path(site.path).resolve()
            place = {"line": site.line, "column": site.column, "source": {"name": file.name, "path": str(file)}}
        frames.append({"id": frame.number, "name": frame.name, **place})
    first, most = int(arguments.get("startFrame", 0)), int(arguments.get("levels") or len(frames))
    return {"stackFrames": frames[first : first + most], "totalFrames": len(frames)}


@answers("scopes")
def _scopes(adapter: Adapter, arguments: Arguments) -> dict[str, Any]:
    """Names of the frame; the table as a seat sees it; all of it."""
    game, number = adapter.playing(), int(arguments["frameId"])
    parts: dict[str, Mapping[str, Any]] = {
        "Names": game.locals(number),
        f"As seat {adapter.seat} sees it": game.seen(adapter.seat),
        "All zones": game.whole(),
    }
    return {
        "scopes": [
            {"name": name, "variablesReference": adapter.refer(values), "expensive": name != "Names"}
            for name, values in parts.items()
        ]
    }


@answers("variables")
def _variables(adapter: Adapter, arguments: Arguments) -> dict[str, Any]:
    values = adapter.shown[int(arguments["variablesReference"]) - 1]
    shown = []
    for name, value in values.items():
        inside = value if isinstance(value, Mapping) else {}
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        shown.append({"name": name, "value": text, "variablesReference": adapter.refer(inside) if inside else 0})
    return {"variables": shown}


@answers("continue")
def _continue(adapter: Adapter, arguments: Arguments) -> dict[str, bool]:
    adapter.stopped(adapter.playing().go_on(), "breakpoint")
    return {"allThreadsContinued": True}


@answers("next")
def _next(adapter: Adapter, arguments: Arguments) -> None:
    adapter.stopped(adapter.playing().step_over())


@answers("stepIn")
def _step_in(adapter: Adapter, arguments: Arguments) -> None:
    adapter.stopped(adapter.playing().step())


@answers("stepOut")
def _step_out(adapter: Adapter, arguments: Arguments) -> None:
    adapter.stopped(adapter.playing().step_out())


@answers("stepBack")
def _step_back(adapter: Adapter, arguments: Arguments) -> None:
    moved = adapter.playing().step_back()
    adapter.stopped("stopped", "step" if moved else "entry")


@answers("reverseContinue")
def _reverse(adapter: Adapter, arguments: Arguments) -> None:
    at_breakpoint = adapter.playing().go_back()
    adapter.stopped("stopped", "breakpoint" if at_breakpoint else "entry")


@answers("evaluate")
def _evaluate(adapter: Adapter, arguments: Arguments) -> dict[str, Any]:
    """Work out an expression. At the prompt an id that is offered is chosen, `options` lists them, `why ID` says why
    something is offered or not, `seat N` shows the table as another seat sees it."""
    game, text = adapter.playing(), str(arguments["expression"]).strip()
    if arguments.get("context") == "repl":
        word, _, rest = text.partition(" ")
        if word == "options" and not rest:
            return _said("\n".join(game.offered()) or "nobody is asked")
        if word == "why" and rest:
            return _said(game.why(rest.strip()))
        if word == "seat" and rest.strip().isdigit():
            adapter.seat = int(rest)
            return _said(f"the table is shown as seat {adapter.seat} sees it")
        if game.moment is None and text in game.offered():
            game.choose(text)
            adapter.stopped(
                game.go_on() if game.breakpoints else "stopped", "breakpoint" if game.breakpoints else "step"
            )
            return _said(game.runs[-1].what)
    frame = arguments.get("frameId")
    return _said(game.evaluate(text, int(frame) if frame is not None else None))


def _said(text: str) -> dict[str, Any]:
    return {"result": text, "variablesReference": 0}


@answers("completions")
def _completions(adapter: Adapter, arguments: Arguments) -> dict[str, Any]:
    """Propose what is offered, and the names of the frame."""
    game, text = adapter.playing(), str(arguments.get("text", ""))
    offered = game.offered() if game.moment is None else []
    frame = int(arguments.get("frameId") or len(game.frames()) - 1)
    labels = [*offered, *game.locals(frame), "options", "why ", "seat "]
    return {"targets": [{"label": label} for label in labels if label.startswith(text)]}


@answers("disconnect", "terminate")
def _end(adapter: Adapter, arguments: Arguments) -> None:
    adapter.ends = True
