"""Text in pictures: scanned pages of PDF files, and image files. Off unless languages are set."""
