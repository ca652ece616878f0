"""What the services need from outside, as Protocols whose docstrings promise behaviour."""
