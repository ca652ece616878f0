"""From bytes to text: which encoding a text is in."""
