"""An example of each question, for its docstring; run by the tests."""

EXAMPLES = {
    "check": """
>>> import daedal
>>> daedal.load("pendulum").check().structure.index
3
""",
    "explain": """
>>> import daedal
>>> [equation.name for equation in daedal.load("pendulum").explain().hidden]
['rod, differentiated once', 'rod, differentiated twice']
""",
    "simulate": """
>>> import daedal
>>> run = daedal.load("pendulum").simulate(until=2, method="dop853(tolerance = 1e-10)")
>>> run.holds, run["x"].shape
(True, (1001,))
""",
    "monte_carlo": """
>>> import daedal
>>> loop = daedal.load("cable_robot", model="cable_robot_generalised", controllers=["two_degrees"])
>>> many = loop.monte_carlo(plant={"tau_T": "normal(0.03, 0.003)"}, runs=4, until=0.2)
>>> many.done, len(many.failures)
(4, 0)
""",
    "invert": """
>>> import daedal
>>> inversion = daedal.load("cable_robot").invert()
>>> inversion.phase, inversion.tracking < 1e-6
('flat', True)
""",
    "compare": """
>>> import daedal
>>> table = daedal.load("pendulum").compare(methods=["rk45", "dop853"], formulations=["projection"], until=0.2)
>>> [case.method for case in table.cases]
['rk45', 'rk45', 'dop853', 'dop853']
""",
    "compare_controllers": """
>>> import daedal
>>> crane = daedal.load("cable_robot", model="cable_robot_generalised")
>>> loops = crane.compare_controllers(controllers=["forward", "two_degrees"], experiment="offset_lqr", until=0.5)
>>> loops.controllers
('forward', 'two_degrees')
""",
    "compare_inverse_forms": """
>>> import daedal
>>> [form.name for form in daedal.load("cable_robot").compare_inverse_forms().forms][:2]
['original', 'baumgarte']
""",
    "compare_stable_formulations": """
>>> import daedal
>>> forms = daedal.load("manipulator_2link").compare_stable_formulations(step=0.05)
>>> forms.formulations[0].name
'bvp-ode'
""",
    "export_c": """
>>> import daedal, tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     code = daedal.load("cable_robot").export_c(function="inverse", step=0.01, to=folder)
>>> code.name
'cable_robot_inverse'
""",
    "analyse": """
>>> import daedal
>>> portrait = daedal.load("manipulator_2link").analyse()
>>> portrait.phase
'non-minimum phase'
""",
    "follow": """
>>> import daedal
>>> daedal.load("spring_mass").follow(over={"k": (20, 40)}).events[0].kind
'start'
""",
    "locus": """
>>> import daedal
>>> locus = daedal.load("manipulator_2link").locus(over={"d": (-1e-4, 1e-4, 4)})
>>> locus.parameters.shape
(4,)
""",
    "map": """
>>> import daedal
>>> map = daedal.load("manipulator_2link").map(x={"k": (0.3, 0.6, 2)}, y={"d": (1e-5, 3e-5, 2)})
>>> len(map.classes)
4
""",
    "sensitivity": """
>>> import daedal
>>> [rates.parameter for rates in daedal.load("manipulator_2link").sensitivity(parameters=["k", "d"]).parameters]
['k', 'd']
""",
    "vary": """
>>> import daedal
>>> zeros = daedal.load("flexible_link", parameters={"N": 1}).vary(redefine="tip:rigid", samples=5)
>>> zeros.best.acceptable
True
""",
    "control": """
>>> import daedal
>>> design = daedal.load("cart_pendulum").control(state_weights={"x": 1, "theta": 10})
>>> design.gain.shape, design.closed.real.max() < 0
((1, 4), True)
""",
    "sampled_loop": """
>>> import daedal
>>> loop = daedal.load("looper", controllers=["tension"]).sampled_loop()
>>> loop.stability
'asymptotically stable'
""",
    "at_start": """
>>> import daedal
>>> start = daedal.load("manipulator_2link").at_start()
>>> start.linear.a.shape[0] == len(start.linear.equations)
True
""",
    "along": """
>>> import daedal
>>> along = daedal.load("manipulator_2link").along(times=(0, 0.1, 2))
>>> len(along.poles)
2
""",
    "normal_form": """
>>> import daedal
>>> form = daedal.load("manipulator_2link").normal_form(internal=["beta", "beta'"])
>>> form.internal
('beta', "beta'")
""",
    "zero_dynamics": """
>>> import daedal
>>> left = daedal.load("manipulator_2link").zero_dynamics(until=0.1, disturb={"beta": 0.01})
>>> left.t[-1]
0.1
""",
    "linear_motion": """
>>> import daedal
>>> both = daedal.load("manipulator_2link").linear_motion(until=0.1, disturb={"beta": 0.01})
>>> both.until
0.1
""",
    "lyapunov": """
>>> import daedal
>>> daedal.load("looper").lyapunov(function="quadratic", radius=0.01).function
'quadratic'
""",
    "pose": """
>>> import daedal
>>> pose = daedal.load("fourbar").pose(given={"th1": 0.5}, branches=True)
>>> pose.coordinates["th1"], len(pose.branches)
(0.5, 2)
""",
    "path": """
>>> import daedal
>>> path = daedal.load("fourbar").path(line={"th1": (0.5, 0.6)})
>>> path.closed
False
""",
    "limits": """
>>> import daedal
>>> daedal.load("fourbar").limits().table.names[0]
'x1'
""",
    "box": """
>>> import daedal
>>> box = daedal.load("fourbar").box(axes={"th1": (0.1, 0.5, 3)})
>>> box.reachable
3
""",
}
