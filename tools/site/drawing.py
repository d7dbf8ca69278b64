"""A mechanism as SVG, from the draw lines of its model: their points become outputs of a copy, and the program computes them."""
import csv
import math
import re
import subprocess
import tempfile
import pathlib


def split(text, separator):
    """Parts of a text between separators that stand outside brackets."""
    parts, depth, start, i = [], 0, 0, 0
    while i < len(text):
        depth += (text[i] in "([") - (text[i] in ")]")
        if depth == 0 and text.startswith(separator, i):
            parts.append(text[start:i])
            i += len(separator)
            start = i
        else:
            i += 1
    return [part.strip() for part in parts + [text[start:]]]


def shapes(model):
    """(kind, points, radius) of the draw lines of the last model of a file; expressions as they are written."""
    found = []
    last = re.split(r"^model ", model, flags=re.MULTILINE)[-1]
    for line in re.findall(r"^draw\s+([^#\n]*)", last, re.MULTILINE):
        for shape in split(line, ","):
            kind, _, rest = shape.partition(" ")
            rest, _, radius = rest.partition(" radius ")
            found.append((kind, split(rest, "->"), radius.strip() or None))
    return found


def run(program, file, drawn, command, options):
    """The points of every shape, row by row, as the program computes them."""
    lines, count = [], 0
    for kind, points, radius in drawn:
        for point in points:
            count += 1
            lines.append(f"output drawn_{count} = {point}")
        if radius:
            count += 1
            lines.append(f"output drawn_{count} = {radius}")
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        copy = pathlib.Path(folder).with_suffix(".daedal")
        table = pathlib.Path(folder) / "table.csv"
        try:
            copy.write_text(file.read_text(encoding="utf-8") + "\n" + "\n".join(lines) + "\n", encoding="utf-8")
            subprocess.run([program, command, copy, "--quiet", "--csv", table, *options], check=True, capture_output=True)
            with open(table, encoding="utf-8", newline="") as stream:
                rows = list(csv.DictReader(stream))
        finally:
            copy.unlink(missing_ok=True)
    return [[value(row, k) for k in range(1, count + 1)] for row in rows]


def value(row, number):
    name = f"drawn_{number}"
    if name in row:
        return [float(row[name])]
    return [float(row[f"{name}[{i}]"]) for i in (1, 2, 3) if f"{name}[{i}]" in row]


def flat(point):
    """Points in space as they look from the front, the right and above."""
    if len(point) == 2:
        return point[0], -point[1]
    x, y, z = point
    return 0.87*x - 0.5*y, -(z + 0.25*x + 0.43*y)


def svg(drawn, rows):
    """The last row dark, earlier ones pale, where the motion was."""
    chosen = [rows[round(i*(len(rows) - 1)/6)] for i in range(7)]
    strokes, extent = [], []
    for index, row in enumerate(chosen):
        values = iter(row)
        for kind, points, radius in drawn:
            corners = [flat(next(values)) for _ in points]
            size = abs(next(values)[0]) if radius else 0
            extent += [(x + d*size, y + d*size) for x, y in corners for d in (-1, 1)]
            strokes.append((kind, corners, size, index == len(chosen) - 1))
    xs, ys = zip(*extent)
    width = max(max(xs) - min(xs), max(ys) - min(ys), 1e-9)
    margin, line = 0.06*width, 0.012*width
    box = (min(xs) - margin, min(ys) - margin, max(xs) - min(xs) + 2*margin, max(ys) - min(ys) + 2*margin)
    parts = []
    for kind, corners, size, last in strokes:
        style = 'stroke="#3b7ea1" opacity="1"' if last else 'stroke="#8fa3ad" opacity="0.35"'
        if kind == "disc":
            x, y = corners[0]
            fill = "#c8452f" if last else "#8fa3ad"
            parts.append(f'<circle cx="{x:.5g}" cy="{y:.5g}" r="{max(size, line):.5g}" fill="{fill}" opacity="{1 if last else 0.3}"/>')
        else:
            path = " ".join(f"{x:.5g},{y:.5g}" for x, y in corners)
            parts.append(f'<polyline points="{path}" fill="none" stroke-width="{line:.4g}" stroke-linecap="round" {style}/>')
    assert all(math.isfinite(v) for v in box)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box[0]:.5g} {box[1]:.5g} {box[2]:.5g} {box[3]:.5g}">'
            + "".join(parts) + "</svg>\n")
