/* Single steps on Python's own objects, without its headers: Python says where its functions and objects are, and where the
   slots of instances lie (rulelang/native/objects.py). Each function is called with Python's lock held. What may run other
   code of Python (a collection, a class that is called) is only done when nothing of the machine is needed any more. */

typedef struct Object Object;

static struct {
    Object *(*PyBytes_FromStringAndSize)(const char *, ptrdiff_t);
    char *(*PyBytes_AsString)(Object *);
    Object *(*PyByteArray_FromStringAndSize)(const char *, ptrdiff_t);
    char *(*PyByteArray_AsString)(Object *);
    ptrdiff_t (*PyByteArray_Size)(Object *);
    int (*PyByteArray_Resize)(Object *, ptrdiff_t);
    long long (*PyLong_AsLongLong)(Object *);
    unsigned long long (*PyLong_AsUnsignedLongLongMask)(Object *);
    Object *(*PyLong_FromLongLong)(long long);
    Object *(*PyType_GenericAlloc)(Object *, ptrdiff_t);
    Object *(*PyObject_Vectorcall)(Object *, Object *const *, size_t, Object *);
    Object *(*PyDict_New)(void);
    ptrdiff_t (*PyList_Size)(Object *);
    Object *(*PyList_GetItem)(Object *, ptrdiff_t);
    int (*PyList_SetSlice)(Object *, ptrdiff_t, ptrdiff_t, Object *);
    ptrdiff_t (*PyTuple_Size)(Object *);
    void (*Py_IncRef)(Object *);
    void (*Py_DecRef)(Object *);
    void (*PyErr_Clear)(void);
    Object *(*PyErr_Occurred)(void);
} py;

/* Slots, by class; where an object has its class. */
enum { FlatState_block, FlatState_tape, FlatState__form, Tape_origin, Tape_words, Tape_choices, Tape_logs,
       State_ruleset, State_names, State_first, State__executor, State__asker, State__readings,
       State__block, State__tape, State__at, State__now, State__pending, State__offered, Asker_executor, Asker_lexicon,
       Actions_game, Actions_at, Actions_tape, Actions_seat, Action_source, Action_place, object_class,
       SLOT_COUNT };
static ptrdiff_t offsets[SLOT_COUNT];

/* Classes; how many None stand for so many actions; what does in Python what a method does here. */
enum { None, True, False, Int, FlatState, Tape, Action, Actions, UnreadActions, Unread, Asker, Placeholders, OBJECT_COUNT };
enum { IsTerminal, LegalActions, Apply, Begin, GetItem, METHOD_COUNT };
static Object *objects[OBJECT_COUNT], *in_python[METHOD_COUNT];

/* The most events of a log and the most listed options of a game for which Python need not be asked. */
static W most_events, most_options;
static Machine *the_machine;

/* Before the first step, and again when the classes of games are known. */
EXPORTED void rulelang_objects(void *const *functions, Object *const *known, Object *const *methods, const ptrdiff_t *places,
                               Machine *machine) {
    memcpy(&py, functions, sizeof py);
    memcpy(objects, known, sizeof objects);
    memcpy(in_python, methods, sizeof in_python);
    memcpy(offsets, places, sizeof offsets);
    the_machine = machine;
}

EXPORTED void rulelang_limits(W events, W options) {
    most_events = events;
    most_options = options;
}

static inline Object **slot(Object *object, W which) { return (Object **)(void *)((char *)object + offsets[which]); }
static inline Object *class_of(Object *object) { return *slot(object, object_class); }
static inline Object *kept(Object *object) { return py.Py_IncRef(object), object; }
static inline void put(Object *object, W which, Object *value) {
    Object **const at = slot(object, which), *const before = *at;
    *at = value;
    py.Py_DecRef(before);
}
static inline const State *position_of(Object *block) { return (const State *)(const void *)py.PyBytes_AsString(block); }

/* Whether an object is a number from 0 on; the number. */
static inline bool is_number(Object *object, W *number) {
    if (class_of(object) != objects[Int]) return false;
    *number = py.PyLong_AsLongLong(object);
    if (*number < 0) py.PyErr_Clear();
    return *number >= 0;
}

