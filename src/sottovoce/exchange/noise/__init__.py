"""Noise in whole numbers for differential privacy: samplers, where their random bits come from, and shares."""
