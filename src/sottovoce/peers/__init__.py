"""Whom a node talks to. One file per peer sampler; `interface` declares the operations of one."""
