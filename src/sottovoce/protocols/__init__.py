"""Who does what when. One file per protocol; `interface` declares what a protocol consists of."""
