"""Source code as parts: definitions, the statements in them, and what stands above them."""
