"""Batches of games in native code: all go on by a pick each in one call (c/batch.h).

Enters: native code of a layout; addresses of arrays; how options are spelled as picks. Leaves: `NativeBatch`, whose
arrays say after each call what can be picked, what is seen, what ended and with which payoffs. C knows the picks of
values and the payoffs of ends once Python has told them; what it gives up the interpreter does for that row alone.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import islice
from weakref import finalize

from rulelang.ir.nodes import Choose
from rulelang.native.block import COUNTS, StateBlocks
from rulelang.native.flat import BlockDecoder, FlatState, Tape, joined
from rulelang.native.frames import WordForms
from rulelang.native.machine import BATCH, NativeCode, loaded
from rulelang.native.observing import SightTables
from rulelang.native.rows import outcome_of, row_width
from rulelang.native.steps import NoMemoryError, new_machine
from rulelang.runtime.fields import SightFields
from rulelang.runtime.layout import Layout
from rulelang.runtime.picks import Ordinals, Spelling
from rulelang.runtime.relative import Relative, relative_to
from rulelang.runtime.rng import game_seed, seeded
from rulelang.runtime.state import State

READY, UNKNOWN, UNSPELLED, GIVEN_UP, BOT, UNCOUNTED = range(6)
UNPAID = 8
AGENT, RANDOM, OTHER_BOT = range(3)
"""Who plays a seat: whoever gives picks; native code, at random as `RandomAgent` does; a bot that Python asks."""
BotChooser = Callable[[int, int, int], int]
"""A row, the number of its game in the run, a seat -> the option that its bot chooses."""
ARGUMENT = 7


class BatchTables:
    """What c/batch.h reads of a layout, in the order of its tables."""

    def __init__(
        self, fields: SightFields, blocks: StateBlocks, forms: WordForms, spelling: Spelling, played: Sequence[int]
    ) -> None:
        layout = self.layout = fields.layout
        sight = self._sight = SightTables(fields, [form == COUNTS for form in blocks.forms])
        seats = [relative_to(layout, seat) for seat in range(layout.players)]
        argument_starts, arguments = self._arguments(fields, seats)
        self.tables = [
            array("i", [*table, 0])
            for table in (
                *sight.tables,
                [*fields.game_places, argument_starts[-1]],
                argument_starts,
                arguments,
                *self._decisions(forms, spelling),
                [spelling.passing, spelling.done, *spelling.rows],
                played,
            )
        ]

    def _arguments(self, fields: SightFields, seats: Sequence[Relative]) -> tuple[list[int], list[int]]:
        """Return where the arguments of each decision begin, and these for each seat."""
        layout, starts, rows = self.layout, [0], list[int]()
        for relative in seats:
            for number, decision in enumerate(layout.program.decisions):
                procedure = layout.program.procedures[decision.procedure]
                asking = (b for b in procedure.blocks if b.terminator == Choose(number))
                live = {slot for block in asking for slot in block.live}
                places = fields.argument_places[number]
                for slot in range(procedure.parameters):
                    if slot in live and procedure.local_names[slot] in places:
                        wide, at, cells = places[procedure.local_names[slot]]
                        type_ = procedure.locals[slot]
                        coding, _, values = self._sight.coding(relative, type_)
                        rows += [slot, wide, at, cells if type_.kind == "bag" else 0, coding, values, 0]
                if not relative.seat:
                    starts.append(len(rows) // ARGUMENT)
        return starts, rows

    def _decisions(self, forms: WordForms, spelling: Spelling) -> tuple[list[int], list[int]]:
        """Return of each decision where its items stand, its procedure, whether all of them have a plan; then for each
        item its own number, and the parts: manner, what is known by it, how many words follow, how many values, their
        forms, the picks of resources."""
        rows, items, known = list[int](), list[int](), dict[Hashable, int]()
        for number, decision in enumerate(self.layout.program.decisions):
            plans = [spelling.plan(number, item) for item in range(len(decision.items))]
            start = len(items)
            items += [0] * len(decision.items)
            for place, (item, plan) in enumerate(zip(decision.items, plans, strict=True)):
                items[start + place] = len(items)
                own, parts = plan or (-1, [])
                items += [own, len(parts)]
                binders = iter(item.binders)
                for manner, key, count, units in parts:
                    row = [count, *(forms.form(binder.type) for binder in islice(binders, count)), *units]
                    items += [manner, 2 + known.setdefault((manner, key), len(known)), len(row), *row]
            rows += [start, decision.procedure, int(None not in plans)]
        return rows, items


class NativeBatch:
    """Games of one layout that go on together.

    Args:
        code: native code of the layout. fields: what is seen. spelling: how options are picks.
            sizes: games, picks, 1 for what all seats see. seats: who plays each. bot: see `BotChooser`.
        arrays: the addresses of the arrays of c/batch.h but for the last: `counts`, `numbers`, `mask`, `prefix`,
            `seat`, `end`, `episode`, payoffs, `outcomes`.
        explicit: whether rows wait at chance nodes.

    Raises:
        UsageError: there is no compiler, or the program can't be written as C.
    """

    def __init__(
        self,
        code: NativeCode,
        fields: SightFields,
        spelling: Spelling,
        sizes: Sequence[int],
        seats: Sequence[int],
        bot: BotChooser,
        arrays: Sequence[int],
        explicit: bool = False,
    ) -> None:
        self.layout: Layout = code.layout
        self._interpreter, self._spelling, self._bot = code.interpreter, spelling, bot
        text, blocks, forms = code.written(BATCH)
        self._library, self._form = loaded(text), BlockDecoder(self.layout, blocks, forms)
        self._machine = new_machine(self._library, self)
        self._tables = BatchTables(fields, blocks, forms, spelling, seats)
        self._games, picks, sees_all = sizes
        self._status = (ctypes.c_uint8 * self._games)()
        self._episodes = (ctypes.c_int64 * self._games).from_address(arrays[6])
        self._outcomes = (ctypes.c_int32 * self._games).from_address(arrays[8])
        self._explicit = explicit
        self._origin = self._interpreter.new_state(0, explicit, False)
        self._unbegun = joined(*self._packed(self._origin))
        self._seed = 0
        word, pointer, library = ctypes.c_int64, ctypes.c_void_p, self._library
        library.rulelang_batch_new.restype = library.rulelang_batch_block.restype = pointer
        library.rulelang_batch_refused.restype = library.rulelang_batch_decided.restype = word
        library.rulelang_batch_decided.argtypes = [pointer]
        library.rulelang_batch_free.argtypes = [pointer]
        library.rulelang_batch_reset.argtypes = [pointer, ctypes.c_uint64]
        library.rulelang_batch_step.argtypes = library.rulelang_batch_refused.argtypes = [pointer, pointer]
        for told in (library.rulelang_batch_spell, library.rulelang_batch_learn):
            told.argtypes, told.restype = [pointer, word, word, pointer, word], word
        library.rulelang_batch_choose.argtypes = [pointer, word, word]
        library.rulelang_batch_again.argtypes, library.rulelang_batch_again.restype = [pointer, word], word
        library.rulelang_batch_ended.argtypes, library.rulelang_batch_ended.restype = [pointer, word], pointer
        library.rulelang_batch_pay.argtypes, library.rulelang_batch_pay.restype = [pointer, word, pointer], word
        library.rulelang_batch_block.argtypes = [pointer, word, pointer]
        library.rulelang_batch_enter.argtypes = [pointer, word, ctypes.c_char_p]
        library.rulelang_batch_new.argtypes = [pointer, ctypes.c_char_p, pointer, pointer, pointer]
        numbers = [self._games, self.layout.players, picks, fields.counts, fields.numbers, sees_all]
        numbers.append(isinstance(spelling, Ordinals))
        tables = [table.buffer_info()[0] for table in self._tables.tables]
        self._batch = library.rulelang_batch_new(
            self._machine,
            self._unbegun,
            (pointer * len(tables))(*tables),
            (word * len(numbers))(*numbers),
            (pointer * (len(arrays) + 1))(*arrays, ctypes.addressof(self._status)),
        )
        if not self._batch:
            raise NoMemoryError("there is not enough memory for so many games")
        finalize(self, library.rulelang_batch_free, self._batch).atexit = False

    def _packed(self, state: State) -> tuple[bytes, bytes, State]:
        """Return a state's bytes, its frames, and itself."""
        return bytes(self._form.blocks.packed(state)), self._form.forms.written(state.frames), state

    def reset(self, seed: int) -> None:
        """Begin all games: of row i the game number i of a run of this seed.

        Raises:
            RuleError: a rule went wrong.
        """
        self._seed = seed
        self._library.rulelang_batch_reset(self._batch, seeded(seed))
        self._settle()

    def refused(self, picks: int) -> int:
        """Return the first row in which a pick is not possible; -1: there is none.

        Args:
            picks: the address of an int64 for each row; -1 for none.
        """
        row: int = self._library.rulelang_batch_refused(self._batch, picks)
        return row

    def step(self, picks: int) -> None:
        """Make a pick in each row, or let an outcome come true, each of them possible; see `refused`.

        Raises:
            RuleError: a rule went wrong in a row, which then waits for nothing any more.
        """
        self._library.rulelang_batch_step(self._batch, picks)
        self._settle()

    @property
    def decisions(self) -> int:
        """How many options were chosen by picks since the batch was made."""
        number: int = self._library.rulelang_batch_decided(self._batch)
        return number

    def state(self, row: int) -> State:
        """Return the position of a row's game, without a log."""
        return self._at(row)[0]

    def _at(self, row: int) -> tuple[State, int, int]:
        """Return the position of a row's game, the option that was chosen there last (-1: it is over, and the next one
        begins), and who picks."""
        about = (ctypes.c_int64 * 3)()
        at = self._library.rulelang_batch_block(self._batch, row, about)
        block = ctypes.string_at(at, about[0]) if at else self._unbegun
        return FlatState(self._form, block, Tape(self._origin)), about[1], about[2]

    def _settle(self) -> None:
        """Do what C has left to Python."""
        while bytes(self._status).strip(bytes(1)):
            for row, status in enumerate(bytes(self._status)):
                if status & UNPAID:
                    self._pay_row(row)
                if status & ~UNPAID == GIVEN_UP:
                    self._play_row(row)
                elif status & ~UNPAID == BOT:
                    self._choose_row(row)
                elif status & ~UNPAID == UNCOUNTED:
                    self._outcomes[row] = len(self._interpreter.outcomes(self.state(row)))
                    self._status[row] -= UNCOUNTED
                elif status & ~UNPAID:
                    self._spell_row(row, status & ~UNPAID)

    def _choose_row(self, row: int) -> None:
        """Let the bot choose that is asked in a row."""
        *_, seat = self._at(row)
        self._library.rulelang_batch_choose(self._batch, row, self._bot(row, self.game_of(row), seat))

    def game_of(self, row: int) -> int:
        """Return the number in the run of the game that a row plays."""
        return row + self._episodes[row] * self._games

    def _pay_row(self, row: int) -> None:
        """Tell the payoffs of a row's game that has ended."""
        at = self._library.rulelang_batch_ended(self._batch, row)
        outcome = outcome_of(self.layout, list((ctypes.c_int64 * row_width(self.layout)).from_address(at)))
        assert outcome is not None
        payoffs = array("f", outcome.returns)
        if not self._library.rulelang_batch_pay(self._batch, row, payoffs.buffer_info()[0]):
            raise NoMemoryError("there is not enough memory for so many payoffs")

    def _spell_row(self, row: int, status: int) -> None:
        """Tell the picks of the parts of a row's options; where they hang on more, those of each option."""
        if status == UNKNOWN and self._library.rulelang_batch_again(self._batch, row):
            return  # another row has asked for the same
        state, _, seat = self._at(row)
        options, decision = self._interpreter.options(state, seat), state.pending_question()
        if status == UNKNOWN and self._told(row, self._spelling.parts(seat, decision, options)):
            return
        if not self._told(row, self._spelling.sequences(state, seat, decision, options), len(options)):
            raise NoMemoryError("there is not enough memory for so many options")

    def _told(self, row: int, sequences: Iterable[Sequence[int]], options: int = 0) -> bool:
        """Return whether sequences of a row's parts, or of its options, were what C needed."""
        words = array("i", [word for sequence in sequences for word in (len(sequence), *sequence)])
        tell = self._library.rulelang_batch_spell if options else self._library.rulelang_batch_learn
        return bool(tell(self._batch, row, options, words.buffer_info()[0], len(words)))

    def _play_row(self, row: int) -> None:
        """Let the interpreter make a step that C has given up."""
        state, chosen, seat = self._at(row)
        if chosen < 0:
            after = self._interpreter.new_state(game_seed(self._seed, self.game_of(row)), self._explicit, False)
            self._interpreter.advance(after)
        elif seat < 0:
            after = state.clone()
            self._interpreter.take_outcome(after, self._interpreter.outcomes(state)[chosen][0])
        else:
            after = state.clone()
            self._interpreter.choose(after, seat, self._interpreter.options(state, seat)[chosen])
        self._library.rulelang_batch_enter(self._batch, row, joined(*self._packed(after)))
        if self._status[row] == GIVEN_UP:
            raise NoMemoryError("native code can't go on with a game")
