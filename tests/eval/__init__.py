"""How well the product finds and answers, measured on question sets: `make eval`."""
