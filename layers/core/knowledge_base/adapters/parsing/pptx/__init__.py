"""PowerPoint presentations (Office Open XML)."""
