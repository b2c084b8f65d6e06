"""`rulelang debug`: a game under an editor's debugger, by the Debug Adapter Protocol on stdin and stdout.

Enters: messages of the protocol (JSON behind a `Content-Length` header). Leaves: the same. What a game does under a
debugger is `rulelang.debugger`.
"""

from __future__ import annotations

import json
import queue
import sys
import threading
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import click

from rulelang.cli.common import guarded
from rulelang.debugger import ASKED, ENDED, PAUSED, STOPPED, Breakpoint, Debugger
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
    # Without a buffer, whose lock Python could not get at its end while the thread that reads waits.
    with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as stdin:
        Adapter(stdin, sys.stdout.buffer).run()
    return 0


class Adapter:
    """One session.

    Attributes:
        game: the game, once it is launched. breakpoints: by file, as they were asked for, with their numbers. shown:
            what `variablesReference` stands for. seat: whose view is shown. launched: with which arguments.
    """

    def __init__(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        self._in, self._out = stdin, stdout
        self._sent = 0
        self._events: list[dict[str, Any]] = []
        self._requests: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._then: Callable[[], None] | None = None
        self.game: Debugger | None = None
        self.launched: Arguments = {}
        self.breakpoints: dict[str, list[tuple[int, Breakpoint]]] = {}
        self.numbered = 0
        self.shown: list[Mapping[str, Any]] = []
        self.told: int = 0
        self.seat = 0
        self.entry = True
        self.ends = False

    def run(self) -> None:
        """Answer requests until the editor disconnects."""
        threading.Thread(target=self._listen, daemon=True).start()
        while not self.ends and (request := self._requests.get()) is not None:
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
            self._tell()
            then, self._then = self._then, None
            if then is not None:
                try:
                    then()
                except (UsageError, RuleError) as raised:
                    self.output(str(raised), "stderr")
                    self.stopped(STOPPED)
                self._tell()

    def then(self, act: Callable[[], None]) -> None:
        """Do something once the request is answered: what may take long, or tells of where the game stands then."""
        self._then = act

    def _listen(self) -> None:
        """Read requests while the game runs, so that it can be paused."""
        while (request := self._read()) is not None:
            self._requests.put(request)
        self._requests.put(None)

    def interrupted(self) -> bool:
        """Return whether the next request is to stop a game that runs."""
        with self._requests.mutex:
            following = self._requests.queue[0] if self._requests.queue else {}
        return following is None or following.get("command") in ("pause", "terminate", "disconnect")

    def _tell(self) -> None:
        for event in self._events:
            self._send(event)
        self._events.clear()

    def _read(self) -> dict[str, Any] | None:
        """Read a message; None at the end of the input."""
        length = 0
        while line := self._in.readline(1024).strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length" and value.strip().isdigit():
                length = int(value)
        if not 0 < length <= MOST_BYTES:
            return None
        content = b""
        while len(content) < length and (part := self._in.read(length - len(content))):
            content += part
        message = json.loads(content or b"null")
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
        for complaint in (game.error, game.complaint):
            if complaint:
                self.output(complaint, "stderr")
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
        elif why == PAUSED:
            self.output("paused")
        reason = "exception" if game.error else {ASKED: "pause", ENDED: "pause", PAUSED: "pause"}.get(why, reason)
        text = game.error or {ASKED: "somebody chooses", ENDED: "the end"}.get(why, reason)
        self.event("stopped", reason=reason, description=text, threadId=THREAD, allThreadsStopped=True)

    def refer(self, values: Mapping[str, Any]) -> int:
        """Return the number under which values can be asked for until the game goes on."""
        self.shown.append(values)
        return len(self.shown)


@answers("initialize")
def _initialize(adapter: Adapter, arguments: Arguments) -> dict[str, bool]:
    able = (
        "ConfigurationDoneRequest StepBack ConditionalBreakpoints EvaluateForHovers TerminateRequest "
        "CompletionsRequest RestartRequest BreakpointLocationsRequest"
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
    adapter.game.interrupted = adapter.interrupted
    adapter.launched, adapter.told = arguments, 0
    adapter.entry = bool(arguments.get("stopOnEntry", True))
    adapter.seat = int(arguments.get("seat", 0))
    adapter.then(lambda: adapter.event("initialized"))
    for path in adapter.breakpoints:  # those that were set before there was a game to look for their lines in
        for told in _placed(adapter, path):
            adapter.event("breakpoint", reason="changed", breakpoint=told)


@answers("configurationDone")
def _configured(adapter: Adapter, arguments: Arguments) -> None:
    """Begin to run."""
    adapter.then(lambda: _begin(adapter))


def _begin(adapter: Adapter) -> None:
    if adapter.game is not None:
        adapter.stopped(*(("stopped", "entry") if adapter.entry else (adapter.game.go_on(), "breakpoint")))


@answers("restart")
def _restart(adapter: Adapter, arguments: Arguments) -> None:
    """Read the ruleset again, and begin anew, with the arguments that came last."""
    adapter.playing()
    _launch(adapter, arguments.get("arguments") or adapter.launched)
    adapter.then(lambda: _begin(adapter))


@answers("setBreakpoints")
def _set_breakpoints(adapter: Adapter, arguments: Arguments) -> dict[str, Any]:
    """Take the breakpoints of a file in place of those it had. One at a line where no statement stands moves to the
    next one; behind the last it is not verified."""
    path = str(arguments["source"]["path"])
    adapter.breakpoints[path] = []
    for each in arguments.get("breakpoints", []):
        adapter.numbered += 1
        point = Breakpoint(path, int(each["line"]), str(each.get("condition") or ""))
        adapter.breakpoints[path].append((adapter.numbered, point))
    return {"breakpoints": _placed(adapter, path)}


def _placed(adapter: Adapter, path: str) -> list[dict[str, Any]]:
    """Give the game its breakpoints, and return where those of a file stand."""
    game = adapter.game
    if game is None:
        points = adapter.breakpoints[path]
        return [{"id": number, "verified": False, "line": point.line} for number, point in points]
    placed: dict[int, Breakpoint] = {}
    for file, points in adapter.breakpoints.items():
        lines = sorted(game.lines_of(file))
        for number, point in points:
            place = bisect_left(lines, point.line)
            if place < len(lines):
                placed[number] = replace(point, line=lines[place])
    game.breakpoints = [*placed.values()]
    return [
        {"id": number, "verified": number in placed, "line": placed.get(number, point).line}
        for number, point in adapter.breakpoints[path]
    ]


@answers("breakpointLocations")
def _locations(adapter: Adapter, arguments: Arguments) -> dict[str, Any]:
    """List the lines of a stretch at which statements stand."""
    first = int(arguments["line"])
    lines = adapter.game.lines_of(str(arguments["source"]["path"])) if adapter.game is not None else set()
    inside = sorted(lines & {*range(first, int(arguments.get("endLine", first)) + 1)})
    return {"breakpoints": [{"line": line} for line in inside]}


@answers("setExceptionBreakpoints", "setFunctionBreakpoints")
def _no_breakpoints(adapter: Adapter, arguments: Arguments) -> dict[str, Any]:
    return {"breakpoints": []}


@answers("pause")
def _pause(adapter: Adapter, arguments: Arguments) -> None:
    """A game that ran has stopped by now."""


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
    game = adapter.playing()
    adapter.then(lambda: adapter.stopped(game.go_on(), "breakpoint"))
    return {"allThreadsContinued": True}


@answers("next")
def _next(adapter: Adapter, arguments: Arguments) -> None:
    game = adapter.playing()
    adapter.then(lambda: adapter.stopped(game.step_over()))


@answers("stepIn")
def _step_in(adapter: Adapter, arguments: Arguments) -> None:
    game = adapter.playing()
    adapter.then(lambda: adapter.stopped(game.step()))


@answers("stepOut")
def _step_out(adapter: Adapter, arguments: Arguments) -> None:
    game = adapter.playing()
    adapter.then(lambda: adapter.stopped(game.step_out()))


@answers("stepBack")
def _step_back(adapter: Adapter, arguments: Arguments) -> None:
    game = adapter.playing()
    adapter.then(lambda: adapter.stopped(STOPPED, "step" if game.step_back() else "entry"))


@answers("reverseContinue")
def _reverse(adapter: Adapter, arguments: Arguments) -> None:
    game = adapter.playing()
    adapter.then(lambda: adapter.stopped(STOPPED, "breakpoint" if game.go_back() else "entry"))


@answers("evaluate")
def _evaluate(adapter: Adapter, arguments: Arguments) -> dict[str, Any]:
    """Work out an expression, or at the prompt carry out a command or choose an id that is offered."""
    game, text = adapter.playing(), str(arguments["expression"]).strip()
    if arguments.get("context") == "repl":
        word, _, rest = text.partition(" ")
        if word in COMMANDS and bool(rest.strip()) == COMMANDS[word][0]:
            return _said(COMMANDS[word][1](adapter, game, rest.strip()))
        if game.moment is None and text in game.offered():
            game.choose(text)
            adapter.then(
                lambda: adapter.stopped(
                    game.go_on() if game.breakpoints else STOPPED, "breakpoint" if game.breakpoints else "step"
                )
            )
            return _said(game.runs[-1].what)
    frame = arguments.get("frameId")
    return _said(game.evaluate(text, int(frame) if frame is not None else None))


def _see_as(adapter: Adapter, game: Debugger, rest: str) -> str:
    if not rest.isdigit() or int(rest) >= game.public().players:
        raise UsageError(f"there is no seat {rest}")
    adapter.seat = int(rest)
    return f"the table is shown as seat {adapter.seat} sees it"


def _to_decision(adapter: Adapter, game: Debugger, rest: str) -> str:
    adapter.then(lambda: adapter.stopped(game.to_decision(), "breakpoint"))
    return "to the next choice"


def _back_to_decision(adapter: Adapter, game: Debugger, rest: str) -> str:
    game.go_to(game.run_number - 1 if game.moment is not None or game.run_number else 0)
    adapter.then(lambda: adapter.stopped(ASKED))
    return "back to the choice before"


COMMANDS: dict[str, tuple[bool, Callable[[Adapter, Debugger, str], str]]] = {
    "options": (False, lambda adapter, game, rest: "\n".join(game.offered()) or "nobody is asked"),
    "why": (True, lambda adapter, game, rest: game.why(rest)),
    "seat": (True, _see_as),
    "decision": (False, _to_decision),
    "back": (False, _back_to_decision),
    "scenario": (True, lambda adapter, game, rest: game.scenario(rest)),
}
"""What can be typed at the prompt beside expressions and ids: whether more follows, and what it does: list what is
offered, say why something is or is not, look as another seat, run to the next choice, go back to the one before, write
the present position as a scenario of a name."""


def _said(text: str) -> dict[str, Any]:
    return {"result": text, "variablesReference": 0}


@answers("completions")
def _completions(adapter: Adapter, arguments: Arguments) -> dict[str, Any]:
    """Propose what is offered, and the names of the frame."""
    game, text = adapter.playing(), str(arguments.get("text", ""))
    offered = game.offered() if game.moment is None else []
    frame = int(arguments.get("frameId") or len(game.frames()) - 1)
    commands = (f"{word} " if more else word for word, (more, _) in COMMANDS.items())
    labels = [*offered, *game.locals(frame), *commands]
    return {"targets": [{"label": label} for label in labels if label.startswith(text)]}


@answers("terminate")
def _terminate(adapter: Adapter, arguments: Arguments) -> None:
    """End the game; the editor disconnects then."""
    adapter.game = None
    adapter.then(lambda: adapter.event("terminated"))


@answers("disconnect")
def _disconnect(adapter: Adapter, arguments: Arguments) -> None:
    adapter.ends = True
