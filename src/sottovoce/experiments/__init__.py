"""Experiments: from a recipe to a run, its directory and its report."""
