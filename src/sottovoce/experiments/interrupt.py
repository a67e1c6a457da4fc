"""Ctrl-C, or a signal to end, as a request: finish the slice of rounds at hand, save, then stop."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def requests() -> Iterator[threading.Event]:
    """An event that either sets while the block lasts. A second one interrupts at once.

    Python only delivers signals to the main thread, so elsewhere the event is never set.
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
