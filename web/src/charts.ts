// Points of a plane as SVG: poles and zeros, work against precision.
import type { Chart, Series } from "./data";
import { niceStep, power, short } from "./numbers";
import { dashOf } from "./theme";

const size = { width: 560, height: 360, left: 74, right: 18, top: 12, bottom: 48 };
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
    private readonly from: number,
    private readonly to: number,
  ) {
    const shown = values.filter((v) => Number.isFinite(v) && (!log || v > 0)).map((v) => (log ? Math.log10(v) : v));
    if (withZero && !log) shown.push(0);
    let [low, high] = [Math.min(...shown), Math.max(...shown)];
    if (!Number.isFinite(low)) [low, high] = [0, 1];
    const margin = high > low ? 0.07 * (high - low) : log ? 0.5 : Math.abs(high) || 1;
    this.low = low - margin;
    this.high = high + margin;
  }
  at(value: number): number {
    const v = this.log ? Math.log10(value) : value;
    return this.from + ((v - this.low) / (this.high - this.low)) * (this.to - this.from);
  }
  ticks(): { at: number; text: string }[] {
    const step = this.log ? Math.max(1, Math.ceil((this.high - this.low) / 7)) : niceStep(this.high - this.low, 6);
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
  return element("circle", { cx: x, cy: y, r: 0.8 * r, class: `full ${style}` });
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
    const mark = marker(series.marker, p[0], p[1], style, radius);
    mark.append(element("title", {}, series.labels[k] || `${series.name}: ${short(series.x[k])}, ${short(series.y[k])}`));
    svg.append(mark);
  });
}

function drawAxes(svg: SVGElement, chart: Chart, x: Scale, y: Scale): void {
  const bottom = size.height - size.bottom;
  const right = size.width - size.right;
  for (const tick of x.ticks()) {
    svg.append(element("path", { d: `M${tick.at},${size.top}V${bottom}`, class: "grid" }));
    svg.append(element("text", { x: tick.at, y: bottom + 18, class: "tick middle" }, tick.text));
  }
  for (const tick of y.ticks()) {
    svg.append(element("path", { d: `M${size.left},${tick.at}H${right}`, class: "grid" }));
    svg.append(element("text", { x: size.left - 8, y: tick.at + 4, class: "tick end" }, tick.text));
  }
  if (chart.axes) {
    svg.append(element("path", { d: `M${x.at(0)},${size.top}V${bottom}M${size.left},${y.at(0)}H${right}`, class: "axis" }));
  }
  svg.append(element("text", { x: (size.left + right) / 2, y: size.height - 8, class: "label middle" }, chart.x));
  svg.append(
    element("text", { x: 16, y: (size.top + bottom) / 2, class: "label middle", transform: `rotate(-90 16 ${(size.top + bottom) / 2})` }, chart.y),
  );
}

function legend(chart: Chart): HTMLElement {
  const list = document.createElement("ul");
  list.className = "legend";
  chart.series.forEach((series, index) => {
    const item = document.createElement("li");
    const key = element("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" });
    const style = `curve-${(index % 6) + 1}`;
    if (series.joined) key.append(element("path", { d: "M0,8H16", class: `open ${style}`, "stroke-dasharray": dashOf(index).join(" ") }));
    if (series.marker !== "none") key.append(marker(series.marker, 8, 8, style));
    item.append(key, series.name);
    list.append(item);
  });
  return list;
}

function addChart(parent: HTMLElement, chart: Chart): void {
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  caption.textContent = chart.title;
  const svg = element("svg", { viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-label": chart.title, class: "chart" });
  const all = (of: (s: Series) => number[]) => chart.series.flatMap(of);
  const x = new Scale(all((s) => s.x), chart.logX, chart.axes, size.left, size.width - size.right);
  const y = new Scale(all((s) => s.y), chart.logY, chart.axes, size.height - size.bottom, size.top);
  drawAxes(svg, chart, x, y);
  chart.series.forEach((series, index) => drawSeries(svg, series, index, x, y));
  figure.append(caption, svg, legend(chart));
  if (chart.note) {
    const note = document.createElement("p");
    note.className = "note";
    note.textContent = chart.note;
    figure.append(note);
  }
  parent.append(figure);
}

export function addCharts(parent: HTMLElement, charts: Chart[]): void {
  const grid = document.createElement("div");
  grid.className = "plots";
  parent.append(grid);
  for (const chart of charts) addChart(grid, chart);
}
