"""What leaves a node: messages, and how they become bytes. Sees named arrays, never a model."""
