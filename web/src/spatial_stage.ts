// A mechanism in space, with three.js: z up; rods are cylinders, discs spheres.
import * as three from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Drawing, Shape } from "./data";
import { boundsOf, poseAt, wayOf } from "./frames";
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

export class SpatialStage implements Stage {
  private readonly renderer: three.WebGLRenderer;
  private readonly scene = new three.Scene();
  private readonly camera = new three.PerspectiveCamera(32, 1 / stageRatio, 0.01, 1000);
  private readonly controls: OrbitControls;
  private readonly pose: Float32Array;
  private readonly movers: (() => void)[] = [];
  private readonly rod = new three.CylinderGeometry(1, 1, 1, 16);
  private readonly ball = new three.SphereGeometry(1, 32, 16);
  private readonly materials: Record<string, three.MeshStandardMaterial | three.LineBasicMaterial> = {};
  private readonly size: number; // of the motion
  private t = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly drawing: Drawing,
  ) {
    this.renderer = new three.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.pose = new Float32Array(drawing.width);
    this.t = drawing.times[0];
    const { low, high } = boundsOf(drawing);
    const corner = new three.Vector3(...(low as [number, number, number]));
    const opposite = new three.Vector3(...(high as [number, number, number]));
    this.size = Math.max(opposite.distanceTo(corner), 1e-6);
    const centre = corner.clone().add(opposite).multiplyScalar(0.5);
    this.addLight();
    this.addFloor(centre, low[2]);
    for (const shape of drawing.shapes) this.addShape(shape);
    this.controls = this.lookAt(centre);
    this.paint();
    onThemeChange(() => this.paint());
    new ResizeObserver(() => this.fit()).observe(canvas.parentElement!);
    this.fit();
  }

  show(t: number): void {
    this.t = t;
    this.render();
  }

  private material(name: string, line = false): three.MeshStandardMaterial | three.LineBasicMaterial {
    this.materials[name] ??= line
      ? new three.LineBasicMaterial()
      : new three.MeshStandardMaterial({ roughness: 0.55, metalness: 0.1 });
    return this.materials[name];
  }
  /// Colours of the theme that is shown now.
  private paint(): void {
    for (const [name, material] of Object.entries(this.materials)) material.color.set(colour(name));
    this.render();
  }

  private addLight(): void {
    this.scene.add(new three.HemisphereLight(0xffffff, 0x9a9a9a, 2.2));
    const sun = new three.DirectionalLight(0xffffff, 1.6);
    sun.position.set(2, -3, 5);
    this.scene.add(sun);
  }

  private addFloor(centre: three.Vector3, height: number): void {
    const step = niceStep(this.size, 8);
    const lines: three.Vector3[] = [];
    const half = 6 * step;
    const [cx, cy] = [Math.round(centre.x / step) * step, Math.round(centre.y / step) * step];
    for (let k = -6; k <= 6; ++k) {
      lines.push(new three.Vector3(cx + k * step, cy - half, height), new three.Vector3(cx + k * step, cy + half, height));
      lines.push(new three.Vector3(cx - half, cy + k * step, height), new three.Vector3(cx + half, cy + k * step, height));
    }
    this.scene.add(new three.LineSegments(new three.BufferGeometry().setFromPoints(lines), this.material("grid", true)));
  }

  private lookAt(centre: three.Vector3): OrbitControls {
    this.camera.up.set(0, 0, 1);
    this.camera.position.copy(centre).add(new three.Vector3(1.0, -1.55, 0.75).normalize().multiplyScalar(2 * this.size));
    this.camera.near = this.size / 100;
    this.camera.far = this.size * 50;
    const controls = new OrbitControls(this.camera, this.canvas);
    controls.target.copy(centre);
    controls.enableZoom = false; // the wheel scrolls the page; keys and pinch come closer
    controls.addEventListener("change", () => this.render());
    controls.update();
    this.canvas.addEventListener("keydown", (event) => this.turn(event));
    return controls;
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

  private addShape(shape: Shape): void {
    const thin = 0.007 * this.size;
    if (shape.kind === "disc" || shape.kind === "ring") {
      const ball = new three.Mesh(this.ball, this.material("accent"));
      this.scene.add(ball);
      this.movers.push(() => {
        const radius = "radius" in shape.options ? this.pose[shape.options.radius] : 0.02 * this.size;
        ball.position.copy(this.point(shape, 0));
        ball.scale.setScalar(Math.max(radius, thin));
      });
      const way = wayOf(this.drawing, shape);
      if (way) this.addWay(way);
      return;
    }
    for (let k = 0; k + 1 < shape.points; ++k) {
      const rod = new three.Mesh(this.rod, this.material("ink"));
      this.scene.add(rod);
      this.movers.push(() => stretch(rod, this.point(shape, k), this.point(shape, k + 1), thin));
    }
    for (let k = 0; shape.kind === "line" && k < shape.points; ++k) {
      const joint = new three.Mesh(this.ball, this.material("ink"));
      joint.scale.setScalar(1.6 * thin);
      this.scene.add(joint);
      this.movers.push(() => joint.position.copy(this.point(shape, k)));
    }
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
    this.render();
  }

  private render(): void {
    if (!this.controls) return;
    poseAt(this.drawing, this.t, this.pose);
    for (const move of this.movers) move();
    this.renderer.render(this.scene, this.camera);
  }
}
