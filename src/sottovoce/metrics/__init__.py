"""Pure functions of scores and held-out items, one file each: a scalar kernel and a wrapper for arrays."""
