"""What lies between nodes: bandwidth, latency, loss. One file per kind."""
