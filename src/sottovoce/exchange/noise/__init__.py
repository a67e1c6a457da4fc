"""Noise in whole numbers for differential privacy: samplers, their random bits, and shares."""
