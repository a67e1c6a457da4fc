"""Attacks: how some people lie to the others. One file per kind; `interface` says what a kind is."""
