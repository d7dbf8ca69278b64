"""A mechanism as SVG, from the shapes and poses that its report holds."""
import array
import base64
import html
import json
import re

INK, ACCENT, PALE = "#3b7ea1", "#c8452f", "#8fa3ad"


def read(report):
    """Shapes and frames of a report; None when its model has no draw lines."""
    drawing = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', report, re.DOTALL)[1]).get("drawing")
    if not drawing or drawing["gauges"] or not drawing["shapes"]:
        return None
    numbers = array.array("f", base64.b64decode(drawing["numbers"]))
    width = drawing["width"]
    drawing["frames"] = [numbers[i:i + width] for i in range(0, len(numbers), width)]
    return drawing


def flat(point):
    """Points in space as they look from the front, the right and above."""
    if len(point) == 2:
        return point[0], -point[1]
    x, y, z = point
    return 0.87*x - 0.5*y, -(z + 0.25*x + 0.43*y)


def outline(shape, frame, dimension):
    """Corners of a shape, and the radius of a disc."""
    first = shape["first"]
    corners = [flat(frame[first + dimension*k:first + dimension*(k + 1)]) for k in range(shape["points"])]
    options = {name: frame[place] for name, place in shape["options"].items()}
    if shape["kind"] != "box":
        return corners, abs(options.get("radius", 0))
    (x, y), w, h = corners[0], options.get("width", 0)/2, options.get("height", 0)/2
    return [(x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h), (x - w, y - h)], 0


def stroke(kind, corners, radius, line, last):
    opacity = 1 if last else 0.3
    if kind == "disc":
        (x, y), = corners
        return (f'<circle cx="{x:.5g}" cy="{y:.5g}" r="{max(radius, line):.5g}" fill="{ACCENT if last else PALE}" '
                f'opacity="{opacity}"/>')
    path = " ".join(f"{x:.5g},{y:.5g}" for x, y in corners)
    dashes = f' stroke-dasharray="{line:.4g} {1.5*line:.4g}"' if kind == "spring" else ' stroke-linecap="round"'
    return (f'<polyline points="{path}" fill="none" stroke="{INK if last else PALE}" stroke-width="{line:.4g}" '
            f'opacity="{opacity}"{dashes}/>')


def svg(drawing, title):
    """The last pose in colour, six earlier ones pale."""
    frames = drawing["frames"]
    chosen = [frames[round(i*(len(frames) - 1)/6)] for i in range(7)]
    drawn = [(shape["kind"], *outline(shape, frame, drawing["dimension"]), index == 6)
             for index, frame in enumerate(chosen) for shape in drawing["shapes"] if shape["kind"] != "text"]
    box, line = view([(kind, corners, radius) for kind, corners, radius, _ in drawn])
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{" ".join(f"{v:.5g}" for v in box)}"><title>{html.escape(title)}</title>'
            + "".join(stroke(kind, corners, radius, line, last) for kind, corners, radius, last in drawn) + "</svg>\n")


def view(drawn):
    """The box around all drawn shapes, and the width of lines."""
    xs, ys = zip(*((x + sign*radius, y + sign*radius) for _, corners, radius in drawn for x, y in corners for sign in (-1, 1)))
    size = max(max(xs) - min(xs), max(ys) - min(ys), 1e-9)
    margin, line = 0.06*size, 0.012*size
    return (min(xs) - margin, min(ys) - margin, max(xs) - min(xs) + 2*margin, max(ys) - min(ys) + 2*margin), line


def moving(drawing, title, duration, count=48):
    """The motion as an animation that repeats: no script, `duration` seconds."""
    frames = [drawing["frames"][round(i*(len(drawing["frames"]) - 1)/(count - 1))] for i in range(count)]
    shapes = [shape for shape in drawing["shapes"] if shape["kind"] != "text"]
    poses = [[(shape["kind"], *outline(shape, frame, drawing["dimension"])) for frame in frames] for shape in shapes]
    box, line = view([pose for shape in poses for pose in shape])
    # the last pose stands for a second before the motion begins again
    times = ";".join(f"{i/(count - 1)*(1 - 1/duration):.4g}" for i in range(count)) + ";1"

    def animated(name, values):
        if len(set(values)) == 1:
            return ""
        return (f'<animate attributeName="{name}" dur="{duration}s" repeatCount="indefinite" keyTimes="{times}" '
                f'values="{";".join(values + values[-1:])}"/>')

    parts = []
    for poses_of_shape in poses:
        kind, corners, radius = poses_of_shape[0]
        if kind in ("disc", "ring"):
            fill = ACCENT if kind == "disc" else "none"
            xs, ys = ([f"{pose[1][0][i]:.5g}" for pose in poses_of_shape] for i in (0, 1))
            parts.append(f'<circle cx="{xs[0]}" cy="{ys[0]}" r="{max(radius, line):.5g}" fill="{fill}" stroke="{INK}" '
                         f'stroke-width="{line/3 if kind == "disc" else line:.4g}">{animated("cx", xs)}{animated("cy", ys)}</circle>')
            continue
        points = [" ".join(f"{x:.5g},{y:.5g}" for x, y in pose[1]) for pose in poses_of_shape]
        dashes = f' stroke-dasharray="{line:.4g} {1.5*line:.4g}"' if kind == "spring" else ' stroke-linecap="round"'
        fill = f"{PALE}" if kind == "box" else "none"
        parts.append(f'<polyline points="{points[0]}" fill="{fill}" stroke="{INK}" stroke-width="{line:.4g}"{dashes}>'
                     f'{animated("points", points)}</polyline>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{" ".join(f"{v:.5g}" for v in box)}"><title>{html.escape(title)}</title>'
            + "".join(parts) + "</svg>\n")
