"""closed."""
