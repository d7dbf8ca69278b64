"""Seeded random models with servo lines: chains, cranes, arms, carts, beams and driven mechanisms, each asked to move from rest to rest.

The motion asked for and the outputs are known here a second time, as functions of Python, so that nothing of Daedal judges Daedal.
"""
import dataclasses
import typing

import numpy as np
from scipy.special import betainc

Values = typing.Dict[str, np.ndarray]  # states by name


@dataclasses.dataclass
class Inversion:
    kind: str
    outputs: typing.List[typing.Callable[[Values], np.ndarray]]
    begin: typing.List[float]  # of each output
    way: typing.List[float]
    duration: float  # [s]
    smoothness: int
    text: str = ""  # a model of its own, else
    library: typing.Tuple[str, ...] = ()  # a model of the library with options

    def desired(self, times):
        """A column for each output: the polynomial of degree 2 k + 1 with k derivatives that vanish at both ends."""
        share = betainc(self.smoothness + 1, self.smoothness + 1, np.clip(times / self.duration, 0, 1))
        return np.array(self.begin) + np.outer(share, self.way)

    def actual(self, names, states):
        values = dict(zip(names, states.T))
        return np.array([output(values) for output in self.outputs]).T


def number(value):
    return f"{value:.17g}"


def servos(inversion, names):
    return "".join(f"servo {name} = {number(begin)} + {number(way)}*rest_to_rest(t/{number(inversion.duration)}, "
                   f"smoothness = {inversion.smoothness})\n"
                   for name, begin, way in zip(names, inversion.begin, inversion.way))


def coordinate(name):
    return lambda q: q[name]


def log_uniform(random, low, high):
    return float(np.exp(random.uniform(np.log(low), np.log(high))))


def chain(random, _):
    """Masses in a row: the force on one of them, the output another one or a sum of two."""
    n = int(random.integers(2, 6))
    names = [f"x{k}" for k in range(1, n + 1)]
    text = "model chain\ncoordinate " + ", ".join(names) + "\n"
    for name in names:
        text += f"kinetic {number(log_uniform(random, 0.3, 3)/2)}*{name}'^2\n"
    damped = random.uniform() < 0.6
    for a, b in zip(names, names[1:]):
        text += f"potential {number(log_uniform(random, 1, 100)/2)}*({b} - {a})^2\n"
        if damped:
            text += f"dissipation {number(log_uniform(random, 0.01, 3)/2)}*({b}' - {a}')^2\n"
    if random.uniform() < 0.3:
        text += f"potential {number(log_uniform(random, 1, 30)/2)}*{random.choice(names)}^2\n"
    text += f"input u\nforce u on {names[0] if random.uniform() < 0.6 else random.choice(names)}\n"
    last, other = names[-1], str(random.choice(names))
    share = float(random.uniform(-0.5, 0.9)) if random.uniform() < 0.4 else 0.0
    text += f"output z = {last} - {number(share)}*{other}\n"
    inversion = Inversion("chain", [lambda q: q[last] - share * q[other]], [0.0], [float(random.uniform(0.2, 3))],
                          float(random.uniform(2, 8)), int(random.choice([4, 6, 8, 10, 12])))
    inversion.text = text + servos(inversion, ["z"])
    return inversion


def crane(random, _):
    """Trolley and winch that give velocities, in redundant or generalised coordinates."""
    redundant = random.uniform() < 0.5
    begin = [float(random.uniform(-5, 15)), float(random.uniform(2, 6))]
    way = [float(random.uniform(-4, 4)), float(random.uniform(-1, 3))]
    outputs = ([coordinate("x"), coordinate("z")] if redundant else
               [lambda q: q["s"] + q["L"] * np.sin(q["phi"]), lambda q: q["L"] * np.cos(q["phi"])])
    inversion = Inversion("crane" if redundant else "crane, generalised", outputs, begin, way, log_uniform(random, 2, 12),
                          int(random.choice([3, 4, 4, 5, 6])))
    inversion.text = f"model crane\nlet m = {number(log_uniform(random, 1, 100))}\n"
    inversion.text += f"coordinate s = {number(begin[0])}, L = {number(begin[1])}\n"
    if redundant:
        inversion.text += f"coordinate x = {number(begin[0])}, z = {number(begin[1])}\n"
        inversion.text += "let load = [x, z]\nconstraint cable: z^2 + (x - s)^2 = L^2\n"
    else:
        inversion.text += "coordinate phi = 0\nlet load = [s + L*sin(phi), L*cos(phi)]\n"
    inversion.text += f"""kinetic m/2*dot(load', load')
potential -m*9.81*load[2]
input v, w
drive s by v velocity(lag = {number(log_uniform(random, 0.003, 0.3))})
drive L by w velocity(lag = {number(log_uniform(random, 0.003, 0.3))})
""" + servos(inversion, ["load[1]", "load[2]"])
    return inversion


