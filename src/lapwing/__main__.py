"""``python -m lapwing`` is the same as ``lapwing``."""

from lapwing_command import main

if __name__ == "__main__":
    main()
