"""The page about components, from the files that define them."""

from docs.generate.source import module_text, settings, shipped, text

PAGE = "components.md"

KINDS = {
    "split": ("Splits", "`[split]`: which interactions are used for training, and which for testing."),
    "model": ("Models", "`[model]`: what a node learns."),
    "protocol": ("Protocols", "`[protocol]`: who trains and who sends, and when."),
    "merge": ("Merge rules", "`[protocol] merge`: how a node combines an incoming model with its own."),
    "aggregate": (
        "Aggregation rules",
        "`[protocol] aggregate`: how a server combines the updates of its clients.",
    ),
    "sum": ("Sums", "`[protocol] sum`: where a server's updates become one sum."),
    "step": ("Steps", "`[privacy] steps`, a list: changes of an update before it leaves a device."),
    "compression": ("Compression", "`[protocol] compress`, a list: ways to make messages smaller."),
    "peers": ("Peers", "`[network] peers`: which nodes a node sends to."),
    "links": ("Links", "`[network] links`: how long messages take. Without links there is no virtual time."),
    "churn": ("Churn", "`[network] churn`: when nodes are online. It needs links."),
    "attack": ("Attacks", "`[attack]`: how some people lie to the others, among peers."),
    "reference": (
        "References",
        (
            "`[evaluate] references`: methods that a central service would use, measured in a run. They need "
            "`pip install 'sottovoce[references]'`."
        ),
    ),
}


def page() -> str:
    parts = [
        "# Components",
        (
            "Name a component in [a recipe](recipe.md), and write its settings beside its name. "
            "You can write your own in one file: [a model](../how-to/own-model.md), "
            "[a merge rule](../how-to/own-merge-rule.md). Data sets have [a page of their own](data-sets.md)."
        ),
    ]
    for kind, (title, sentence) in KINDS.items():
        parts += [f"## {title}", sentence]
        for name, cls in shipped(kind).items():
            parts += [f"### `{name}`", module_text(cls), text(cls), settings(cls)]
    return "\n\n".join(parts)
