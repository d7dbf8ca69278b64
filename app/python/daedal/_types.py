"""How signatures call what options take."""

import typing as _t

Texts = _t.Union[str, _t.Sequence[str]]  # "x,y" or ["x", "y"]
Numbers = _t.Sequence[float]
Values = _t.Mapping[str, _t.Any]  # {"m": 1, "d": [0.1, 0.2], "L": "2*pi"}
Ranges = _t.Union[str, _t.Mapping[str, _t.Any]]  # "k=1:5:20" or {"k": (1, 5, 20)}
Grid = _t.Union[str, _t.Sequence[float]]  # "0.1:100:200" or (0.1, 100, 200)
NamedNumbers = _t.Union[str, _t.Sequence[str], _t.Mapping[str, _t.Any]]  # {"phi": 0.1}
Weights = _t.Union[str, float, _t.Mapping[str, float]]  # {"x": 10}, or a number for all
Progress = _t.Union[bool, _t.Callable[[float, str], _t.Any], None]
