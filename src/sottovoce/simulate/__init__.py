"""A network in memory: who talks when (the plan), carried out by the protocols' drivers."""
