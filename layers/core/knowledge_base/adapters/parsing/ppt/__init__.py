"""PowerPoint 97 to 2003 presentations."""
