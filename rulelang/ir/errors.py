"""What reading or verifying a program raises."""

from __future__ import annotations


class IrError(ValueError):
    """A program or its text is damaged. The message begins with the place: a line, or table, procedure and block."""

    def __init__(self, message: str, line: int = 0, where: str = "") -> None:
        self.line = line
        self.where = where
        place = f"line {line}" if line else where
        super().__init__(f"{place}: {message}" if place else message)


def require(condition: object, message: str, where: str = "") -> None:
    """Raise IrError unless a condition holds."""
    if not condition:
        raise IrError(message, where=where)
