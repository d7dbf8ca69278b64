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

/// How far a shape reaches around its points.
function reachOf(drawing: Drawing, shape: Shape, base: number): number {
  const option = (name: string) => (name in shape.options ? Math.abs(drawing.numbers[base + shape.options[name]]) : 0);
  const reach = Math.max(option("radius"), Math.hypot(option("width"), option("height")) / 2);
  return Number.isFinite(reach) ? reach : 0;
}

/// Grows a box around the points of a frame, seen from an origin; coordinates that are no numbers are left out.
function grow(box: Box, drawing: Drawing, frame: number, origin: number[], counts: (first: number) => boolean): void {
  const { dimension, width, numbers } = drawing;
  for (const shape of drawing.shapes) {
    const margin = reachOf(drawing, shape, frame * width);
    for (let p = 0; p < shape.points; ++p) {
      const first = shape.first + p * dimension;
      for (let i = 0; i < dimension && counts(first); ++i) {
        const value = numbers[frame * width + first + i] - origin[i];
        if (!Number.isFinite(value)) continue;
        box.low[i] = Math.min(box.low[i], value - margin);
        box.high[i] = Math.max(box.high[i], value + margin);
      }
    }
  }
}

function emptyBox(dimension: number): Box {
  return { low: new Array(dimension).fill(Infinity), high: new Array(dimension).fill(-Infinity) };
}

/// Around everything that is drawn at any time.
export function boundsOf(drawing: Drawing): Box {
  const box = emptyBox(drawing.dimension);
  const origin = new Array(drawing.dimension).fill(0);
  for (let frame = 0; frame < drawing.times.length; ++frame) grow(box, drawing, frame, origin, () => true);
  box.low.forEach((low, i) => {
    if (low > box.high[i]) (box.low[i] = -1), (box.high[i] = 1);
  });
  return box;
}

/// What a camera shows that goes with the mechanism: the mean of the points that move is its origin, along the axes in which
/// they travel; the box holds them at every time.
export class Travel {
  /// Along some axis the mechanism moves by more than its own size; by more than twice that, the whole way is no picture of it.
  readonly worthFollowing: boolean;
  readonly far: boolean;
  readonly box: Box;
  private readonly moving: number[] = []; // first numbers of points
  private readonly followed: boolean[];

  constructor(private readonly drawing: Drawing) {
    const { dimension, times } = drawing;
    const every = new Array(dimension).fill(true);
    // a shape that begins at a fixed point belongs to the mechanism: what hangs on a pivot does not travel
    const counts = new Set<number>();
    for (const shape of drawing.shapes) {
      const points = Array.from({ length: shape.points }, (_, p) => shape.first + p * dimension);
      const moving = points.filter((first) => this.moves(first));
      this.moving.push(...moving);
      if (moving.length > 0) points.forEach((first) => counts.add(first));
    }
    const own = emptyBox(dimension);
    const centres = emptyBox(dimension);
    for (let frame = 0; frame < times.length; ++frame) {
      const centre = this.centreOf(drawing.numbers, frame * drawing.width, every);
      grow(own, drawing, frame, centre, (first) => counts.has(first));
      centre.forEach((x, i) => {
        centres.low[i] = Math.min(centres.low[i], x);
        centres.high[i] = Math.max(centres.high[i], x);
      });
    }
    const lengths = (box: Box) => box.low.map((low, i) => Math.max(box.high[i] - low, 0));
    const size = Math.max(...lengths(own));
    const way = lengths(centres);
    this.worthFollowing = !drawing.gauges && counts.size > 0 && size > 0 && Math.max(...way) > size;
    this.far = this.worthFollowing && Math.max(...way) > 2 * size;
    this.followed = way.map((length) => length > 0.25 * size);
    this.box = emptyBox(dimension);
    for (let frame = 0; frame < times.length && this.worthFollowing; ++frame)
      grow(this.box, drawing, frame, this.centreOf(drawing.numbers, frame * drawing.width, this.followed), (first) => counts.has(first));
  }

  /// The camera's origin at a pose.
  origin(pose: Float32Array): number[] {
    return this.centreOf(pose, 0, this.followed);
  }

  private moves(first: number): boolean {
    const { dimension, numbers, times, width } = this.drawing;
    for (let frame = 1; frame < times.length; ++frame)
      for (let i = 0; i < dimension; ++i) if (numbers[frame * width + first + i] !== numbers[first + i]) return true;
    return false;
  }
  private centreOf(numbers: Float32Array, base: number, axes: boolean[]): number[] {
    const centre = axes.map(() => 0);
    let counted = 0;
    for (const first of this.moving) {
      const point = axes.map((_, i) => numbers[base + first + i]);
      if (!point.every(Number.isFinite)) continue;
      ++counted;
      point.forEach((x, i) => (centre[i] += x));
    }
    return centre.map((x, i) => (axes[i] && counted > 0 ? x / counted : 0));
  }
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
