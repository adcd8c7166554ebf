"""Make mutants of a module: copies that differ in one operator, number, condition or branch.

Each mutant is a pair (line, what was changed) and the changed source. Docstrings, annotations,
``__all__`` and the text of messages are left alone: no test should depend on them.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
CALLS = {"min": "max", "max": "min", "all": "any", "any": "all"}
CALLS |= {"minimum": "maximum", "maximum": "minimum", "argmin": "argmax", "argmax": "argmin"}
#: Left alone: annotations, and what stands in an f-string or after ``raise``.
SKIPPED_FIELDS = {"annotation", "returns", "decorator_list"}
SKIPPED_NODES = (ast.JoinedStr, ast.Raise, ast.Import, ast.ImportFrom)


@dataclass(frozen=True)
class Mutant:
    """One change of a module."""

    line: int
    change: str
    source: str


def mutants_of(source: str) -> Iterator[Mutant]:
    """Yield all mutants of a module, in the order of its lines."""
    tree = ast.parse(source)
    for number, (node, change, _) in enumerate(_places(tree)):
        changed = copy.deepcopy(tree)
        _, _, apply = list(_places(changed))[number]
        apply()
        yield Mutant(node.lineno, change, ast.unparse(ast.fix_missing_locations(changed)))


Place = tuple[ast.expr | ast.stmt, str, Callable[[], None]]


def _places(tree: ast.AST) -> Iterator[Place]:
    """Yield every place that can be changed: its node, a description, and how to change it."""
    for node in _walk(tree):
        yield from _operator_places(node)
        yield from _value_places(node)
        yield from _flow_places(node)


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Walk through the code, but not through what is left alone."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in SKIPPED_FIELDS:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _left_alone(child):
                yield from _walk(child)


def _left_alone(node: ast.AST) -> bool:
    return isinstance(node, SKIPPED_NODES) or _is_text(node) or _is_list_of_names(node)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_list_of_names(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"


def _name(kind: type[ast.AST]) -> str:
    return kind.__name__


def _operator_places(node: ast.AST) -> Iterator[Place]:
    if isinstance(node, (ast.BinOp, ast.AugAssign, ast.BoolOp)) and type(node.op) in SWAPS:
        other = SWAPS[type(node.op)]
        # `X | Y` of types and `a @ b` have no other operator that makes sense.
        yield node, f"{_name(type(node.op))} to {_name(other)}", _setter(node, "op", other())
    if isinstance(node, ast.Compare):
        for i, op in enumerate(node.ops):
            if type(op) in SWAPS:
                other = SWAPS[type(op)]
                change = f"{_name(type(op))} to {_name(other)}"
                yield node, change, _item_setter(node.ops, i, other())
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
        nothing = ast.UAdd() if isinstance(node.op, ast.USub) else None
        if nothing is not None:
            yield node, "USub to UAdd", _setter(node, "op", nothing)


def _value_places(node: ast.AST) -> Iterator[Place]:
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield node, f"{node.value} to {not node.value}", _setter(node, "value", not node.value)
        elif isinstance(node.value, (int, float)):
            more = node.value + 1
            yield node, f"{node.value} to {more}", _setter(node, "value", more)
    if isinstance(node, ast.Call):
        field = "id" if isinstance(node.func, ast.Name) else "attr"
        name = getattr(node.func, field, None)
        if name in CALLS:
            yield node, f"{name} to {CALLS[name]}", _setter(node.func, field, CALLS[name])


def _flow_places(node: ast.AST) -> Iterator[Place]:
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        negated = ast.UnaryOp(ast.Not(), node.test)
        place = node.test
        yield place, "condition negated", _setter(node, "test", negated)
    for block in ("body", "orelse"):
        inner = getattr(node, block, None)
        for i, child in enumerate(inner if isinstance(inner, list) else []):
            if isinstance(child, ast.Break):
                yield child, "break to continue", _item_setter(inner, i, ast.Continue())
            elif isinstance(child, ast.Continue):
                yield child, "continue to break", _item_setter(inner, i, ast.Break())
            elif isinstance(child, ast.Expr) and isinstance(child.value, ast.Call):
                yield child, "call removed", _item_setter(inner, i, ast.Pass())


def _setter(node: ast.AST, field: str, value: object) -> Callable[[], None]:
    return lambda: setattr(node, field, value)


def _item_setter(items: list, i: int, value: ast.AST) -> Callable[[], None]:
    def change() -> None:
        items[i] = ast.copy_location(value, items[i])

    return change