/* ---- the tape: how much was told before it began, how many words follow, then of each step: how many (less than 0: what
   was chosen is told elsewhere), how many of events, these, those of their parts. */

enum { TAPE_START, TAPE_USED, TAPE_STEPS, TAPE_ROOM = 4 };

static void write_events(const Step *s, W sign, W *to) {
    *to++ = sign * (2 + s->logged + s->log_parts.used);
    *to++ = s->logged;
    to = copied_words(to, s->log, s->logged);
    copied_words(to, s->log_parts.words, s->log_parts.used);
}

static inline W *words_of(Object *text) { return (W *)(void *)py.PyByteArray_AsString(text); }

/* The tape that goes on behind so much of one with the events of this step: the same, or another one. */
static Object *tape_after(Object *tape, W length, W sign) {
    const Step *const s = &the_machine->game.step;
    const W words = 2 + s->logged + s->log_parts.used;
    Object *text = *slot(tape, Tape_words);
    W *to = words_of(text);
    const W before = length - to[TAPE_START], behind = to[TAPE_USED] - before;
    const W *const there = to + TAPE_STEPS + before;
    if (sign > 0 && behind >= words && there[0] == words && there[1] == s->logged
        && !memcmp(there + 2, s->log, (size_t)s->logged * sizeof(W))
        && !memcmp(there + 2 + s->logged, s->log_parts.words, (size_t)s->log_parts.used * sizeof(W)))
        return kept(tape);
    if (!behind) {
        const W needed = TAPE_STEPS + before + words;
        if (needed * (W)sizeof(W) > py.PyByteArray_Size(text)) {
            if (py.PyByteArray_Resize(text, 2 * needed * (ptrdiff_t)sizeof(W))) return NULL;
            to = words_of(text);
        }
        BUFFER(to, needed * sizeof(W));
        to[TAPE_USED] += words;
        write_events(s, sign, to + TAPE_STEPS + before);
        return kept(tape);
    }
    const W room = TAPE_STEPS + TAPE_ROOM * words;
    text = py.PyByteArray_FromStringAndSize(NULL, room * (ptrdiff_t)sizeof(W));
    if (text == NULL) return NULL;
    to = words_of(text);
    BUFFER(to, room * sizeof(W));
    to[TAPE_START] = length;
    to[TAPE_USED] = words;
    write_events(s, sign, to + TAPE_STEPS);
    Object *const choices = py.PyDict_New(), *const logs = py.PyDict_New();
    Object *const result = choices != NULL && logs != NULL ? py.PyType_GenericAlloc(objects[Tape], 0) : NULL;
    if (result == NULL) return py.Py_DecRef(choices), py.Py_DecRef(logs), py.Py_DecRef(text), NULL;
    *slot(result, Tape_origin) = kept(tape);
    *slot(result, Tape_words) = text;
    *slot(result, Tape_choices) = choices;
    *slot(result, Tape_logs) = logs;
    return result;
}

/* ---- steps */

typedef struct { Object *block, *tape; } Position;

/* The position after a step (see `stepped`), whose references are the caller's; none if it fails, or Python has no memory.
   `by_number`: what is chosen was not listed, so that it is not told. */
static Position position_after(Object *block, Object *tape, W choice, W chooser, bool by_number, const U *rng) {
    kept(block), kept(tape); /* whatever Python does meanwhile */
    const W *const from = told_of(position_of(block));
    stepped(the_machine, position_of(block), choice, chooser, rng);
    const G *const g = &the_machine->game;
    const Step *const s = &g->step;
    const size_t size = sizeof(State) + (size_t)words_told(s) * sizeof(W);
    Position result = {g->status == FAILED ? NULL : py.PyBytes_FromStringAndSize(NULL, (ptrdiff_t)size), NULL};
    if (result.block != NULL) {
        State *const to = (State *)(void *)py.PyBytes_AsString(result.block);
        BUFFER(to, size);
        const bool is_told = s->logged || by_number;
        const W length = from[TOLD_LENGTH];
        tell(g, from[TOLD_FLAGS], length + (is_told ? 2 + s->logged + s->log_parts.used : 0), to);
        result.tape = is_told ? tape_after(tape, length, by_number ? -1 : 1) : kept(tape);
        if (result.tape == NULL) py.Py_DecRef(result.block), result.block = NULL;
    }
    py.Py_DecRef(block), py.Py_DecRef(tape);
    return result;
}

