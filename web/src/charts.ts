// Points of a plane as SVG: poles and zeros, work against precision.
import type { Chart, Series } from "./data";
import { degreeStep, niceStep, power, short } from "./numbers";
import { dashOf } from "./theme";

/// Pixels of a chart. One of a stack leaves its x axis to the chart below it.
interface Layout {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
  ticks: boolean;
}

function layoutOf(width: number, upper: boolean, stacked: boolean): Layout {
  const bottom = upper ? 8 : 48;
  const height = stacked ? 200 : Math.min(312, Math.max(0.56 * width, 200)); // of the field
  return { width, height: height + 12 + bottom, left: 74, right: 18, top: 12, bottom, ticks: !upper };
}
const namespace = "http://www.w3.org/2000/svg";

function element(name: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const made = document.createElementNS(namespace, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text) made.textContent = text;
  return made;
}

/// One direction: from values to pixels.
class Scale {
  private low: number;
  private high: number;
  constructor(
    values: number[],
    private readonly log: boolean,
    withZero: boolean,
    least: number, // range that is shown at least
    otherwise: number, // half the range where all values are one
    private readonly from: number,
    private readonly to: number,
    private readonly degrees: boolean,
  ) {
    const shown = values.filter((v) => Number.isFinite(v) && (!log || v > 0)).map((v) => (log ? Math.log10(v) : v));
    if (withZero && !log) shown.push(0);
    let [low, high] = [Math.min(...shown), Math.max(...shown)];
    if (!Number.isFinite(low)) [low, high] = [0, 1];
    const missing = log ? 0 : Math.max(least - (high - low), 0) / 2;
    const margin = high > low ? missing + 0.07 * (high - low) : log ? 0.5 : Math.max(otherwise, missing);
    this.low = low - margin;
    this.high = high + margin;
  }
  at(value: number): number {
    const v = this.log ? Math.log10(value) : value;
    return this.from + ((v - this.low) / (this.high - this.low)) * (this.to - this.from);
  }
  ticks(): { at: number; text: string }[] {
    const range = this.high - this.low;
    const space = this.to < this.from ? 36 : 64; // numbers are wider than high
    const count = Math.min(Math.max(Math.round(Math.abs(this.to - this.from) / space), 3), 7);
    const step = this.log ? Math.max(1, Math.ceil(range / count)) : this.degrees ? degreeStep(range, count) : niceStep(range, count);
    const result = [];
    for (let v = Math.ceil(this.low / step) * step; v <= this.high; v += step) {
      const value = this.log ? 10 ** v : Math.abs(v) < step * 1e-9 ? 0 : v;
      result.push({ at: this.at(value), text: this.log ? power(value) : short(value) });
    }
    return result;
  }
}

function marker(kind: string, x: number, y: number, style: string, r = 5): SVGElement {
  if (kind === "cross")
    return element("path", { d: `M${x - r},${y - r}L${x + r},${y + r}M${x - r},${y + r}L${x + r},${y - r}`, class: `open ${style}` });
  if (kind === "ring") return element("circle", { cx: x, cy: y, r, class: `open ${style}` });
  if (kind === "square") return element("rect", { x: x - 0.7 * r, y: y - 0.7 * r, width: 1.4 * r, height: 1.4 * r, class: `full ${style}` });
  return element("circle", { cx: x, cy: y, r: 0.8 * r, class: `full ${style}` });
}

/// Colours repeat after six; then dots are squares, as lines are dashed.
function markerOf(series: Series, index: number): string {
  return series.marker === "dot" && index % 12 >= 6 ? "square" : series.marker;
}

function drawSeries(svg: SVGElement, series: Series, index: number, x: Scale, y: Scale): void {
  const style = `curve-${(index % 6) + 1}`;
  const places = series.x.map((v, k) => [x.at(v), y.at(series.y[k])]);
  const shown = places.filter((p) => p.every(Number.isFinite));
  if (series.joined && shown.length > 1)
    svg.append(
      element("polyline", {
        points: shown.map((p) => p.join(",")).join(" "),
        class: `open ${style}`,
        "stroke-dasharray": dashOf(index).join(" "),
      }),
    );
  if (series.marker === "none") return;
  const radius = places.length > 400 ? 2.5 : 5; // many points lie close together
  places.forEach((p, k) => {
    if (!p.every(Number.isFinite)) return;
    const mark = marker(markerOf(series, index), p[0], p[1], style, radius);
    mark.append(element("title", {}, series.labels[k] || `${series.name}: ${short(series.x[k])}, ${short(series.y[k])}`));
    svg.append(mark);
  });
}

