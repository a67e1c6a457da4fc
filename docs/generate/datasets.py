"""Where data comes from, and what one may do with it."""

from docs.generate.source import module_text, settings, shipped, table, text
from sottovoce import registry
from sottovoce.data import sources

PAGE = "data-sets.md"


def page() -> str:
    known = sources.known()
    rows = [
        [f"[`{name}`](#{name})", text(registry.get("source", name)).split("\n\n")[0], dataset.terms]
        for name, dataset in known.items()
    ]
    parts = [
        "# Data sets and their terms",
        (
            "`name` under `[data]`, or `sottovoce.load(name)`. A data set is looked for in `--data-dir`, in "
            "`$SOTTOVOCE_DATA` and in the cache, and fetched from its own home if that allows it. None is a "
            "part of Sottovoce. `sottovoce data info NAME` shows what is in one."
        ),
        table(["name", "holds", "terms"], rows),
        "`synthetic` is made up and needs nothing; `delimited`, `ncf` and `recbole` read files of your own.",
    ]
    for name, cls in shipped("source").items():
        parts += [f"## `{name}`", text(cls), settings(cls)]
        if module_text(cls) != text(cls):
            parts.append(module_text(cls))
        if name in known:
            parts.append(f"Home: <{known[name].home}>. {known[name].terms}")
    return "\n\n".join(parts)
