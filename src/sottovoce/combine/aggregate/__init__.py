"""How a server makes one model of many updates. One file per rule."""