def force_crane(random, _):
    """Trolley and winch driven by forces."""
    begin = [0.0, float(random.uniform(2, 5))]
    inversion = Inversion("crane with forces", [lambda q: q["s"] + q["L"] * np.sin(q["phi"]), lambda q: q["L"] * np.cos(q["phi"])],
                          begin, [float(random.uniform(-3, 3)), float(random.uniform(-1, 2))],
                          float(random.uniform(2, 8)), int(random.choice([4, 5, 6])))
    inversion.text = f"""model force_crane
coordinate s = 0, L = {number(begin[1])}, phi = 0
let load = [s + L*sin(phi), L*cos(phi)]
kinetic {number(log_uniform(random, 1, 100)/2)}*s'^2 + {number(log_uniform(random, 0.1, 10)/2)}*L'^2
let m = {number(log_uniform(random, 1, 100))}
kinetic m/2*dot(load', load')
potential -m*9.81*load[2]
dissipation {number(log_uniform(random, 0.01, 10)/2)}*s'^2
input F, W
force F on s
force W on L
output z = load
""" + servos(inversion, ["z[1]", "z[2]"])
    return inversion


def mass_on_car(random, _):
    alpha = float(random.choice([0.0, random.uniform(0.05, 1.5)]))
    duration = float(random.uniform(4, 12))
    words = ["-p", f"alpha={number(alpha)}", "-p", f"tf={number(duration)}"]
    damped = random.uniform() < 0.7
    for name in ("m1", "m2", "m3", "k1", "k2"):
        words += ["-p", f"{name}={number(log_uniform(random, 0.3, 10))}"]
    for name in ("d1", "d2") if damped else ():
        words += ["-p", f"{name}={number(log_uniform(random, 0.01, 3))}"]
    return Inversion("mass on car", [lambda q: q["x1"] + q["s1"] + q["s2"] * np.cos(alpha)], [1.0], [3.0], duration, 4,
                     library=("mass_on_car", *words))


def arm(random, _):
    """A driven link and passive ones on springs; the output lies between the first joint and the tip."""
    n = int(random.integers(2, 4))
    names = [f"q{k}" for k in range(1, n + 1)]
    lengths = [float(random.uniform(0.3, 1)) for _ in names]
    text = "model arm\ncoordinate " + ", ".join(names) + "\nlet P0 = [0, 0]\n"
    total = ""
    for k, name in enumerate(names, 1):
        total += (" + " if total else "") + name
        mass, length = log_uniform(random, 0.05, 2), lengths[k - 1]
        text += f"let e{k} = [cos({total}), sin({total})]\nlet C{k} = P{k-1} + {number(length*random.uniform(0.2, 0.7))}*e{k}\n"
        text += f"let P{k} = P{k-1} + {number(length)}*e{k}\nlet w{k} = {total}\n"
        text += f"kinetic {number(mass/2)}*dot(C{k}', C{k}') + {number(mass*length**2/24)}*w{k}'^2\n"
        if k > 1:
            text += f"potential {number(log_uniform(random, 0.3, 50)/2)}*{name}^2\n"
            text += f"dissipation {number(log_uniform(random, 1e-4, 0.5)/2)}*{name}'^2\n"
    share = float(random.uniform(0, 1))
    terms = [(1.0, names[0])] + [(share * sum(lengths[k:]) / sum(lengths), names[k]) for k in range(1, n)]
    text += "input u\nforce u on q1\noutput z = " + " + ".join(f"{number(c)}*{name}" for c, name in terms) + "\n"
    inversion = Inversion("arm", [lambda q: sum(c * q[name] for c, name in terms)], [0.0], [float(random.uniform(-1.5, 1.5))],
                          log_uniform(random, 0.5, 4), int(random.choice([3, 4, 6])))
    inversion.text = text + servos(inversion, ["z"])
    return inversion


def flexible_link(random, _):
    n, duration, angle = 1, float(random.uniform(0.7, 1.2)), float(random.uniform(-1, 1))  # more takes SciPy minutes
    damping = float(random.choice([0.0, log_uniform(random, 1e-6, 1e-4)]))  # more makes it stiff, which DOP853 is not for
    words = ["-p", f"N={n}", "-p", f"tf={number(duration)}", "-p", f"angle={number(angle)}", "-p", f"damping={number(damping)}"]
    last = f"beam.node[{n + 1}].r"
    return Inversion("flexible link", [lambda q: np.pi / 2 + np.arctan2(-q[last + "[1]"], q[last + "[2]"])], [0.0], [angle], duration, 4,
                     library=("flexible_link", *words))


