"""by_hand."""
