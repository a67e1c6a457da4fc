"""How good, and for whom: everybody's own model against what was held out of their data."""
