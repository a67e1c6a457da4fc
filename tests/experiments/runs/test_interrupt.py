"""A stop is not lost, even where Python is called from C and exceptions are forgotten."""

import ctypes
import os
import signal

import pytest

from sottovoce.experiments.runs import interrupt


@pytest.mark.parametrize("number", interrupt.SIGNALS)
def test_an_interrupt_in_a_callback_from_c_ends_the_block(number, capfd):
    before = signal.getsignal(number)
    reached = []

    @ctypes.CFUNCTYPE(ctypes.c_int)
    def callback():
        os.kill(os.getpid(), number)
        for _ in range(1000):  # so that the signal is delivered here
            pass
        return 1

    def compile_something():
        callback()
        reached.append("the end")

    with pytest.raises(KeyboardInterrupt), interrupt.heeded():
        compile_something()
    assert reached == ["the end"]  # the callback swallowed it
    assert signal.getsignal(number) is before
    assert "Traceback" not in capfd.readouterr().err


def test_an_interrupt_elsewhere_ends_the_block_at_once():
    reached = []

    def compile_something():
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass
        reached.append("the end")

    with pytest.raises(KeyboardInterrupt), interrupt.heeded():
        compile_something()
    assert reached == []
