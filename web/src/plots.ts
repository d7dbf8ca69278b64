// Curves over time with uPlot: one cursor, one zoom and one mark of the clock for all of them.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Clock } from "./clock";
import type { Data, TimePlot } from "./data";
import { power, short } from "./numbers";
import { colour, curveColours, dashOf, onThemeChange, swatch } from "./theme";

const height = 210;

function titled(plot: TimePlot): string {
  return plot.unit ? `${plot.title} [${plot.unit}]` : plot.title;
}

/// uPlot takes null for a gap and passes over undefined: a logarithm has no place for 0, and a curve of rounding errors
/// meets it often.
function valuesOf(plot: TimePlot): (number | null | undefined)[][] {
  const shown = (v: number) => (plot.log && v <= 0 ? undefined : v);
  return plot.curves.map((curve) => Array.from(curve.values, (v) => (Number.isFinite(v) ? shown(v) : null)));
}

function axis(log: boolean): uPlot.Axis {
  return {
    stroke: () => colour("muted"),
    grid: { stroke: () => colour("grid"), width: 1 },
    ticks: { stroke: () => colour("grid"), width: 1 },
    font: "12px system-ui, sans-serif",
    size: 62,
    ...(log
      ? {
          splits: (_: uPlot, __: number, low: number, high: number) => decades(low, high),
          filter: (_: uPlot, splits: number[]) => splits,
          values: (_: uPlot, splits: number[]) => splits.map(power),
        }
      : { values: (_: uPlot, splits: number[]) => splits.map(short) }),
  };
}

/// Powers of ten between the ends, at most six steps.
function decades(low: number, high: number): number[] {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  const step = Math.max(1, Math.ceil((last - first) / 6));
  const result = [];
  for (let e = first; e <= last; e += step) result.push(10 ** e);
  return result;
}

/// A curve that stands still lies in the middle, not between its rounding errors.
function linearRange(_: uPlot, low: number, high: number): [number, number] {
  if (low === null || high === null || !Number.isFinite(low)) return [-1, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low <= 1e-6 * size || size === 0) {
    const margin = size === 0 ? 1 : 0.1 * size;
    return [low - margin, high + margin];
  }
  return uPlot.rangeNum(low, high, 0.08, true) as [number, number];
}

/// Whole decades, twelve at most: what is smaller matters to nobody.
function logarithmicRange(_: uPlot, low: number, high: number): [number, number] {
  if (low === null || high === null || !(low > 0)) return [1e-16, 1];
  const first = Math.floor(Math.log10(Math.max(low, high * 1e-12)));
  return [10 ** first, 10 ** Math.max(Math.ceil(Math.log10(high)), first + 1)];
}

/// A curve that is 0 most of the time is shown as points: a line would tell of values that are not there.
function isSparse(values: (number | null | undefined)[]): boolean {
  return values.filter((v) => v === undefined).length > 0.3 * values.length;
}

/// Every row at its own place, between pixels too: uPlot's own paths meet whole pixels, which makes stairs of flat slopes.
/// The page holds few thousand rows, and of longer runs the extremes, so nothing has to be left out here.
function smoothPath(u: uPlot, series: number, first: number, last: number): uPlot.Series.Paths {
  return { stroke: pathOf(u, series, first, last, false), flags: 1 };
}

/// The same for what is held from row to row.
function steppedPath(u: uPlot, series: number, first: number, last: number): uPlot.Series.Paths {
  return { stroke: pathOf(u, series, first, last, true), flags: 1 };
}

function pathOf(u: uPlot, series: number, first: number, last: number, stepped: boolean): Path2D {
  const stroke = new Path2D();
  const [xs, ys] = [u.data[0], u.data[series]];
  let drawn = false;
  let before = 0;
  for (let k = first; k <= last; ++k) {
    const y = ys[k];
    if (y === null) drawn = false;
    if (y == null) continue;
    const [px, py] = [u.valToPos(xs[k], "x", true), u.valToPos(y, u.series[series].scale!, true)];
    if (!drawn) stroke.moveTo(px, py);
    else if (stepped) stroke.lineTo(px, before);
    stroke.lineTo(px, py); // a single row between gaps is a dot: caps are round
    before = py;
    drawn = true;
  }
  return stroke;
}

