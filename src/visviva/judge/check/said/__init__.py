"""said."""
