"""What leaves a node: messages, and how they become bytes. It sees tables; only `update` calls a model."""
