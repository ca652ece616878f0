"""The platform contract: what is common to all dialects — health, keys, answers, ingestions, dead letters."""
