#!/usr/bin/python3
"""Mutated library models, every command on them: each ends with 0, 1 or 2, says why where it is not 0, and answers --json in JSON.

    tests/fuzz/commands_fuzzer.py DAEDAL [--runs N | --seconds S] [--seed K] [--keep FOLDER] [--processor-seconds S]

questions_fuzzer.cpp asks the library the same questions, many times faster. This one looks at what only a process shows: options
read from words, exit codes, what goes to which stream, limits of memory. It runs the program, sanitized or not, as a user would, on texts that
parse: numbers become huge, tiny, 0, negative; lines vanish, double or move to another model; operators and functions change.
What goes wrong is printed with its command, and its model is kept in FOLDER (build/fuzz). The same seed makes the same models. A command
that takes too long is printed too, and is no fault: a motion may ask for any number of steps, and Ctrl-C ends it.
"""
import argparse
import json
import pathlib
import random
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d*)?(?:e[+-]?\d+)?(?![\w.])")
NUMBERS = ["0", "1", "2", "-1", "1e-300", "1e300", "1e-200", "1e150", "1e-12", "1e12", "0.5", "3", "1e-8", "100", "-1e-3", "5e-324"]
WORDS = ["sin", "cos", "tan", "sqrt", "abs", "sign", "exp", "log", "atan", "tanh", "floor", "asin", "acos", "cosh"]
METHODS = ["rk45", "dop853", "rk23", "rk4", "euler", "radau5", "implicit_euler", "linear_implicit_euler", "bdf", "bdf(order = 4)",
           "generalized_alpha", "rattle", "ida", "taylor"]
FIXED = {"rk4", "euler", "implicit_euler", "linear_implicit_euler", "bdf", "bdf(order = 4)", "generalized_alpha", "rattle"}
FORMULATIONS = ["projection", "index1", "index2", "index3", "ggl", "null_space", "minimal", "hamilton", "baumgarte(pole = 5)",
                "penalty(stiffness = 1e6, damping = 1e3)", "augmented_lagrangian(stiffness = 1e6)", "nonlinear_stabiliser", "baumgarte(auto)"]
QUESTIONS = [[], ["--at", "start"], ["--response", "0.1:100:5"], ["--directions"], ["--limits"], ["--sensitivity", "all"],
             ["--free", "all"], ["--linear-motion", "0.1"], ["--zero-dynamics", "0.1"], ["--normal-form", "none"], ["--lyapunov", "energy"],
             ["--along", "0:0.1:3"], ["--reduce", "2"]]
TOO_LONG = "takes too long"
ENOUGH_MEMORY = 4 << 30  # [bytes], but for sanitizers, which map terabytes


def with_number(chance, text):
    places = list(NUMBER.finditer(text))
    if not places:
        return text
    place = chance.choice(places)
    return text[:place.start()] + chance.choice(NUMBERS) + text[place.end():]


def with_word(chance, text):
    places = list(re.finditer(r"\b(" + "|".join(WORDS) + r")\b", text))
    if not places:
        return with_number(chance, text)
    place = chance.choice(places)
    return text[:place.start()] + chance.choice(WORDS) + text[place.end():]


def with_operator(chance, text):
    places = list(re.finditer(r" [+\-*/] |\^", text))
    if not places:
        return with_number(chance, text)
    place = chance.choice(places)
    return text[:place.start()] + chance.choice([" + ", " - ", "*", "/", "^"]) + text[place.end():]


def with_lines(chance, text, other):
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    kind = chance.randrange(4)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, chance.choice(lines))
    elif kind == 2:
        lines.insert(at, chance.choice(other.split("\n")))
    else:
        to = chance.randrange(len(lines))
        lines[at], lines[to] = lines[to], lines[at]
    return "\n".join(lines)


def mutated(chance, text, other):
    for _ in range(chance.choice([1, 1, 1, 2, 3, 5])):
        kind = chance.random()
        text = (with_number(chance, text) if kind < 0.6 else with_word(chance, text) if kind < 0.7
                else with_operator(chance, text) if kind < 0.85 else with_lines(chance, text, other))
    return text