/// Bands between two edges, under the curves.
function bandFills(plot: TimePlot, values: (number | null | undefined)[][], series: uPlot.Series[]): uPlot.Plugin {
  const names = [...new Set(plot.curves.map((c) => c.edgeOf).filter((name) => name))];
  const bands = names.map((name) => plot.curves.map((_, k) => k).filter((k) => plot.curves[k].edgeOf === name));
  return {
    hooks: {
      drawAxes: (u: uPlot) => {
        const { ctx, bbox } = u;
        ctx.save();
        ctx.beginPath();
        ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
        ctx.clip();
        ctx.globalAlpha = 0.18;
        for (const [low, high] of bands) {
          if (high === undefined || !u.series[low + 1].show || !u.series[high + 1].show) continue;
          ctx.fillStyle = String(series[low].stroke);
          for (const part of pieces(values[low], values[high])) {
            ctx.beginPath();
            for (const k of part) ctx.lineTo(u.valToPos(u.data[0][k], "x", true), u.valToPos(values[low][k]!, "y", true));
            for (const k of [...part].reverse())
              ctx.lineTo(u.valToPos(u.data[0][k], "x", true), u.valToPos(values[high][k]!, "y", true));
            ctx.fill();
          }
        }
        ctx.restore();
      },
    },
  };
}

/// Stretches of rows in which both edges have values.
function pieces(low: (number | null | undefined)[], high: (number | null | undefined)[]): number[][] {
  const result: number[][] = [];
  let open: number[] = [];
  for (let k = 0; k < low.length; ++k) {
    if (low[k] != null && high[k] != null) open.push(k);
    else if (open.length > 0) (result.push(open), (open = []));
  }
  if (open.length > 0) result.push(open);
  return result;
}

function seriesOf(plot: TimePlot, values: (number | null | undefined)[][]): uPlot.Series[] {
  const colours = curveColours();
  const own = plot.curves.filter((c) => !c.desired && !c.edgeOf);
  return plot.curves.map((curve, k) => {
    const sparse = isSparse(values[k]);
    // a desired curve has the colour of the one it belongs to
    const name = curve.edgeOf || (curve.desired ? curve.name.replace(/ desired$/, "") : curve.name);
    const index = Math.max(own.findIndex((c) => c.name === name), 0);
    return {
      label: curve.name,
      stroke: curve.desired ? colour("ink") : colours[index % 6],
      dash: curve.desired ? [3, 5] : dashOf(index),
      width: curve.edgeOf ? 0.8 : curve.desired ? 1.4 : 1.8,
      points: sparse ? { show: true, size: 4, fill: colours[index % 6], width: 0 } : { show: false },
      pxAlign: 0,
      cap: "round" as const,
      paths: sparse ? () => null : curve.step ? steppedPath : smoothPath,
      value: (_: uPlot, v: number | null) => (v == null ? "" : short(v)),
      spanGaps: false,
    };
  });
}

/// Names in the legend show how their curves are drawn, can be switched by keyboard too, and tell what they stand for.
function openLegend(root: HTMLElement, plot: TimePlot, series: uPlot.Series[]): void {
  const labels = root.querySelectorAll<HTMLElement>(".u-series th");
  labels.forEach((label, k) => {
    if (k === 0) return;
    const { stroke, dash, points } = series[k - 1];
    label.querySelector(".u-marker")?.replaceWith(swatch(String(stroke), points?.show ? null : (dash ?? [])));
    label.tabIndex = 0;
    label.setAttribute("role", "button");
    label.title = plot.curves[k - 1].doc;
    label.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      label.click();
    });
  });
}

