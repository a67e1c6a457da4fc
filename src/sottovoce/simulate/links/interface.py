"""What lies between nodes. One file per kind; what it consists of is declared here.

Links are a `NamedTuple` of parameters, registered with `@component("links", name)`. Every kind has

    transfer  seconds that a full model takes on an ordinary link, which is what a round means then
    latency   seconds that a message takes beside its transfer
    loss      the share of messages that get lost

Without links in a recipe there is no time: in each round everybody sends at once.
"""

from sottovoce.kernels import operation


@operation
def speeds(links, nodes, run):
    """Everybody's upload and download against an ordinary link's, two arrays. Python only."""
