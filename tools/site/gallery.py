"""The gallery: every model of the library with its picture, its verdict and the command that runs it, all from runs."""
import html
import json
import re
import shlex
import shutil
import subprocess

import drawing

# How long a model moves for its picture, where its first experiment says something else; and inverse models.
MOTIONS = {
    "cable_robot": ("invert", []),
    "cable_robot_platform": ("invert", ["-p", "smooth=6"]),
    "four_cables": ("invert", []),
    "fourbar": ("simulate", ["--until", "0.8"]),
    "pendulum": ("simulate", ["--until", "0.55"]),
    "pendulum3d": ("simulate", ["--until", "0.55"]),
    "breaking_pendulum": ("simulate", ["--until", "0.8"]),
    "cart_pendulum": ("simulate", ["--until", "1"]),
    "acrobot": ("simulate", ["--controller", "swing", "--initial", "th1=0.1", "--initial", "th2=0", "--until", "6"]),
    "looper": ("simulate", ["--until", "0.7"]),
    "looper_2dof": ("simulate", ["--until", "1"]),
    "manipulator_2link": ("invert", []),
    "manipulator_3d": ("invert", []),
    "flexible_link": ("invert", []),
    "flexible_two_link": ("invert", []),
    "mass_on_car": ("simulate", ["--until", "3", "--input", "u=sin(t)"]),
    "spring_mass": ("simulate", ["--until", "1"]),
    "delta_robot": ("simulate", ["--until", "0.6"]),
    "delta_gros": ("simulate", ["--until", "0.3"]),
    "chain": ("simulate", ["-p", "N=30", "--until", "1.2"]),
    "serial_links": ("simulate", ["--until", "0.6"]),
    "elevator_cable": ("simulate", ["-p", "sway=0.5", "--until", "5"]),
    "coupled_pendula": ("simulate", ["--until", "2", "--method", "taylor"]),
}


def answer(program, *arguments):
    """What the program says in JSON; None when it refuses."""
    done = subprocess.run([program, *arguments, "--json"], capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return None


def report(root, program, name, folder):
    """The page of the model's motion."""
    command, options = MOTIONS.get(name, ("simulate", []))
    file = folder / f"{name}.html"
    subprocess.run([program, command, root / "models" / name, "--quiet", "--report", file, *options], check=True,
                   capture_output=True, cwd=root)
    return file


def picture(root, name, page):
    """From the draw lines, as the report shows them; a model without them has the picture of its README."""
    shown = drawing.read(page.read_text(encoding="utf-8"))
    if shown is None:
        shutil.copy(root / "models" / name / f"{name}.png", page.parent)
        return f"{name}.png"
    page.with_suffix(".svg").write_text(drawing.svg(shown, name), encoding="utf-8")
    return f"{name}.svg"


def plural(count, what):
    return f"{count} {what}{'' if count == 1 else 's'}"


def card(root, program, name, folder):
    file = f"models/{name}/{name}.daedal"
    counts = answer(program, "check", root / file)
    portrait = answer(program, "analyse", root / file) or {}
    size = ", ".join((plural(counts["coordinates"] + counts["variables"], "unknown"),
                      plural(counts["constraints"], "constraint"), f"index {counts['index']}",
                      plural(counts["free_initial_values"], "free initial value")))
    verdict = portrait.get("verdict") or "no equilibrium near its start values"
    command, options = MOTIONS.get(name, ("simulate", []))
    motion = report(root, program, name, folder)
    words = " ".join(f"<span>{html.escape(shlex.quote(word))}</span>" for word in ["daedal", command, f"models/{name}", *options])
    return f"""<section>
<a class="picture" href="gallery/{motion.name}"><img src="gallery/{picture(root, name, motion)}" alt="{name}: open its report" loading="lazy"><span>open the report</span></a>
<h3><a href="../models/{name}/README.md">{name}</a></h3>
<p>{html.escape(counts["doc"])}</p>
<p>{size}.</p>
<p><strong>{html.escape(verdict.split(":")[0])}</strong>{html.escape(verdict[len(verdict.split(":")[0]):])}</p>
<pre><code>{words}</code></pre>
</section>"""


def page(root, program, folder):
    folder.mkdir(parents=True, exist_ok=True)
    names = re.findall(r"^\| \[(\w+)\]\(", (root / "models" / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    cards = "\n".join(card(root, program, name, folder) for name in names)
    return f"""# Gallery

Every model of the [library](../models/README.md): drawn from its `draw` lines as it moves (pale: earlier), with what `daedal check` and
`daedal analyse` say about it, and the report of that motion. The verdict is that of its outputs against its inputs where there are as many, else that of its equilibrium.

<div class="gallery">
{cards}
</div>
"""
