"""Python's own objects, as single steps in C read and make them (c/objects.h).

Enters: a library of single steps; classes. Leaves: what C is told of Python; subclasses whose methods are C's, and
leave what is unusual to those that they stand for. A call of such a method takes a fifth of one by ctypes, and nothing
is made on its way but what is given back.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from rulelang.native import guards
from rulelang.native.source import header

FASTCALL_KEYWORDS = 0x82
"""METH_FASTCALL | METH_KEYWORDS of Python's stable interface: how a method gets its arguments."""
METHODS = {"State": ("is_terminal", "legal_actions", "apply", "_begin"), "UnreadActions": ("__getitem__",)}
"""Class -> methods that C has, in the order of c/objects.h; its functions have their names without underscores."""
SUBSCRIPT = 5
"""Py_mp_subscript of the same."""
MOST_LISTED = 128
"""So many actions have no placeholders: longer lists are begun by Python."""
PLACEHOLDERS = [(None,) * count for count in range(MOST_LISTED)]


class _Method(ctypes.Structure):
    """What Python makes a method of: PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class _Slot(ctypes.Structure):
    """What a class does with `[]`: PyType_Slot."""

    _fields_ = (("slot", ctypes.c_int), ("function", ctypes.c_void_p))


class _Spec(ctypes.Structure):
    """What Python makes a class of: PyType_Spec."""

    _fields_ = (
        ("name", ctypes.c_char_p), ("size", ctypes.c_int), ("item", ctypes.c_int), ("flags", ctypes.c_uint),
        ("slots", ctypes.POINTER(_Slot)),
    )  # fmt: skip


def names(pattern: str) -> list[str]:
    """Return the words of c/objects.h that a pattern finds."""
    return re.findall(pattern, header("objects"), re.S)


@cache
def slot_offset(class_: type, name: str) -> int:
    """Return how many bytes behind the start of an instance a slot lies, as a sample shows."""
    built_in: Any = next(base for base in class_.__mro__ if base.__module__ == "builtins")
    sample, mark = built_in.__new__(class_), object()
    setattr(sample, name, mark)
    words = (ctypes.c_size_t * (class_.__basicsize__ // ctypes.sizeof(ctypes.c_size_t))).from_address(id(sample))
    return list(words).index(id(mark)) * ctypes.sizeof(ctypes.c_size_t)


@cache
def _interface() -> tuple[Any, list[str], list[str]]:
    """Return the addresses of Python's functions, and the names of slots and of objects, as C wants them."""
    functions = [ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p) for name in names(r"\(\*(Py\w+)\)\(")]
    slots, objects = (
        re.findall(r"\w+", each)[:-1] for each in names(r"enum \{([^{}]*?\b(?:SLOT_COUNT|OBJECT_COUNT)) \}")
    )
    return (ctypes.c_void_p * len(functions))(*functions), slots, objects


def tell(library: Any, machine: int, classes: Mapping[str, type]) -> list[Any]:
    """Tell a library of single steps where Python's functions, objects and the slots of classes are; of games it may be
    told later. What is returned must be kept as long as the library is used."""
    functions, slots, objects = _interface()
    known: dict[str, Any] = {"None": None, "True": True, "False": False, "Int": int, "Placeholders": PLACEHOLDERS}
    known |= classes
    offsets = [
        object.__basicsize__ - ctypes.sizeof(ctypes.c_void_p)
        if class_ == "object"
        else slot_offset(classes[class_], slot)
        if class_ in classes
        else 0
        for class_, _, slot in (name.partition("_") for name in slots)
    ]
    methods = [getattr(classes[class_], name) for class_, own in METHODS.items() if class_ in classes for name in own]
    pointer = ctypes.c_void_p
    library.rulelang_objects(
        functions,
        (pointer * len(objects))(*(id(known[name]) if name in known else None for name in objects)),
        (pointer * (len(methods) + 1))(*map(id, methods)),
        (ctypes.c_ssize_t * len(offsets))(*offsets),
        pointer(machine),
    )
    return [known, methods]


def _address(library: Any, name: str) -> Any:
    return ctypes.cast(getattr(library, f"rulelang_{name.strip('_')}"), ctypes.c_void_p)


def _made(function: str, *given: Any) -> Any:
    """Return what a function of Python's interface makes of objects and addresses."""
    made = getattr(ctypes.pythonapi, function)
    made.restype = ctypes.py_object
    return made(*(each if isinstance(each, ctypes.c_void_p) else ctypes.py_object(each) for each in given))


def function(library: Any, name: str) -> Callable[..., Any]:
    """Return a function of a library as one of Python's."""
    method = _Method(name.encode(), _address(library, name), FASTCALL_KEYWORDS, None)
    # It is its own `__self__`, so that it stays.
    called: Callable[..., Any] = _made(
        "PyCFunction_NewEx", ctypes.c_void_p(ctypes.addressof(method)), method, ctypes.c_void_p()
    )
    if not guards.is_watched(library):
        return called
    return lambda *given: library.verify(called(*given), None, None)


def subclass(library: Any, class_: type) -> Any:
    """Return a subclass with the methods of a library."""
    if "__getitem__" in METHODS[class_.__name__]:
        slots = (_Slot * 2)(_Slot(SUBSCRIPT, _address(library, "getitem")))
        spec = _Spec(f"{class_.__module__}.{class_.__name__}".encode(), 0, 0, 0, slots)
        return _made("PyType_FromSpecWithBases", ctypes.c_void_p(ctypes.addressof(spec)), (class_,))
    own: dict[str, Any] = {"__slots__": (), "__module__": class_.__module__, "__doc__": class_.__doc__, "_methods": []}
    result: Any = type(class_.__name__, (class_,), own)
    for name in METHODS[class_.__name__]:
        doc = (getattr(class_, name).__doc__ or "").encode()
        method = _Method(name.encode(), _address(library, name), FASTCALL_KEYWORDS, doc)
        result._methods.append(method)  # the descriptor refers to it
        setattr(result, name, _made("PyDescr_NewMethod", result, ctypes.c_void_p(ctypes.addressof(method))))
    return result
