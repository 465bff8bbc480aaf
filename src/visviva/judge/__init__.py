"""What can be read and proved: closed forms, derivations, verdicts."""
