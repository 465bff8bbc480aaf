"""textbook."""
