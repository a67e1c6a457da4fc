"""What makes a message smaller. One file per way."""
