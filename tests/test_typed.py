"""Every function that is not a kernel carries annotations, so that mypy reads its body."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import sottovoce

PACKAGE = Path(sottovoce.__file__).parent
KERNELS = {"helper", "inlined", "summing", "driver", "operation", "rule", "constant", "overload", "intrinsic"}
INSIDE = {"kernels"}  # where Numba's own hooks are written


def decorator(node: ast.expr) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def implementations(tree: ast.AST) -> set[str]:
    """Functions that a file makes the default of an operation, or a rule: they are compiled."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    defaults = {
        word.value.id
        for call in calls
        if decorator(call) == "operation"
        for word in call.keywords
        if word.arg == "default" and isinstance(word.value, ast.Name)
    }
    rules = {
        given.id
        for call in calls
        if isinstance(call.func, ast.Call) and decorator(call.func) == "rule"
        for given in call.args
        if isinstance(given, ast.Name)
    }
    return defaults | rules


def untyped(tree: ast.AST, compiled: set[str] | None = None) -> Iterator[str]:
    """Functions without annotations that are neither kernels nor inside of one."""
    compiled = implementations(tree) if compiled is None else compiled
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            if node.name in compiled or any(decorator(d) in KERNELS for d in node.decorator_list):
                continue
            given = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
            bare = [a.arg for a in given if a.annotation is None and a.arg not in ("self", "cls")]
            if bare or (node.returns is None and node.name != "__init__"):
                yield f"line {node.lineno}: {node.name}"
        yield from untyped(node, compiled)


@pytest.mark.parametrize(
    "path",
    [p for p in sorted(PACKAGE.rglob("*.py")) if p.relative_to(PACKAGE).parts[0] not in INSIDE],
    ids=lambda p: str(p.relative_to(PACKAGE)),
)
def test_functions_are_typed(path: Path) -> None:
    assert not list(untyped(ast.parse(path.read_text(encoding="utf-8"))))


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("def f(a): ...", True),
        ("def f(a: int) -> int: ...", False),
        ("@helper\ndef f(a): ...", False),
        ("@weight.rule(X)\ndef f(a): ...", False),
        ("class A:\n    def f(self, b): ...", True),
        ("def f(a): ...\n@operation(default=f, by='x')\ndef g(a): ...", False),
        ("def f(a): ...\nweight.rule(X)(f)", False),
    ],
)
def test_untyped_functions_are_found(code: str, found: bool) -> None:
    assert bool(list(untyped(ast.parse(code)))) == found
