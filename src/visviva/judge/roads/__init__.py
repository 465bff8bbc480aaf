"""roads."""