function drawAxes(svg: SVGElement, size: Layout, chart: Chart, x: Scale, y: Scale): void {
  const bottom = size.height - size.bottom;
  const right = size.width - size.right;
  for (const tick of x.ticks()) {
    svg.append(element("path", { d: `M${tick.at},${size.top}V${bottom}`, class: "grid" }));
    if (size.ticks) svg.append(element("text", { x: tick.at, y: bottom + 18, class: "tick middle" }, tick.text));
  }
  for (const tick of y.ticks()) {
    svg.append(element("path", { d: `M${size.left},${tick.at}H${right}`, class: "grid" }));
    svg.append(element("text", { x: size.left - 8, y: tick.at + 4, class: "tick end" }, tick.text));
  }
  if (chart.axes) {
    svg.append(element("path", { d: `M${x.at(0)},${size.top}V${bottom}M${size.left},${y.at(0)}H${right}`, class: "axis" }));
  }
  if (size.ticks) svg.append(element("text", { x: (size.left + right) / 2, y: size.height - 8, class: "label middle" }, chart.x));
  svg.append(
    element("text", { x: 16, y: (size.top + bottom) / 2, class: "label middle", transform: `rotate(-90 16 ${(size.top + bottom) / 2})` }, chart.y),
  );
}

function legend(chart: Chart): HTMLElement {
  const list = document.createElement("ul");
  list.className = "legend";
  chart.series.forEach((series, index) => {
    const item = document.createElement("li");
    const key = element("svg", { viewBox: "0 0 28 16", width: 28, height: 16, "aria-hidden": "true" });
    const style = `curve-${(index % 6) + 1}`;
    if (series.joined) key.append(element("path", { d: "M1,8H27", class: `open ${style}`, "stroke-dasharray": dashOf(index).join(" ") }));
    if (series.marker !== "none") key.append(marker(markerOf(series, index), 14, 8, style));
    item.append(key, series.name);
    list.append(item);
  });
  return list;
}

const finite = (values: number[]) => values.filter(Number.isFinite);

function scalesOf(chart: Chart, size: Layout): [Scale, Scale] {
  const [xs, ys] = [chart.series.flatMap((s) => s.x), chart.series.flatMap((s) => s.y)];
  const largest = (values: number[]) => finite(values).reduce((most, v) => Math.max(most, Math.abs(v)), 0);
  // poles on one axis of a map: the other axis is as long as that one; elsewhere as long as the value
  const margin = (own: number[], other: number[]) => largest(own) || (chart.leastX > 0 ? largest(other) : 0) || 1;
  return [
    new Scale(xs, chart.logX, chart.axes, chart.leastX, margin(xs, ys), size.left, size.width - size.right, false),
    new Scale(ys, chart.logY, chart.axes, chart.leastY, margin(ys, xs), size.height - size.bottom, size.top, chart.y.endsWith("[deg]")),
  ];
}

function drawChart(svg: SVGElement, chart: Chart, size: Layout): void {
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
  const [x, y] = scalesOf(chart, size);
  drawAxes(svg, size, chart, x, y);
  chart.series.forEach((series, index) => drawSeries(svg, series, index, x, y));
}

/// One chart, or some of them on one x axis.
function addFigure(parent: HTMLElement, stack: Chart[]): void {
  const figure = document.createElement("figure");
  parent.append(figure);
  const svgs = stack.map((chart) => {
    const caption = document.createElement("figcaption");
    caption.textContent = chart.title;
    const svg = element("svg", { role: "img", "aria-label": chart.title, class: "chart" });
    figure.append(...(chart.title ? [caption] : []), svg);
    return svg;
  });
  figure.append(legend(stack[0]));
  for (const text of stack.map((chart) => chart.note).filter(Boolean)) {
    const note = document.createElement("p");
    note.className = "note";
    note.textContent = text;
    figure.append(note);
  }
  // letters keep their size: the chart is drawn for the width that it has
  let shown = 0;
  const fit = () => {
    const width = Math.min(Math.max(Math.round(figure.clientWidth), 260), 640);
    if (width === shown) return;
    shown = width;
    stack.forEach((chart, k) => drawChart(svgs[k], chart, layoutOf(width, k + 1 < stack.length, stack.length > 1)));
  };
  fit();
  new ResizeObserver(fit).observe(figure);
}

export function addCharts(parent: HTMLElement, charts: Chart[]): void {
  const grid = document.createElement("div");
  grid.className = "plots";
  parent.append(grid);
  const stacks: Chart[][] = [];
  for (const chart of charts) {
    if (chart.below && stacks.length > 0) stacks[stacks.length - 1].push(chart);
    else stacks.push([chart]);
  }
  for (const stack of stacks) addFigure(grid, stack);
}
