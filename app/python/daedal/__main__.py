"""The command line: ``python -m daedal``, and the program ``daedal`` of the wheel."""

import os
import pathlib
import shutil
import sys


def is_script(path: str) -> bool:
    """A wheel's script of the same name leads here again."""
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


def program_in_path() -> str | None:
    for folder in os.get_exec_path():
        found = shutil.which("daedal", path=folder)
        if found is not None and not is_script(found):
            return found
    return None


def main() -> None:
    inside = pathlib.Path(__file__).resolve().parent / "bin" / "daedal"
    program = str(inside) if inside.is_file() else program_in_path()
    if program is None:
        sys.exit("the program daedal is neither in this package nor in PATH")
    os.execv(program, ["daedal", *sys.argv[1:]])


if __name__ == "__main__":
    main()
