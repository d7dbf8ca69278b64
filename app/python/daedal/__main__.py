"""The command line: ``python -m daedal``, and the program ``daedal`` of the wheel."""

import os
import pathlib
import shutil
import sys


def main() -> None:
    inside = pathlib.Path(__file__).resolve().parent / "bin" / "daedal"
    program = str(inside) if inside.is_file() else shutil.which("daedal")
    if program is None:
        sys.exit("the program daedal is neither in this package nor in PATH")
    os.execv(program, ["daedal", *sys.argv[1:]])


if __name__ == "__main__":
    main()
