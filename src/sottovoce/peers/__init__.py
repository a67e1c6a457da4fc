"""Whom a node talks to. One file per kind; `interface` declares what it consists of."""
