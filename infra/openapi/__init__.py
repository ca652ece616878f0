"""The OpenAPI documents of the contracts, written from the code."""
