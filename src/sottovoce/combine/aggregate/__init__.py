"""How a server combines many updates into one model. One file per rule; see `interface`."""
