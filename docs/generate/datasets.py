"""The page about data sets and their terms of use."""

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
            "Use a data set with `name` under `[data]`, or with `sottovoce.load(name)`. It is looked for in "
            "`--data-dir`, in `$SOTTOVOCE_DATA` and in the cache, and downloaded from its home page if that "
            "allows it. No data set is part of Sottovoce. `sottovoce data info NAME` shows its content."
        ),
        table(["name", "holds", "terms"], rows),
        "`synthetic` needs no files; `delimited`, `divided`, `ncf` and `recbole` read files of your own.",
    ]
    shown = set()
    for name, cls in shipped("source").items():
        parts += [f"## `{name}`", text(cls), settings(cls)]
        if module_text(cls) not in shown:
            parts.append(module_text(cls))
            shown.add(module_text(cls))
        if name in known:
            parts.append(f"Home: <{known[name].home}>. {known[name].terms}")
    return "\n\n".join(parts)
