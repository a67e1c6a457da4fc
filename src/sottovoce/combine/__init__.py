"""How models become one: merge rules for two, `aggregate` for a server with many. One file per rule."""
