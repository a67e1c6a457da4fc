"""Where the updates of many people become one sum. One file per way."""
