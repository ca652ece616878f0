"""Who the product speaks to: one REST contract per package."""
