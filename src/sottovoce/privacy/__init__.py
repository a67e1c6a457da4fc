"""Differential privacy: what a component guarantees, and what repeated disclosures add up to."""
