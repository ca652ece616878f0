"""What the product does, one module per capability."""
