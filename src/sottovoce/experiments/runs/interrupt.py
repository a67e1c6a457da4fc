"""Ctrl-C and SIGTERM as requests: finish the current slice of rounds, save, then stop."""

import signal
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
