"""pencil."""
