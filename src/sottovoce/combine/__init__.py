"""How models become one: a merge of two, and `aggregate`, a server's average of many. One file per rule."""
