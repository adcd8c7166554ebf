"""Put a mutant in the place of a module that is loaded, so that tests need not be loaded again.

Of what the module defines, only what the mutant changes is replaced, and inside the objects that
others hold already: the code and the defaults of functions, also of those that others call as a
default, attributes of classes, and constants, also where another module has imported them.
"""

from __future__ import annotations

import ast
import sys
from types import FunctionType, ModuleType
from typing import Any

#: Values that can be replaced; others, such as tables of classes, are left as they are.
PLAIN = (int, float, complex, str, bytes, type(None))


def put_in_place(module: ModuleType, mutant: str, original: str) -> int:
    """Change a loaded module to a mutant; returns how many of its objects changed."""
    path = str(module.__file__)
    before = _executed(ast.unparse(ast.parse(original)), module.__name__, path)
    after = _executed(mutant, module.__name__, path)
    n_changed = 0
    for name, new in after.items():
        old, loaded = before.get(name), module.__dict__.get(name)
        if _is_plain(new):
            if not _same(new, old):
                _set_everywhere(name, loaded, new)
                n_changed += 1
        elif isinstance(new, type):
            if new.__module__ == module.__name__:
                n_changed += _change_class(loaded, new, old)
        else:
            n_changed += _change_function(loaded, new, old)
    return n_changed


def _executed(source: str, name: str, path: str) -> dict[str, Any]:
    """Run a module under its own name, as dataclasses ask for it, and return what it defines."""
    space = {"__name__": name, "__file__": path}
    exec(compile(source, path, "exec"), space)
    return {key: value for key, value in space.items() if not key.startswith("__")}


def _is_plain(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all(_is_plain(one) for one in value)
    return isinstance(value, PLAIN)


def _same(new: Any, old: Any) -> bool:
    return type(new) is type(old) and repr(new) == repr(old)


def _set_everywhere(name: str, loaded: Any, new: Any) -> None:
    for module in list(sys.modules.values()):
        space = getattr(module, "__dict__", {})
        if name in space and space[name] is loaded:
            space[name] = new


def _change_class(loaded: type, new: type, old: type) -> int:
    n_changed = 0
    for name, value in vars(new).items():
        if name.startswith("__") and not _function_of(value):
            continue
        first, there = vars(old).get(name), vars(loaded).get(name)
        if _is_plain(value):
            if not _same(value, first):
                setattr(loaded, name, value)
                n_changed += 1
        else:
            n_changed += _change_function(there, value, first)
    return n_changed


def _change_function(loaded: Any, new: Any, old: Any) -> int:
    """Give a function the code, the defaults and the plain values around it of another."""
    to, of, before = _function_of(loaded), _function_of(new), _function_of(old)
    if not (to and of and before) or of.__module__ != to.__module__:
        return 0
    n_changed = 0
    if of.__code__ != before.__code__:
        to.__code__ = of.__code__
        n_changed += 1
    for name in ("__defaults__", "__kwdefaults__"):
        if repr(getattr(of, name)) != repr(getattr(before, name)):
            setattr(to, name, getattr(of, name))
            n_changed += 1
    cells = zip(*(one.__closure__ or () for one in (to, of, before)), strict=True)
    for own, cell, first in cells:
        value = cell.cell_contents
        if isinstance(value, FunctionType) and value is not of:
            n_changed += _change_function(own.cell_contents, value, first.cell_contents)
        elif _is_plain(value) and not _same(value, first.cell_contents):
            own.cell_contents = value
            n_changed += 1
    return n_changed


def _function_of(value: Any) -> FunctionType | None:
    """Return the function inside methods, properties and caches."""
    for name in ("fget", "__func__", "__wrapped__"):
        inner = getattr(value, name, None)
        if inner is not None:
            return _function_of(inner)
    return value if isinstance(value, FunctionType) else None