/// The clock's time as a line above the curves; a click moves the clock.
function followClock(u: uPlot, clock: Clock): void {
  const mark = document.createElement("div");
  mark.className = "now";
  u.over.append(mark);
  const place = () => {
    const x = u.valToPos(clock.t, "x");
    mark.style.transform = `translateX(${x}px)`;
    mark.hidden = x < 0 || x > u.over.clientWidth;
  };
  clock.onTime(place);
  u.hooks.setScale = [...(u.hooks.setScale ?? []), place];
  u.hooks.setSize = [...(u.hooks.setSize ?? []), place];
  let pressed = 0;
  u.over.addEventListener("pointerdown", (event) => (pressed = event.clientX));
  u.over.addEventListener("click", (event) => {
    if (Math.abs(event.clientX - pressed) > 3) return;
    clock.pause();
    clock.set(u.posToVal(event.clientX - u.over.getBoundingClientRect().left, "x"));
  });
  place();
}

function eventLines(data: Data): uPlot.Plugin {
  return {
    hooks: {
      drawClear: (u: uPlot) => {
        const { ctx, bbox } = u;
        ctx.save();
        ctx.strokeStyle = colour("muted");
        ctx.setLineDash([4, 4]);
        for (const event of data.events) {
          const x = u.valToPos(event.t, "x", true);
          if (x < bbox.left || x > bbox.left + bbox.width) continue;
          ctx.beginPath();
          ctx.moveTo(x, bbox.top);
          ctx.lineTo(x, bbox.top + bbox.height);
          ctx.stroke();
        }
        ctx.restore();
      },
    },
  };
}

function addPlot(parent: HTMLElement, data: Data, plot: TimePlot, times: number[], clock: Clock): void {
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  caption.textContent = titled(plot);
  const box = document.createElement("div");
  figure.append(caption, box);
  if (plot.note) {
    const note = document.createElement("p");
    note.className = "note";
    note.textContent = plot.note;
    figure.append(note);
  }
  parent.append(figure);
  const values = valuesOf(plot);
  if (values.every((curve) => curve.every((v) => v == null))) {
    box.textContent = "exactly zero at every row";
    return;
  }
  let u: uPlot | null = null;
  const make = () => {
    const series = seriesOf(plot, values);
    const scale = u ? { min: u.scales.x.min, max: u.scales.x.max } : null;
    u?.destroy();
    u = new uPlot(
      {
        width: Math.max(box.clientWidth, 200),
        height,
        scales: {
          x: { time: false },
          y: plot.log ? { distr: 3, range: logarithmicRange } : { range: linearRange },
        },
        axes: [{ ...axis(false), size: 32, space: 60 }, axis(plot.log)],
        series: [{ label: data.counted || "t", value: (_, v) => (v == null ? "" : data.counted ? short(v) : `${short(v)} s`) }, ...series],
        cursor: { sync: { key: "time" }, drag: { x: true, y: false }, points: { size: 6 } },
        legend: { live: true },
        plugins: [eventLines(data), bandFills(plot, values, series)],
      },
      [times, ...values] as uPlot.AlignedData,
      box,
    );
    if (scale && scale.min != null && scale.max != null) u.setScale("x", { min: scale.min, max: scale.max });
    openLegend(box, plot, series);
    followClock(u, clock);
  };
  make();
  onThemeChange(make);
  new ResizeObserver(() => {
    const width = Math.max(box.clientWidth, 200);
    if (u && u.width !== width) u.setSize({ width, height });
  }).observe(box);
}

export function addPlots(parent: HTMLElement, data: Data, clock: Clock): void {
  const hint = document.createElement("p");
  hint.className = "note";
  hint.textContent =
    "Drag to zoom all plots, double click to see everything; click to move the clock; names in the legend switch curves." +
    (data.shortened
      ? ` Of ${data.shortened} rows the smallest and largest values of each stretch are drawn.`
      : "");
  const grid = document.createElement("div");
  grid.className = "plots";
  parent.append(hint, grid);
  const times = Array.from(data.times);
  for (const plot of data.plots) addPlot(grid, data, plot, times, clock);
}
