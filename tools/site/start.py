"""The start page: a mechanism in motion, three questions about it and their verdicts, all from runs; then the README."""
import html
import re
import shlex
import subprocess

import drawing

MODEL = "cable_robot"
QUESTIONS = [
    ("How does it move?", "simulate", ["--until", "10", "--input", "u_T=0.5*sin(t)"]),
    ("Which outputs can be prescribed?", "analyse", []),
    ("Which inputs produce the motion?", "invert", []),
]
WAYS = [
    ("Your first model", "docs/getting_started.md#a-double-pendulum", "Ten minutes: write a mechanism, simulate it, close a loop, invert it."),
    ("The gallery", "docs/gallery.md", "Every model of the library in motion, with its verdict and its report."),
    ("What the words mean", "docs/concepts/index.md", "Index, hidden constraints, drift, zeros: what decides whether a problem can be solved."),
]


def verdict_of(report):
    """Tone and sentence."""
    found = re.search(r'<p class="verdict (\w+)">(.*?)</p>', report, re.DOTALL)
    return found[1], html.unescape(found[2])


def question(program, root, folder, asked, command, options):
    """The answer's tone, sentence and report."""
    file = folder / f"{command}.html"
    subprocess.run([program, command, f"models/{MODEL}", "--quiet", "--report", file, *options], check=True, capture_output=True, cwd=root)
    tone, sentence = verdict_of(file.read_text(encoding="utf-8"))
    words = " ".join(f"<span>{html.escape(shlex.quote(word))}</span>" for word in ["daedal", command, MODEL, *options])
    return f"""<li>
<h3>{asked}</h3>
<pre><code>{words}</code></pre>
<p class="verdict {tone}">{html.escape(sentence)} <a href="docs/start/{file.name}">Open the report</a></p>
</li>"""


def page(root, program, folder, readme):
    folder.mkdir(parents=True, exist_ok=True)
    answers = "\n".join(question(program, root, folder, *one) for one in QUESTIONS)
    shown = drawing.read((folder / "invert.html").read_text(encoding="utf-8"))
    (folder / "moving.svg").write_text(drawing.moving(shown, "the crane moves its load", 6), encoding="utf-8")
    (folder / "still.svg").write_text(drawing.svg(shown, "the crane moves its load"), encoding="utf-8")
    ways = "\n".join(f'<li><a href="{address}">{name}</a><p>{text}</p></li>' for name, address, text in WAYS)
    rest = readme[readme.index("## A model and its result"):]
    return f"""# Daedal simulates, analyses and inverts mechanisms

<p class="lead">You describe a mechanism by its energies, constraints, inputs and outputs. Daedal derives and solves the equations, and
estimates the error of every result.</p>

<div class="hero">
<figure>
<picture><source srcset="docs/start/still.svg" media="(prefers-reduced-motion: reduce)"><img src="docs/start/moving.svg" alt="A crane
moves its load along a straight line" width="640" height="400"></picture>
<figcaption>A crane moves its load along a line, from rest to rest. The motion of trolley and cable is the result of the third command.</figcaption>
</figure>
<ol class="questions">
{answers}
</ol>
</div>

<ul class="ways">
{ways}
</ul>

{rest}"""
