"""The local stack: the real template on one laptop, without an account, Docker or the network."""
