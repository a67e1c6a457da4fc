"""Ctrl-C as a request: finish the slice of rounds at hand, save, then stop."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def requests() -> Iterator[threading.Event]:
    """An event that Ctrl-C sets while the block lasts. A second one interrupts at once.

    Python only delivers signals to the main thread, so elsewhere the event is never set.
    """
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return

    def ask(number: int, frame: Any) -> None:
        asked.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)
