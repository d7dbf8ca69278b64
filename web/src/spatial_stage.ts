// A mechanism in space, with three.js: z up; rods are cylinders, discs spheres, rings face the viewer.
import * as three from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Drawing, Shape } from "./data";
import { boundsOf, poseAt, Travel, wayOf, type Box } from "./frames";
import { niceStep } from "./numbers";
import { stageRatio, type Stage } from "./stage";
import { colour, onThemeChange } from "./theme";

const up = new three.Vector3(0, 1, 0); // the axis of three's cylinders

/// Puts the unit cylinder between two points.
function stretch(rod: three.Mesh, a: three.Vector3, b: three.Vector3, radius: number): void {
  const along = b.clone().sub(a);
  const length = along.length();
  rod.position.copy(a).addScaledVector(along, 0.5);
  rod.scale.set(radius, Math.max(length, 1e-9), radius);
  if (length > 0) rod.quaternion.setFromUnitVectors(up, along.divideScalar(length));
}

const labelHeight = 20; // [px]
const coils = 8;

/// A coil of radius 1 around the y axis, from -1/2 to 1/2, straight at its ends.
class Coil extends three.Curve<three.Vector3> {
  constructor() {
    super();
  }
  getPoint(share: number, point = new three.Vector3()): three.Vector3 {
    const inner = Math.min(Math.max((share - 0.1) / 0.8, 0), 1);
    const radius = Math.min(1, 20 * inner, 20 * (1 - inner));
    const angle = 2 * Math.PI * coils * inner;
    return point.set(radius * Math.cos(angle), share - 0.5, radius * Math.sin(angle));
  }
}

/// A text that keeps its size on the screen.
class Label {
  readonly sprite: three.Sprite;
  private readonly picture = document.createElement("canvas");
  private readonly font = `${0.65 * labelHeight}px system-ui, sans-serif`;
  private readonly width: number; // [px]

  /// Beside its point, or around it.
  constructor(
    private readonly text: string,
    readonly colour: string,
    beside: boolean,
  ) {
    const context = this.picture.getContext("2d")!;
    context.font = this.font;
    this.width = Math.ceil(context.measureText(text).width) + 4;
    const sharp = 2 * (devicePixelRatio || 1);
    [this.picture.width, this.picture.height] = [sharp * this.width, sharp * labelHeight].map(Math.ceil);
    const texture = new three.CanvasTexture(this.picture);
    texture.colorSpace = three.SRGBColorSpace;
    this.sprite = new three.Sprite(new three.SpriteMaterial({ map: texture, sizeAttenuation: false, depthTest: false }));
    if (beside) this.sprite.center.set(-10 / this.width, -5 / labelHeight);
    this.sprite.renderOrder = 1;
  }
  paint(): void {
    const context = this.picture.getContext("2d")!;
    context.setTransform(this.picture.width / this.width, 0, 0, this.picture.height / labelHeight, 0, 0);
    context.clearRect(0, 0, this.width, labelHeight);
    [context.font, context.fillStyle, context.textBaseline] = [this.font, colour(this.colour), "middle"];
    context.fillText(this.text, 2, labelHeight / 2);
    this.sprite.material.map!.needsUpdate = true;
  }
  /// `pixel`: its share of the picture, at distance 1 from the eye.
  fit(pixel: number): void {
    this.sprite.scale.set(this.width * pixel, labelHeight * pixel, 1);
  }
}

