"""A mechanism that moves in a page."""