def driven_arm(random, _):
    """A torque on every link, under gravity: angles, or the tip of two links."""
    n = int(random.integers(1, 5))
    names = [f"q{k}" for k in range(1, n + 1)]
    start = [float(random.uniform(-2, 2)) for _ in names]
    lengths = [float(random.uniform(0.3, 1)) for _ in names]
    by_tip = n == 2 and abs(np.sin(start[1] - start[0])) > 0.3
    text = "model driven_arm\nlet P0 = [0, 0]\n"
    for k, name in enumerate(names, 1):
        mass, length = log_uniform(random, 0.1, 10), lengths[k - 1]
        text += f"coordinate {name} = {number(start[k-1])}\nlet e{k} = [cos({name}), sin({name})]\n"
        text += f"let C{k} = P{k-1} + {number(length/2)}*e{k}\nlet P{k} = P{k-1} + {number(length)}*e{k}\n"
        text += f"kinetic {number(mass/2)}*dot(C{k}', C{k}') + {number(mass*length**2/24)}*{name}'^2\n"
        text += f"potential {number(mass*9.81)}*C{k}[2]\ninput u{k}\n"
        text += f"force u{k} on {name}\n" if k == 1 else f"force u{k} on {name}\nforce -u{k} on {names[k-2]}\n"
    if by_tip:
        outputs = [lambda q: lengths[0] * np.cos(q["q1"]) + lengths[1] * np.cos(q["q2"]),
                   lambda q: lengths[0] * np.sin(q["q1"]) + lengths[1] * np.sin(q["q2"])]
        words = ["P2[1]", "P2[2]"]
    else:
        outputs, words = [coordinate(name) for name in names], names
    begin = [float(output(dict(zip(names, start)))) for output in outputs]
    reach = 0.2 if by_tip else 2.0
    inversion = Inversion("driven arm", outputs, begin, [float(random.uniform(-reach, reach)) for _ in outputs],
                          log_uniform(random, 0.5, 4), int(random.choice([2, 3, 4])))
    inversion.text = text + servos(inversion, words)
    return inversion


def cart(random, _):
    """A pendulum on a cart, hanging or upright; the output is a point of the rod."""
    upright = random.uniform() < 0.5
    length, sign = float(random.uniform(0.3, 1.5)), -1 if upright else 1
    along = float(random.choice([0.0, random.uniform(0, 1.2)])) * length
    mass = log_uniform(random, 0.1, 5)
    damping = log_uniform(random, 0.01, 1) if random.uniform() < 0.7 else 0.0
    inversion = Inversion("cart, upright" if upright else "cart, hanging", [lambda q: q["s"] + along * np.sin(q["phi"])], [0.0],
                          [float(random.uniform(-2, 2))], log_uniform(random, 1.5, 6), int(random.choice([3, 4, 5])))
    inversion.text = f"""model cart
coordinate s, phi
let bob = [s + {number(length)}*sin(phi), {number(sign*length)}*cos(phi)]
kinetic {number(log_uniform(random, 0.1, 5)/2)}*s'^2 + {number(mass/2)}*dot(bob', bob')
potential {number(-mass*9.81)}*bob[2]
dissipation {number(damping/2)}*phi'^2
input u
force u on s
output z = s + {number(along)}*sin(phi)
""" + servos(inversion, ["z"])
    return inversion


def independent(random, gains, count):
    """Up to `count` coordinates in random order that forces along them move independently of each other. `gains`: accelerations of
    coordinates per force along them, symmetric."""
    chosen = []
    for k in random.permutation(len(gains)):
        tried = chosen + [int(k)]
        scale = np.sqrt(np.diag(gains)[tried])
        if np.all(scale > 0) and np.linalg.eigvalsh(gains[np.ix_(tried, tried)] / np.outer(scale, scale))[0] > 0.05:
            chosen = tried
        if len(chosen) == count:
            break
    return chosen


def mechanism(random, draw):
    """A random mechanism with a force along every coordinate that is asked to move; as many as it has freedoms, or fewer."""
    text, names, start, gains, freedoms = draw(random)
    count = freedoms if random.uniform() < 0.75 else int(random.integers(1, freedoms + 1))
    chosen = independent(random, gains, count)
    driven = chosen if random.uniform() < 0.7 else independent(random, gains, len(chosen))
    if len(driven) < len(chosen):
        driven = chosen
    for k, place in enumerate(driven, 1):
        text += f"input u{k}\nforce u{k} on {names[place]}\n"
    inversion = Inversion("mechanism" if len(chosen) == freedoms else "mechanism with free motions",
                          [coordinate(names[k]) for k in chosen], [float(start[k]) for k in chosen],
                          [float(random.uniform(-0.1, 0.1)) for _ in chosen], float(random.uniform(0.5, 2)),
                          int(random.choice([2, 3, 4])))
    inversion.text = text + servos(inversion, [names[k] for k in chosen])
    return inversion


FAMILIES = [chain, chain, chain, crane, force_crane, mass_on_car, arm, arm, flexible_link, driven_arm, cart, mechanism, mechanism,
            mechanism]


def random_inversion(seed, draw):
    """`draw(random)`: a mechanism as text, names and start values of its coordinates, accelerations per force along them, freedoms."""
    return FAMILIES[seed % len(FAMILIES)](np.random.default_rng(seed), draw)
