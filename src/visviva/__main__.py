"""`python -m visviva` is the command `visviva`."""

from visviva.cli import main

if __name__ == "__main__":
    main()
