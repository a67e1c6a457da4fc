"""Text from files is shown as it is, and controls nothing."""

from sottovoce.cli.screen import console, say

TITLE = "[bold]Léon[/bold] :smile: \x1b[31mred\x07"


def test_lines_hold_no_control_codes(capsys):
    say(f"{TITLE}\nnext")
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert shown.count("\n") == 2
    assert "[bold]Léon[/bold]" in shown


def test_the_console_interprets_nothing(capsys):
    console().print(TITLE)
    shown = capsys.readouterr().out
    assert "[bold]Léon[/bold] :smile:" in shown
    assert "\x1b[31m" not in shown


def test_errors_have_a_stream_of_their_own(capsys):
    say("wrong", err=True)
    assert capsys.readouterr() == ("", "wrong\n")
