"""States between two steps of native code: one block of bytes, which nobody changes, so that a copy is the same object.

Enters: the block, the frames and what is asked there, as c/steps.h gives them. Leaves: `FlatState`, which can be read
like any other state: what Python's form has is made when it is first read, and the log, which native code does not
write, by letting Python take the same steps.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, Protocol

from rulelang.runtime.state import Frame, State
from rulelang.runtime.waiting import Waiting

NUMBERS = ("rng", "over", "winners", "out", "deferred", "decisions", "turns")
"""What a block begins with."""
_numbers = struct.Struct("<Q6q")
_capped = struct.Struct("<q")

Told = tuple[int, int, bytes]
"""Of a node: how many options or outcomes it has (of several seats the first one's), how many words those take that are
listed (-1: they are not), the words and their parts."""


Step = Callable[[State], None]
"""Something that leads from a state to the next one: it is done to a state of Python's."""


def capped(block: bytes) -> bool:
    """Return whether `limits` ended the game."""
    return bool(_capped.unpack_from(block, _numbers.size)[0])


class Story:
    """How a state was reached: from an earlier story by a step, or from a state that has its log.

    Attributes:
        length: how many steps there were.
    """

    __slots__ = ("_origin", "_step", "length")

    def __init__(self, origin: Story | State, step: Step = lambda _: None) -> None:
        self._origin, self._step = origin, step
        self.length: int = origin.length + 1 if isinstance(origin, Story) else 0

    def told(self) -> State:
        """Return the state in Python's form, with its log; not to be changed."""
        if isinstance(self._origin, State):
            return self._origin
        steps: list[Step] = []
        origin: Story | State = self
        while isinstance(origin, Story):
            steps.append(origin._step)
            origin = origin._origin
        state = origin.clone()
        for step in reversed(steps):
            step(state)
        self._origin, self._step = state, lambda _: None
        return state


class Form(Protocol):
    """The decoder of blocks and frames."""

    def unpack(self, block: bytes, frames: bytes, state: State) -> None:
        """Set a state, all but its layout, log and fuel, to what they say."""

    def read_frames(self, frames: bytes) -> list[Frame]:
        """Decode the frames alone."""


class FlatState(State):
    """A state that native code left, or will go on from.

    Attributes:
        block, words: the state and its frames as native code has them.
        asked: what native code told of the node; None where it did not.
        story: how it was reached.
        waiting: what the state waits for; None if the game is over.
    """

    __slots__ = ("_form", "asked", "block", "story", "waiting", "words")

    def __init__(  # not State's: what that sets is made when it is wanted
        self, form: Form, like: State, block: bytes, words: bytes, story: Story, waiting: Waiting | None
    ) -> None:
        self._form = form
        self.layout = like.layout
        self.explicit = like.explicit
        self.logging = like.logging
        self.fuel = like.layout.program.fuel
        self.block = block
        self.words = words
        self.story = story
        self.waiting = waiting
        self.asked: Told | None = None

    def __getattr__(self, name: str) -> Any:
        """Decode the block when an attribute is first read: only called for attributes that are not set."""
        if name == "log":
            self.log = self.story.told().log
        elif name in NUMBERS:
            for number, value in zip(NUMBERS, _numbers.unpack_from(self.block), strict=True):
                setattr(self, number, value)
        elif name == "frames":
            self.frames = self._form.read_frames(self.words)
        elif name in State.__slots__:
            self._form.unpack(self.block, self.words, self)
        else:
            raise AttributeError(name)
        return object.__getattribute__(self, name)
