"""Evaluation: each person's model on the person's held-out data."""
