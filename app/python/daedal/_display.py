"""Results as pictures: with matplotlib, and as HTML in notebooks."""

from __future__ import annotations

import html

import numpy as np


def _chosen(table, names) -> list[tuple[str, np.ndarray]]:
    """Columns by name, families as their members; the first coordinates or outputs where none is named."""
    if not names:
        wanted = [n for n, kind in table.kinds.items() if kind in ("coordinate", "variable", "output")][:4]
        names = wanted or table.names[1:5]
    curves = []
    for name in names:
        values = table[name]
        if values.ndim == 1:
            curves.append((name, values))
        else:
            members = [table.names[k] for k in table._family(name)]
            curves += [(member, values[:, k]) for k, member in enumerate(members)]
    return curves


def plot(table, names, title, axes):
    import matplotlib.pyplot as pyplot

    curves, units = _chosen(table, names), table.units
    groups = list(dict.fromkeys(units[name] for name, _ in curves))
    if axes is None:
        _, axes = pyplot.subplots(len(groups), 1, sharex=True, squeeze=False)
        axes = list(axes[:, 0])
        axes[0].set_title(title)
    else:
        axes = list(np.ravel(axes))
        if len(axes) < len(groups):
            raise ValueError(f"the curves have {len(groups)} units, and there are {len(axes)} axes")
    over = table.names[0]
    for ax, unit in zip(axes, groups):
        for name, values in curves:
            if units[name] == unit:
                ax.plot(table[over], values, label=name)
        ax.set_ylabel(unit or "1")
        ax.legend()
    axes[len(groups) - 1].set_xlabel(f"{over} [{units[over]}]" if units[over] else over)
    return axes[0] if len(axes) == 1 else axes


_COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd")


def _picture(table, width: int = 480, height: int = 140) -> str:
    """A small plot of the first curves, each between its own extremes."""
    curves, x = _chosen(table, ())[:4], table[table.names[0]]
    if len(x) < 2 or not np.isfinite(x).all() or x[-1] == x[0]:
        return ""
    every = max(1, len(x) // 400)
    lines = []
    for colour, (name, values) in zip(_COLOURS, curves):
        y = np.asarray(values)
        if not np.isfinite(y).any():
            continue
        low, high = np.nanmin(y), np.nanmax(y)
        points = " ".join(
            f"{width * (a - x[0]) / (x[-1] - x[0]):.1f},{height - 4 - (height - 8) * (b - low) / ((high - low) or 1):.1f}"
            for a, b in zip(x[::every], y[::every])
            if np.isfinite(b)
        )
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
        label = html.escape(f"{name}: {low:.4g} to {high:.4g} {table.units[name]}")
        lines.append(f'<text x="4" y="{12 * (len(lines) // 2) + 12}" font-size="10" fill="{colour}">{label}</text>')
    return f'<svg width="{width}" height="{height}" xmlns="http://www.w3.org/2000/svg">{"".join(lines)}</svg>'


def html_of(result) -> str:
    parts = [f"<pre>{html.escape(result.summary())}</pre>"]
    if result.table is not None and len(result) > 1:
        parts.append(_picture(result.table))
    parts += [f'<pre style="color:#a60">{html.escape(warning.text)}</pre>' for warning in result.warnings]
    if not result.holds and result.reason:
        parts.append(f'<pre style="color:#a00">{html.escape(result.reason)}</pre>')
    return "".join(parts)
