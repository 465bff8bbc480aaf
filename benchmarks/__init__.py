"""Speed against the peers, in one process and one run: `make bench`."""
