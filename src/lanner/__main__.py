"""`python -m lanner` is `lanner`."""

from lanner.cli import main

if __name__ == "__main__":
    main()
