"""`python -m rulelang` is the program `rulelang`."""

from rulelang.cli import main

if __name__ == "__main__":
    main()
