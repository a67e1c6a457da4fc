"""Functions that compiled code may call: plain ones, and operations with a form for each component."""

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from numba.extending import overload, register_jitable

from sottovoce import kernel_cache

F = TypeVar("F", bound=Callable[..., Any])

LEAN = {"no_cfunc_wrapper": True}  # nobody calls compiled code from C, and a way to do so takes time to make


def helper(function: F) -> F:
    """Make a function callable from compiled code; in Python it stays as it is."""
    kernel_cache.takes_part(function)
    compiled: F = register_jitable(**LEAN)(function)
    return compiled


def inlined(function: F) -> F:
    """The same, and its body is put where it is called."""
    kernel_cache.takes_part(function)
    compiled: F = register_jitable(forceinline=True, **LEAN)(function)
    return compiled


def summing(function: F) -> F:
    """A helper whose sums may be taken in any order, so that they vectorise."""
    kernel_cache.takes_part(function)
    compiled: F = register_jitable(fastmath={"reassoc", "contract", "nsz"}, **LEAN)(function)
    return compiled


class _Operation:
    """Implementations of one operation, by component type."""

    def __init__(self, stub: Callable[..., Any], default: Callable[..., Any] | None, by: str) -> None:
        self.name, self.module = stub.__name__, stub.__module__
        self.parameters = list(inspect.signature(stub).parameters)
        self.rules: dict[Any, Callable[..., Any]] = {}
        self.default = default
        self.by = by

    def find(self, component: type | None) -> Callable[..., Any] | None:
        keys = (getattr(component, self.by, None),) if self.by else component.__mro__ if component else ()
        return next((self.rules[key] for key in keys if key in self.rules), self.default)

    def add(self, component: Any, function: F) -> F:
        names = list(inspect.signature(function).parameters)
        if names != self.parameters:
            wanted = ", ".join(self.parameters)
            raise TypeError(f"{function.__name__} implements {self.name}({wanted}) and must take just these")
        self.rules[component] = function
        kernel_cache.takes_part(function, component)
        return function


def operation(stub: Any = None, *, default: Callable[..., Any] | None = None, by: str = "") -> Any:
    """Make `stub` a function that is resolved by the type of its first argument.

    The stub gives the name, the parameters and the documentation; its body is never run.
    `default` serves the types for which nothing is registered. With `by`, the name of a class
    attribute, implementations are registered for that attribute's values instead of for types.
    """
    if stub is None:
        return functools.partial(operation, default=default, by=by)
    table = _Operation(stub, default, by)

    @functools.wraps(stub)
    def call(component: Any, *rest: Any) -> Any:
        found = table.find(type(component))
        if found is None:
            raise TypeError(f"{type(component).__name__} does not implement {table.name}")
        return found(component, *rest)

    def resolve(*arguments: Any) -> Callable[..., Any] | None:
        return table.find(getattr(arguments[0], "instance_class", None))

    resolve.__signature__ = inspect.signature(stub)  # type: ignore[attr-defined]
    overload(call, jit_options=LEAN)(resolve)
    call.rule = lambda component: functools.partial(table.add, component)  # type: ignore[attr-defined]
    call.table = table  # type: ignore[attr-defined]
    return call


def missing(component: type, package: str) -> list[str]:
    """What a component lacks of the operations that `package.interface` declares, as one writes it."""
    named, interface = component.__name__, f"{package}.interface"
    declared = vars(sys.modules[interface]) if interface in sys.modules else {}
    tables = [getattr(value, "table", None) for value in declared.values()]
    needed = [t for t in tables if isinstance(t, _Operation) and t.module == interface and t.default is None]
    return [f"@{t.name}.rule({named})" for t in needed if not t.by and t.find(component) is None] + [
        f"{t.by}={' or '.join(map(repr, t.rules))} in @component(…)"
        for t in needed
        if t.by and getattr(component, t.by, None) not in t.rules
    ]


def by_class(function: Callable[[type], Callable[[Any], Any]]) -> Any:
    """Make an operation on one component, whose code `function(component class)` makes.

    That code is a function of one argument, which must be called `instance`.
    """

    @functools.wraps(function)
    def call(instance: Any) -> Any:
        return function(type(instance))(instance)

    def resolve(instance):
        return function(instance.instance_class)

    overload(call, jit_options=LEAN)(resolve)
    return call


def constant(function: Callable[[Any], Any]) -> Any:
    """Make `function(component class)` a compile-time constant for instances of that class."""

    @functools.wraps(function)
    def chosen(component: type) -> Callable[[Any], Any]:
        value = function(component)
        return lambda instance: value

    return by_class(chosen)
