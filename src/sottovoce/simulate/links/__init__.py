"""Links: how fast messages travel. One file per kind; `interface` says what a kind is."""
