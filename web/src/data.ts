// What the page holds as data, as src/emit/page.cpp writes it.

export interface Curve {
  name: string;
  doc: string;
  desired: boolean;
  step: boolean;
  edgeOf: string;
  values: Float32Array;
}
export interface TimePlot {
  title: string;
  unit: string;
  note: string;
  log: boolean;
  curves: Curve[];
}
export interface Shape {
  kind: string;
  first: number;
  points: number;
  options: Record<string, number>;
  label: string;
}
export interface Drawing {
  dimension: 2 | 3;
  gauges: boolean;
  width: number;
  times: Float64Array;
  numbers: Float32Array;
  shapes: Shape[];
}
export interface Series {
  name: string;
  x: number[];
  y: number[];
  labels: string[];
  marker: string;
  joined: boolean;
}
export interface Chart {
  title: string;
  x: string;
  y: string;
  note: string;
  axes: boolean;
  logX: boolean;
  logY: boolean;
  leastX: number;
  leastY: number;
  below: boolean;
  series: Series[];
}
export interface Data {
  counted: string;
  times: Float64Array;
  shortened: number;
  plots: TimePlot[];
  events: { name: string; t: number }[];
  drawing: Drawing | null;
  charts: Chart[];
}

function bytes(text: string): ArrayBuffer {
  const raw = atob(text);
  const result = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) result[i] = raw.charCodeAt(i);
  return result.buffer;
}

/// JSON has no types: numbers arrive packed, everything else as it is.
export function readData(): Data {
  const json = JSON.parse(document.getElementById("data")!.textContent!);
  const drawing = json.drawing;
  return {
    counted: json.counted,
    times: new Float64Array(bytes(json.times ?? "")),
    shortened: json.shortened ?? 0,
    plots: (json.plots ?? []).map((plot: any) => ({
      ...plot,
      curves: plot.curves.map((c: any) => ({ ...c, values: new Float32Array(bytes(c.data)) })),
    })),
    events: json.events,
    drawing: drawing
      ? {
          ...drawing,
          times: new Float64Array(bytes(drawing.times)),
          numbers: new Float32Array(bytes(drawing.numbers)),
        }
      : null,
    charts: json.charts,
  };
}
