"""`python -m sottovoce`, the same as `sottovoce`."""

from sottovoce.cli import main

if __name__ == "__main__":
    main()