export class SpatialStage implements Stage {
  private readonly renderer: three.WebGLRenderer;
  private readonly scene = new three.Scene();
  private readonly camera = new three.PerspectiveCamera(32, 1 / stageRatio, 0.01, 1000);
  private readonly controls: OrbitControls;
  private readonly pose: Float32Array;
  private readonly movers: (() => void)[] = [];
  private readonly labels: Label[] = [];
  private readonly rod = new three.CylinderGeometry(1, 1, 1, 16);
  private readonly ball = new three.SphereGeometry(1, 32, 16);
  private readonly cone = new three.ConeGeometry(1, 1, 24);
  private readonly cube = new three.BoxGeometry(1, 1, 1);
  private readonly edges = new three.EdgesGeometry(this.cube);
  private readonly ring = new three.TorusGeometry(1, 0.025, 8, 64);
  private readonly coil = new Coil();
  private readonly materials: Record<string, three.MeshStandardMaterial | three.LineBasicMaterial> = {};
  private readonly floor: three.LineSegments;
  private readonly whole: Box;
  private readonly travel: Travel;
  private follows: boolean;
  private size = 1; // of what the camera shows
  private t = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly drawing: Drawing,
  ) {
    this.renderer = new three.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.pose = poseAt(drawing, drawing.times[0], new Float32Array(drawing.width));
    this.t = drawing.times[0];
    this.whole = boundsOf(drawing);
    this.travel = new Travel(drawing);
    this.follows = this.travel.far;
    this.addLight();
    this.floor = this.addFloor();
    for (const shape of drawing.shapes) this.addShape(shape);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableZoom = false; // the wheel scrolls the page; keys and pinch come closer
    this.lookAt();
    this.controls.addEventListener("change", () => this.render());
    this.canvas.addEventListener("keydown", (event) => this.turn(event));
    this.paint();
    onThemeChange(() => this.paint());
    new ResizeObserver(() => this.fit()).observe(canvas.parentElement!);
    this.fit();
  }

  get travels(): boolean {
    return this.travel.worthFollowing;
  }
  get following(): boolean {
    return this.follows;
  }
  set following(on: boolean) {
    this.follows = on;
    this.lookAt();
    this.render();
  }

  show(t: number): void {
    this.t = t;
    this.render();
  }

  private material(name: string, line = false): three.MeshStandardMaterial | three.LineBasicMaterial {
    this.materials[name] ??= line
      ? new three.LineBasicMaterial()
      : new three.MeshStandardMaterial({ roughness: 0.55, metalness: 0.1, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }); // edges lie before faces
    return this.materials[name];
  }
  /// Colours of the theme that is shown now.
  private paint(): void {
    for (const [name, material] of Object.entries(this.materials)) material.color.set(colour(name.replace(/-line$/, "")));
    for (const label of this.labels) label.paint();
    this.render();
  }

  private addLight(): void {
    this.scene.add(new three.HemisphereLight(0xffffff, 0x9a9a9a, 2.2));
    const sun = new three.DirectionalLight(0xffffff, 1.6);
    sun.position.set(2, -3, 5);
    this.scene.add(sun);
  }

  /// Squares of side 1, twelve by twelve.
  private addFloor(): three.LineSegments {
    const lines: three.Vector3[] = [];
    for (let k = -6; k <= 6; ++k) {
      lines.push(new three.Vector3(k, -6, 0), new three.Vector3(k, 6, 0));
      lines.push(new three.Vector3(-6, k, 0), new three.Vector3(6, k, 0));
    }
    const floor = new three.LineSegments(new three.BufferGeometry().setFromPoints(lines), this.material("grid", true));
    this.scene.add(floor);
    return floor;
  }

  /// Under what is shown, its lines where they are: it goes with the camera in whole squares.
  private placeFloor(): void {
    const step = niceStep(this.size, 8);
    const { x, y } = this.controls.target;
    this.floor.scale.setScalar(step);
    this.floor.position.set(Math.round(x / step) * step, Math.round(y / step) * step, this.whole.low[2]);
  }

  /// What the camera looks at: the middle of the whole way, or of the mechanism where it is now.
  private centre(): three.Vector3 {
    const box = this.follows ? this.travel.box : this.whole;
    const origin = this.follows ? this.travel.origin(this.pose) : [0, 0, 0];
    const middle = box.low.map((low, i) => (low + box.high[i]) / 2 + origin[i]);
    return new three.Vector3(middle[0], middle[1], middle[2]);
  }

  private lookAt(): void {
    const { low, high } = this.follows ? this.travel.box : this.whole;
    this.size = Math.max(Math.hypot(...low.map((x, i) => high[i] - x)), 1e-6);
    const centre = this.centre();
    this.camera.up.set(0, 0, 1);
    this.camera.position.copy(centre).add(new three.Vector3(1.0, -1.55, 0.75).normalize().multiplyScalar(2 * this.size));
    this.camera.near = this.size / 100;
    this.camera.far = this.size * 50;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(centre);
    this.controls.update();
  }

  /// The camera goes along, as far and from where the viewer turned it.
  private follow(): void {
    const step = this.centre().sub(this.controls.target);
    this.camera.position.add(step);
    this.controls.target.add(step);
    this.camera.lookAt(this.controls.target);
  }

  /// Shift and arrows turn, plus and minus come closer and go away.
  private turn(event: KeyboardEvent): void {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const z = new three.Vector3(0, 0, 1);
    const side = z.clone().cross(offset).normalize();
    if (event.key === "+") offset.multiplyScalar(0.9);
    else if (event.key === "-") offset.multiplyScalar(1 / 0.9);
    else if (!event.shiftKey) return;
    else if (event.key === "ArrowLeft") offset.applyAxisAngle(z, -0.1);
    else if (event.key === "ArrowRight") offset.applyAxisAngle(z, 0.1);
    else if (event.key === "ArrowUp") offset.applyAxisAngle(side, -0.1);
    else if (event.key === "ArrowDown") offset.applyAxisAngle(side, 0.1);
    else return;
    event.preventDefault();
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.render();
  }

  private point(shape: Shape, k: number): three.Vector3 {
    const first = shape.first + 3 * k;
    return new three.Vector3(this.pose[first], this.pose[first + 1], this.pose[first + 2]);
  }

  private get thin(): number {
    return 0.007 * this.size;
  }
  /// The value of an option at this pose.
  private option(shape: Shape, name: string, otherwise: number): number {
    return name in shape.options ? this.pose[shape.options[name]] : otherwise;
  }

  /// A shape whose points are no numbers is not shown.
  private addShape(shape: Shape): void {
    const group = new three.Group();
    this.scene.add(group);
    const move = this.moverOf(shape, group);
    const last = shape.first + 3 * shape.points;
    this.movers.push(() => {
      group.visible = this.pose.subarray(shape.first, last).every(Number.isFinite);
      if (group.visible) move();
    });
    const way = wayOf(this.drawing, shape);
    if (way) this.addWay(way);
  }

  private moverOf(shape: Shape, group: three.Group): () => void {
    const moves: (() => void)[] = [];
    if (shape.kind === "disc") moves.push(this.addBall(shape, group));
    else if (shape.kind === "ring") moves.push(this.addRing(shape, group));
    else if (shape.kind === "box") moves.push(this.addBox(shape, group));
    else if (shape.kind === "spring") moves.push(this.addSpring(shape, group));
    else if (shape.kind !== "text") moves.push(...this.addLine(shape, group));
    if (shape.label) moves.push(this.addLabel(shape, group));
    return () => moves.forEach((move) => move());
  }

  private mesh(group: three.Group, geometry: three.BufferGeometry, material: string): three.Mesh {
    const mesh = new three.Mesh(geometry, this.material(material));
    group.add(mesh);
    return mesh;
  }

  private addBall(shape: Shape, group: three.Group): () => void {
    const ball = this.mesh(group, this.ball, "accent");
    return () => {
      ball.position.copy(this.point(shape, 0));
      ball.scale.setScalar(Math.max(this.option(shape, "radius", 0.02 * this.size), this.thin));
    };
  }

  private addRing(shape: Shape, group: three.Group): () => void {
    const ring = this.mesh(group, this.ring, "muted");
    return () => {
      ring.position.copy(this.point(shape, 0));
      ring.scale.setScalar(Math.max(this.option(shape, "radius", 0.03 * this.size), 2 * this.thin));
      ring.quaternion.copy(this.camera.quaternion);
    };
  }

  /// Two points: opposite corners. One: the centre of a box as deep as it is wide, turned about the vertical.
  private addBox(shape: Shape, group: three.Group): () => void {
    const box = new three.Group();
    box.add(new three.Mesh(this.cube, this.material("body")), new three.LineSegments(this.edges, this.material("ink-line", true)));
    group.add(box);
    return () => {
      const first = this.point(shape, 0);
      const width = Math.abs(this.option(shape, "width", 0.06 * this.size));
      const sides = new three.Vector3(width, width, Math.abs(this.option(shape, "height", 0.04 * this.size)));
      if (shape.points > 1) {
        const second = this.point(shape, 1);
        sides.copy(second).sub(first);
        first.add(second).multiplyScalar(0.5);
      } else box.rotation.z = this.option(shape, "angle", 0);
      box.position.copy(first);
      box.scale.set(...(sides.toArray().map((side) => Math.max(Math.abs(side), 0.2 * this.thin)) as [number, number, number]));
    };
  }

  /// Its wire keeps its thickness while the coil is stretched: corners of the wire are its centre line and an offset.
  private addSpring(shape: Shape, group: three.Group): () => void {
    const tube = new three.TubeGeometry(this.coil, 30 * coils, 1, 6);
    const corners = tube.getAttribute("position") as three.BufferAttribute;
    const offsets = tube.getAttribute("normal") as three.BufferAttribute;
    const lines = Array.from({ length: corners.count }, (_, k) =>
      new three.Vector3().fromBufferAttribute(corners, k).sub(new three.Vector3().fromBufferAttribute(offsets, k)));
    const spring = this.mesh(group, tube, "ink");
    spring.frustumCulled = false;
    return () => {
      const [a, b] = [this.point(shape, 0), this.point(shape, 1)];
      const [wire, radius, length] = [0.5 * this.thin, 3.5 * this.thin, a.distanceTo(b)];
      lines.forEach(({ x, y, z }, k) =>
        corners.setXYZ(k, radius * x + wire * offsets.getX(k), length * y + wire * offsets.getY(k), radius * z + wire * offsets.getZ(k)));
      corners.needsUpdate = true;
      spring.position.copy(a).add(b).multiplyScalar(0.5);
      if (length > 0) spring.quaternion.setFromUnitVectors(up, b.sub(a).divideScalar(length));
    };
  }

  private addLine(shape: Shape, group: three.Group): (() => void)[] {
    const moves: (() => void)[] = [];
    const rods = shape.points - (shape.kind === "arrow" ? 2 : 1);
    for (let k = 0; k < rods; ++k) {
      const rod = this.mesh(group, this.rod, "ink");
      moves.push(() => stretch(rod, this.point(shape, k), this.point(shape, k + 1), this.thin));
    }
    for (let k = 0; shape.kind === "line" && k < shape.points; ++k) {
      const joint = this.mesh(group, this.ball, "ink");
      moves.push(() => {
        joint.scale.setScalar(1.6 * this.thin);
        joint.position.copy(this.point(shape, k));
      });
    }
    if (shape.kind === "arrow") {
      const [rod, head] = [this.mesh(group, this.rod, "ink"), this.mesh(group, this.cone, "ink")];
      moves.push(() => {
        const [from, to] = [this.point(shape, rods), this.point(shape, rods + 1)];
        const distance = from.distanceTo(to);
        const length = Math.min(10 * this.thin, 0.5 * distance);
        const neck = to.clone().lerp(from, distance > 0 ? length / distance : 0);
        stretch(rod, from, neck, this.thin);
        stretch(head, neck, to, 0.32 * length);
      });
    }
    return moves;
  }

  private addLabel(shape: Shape, group: three.Group): () => void {
    const label = new Label(shape.label, shape.kind === "text" ? "muted" : "ink", shape.kind !== "text");
    this.labels.push(label);
    group.add(label.sprite);
    return () => label.sprite.position.copy(this.point(shape, shape.points - 1));
  }

  private addWay(way: number[][]): void {
    const points = way.map((p) => new three.Vector3(p[0], p[1], p[2]));
    this.scene.add(new three.Line(new three.BufferGeometry().setFromPoints(points), this.material("trail", true)));
  }

  private fit(): void {
    const width = this.canvas.parentElement!.clientWidth;
    if (width === 0) return;
    const height = Math.round(width * stageRatio);
    this.renderer.setPixelRatio(devicePixelRatio || 1);
    this.renderer.setSize(width, height, false);
    this.canvas.style.height = `${height}px`;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    const pixel = (2 * Math.tan(three.MathUtils.degToRad(this.camera.fov / 2))) / height;
    for (const label of this.labels) label.fit(pixel);
    this.render();
  }

  private render(): void {
    if (!this.controls) return;
    poseAt(this.drawing, this.t, this.pose);
    if (this.follows) this.follow();
    this.placeFloor();
    for (const move of this.movers) move();
    this.renderer.render(this.scene, this.camera);
  }
}