def options(chance):
    method = chance.choice(METHODS)
    words = ["--method", method, "--formulation", chance.choice(FORMULATIONS)]
    return words + (["--step", chance.choice(["0.01", "0.003", "1e-30"])] if method in FIXED else
                    ["--tolerance", chance.choice(["1e-4", "1e-8", "1e-12"])])


def command(chance):
    """The words after daedal, with MODEL in place of the file."""
    kind = chance.randrange(10)
    if kind == 0:
        words = ["check", "MODEL"]
    elif kind == 1:
        words = ["explain", "MODEL"] + chance.choice([[], ["--inverse"], ["--latex"]])
    elif kind <= 4:
        words = ["simulate", "MODEL", "--until", chance.choice(["0.2", "0.2", "1e-9", "3"]), *options(chance)]
    elif kind == 5:
        words = ["analyse", "MODEL", *chance.choice(QUESTIONS)]
    elif kind <= 7:
        words = ["invert", "MODEL", "--every", "0.1"] + chance.choice(
            [[], [], ["--method", "bdf(order = 2)", "--step", "0.01"], ["--method", "radau5", "--step", "0.01"], ["--verify", "off"]])
    elif kind == 8:
        words = ["export", "c", "MODEL", "--to", "FOLDER"] + chance.choice(
            [["--accelerations"], ["--forward", "--step", "0.01"], ["--inverse", "--step", "0.01"]])
    else:
        words = ["compare", "MODEL", "--until", "0.1", "--methods", chance.choice(["rk45", "radau5", "ida"]), "--formulations",
                 chance.choice(["projection", "index1"]), "--tolerances", "1e-6"]
    return words + (["--json"] if chance.random() < 0.5 and "--latex" not in words else [])


def fault_of(answer, words):
    """What is wrong with an answer; None: nothing."""
    code, out, err = answer.returncode, answer.stdout.decode(errors="replace"), answer.stderr.decode(errors="replace")
    if code == -24:  # SIGXCPU
        return TOO_LONG
    if code not in (0, 1, 2):
        return f"ends with {code}"
    for word in ("Sanitizer", "runtime error:", "json.exception", "terminate called", "std::", "vector::", "basic_string"):
        if word in err:
            return f"says {word}"
    if "--json" not in words:
        return None if code == 0 or err or out else f"ends with {code} and says nothing"
    try:
        answer = json.loads(out)
    except ValueError:
        return "does not answer in JSON"
    return "has no diagnostics" if code == 2 and not answer.get("diagnostics") else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("daedal")
    parser.add_argument("--runs", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("--processor-seconds", type=int, default=60)
    a = parser.parse_args()
    models = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "models").glob("*/*.daedal"))]
    models = [text for text in models if "import" not in text]
    sanitized = b"__asan_init" in pathlib.Path(a.daedal).read_bytes()
    most = a.runs if a.runs is not None else 0 if a.seconds is not None else 1000
    begin, runs, found, slow = time.monotonic(), 0, 0, 0

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (a.processor_seconds, a.processor_seconds + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if not sanitized:
            resource.setrlimit(resource.RLIMIT_AS, (ENOUGH_MEMORY, ENOUGH_MEMORY))

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        while runs < most or (a.seconds is not None and time.monotonic() - begin < a.seconds):
            chance = random.Random(f"{a.seed} {runs}")
            text = mutated(chance, chance.choice(models), chance.choice(models))
            words = command(chance)
            model = folder / "m.daedal"
            model.write_text(text, encoding="utf-8")
            real = [{"MODEL": str(model), "FOLDER": name}.get(word, word) for word in words]
            answer = subprocess.run([a.daedal, *real], capture_output=True, preexec_fn=limit, check=False)
            fault = fault_of(answer, words)
            if fault:
                found += fault != TOO_LONG
                slow += fault == TOO_LONG
                a.keep.mkdir(parents=True, exist_ok=True)
                kept = a.keep / f"command-{a.seed}-{runs}.daedal"
                kept.write_text(text, encoding="utf-8")
                print(f"run {runs} {fault}: daedal {shlex.join([str(kept) if word == 'MODEL' else word for word in words])}", flush=True)
            runs += 1
    print(f"{runs} commands in {time.monotonic() - begin:.0f} s, {found} faults, {slow} longer than {a.processor_seconds} s of processor time")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
