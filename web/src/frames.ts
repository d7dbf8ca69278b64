// Poses between frames, and where the whole motion takes place.
import type { Drawing, Shape } from "./data";

/// The numbers of the drawing at a time: linear between the frames around it.
export function poseAt(drawing: Drawing, t: number, pose: Float32Array): Float32Array {
  const { times, width, numbers } = drawing;
  let low = 0;
  let high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  const span = times[high] - times[low];
  const share = span > 0 ? Math.min(Math.max((t - times[low]) / span, 0), 1) : 0;
  for (let i = 0; i < width; ++i) {
    const a = numbers[low * width + i];
    pose[i] = a + share * (numbers[high * width + i] - a);
  }
  return pose;
}

export interface Box {
  low: number[];
  high: number[];
}

/// Around everything that is drawn at any time; coordinates that are no numbers are left out.
export function boundsOf(drawing: Drawing): Box {
  const dimension = drawing.dimension;
  const low = new Array(dimension).fill(Infinity);
  const high = new Array(dimension).fill(-Infinity);
  for (let frame = 0; frame < drawing.times.length; ++frame)
    for (const shape of drawing.shapes) {
      const base = frame * drawing.width;
      const margin = "radius" in shape.options ? drawing.numbers[base + shape.options.radius] : 0;
      for (let p = 0; p < shape.points; ++p)
        for (let i = 0; i < dimension; ++i) {
          const value = drawing.numbers[base + shape.first + p * dimension + i];
          if (!Number.isFinite(value)) continue;
          low[i] = Math.min(low[i], value - margin);
          high[i] = Math.max(high[i], value + margin);
        }
    }
  for (let i = 0; i < dimension; ++i) if (low[i] > high[i]) (low[i] = -1), (high[i] = 1);
  return { low, high };
}

/// The way of a disc's centre through all frames; null when it stands still.
export function wayOf(drawing: Drawing, shape: Shape): number[][] | null {
  if (shape.kind !== "disc" || drawing.gauges) return null;
  const way: number[][] = [];
  let moved = false;
  for (let frame = 0; frame < drawing.times.length; ++frame) {
    const first = frame * drawing.width + shape.first;
    const point = Array.from(drawing.numbers.subarray(first, first + drawing.dimension));
    if (!point.every(Number.isFinite)) continue;
    if (way.length > 0 && point.some((x, i) => x !== way[0][i])) moved = true;
    way.push(point);
  }
  return moved ? way : null;
}
