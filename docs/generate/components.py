"""Everything that a recipe can name, from the files that define it."""

from docs.generate.source import module_text, settings, shipped, text

PAGE = "components.md"

KINDS = {
    "split": ("Splits", "`[split]`: what the model learns from, and what it is judged by."),
    "model": ("Models", "`[model]`: what a node learns."),
    "protocol": ("Protocols", "`[protocol]`: who does what when."),
    "merge": ("Merge rules", "`[protocol] merge`: how an incoming model is combined with one's own."),
    "aggregate": (
        "Aggregation rules",
        "`[protocol] aggregate`: how a server makes one model of what its clients change.",
    ),
    "step": ("Steps", "`[privacy] steps`, a list: what is done to an update before it leaves a device."),
    "compression": ("Compression", "`[protocol] compress`, a list: what makes messages smaller."),
    "peers": ("Peers", "`[network] peers`: whom a node talks to."),
    "links": ("Links", "`[network] links`: how long messages take. Without them there is no time."),
    "churn": ("Churn", "`[network] churn`: when nodes are online. It needs links."),
    "reference": (
        "References",
        (
            "`[evaluate] references`: what a central service would use, measured beside a run. They need "
            "`pip install 'sottovoce[references]'`."
        ),
    ),
}


def page() -> str:
    parts = [
        "# Components",
        (
            "A component is named in [a recipe](recipe.md), and its settings stand beside its name. "
            "A file of your own adds one: [a model](../how-to/own-model.md), "
            "[a merge rule](../how-to/own-merge-rule.md). Data sets have [a page of their own](data-sets.md)."
        ),
    ]
    for kind, (title, sentence) in KINDS.items():
        parts += [f"## {title}", sentence]
        for name, cls in shipped(kind).items():
            parts += [f"### `{name}`", module_text(cls), text(cls), settings(cls)]
    return "\n\n".join(parts)
