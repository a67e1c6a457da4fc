"""One person on one device: the kernels of the simulator with a population of one.

    community = Community(items, model="ials", merge="linear")
    node = Node(community, {"item 7": 5.0, "item 9": 3.0})
    node.absorb(message)  # merge what a peer sent, then train on one's own data
    message = node.emit()  # what a peer may see: the table, never the history or the vector
    node.recommend(10)

A `Community` is what all its nodes must share, so that their models can be merged; messages carry a hash of
it, and those of another community are refused. A `Node` adds what is private: the history, the person's
vector, and a secret key that all of its random numbers come from, so that nobody can recompute which items
were sampled beside one's own. How messages travel is the caller's business.
"""

from sottovoce.node.community import Community, Key
from sottovoce.node.history import Met
from sottovoce.node.node import Node
from sottovoce.node.recommended import Recommended

__all__ = ["Community", "Key", "Met", "Node", "Recommended"]
