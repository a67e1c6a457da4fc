"""Functions are optimised when others need them, and machine code is made only of what somebody calls.

Numba optimises each function and makes machine code of it as soon as its types are known. But a driver
contains a copy of all that it calls, as LLVM's intermediate code, so nobody runs the machine code of a
helper. Making it takes a fifth of the time of compiling. And what a parallel loop calls is compiled twice,
once for the loop as it was before it became parallel, which nobody runs either. Here a function is optimised
when another one contains it, and machine code is made when the address of a function is asked for.
"""

from typing import Any

from numba.core import codegen

_set_env = codegen.JITCPUCodegen.set_env


class LateLibrary(codegen.JITCodeLibrary):  # type: ignore[misc]
    """Some compiled functions, of which machine code is made when the address of one is asked for."""

    made = False

    def _finalize_final_module(self) -> None:
        if getattr(self, "_compiled_object", None):  # machine code from the cache
            self._make()
        else:
            self._finalized = True

    def _make(self) -> None:
        self.made = True
        super()._finalize_final_module()

    def get_pointer_to_function(self, name: str) -> Any:
        """The address of a function, or 0 if it is not one of these."""
        if not self.made:
            if all(function.name != name for function in self.get_defined_functions()):
                return 0
            self._ensure_finalized()
            if not self.made:
                self._make()
        return super().get_pointer_to_function(name)


def _set_env_if_made(self: Any, name: str, env: Any) -> None:
    """An environment is what machine code knows of Python; where there is no code, nobody needs it."""
    if self._engine.is_symbol_defined(name):
        _set_env(self, name, env)


def make_late() -> None:
    """Let Numba use this, unless its version works differently."""
    if hasattr(codegen.JITCodeLibrary, "_finalize_final_module"):
        codegen.JITCPUCodegen._library_class = LateLibrary
        codegen.JITCPUCodegen.set_env = _set_env_if_made
