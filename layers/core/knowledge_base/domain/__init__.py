"""What the product talks about: plain facts, free of any technology."""
