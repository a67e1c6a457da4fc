"""A network for real: how frames of bytes pass between machines."""
