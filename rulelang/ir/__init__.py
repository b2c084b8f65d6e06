"""The intermediate representation: frozen, printable, versioned, verified on every load.

Enters: nothing but what the compiler builds. Leaves: `Program` and the table of operations that every backend
implements.
"""
