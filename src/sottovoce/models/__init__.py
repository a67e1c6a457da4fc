"""What a node learns. One file per model; `interface` declares what a model consists of."""
