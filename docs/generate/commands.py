"""The command line, from click's declarations (how click words them differs between its versions)."""

import inspect
import re

import click

from docs.generate.source import table
from sottovoce.cli import main

PAGE = "commands.md"


def page() -> str:
    context = click.Context(main, info_name="sottovoce")
    parts = [
        "# Commands and options",
        (
            "This is the output of `sottovoce COMMAND --help`. [The command line](cli.md) describes what "
            "commands have in common, such as exit codes."
        ),
    ]
    for name in main.list_commands(context):
        parts += _command(main, context, name)
    return "\n\n".join(parts)


def _command(group: click.Group, above: click.Context, name: str) -> list[str]:
    command = group.get_command(above, name)
    assert command is not None
    context = click.Context(command, parent=above, info_name=name)
    options = [p for p in command.params if isinstance(p, click.Option) and not p.hidden]
    arguments = [_argument(p) for p in command.params if isinstance(p, click.Argument)]
    usage = [context.command_path, *["[OPTIONS]"] * bool(options), *arguments]
    usage += ["COMMAND"] * isinstance(command, click.Group)
    parts = [f"## `{context.command_path}`", f"    {' '.join(usage)}"]
    parts.append(inspect.cleandoc(command.help or "").replace("\b\n", ""))
    if options:
        parts.append(
            table(["option", "meaning"], [(f"`{_names(option)}`", _words(option)) for option in options])
        )
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            parts += _command(command, context, inner)
    return parts


def _argument(argument: click.Argument) -> str:
    shown = argument.metavar or str(argument.name).upper() + "…" * (argument.nargs != 1)
    return shown if argument.required or shown.startswith("[") else f"[{shown}]"


def _names(option: click.Option) -> str:
    kinds = {click.Path: "PATH", click.IntRange: "N", click.Choice: "CHOICE"}
    value = option.metavar or kinds.get(type(option.type)) or option.type.name.upper()
    return ", ".join(option.opts) + ("" if option.is_flag else f" {value}")


def _words(option: click.Option) -> str:
    """Help as Markdown: options and names in angle brackets are code."""
    text = re.sub(r"(?<![`\w])(--[a-z][\w-]*(?: [a-z_]+\.[a-z_]+=…)?)", r"`\1`", option.help or "")
    text = re.sub(r"(\S*<[^>]+>\S*)(?=\])", r"`\1`", text)
    text += f" [default: {option.default}]" if option.show_default else ""
    return text + " [required]" * option.required