/* step(before, choice, chooser, by_number): the state after a step; None if it fails. */
EXPORTED Object *rulelang_step(Object *self, Object *const *given, ptrdiff_t n, Object *names) {
    CALLED(&the_machine->game, kept(objects[None]));
    const W choice = py.PyLong_AsLongLong(*(given + 1)), chooser = py.PyLong_AsLongLong(*(given + 2));
    if ((choice == -1 || chooser == -1) && py.PyErr_Occurred()) return NULL; /* they are no numbers */
    const Position after = position_after(*slot(*given, FlatState_block), *slot(*given, FlatState_tape), choice, chooser,
                                          *(given + 3) == objects[True], NULL);
    if (after.block == NULL) return the_machine->game.status == FAILED ? kept(objects[None]) : NULL;
    Object *const state = py.PyType_GenericAlloc(objects[FlatState], 0);
    if (state == NULL) return py.Py_DecRef(after.block), py.Py_DecRef(after.tape), NULL;
    *slot(state, FlatState_block) = after.block;
    *slot(state, FlatState_tape) = after.tape;
    *slot(state, FlatState__form) = kept(*slot(*given, FlatState__form));
    return state;
}

/* ---- methods of games. What is not the usual case is left to the method in Python that they stand for. */

enum { GIVEN = 8 }; /* more arguments no method has */

static Object *left_to_python(W method, Object *self, Object *const *given, ptrdiff_t n, Object *names) {
    Object *all[GIVEN] = {self};
    W count = n + (names == NULL ? 0 : py.PyTuple_Size(names));
    if (count > GIVEN - 1) count = n = GIVEN - 1, names = NULL;
    for (W i = 0; i < count; i++) all[1 + i] = *(given + i);
    return py.PyObject_Vectorcall(in_python[method], all, (size_t)(1 + n), names);
}

/* Whether there is a block that native code goes on from; its words. */
static bool is_native(Object *game, const W **told) {
    Object *const block = *slot(game, State__block);
    if (block == NULL || block == objects[None]) return false;
    *told = told_of(position_of(block));
    return true;
}

/* is_terminal() */
EXPORTED Object *rulelang_is_terminal(Object *self, Object *const *given, ptrdiff_t n, Object *names) {
    const W *told;
    if (is_native(self, &told) && !n && !names) {
        if (told[TOLD_NODE]) return kept(objects[False]);
        if (*slot(self, State__now) == objects[None]) return kept(objects[True]); /* native code came here */
    }
    return left_to_python(IsTerminal, self, given, n, names);
}

/* legal_actions(player=None) */
EXPORTED Object *rulelang_legal_actions(Object *self, Object *const *given, ptrdiff_t n, Object *names) {
    const W *told;
    W player = -1;
    if (!is_native(self, &told) || !(told[TOLD_NODE] & 1) || told[TOLD_LISTED] <= 0 || told[TOLD_OPTIONS] > most_options
        || names || n > 1 || (n && !is_number(*given, &player)))
        return left_to_python(LegalActions, self, given, n, names);
    const W count = told[TOLD_OPTIONS], seat = __builtin_ctzll((U)told[TOLD_SEATS]);
    if (n && player != seat) return left_to_python(LegalActions, self, given, n, names);
    Object *const at = kept(*slot(self, State__at)), *const tape = kept(*slot(self, State__tape));
    Object *const actions = py.PyType_GenericAlloc(objects[Unread], 0);
    if (actions == NULL) return py.Py_DecRef(at), py.Py_DecRef(tape), NULL;
    *slot(actions, Actions_game) = kept(self);
    *slot(actions, Actions_at) = at;
    *slot(actions, Actions_tape) = tape;
    *slot(actions, Actions_seat) = py.PyLong_FromLongLong(seat);
    if (!py.PyList_SetSlice(actions, 0, 0, py.PyList_GetItem(objects[Placeholders], count))) return actions;
    return py.Py_DecRef(actions), NULL;
}

