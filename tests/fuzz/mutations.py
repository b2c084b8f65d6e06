"""Changes to texts, bytes and documents, the same for the same generator.

Enters: what is sound. Leaves: what may be none any more.
"""

from __future__ import annotations

import re
from random import Random
from typing import Any

SPLINTERS = (
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"&a ",
    b"*a",
    b"? ",
    b"--- ",
    b"<<: ",
    b"!!python/name:os ",
    b"\x1b]0;x\x07",
    b"*/",
    b"9" * 30,
)
TOKEN = re.compile(r"\w+|:=|[-+!<>]=|->|\.\.|\n *|.")
WORD = re.compile(r"\w")
ODD = (
    "none",
    "[]",
    "[none]",
    "([] + [])",
    "(none if true else none)",
    "(none otherwise 1)",
    "([] = [])",
    "you",
    "it",
    "players",
    "-1",
    "99999999999999999999",
    "(choose one of players)",
    "(choose 2 of players)",
    "(roll 6 to 1)",
    "(random one of players)",
    "(players grouped by seat)",
    "(players with most it.seat)",
    "(top 2 of players)",
    "seat(0)",
    "seat(9)",
    "sum([])",
    "max(players.seat)",
    "count(players)",
    "(together choose a number from 0 to 2)",
    "{1: 2} at 3",
    "1 any base",
    "all",
    "owner",
    "nobody",
    "bag of player",
    '"Card?"',
)
VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    3,
    10**40,
    1e300,
    "",
    "x",
    "\x1b[2J",
    "\u202e",
    [],
    {},
    [[]],
    1 << 62,
    "../../etc/passwd",
)


def mutated(text: str, random: Random, odd: tuple[str, ...] = ODD) -> str:
    """Return the text with one to three tokens deleted, doubled, exchanged or replaced."""
    tokens = TOKEN.findall(text)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        at, other = random.randrange(len(tokens)), random.randrange(len(tokens))
        words = [number for number, token in enumerate(tokens) if WORD.match(token)]
        change = random.randrange(6)
        if change == 0:
            tokens[at] = ""
        elif change == 1:
            tokens[at] *= 2
        elif change == 2:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif change == 3 and words:
            tokens[random.choice(words)] = tokens[random.choice(words)]
        elif words:
            tokens[random.choice(words)] = random.choice(odd)
    return "".join(tokens)


def scrambled(data: bytes, random: Random) -> bytes:
    """Return the bytes with some of them changed, lost, doubled or put elsewhere."""
    bytes_ = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 9))):
        at, to = sorted((random.randrange(len(bytes_)), random.randrange(len(bytes_))))
        change = random.randrange(6)
        if change == 0:
            bytes_[at] ^= 1 << random.randrange(8)
        elif change == 1:
            bytes_[at:to] = b""
        elif change == 2:
            bytes_[at:at] = bytes_[at : at + 40] * random.choice((1, 3, 30))
        elif change == 3:
            bytes_[at] = random.choice(b"\0\t\n\r:{}[]&*!|>%@`'\"#-")
        elif change == 4:
            bytes_[at:at] = random.choice(SPLINTERS)
        else:
            bytes_[at : at + 1] = bytes([random.randrange(256)])
        if not bytes_:
            break
    return bytes(bytes_)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths to all values of a JSON document."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, part in parts for place in paths(part, (*path, key)))]


def mutate_document(document: dict[str, Any], random: Random) -> None:
    """Change one value of a JSON document."""
    *steps, last = random.choice(paths(document)[1:])
    holder: Any = document
    for step in steps:
        holder = holder[step]
    old = holder[last]
    if type(old) is int and random.random() < 0.7:
        holder[last] = old + random.choice((-2, -1, 1, 2, 5, 100))
    elif isinstance(old, list) and old:
        choice = random.randrange(4)
        if choice == 0:
            del old[random.randrange(len(old))]
        elif choice == 1:
            old.append(random.choice(old))
        elif choice == 2:
            old.extend(old * random.choice((1, 20)))
        else:
            random.shuffle(old)
    else:
        holder[last] = random.choice(VALUES)
