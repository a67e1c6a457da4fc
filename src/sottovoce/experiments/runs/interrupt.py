"""Ctrl-C and SIGTERM: in training they are requests (finish the slice of rounds, save, then stop); while
kernels are compiled they stop at once, and are not lost."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def requests() -> Iterator[threading.Event]:
    """An event that the first signal sets while the block lasts. A second signal interrupts at once.

    Python delivers signals to the main thread only, so in other threads the event is never set.
    """
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return

    def ask(number: int, frame: Any) -> None:
        asked.set()
        for number in SIGNALS:
            signal.signal(number, signal.default_int_handler)

    before = {number: signal.signal(number, ask) for number in SIGNALS}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def heeded() -> Iterator[None]:
    """Interrupts inside the block end it, if need be at its end.

    The compiler of kernels calls Python from C. An exception in such a call is printed and forgotten, so
    without this the program would go on.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked = threading.Event()

    def stop(number: int, frame: Any) -> None:
        asked.set()
        raise KeyboardInterrupt

    def forgotten(about: Any) -> None:
        if not isinstance(about.exc_value, KeyboardInterrupt):
            hook(about)

    hook, sys.unraisablehook = sys.unraisablehook, forgotten
    before = {number: signal.signal(number, stop) for number in SIGNALS}
    try:
        yield
    finally:
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, handler)
    if asked.is_set():
        raise KeyboardInterrupt
