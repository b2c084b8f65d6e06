"""Walks a page as a reader would: every file is written, every change made, every command run, every answer compared.

Enters: a page. Leaves: the files that it says, in the working folder, and how many commands ran. In `console` blocks
`$` begins a command, `>` a line that is typed while it runs, and `...` stands for any text. A block of YAML or rules
begins with `# file: PATH` (a new file) or `# add to PATH`; a `diff` block with `# in PATH` replaces one text.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from click.testing import CliRunner

from rulelang.cli import rulelang


def walk(page: Path) -> int:
    """Does what a page says; gives the number of its commands."""
    commands = 0
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S):
        if language == "console":
            commands += run(block)
        elif language == "diff":
            change(block)
        else:
            write(block)
    return commands


def run(block: str) -> int:
    """Runs the commands of a block and compares what they print; gives how many there were."""
    commands = re.split(r"^\$ ", block, flags=re.M)[1:]
    for text in commands:
        command, *lines = text.rstrip("\n").split("\n")
        program, *arguments = shlex.split(command)
        assert program == "rulelang"
        typed = "".join(line[2:] + "\n" for line in lines if line.startswith("> "))
        expected = "\n".join(line for line in lines if not line.startswith("> "))
        done = CliRunner().invoke(rulelang, arguments, input=typed)
        assert done.exception is None or isinstance(done.exception, SystemExit), command
        pattern = re.escape(expected).replace(r"\.\.\.", r"[\s\S]*?")
        assert re.fullmatch(pattern, done.output.rstrip("\n")), f"{command} printed\n{done.output}"
    return len(commands)


def write(block: str) -> None:
    """A new file, or text at the end of one."""
    head, text = block.split("\n", 1)
    named = re.fullmatch(r"# (file:|add to) (\S+)", head)
    if named is None:
        return  # shown only
    file = Path(named[2])
    file.parent.mkdir(parents=True, exist_ok=True)
    old = file.read_text(encoding="utf-8") if named[1] == "add to" else ""
    assert old or not file.exists()
    file.write_text(f"{old.rstrip()}\n\n{text}" if old else text, encoding="utf-8")


def change(block: str) -> None:
    """One text, which stands once in its file, becomes another."""
    head, *lines = block.rstrip("\n").split("\n")
    file = Path(head.removeprefix("# in "))
    old = "\n".join(line[1:] for line in lines if line.startswith("-"))
    new = "\n".join(line[1:] for line in lines if line.startswith("+"))
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, (file, old)
    file.write_text(text.replace(old, new), encoding="utf-8")
