// A mechanism in the plane, on a canvas: x to the right, y up, lengths true.
import type { Drawing, Shape } from "./data";
import { boundsOf, poseAt, Travel, wayOf } from "./frames";
import { niceStep, short } from "./numbers";
import { stageRatio, type Stage } from "./stage";
import { colour, onThemeChange } from "./theme";

export class FlatStage implements Stage {
  private readonly context: CanvasRenderingContext2D;
  private readonly pose: Float32Array;
  private readonly ways: (number[][] | null)[];
  private width = 0;
  private height = 0;
  private scale = 1; // pixels a unit
  private centre = [0, 0];
  private middle = [0, 0]; // of the picture, from the camera's origin
  private t = 0;
  private readonly travel: Travel;
  private follows: boolean;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly drawing: Drawing,
  ) {
    this.context = canvas.getContext("2d")!;
    this.pose = new Float32Array(drawing.width);
    this.ways = drawing.shapes.map((shape) => wayOf(drawing, shape));
    this.t = drawing.times[0];
    this.travel = new Travel(drawing);
    this.follows = this.travel.far;
    new ResizeObserver(() => this.fit()).observe(canvas.parentElement!);
    onThemeChange(() => this.draw());
    this.fit();
  }

  show(t: number): void {
    this.t = t;
    this.draw();
  }

  get travels(): boolean {
    return this.travel.worthFollowing;
  }
  get following(): boolean {
    return this.follows;
  }
  set following(on: boolean) {
    this.follows = on;
    this.fit();
  }

  private fit(): void {
    const width = this.canvas.parentElement!.clientWidth;
    if (width === 0) return;
    const { low, high } = this.follows ? this.travel.box : boundsOf(this.drawing);
    const size = [high[0] - low[0], high[1] - low[1]];
    // a wide motion gets a low stage, a tall one no more than the usual
    const ratio = Math.min(Math.max((size[1] / Math.max(size[0], 1e-12)) * 1.15, 0.34), stageRatio);
    this.width = width;
    this.height = Math.round(width * ratio);
    const pixels = devicePixelRatio || 1;
    this.canvas.width = Math.round(this.width * pixels);
    this.canvas.height = Math.round(this.height * pixels);
    this.canvas.style.height = `${this.height}px`;
    this.context.setTransform(pixels, 0, 0, pixels, 0, 0);
    const margin = 34;
    this.scale = Math.min(
      (this.width - 2 * margin) / Math.max(size[0], 1e-9),
      (this.height - 2 * margin) / Math.max(size[1], 1e-9),
    );
    this.middle = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
    this.draw();
  }

  private at(p: ArrayLike<number>, first = 0): [number, number] {
    return [
      this.width / 2 + (p[first] - this.centre[0]) * this.scale,
      this.height / 2 - (p[first + 1] - this.centre[1]) * this.scale,
    ];
  }

  private draw(): void {
    const c = this.context;
    c.clearRect(0, 0, this.width, this.height);
    poseAt(this.drawing, this.t, this.pose);
    const origin = this.follows ? this.travel.origin(this.pose) : [0, 0];
    this.centre = this.middle.map((x, i) => x + origin[i]);
    if (!this.drawing.gauges) this.drawGrid();
    c.lineCap = c.lineJoin = "round";
    this.ways.forEach((way) => way && this.drawWay(way));
    // lines lie under discs, as rods under their pins
    for (const over of [false, true])
      for (const shape of this.drawing.shapes)
        if ((shape.kind === "disc" || shape.kind === "text") === over) this.drawShape(shape);
  }

  private drawGrid(): void {
    const c = this.context;
    const step = niceStep(this.width / this.scale, 12);
    c.strokeStyle = colour("grid");
    c.lineWidth = 1;
    c.beginPath();
    const [left, bottom] = [
      this.centre[0] - this.width / 2 / this.scale,
      this.centre[1] - this.height / 2 / this.scale,
    ];
    for (let x = Math.ceil(left / step) * step; x < left + this.width / this.scale; x += step) {
      const px = Math.round(this.at([x, 0])[0]) + 0.5;
      c.moveTo(px, 0);
      c.lineTo(px, this.height);
    }
    for (let y = Math.ceil(bottom / step) * step; y < bottom + this.height / this.scale; y += step) {
      const py = Math.round(this.at([0, y])[1]) + 0.5;
      c.moveTo(0, py);
      c.lineTo(this.width, py);
    }
    c.stroke();
    // one square of the grid, measured
    c.fillStyle = c.strokeStyle = colour("muted");
    c.font = "12px system-ui, sans-serif";
    c.textAlign = "left";
    c.textBaseline = "alphabetic";
    c.beginPath();
    c.moveTo(12, this.height - 12);
    c.lineTo(12 + step * this.scale, this.height - 12);
    c.stroke();
    c.fillText(short(step), 14, this.height - 17);
  }

  private drawWay(way: number[][]): void {
    const c = this.context;
    c.strokeStyle = colour("trail");
    c.lineWidth = 1.5;
    c.beginPath();
    way.forEach((p, k) => (k === 0 ? c.moveTo(...this.at(p)) : c.lineTo(...this.at(p))));
    c.stroke();
  }

  private drawShape(shape: Shape): void {
    const points: [number, number][] = [];
    for (let k = 0; k < shape.points; ++k) points.push(this.at(this.pose, shape.first + this.drawing.dimension * k));
    if (!points.every((p) => p.every(Number.isFinite))) return;
    const option = (name: string, otherwise: number) =>
      name in shape.options ? this.pose[shape.options[name]] * this.scale : otherwise;
    const c = this.context;
    c.setLineDash([]);
    c.strokeStyle = colour("ink");
    c.lineWidth = 3;
    c.beginPath();
    if (shape.kind === "disc" || shape.kind === "ring") {
      c.arc(...points[0], Math.max(option("radius", 6), 3), 0, 2 * Math.PI);
      if (shape.kind === "disc") {
        c.fillStyle = colour("accent");
        c.fill();
        c.strokeStyle = colour("panel");
        c.lineWidth = 1.5;
      } else {
        c.strokeStyle = colour("muted");
        c.lineWidth = 1.5;
      }
      c.stroke();
    } else if (shape.kind === "box") {
      this.pathOfBox(points, option("width", 24), option("height", 16), shape);
      c.fillStyle = colour("body");
      c.fill();
      c.lineWidth = 2;
      c.stroke();
    } else if (shape.kind === "spring" && points.length > 1) {
      this.pathOfSpring(points[0], points[1]);
      c.lineWidth = 2;
      c.stroke();
    } else if (shape.kind !== "text") {
      points.forEach((p, k) => (k === 0 ? c.moveTo(...p) : c.lineTo(...p)));
      c.stroke();
      if (shape.kind === "arrow") this.drawHead(points[points.length - 2] ?? points[0], points[points.length - 1]);
      else if (!this.drawing.gauges && points.length < 40) this.drawJoints(points);
    }
    if (shape.label) this.drawLabel(shape, points[points.length - 1]);
  }

  private drawJoints(points: [number, number][]): void {
    const c = this.context;
    c.fillStyle = colour("ink");
    for (const p of points) {
      c.beginPath();
      c.arc(...p, 2.6, 0, 2 * Math.PI);
      c.fill();
    }
  }

  private drawLabel(shape: Shape, [x, y]: [number, number]): void {
    const c = this.context;
    c.fillStyle = colour(shape.kind === "text" ? "muted" : "ink");
    c.font = "13px system-ui, sans-serif";
    c.textBaseline = "middle";
    c.textAlign = shape.kind === "text" ? "center" : "left";
    c.fillText(shape.label, shape.kind === "text" ? x : x + 10, shape.kind === "text" ? y : y - 10);
  }

  /// Two points: opposite corners. One point: the centre, with width, height and angle.
  private pathOfBox(points: [number, number][], width: number, height: number, shape: Shape): void {
    const c = this.context;
    if (points.length > 1) {
      c.rect(points[0][0], points[0][1], points[1][0] - points[0][0], points[1][1] - points[0][1]);
      return;
    }
    const angle = "angle" in shape.options ? this.pose[shape.options.angle] : 0;
    const [cos, sin] = [Math.cos(angle) / 2, Math.sin(angle) / 2];
    [[-1, -1], [1, -1], [1, 1], [-1, 1]].forEach(([a, b], k) => {
      const x = points[0][0] + a * width * cos - b * height * sin;
      const y = points[0][1] - a * width * sin - b * height * cos;
      if (k === 0) c.moveTo(x, y);
      else c.lineTo(x, y);
    });
    c.closePath();
  }

  private pathOfSpring(a: [number, number], b: [number, number]): void {
    const c = this.context;
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const length = Math.hypot(dx, dy) || 1;
    const [nx, ny] = [(-dy / length) * 7, (dx / length) * 7];
    const turns = 9;
    c.moveTo(...a);
    for (let k = 0; k <= 2 * turns; ++k) {
      const share = 0.15 + (0.7 * k) / (2 * turns);
      const side = k === 0 || k === 2 * turns ? 0 : k % 2 === 0 ? 1 : -1;
      c.lineTo(a[0] + share * dx + side * nx, a[1] + share * dy + side * ny);
    }
    c.lineTo(...b);
  }

  private drawHead(from: [number, number], to: [number, number]): void {
    const c = this.context;
    const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
    c.fillStyle = colour("ink");
    c.beginPath();
    c.moveTo(...to);
    for (const side of [-1, 1])
      c.lineTo(to[0] - 12 * Math.cos(angle + side * 0.4), to[1] - 12 * Math.sin(angle + side * 0.4));
    c.closePath();
    c.fill();
  }
}