static inline void reset(Object *game, W which, Object *value) {
    if (*slot(game, which) != value) put(game, which, kept(value));
}

/* Let a game be at a position, of which nothing is known yet; the references are the game's. */
static void enter_position(Object *game, Position position) {
    put(game, State__block, position.block);
    put(game, State__tape, position.tape);
    put(game, State__at, kept(position.block));
    reset(game, State__now, objects[None]);
    reset(game, State__offered, objects[None]);
    reset(game, State__pending, objects[False]);
}

/* Whether a position was reached whose log is within its limit. */
static bool is_reached(Position position) {
    if (position.block == NULL) return py.PyErr_Clear(), false;
    if (told_of(position_of(position.block))[TOLD_LENGTH] <= most_events) return true;
    return py.Py_DecRef(position.block), py.Py_DecRef(position.tape), false;
}

/* Whether an action of this position was taken as it was listed; if not, Python has to look at it. */
static bool is_taken(Object *game, Object *action, Object *player) {
    const W *told;
    W place, seat, as;
    if (class_of(action) != objects[Action]) return false;
    Object *const source = *slot(action, Action_source), *const sort = class_of(source);
    if (sort != objects[Unread] && sort != objects[Actions] && sort != objects[UnreadActions]) return false;
    if (!is_native(game, &told) || told[TOLD_LISTED] < 0 || *slot(source, Actions_at) != *slot(game, State__at)) return false;
    if (!is_number(*slot(action, Action_place), &place) || !is_number(*slot(source, Actions_seat), &seat)) return false;
    if (player != NULL && !(is_number(player, &as) && as == seat)) return false;
    const Position after = position_after(*slot(game, State__block), *slot(game, State__tape), place, seat, false, NULL);
    if (!is_reached(after)) return false;
    enter_position(game, after);
    return true;
}

/* apply(action, player=None) */
EXPORTED Object *rulelang_apply(Object *self, Object *const *given, ptrdiff_t n, Object *names) {
    if (!names && (n == 1 || n == 2) && is_taken(self, *given, n > 1 ? *(given + 1) : NULL)) return kept(objects[None]);
    return left_to_python(Apply, self, given, n, names);
}

/* _begin(seed, ruleset, lexicon) */
EXPORTED Object *rulelang_begin(Object *self, Object *const *given, ptrdiff_t n, Object *names) {
    const W *told;
    Position first = {NULL, NULL};
    if (n == 3 && !names && class_of(*given) == objects[Int] && is_native(self, &told)) {
        const U rng = py.PyLong_AsUnsignedLongLongMask(*given);
        first = position_after(*slot(self, State__block), *slot(self, State__tape), -1, -1, false, &rng);
    }
    if (!is_reached(first)) return left_to_python(Begin, self, given, n, names);
    Object *const asker = py.PyType_GenericAlloc(objects[Asker], 0);
    Object *const game = asker == NULL ? NULL : py.PyType_GenericAlloc(class_of(self), 0);
    if (game == NULL) return py.Py_DecRef(asker), py.Py_DecRef(first.block), py.Py_DecRef(first.tape), NULL;
    *slot(asker, Asker_executor) = kept(*slot(self, State__executor));
    *slot(asker, Asker_lexicon) = kept(*(given + 2));
    *slot(game, State_ruleset) = kept(*(given + 1));
    *slot(game, State_names) = kept(*slot(self, State_names));
    *slot(game, State_first) = kept(*slot(self, State_first));
    *slot(game, State__executor) = kept(*slot(self, State__executor));
    *slot(game, State__asker) = asker;
    *slot(game, State__readings) = kept(objects[None]);
    enter_position(game, first);
    return game;
}

/* unread_actions[place] */
EXPORTED Object *rulelang_getitem(Object *self, Object *given) {
    W place;
    if (!is_number(given, &place) || place >= py.PyList_Size(self) || class_of(self) != objects[Unread])
        return left_to_python(GetItem, self, &given, 1, NULL);
    Object *const action = py.PyType_GenericAlloc(objects[Action], 0);
    if (action == NULL) return NULL;
    *slot(action, Action_source) = kept(self);
    *slot(action, Action_place) = kept(given);
    return action;
}
