"""``python -m lapwing`` is the same as ``lapwing``."""

from lapwing.cli import main

if __name__ == "__main__":
    main()
