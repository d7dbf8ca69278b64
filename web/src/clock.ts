// The time shown: one clock that animation and plots follow, and the controls that move it.
import { short } from "./numbers";

type Listener = (t: number) => void;

export class Clock {
  t: number;
  speed = 1;
  private playing = false;
  private listeners: Listener[] = [];
  private states: (() => void)[] = [];
  private last = 0;

  /// counted: what is numbered, as in "pose"; "" where the clock shows seconds.
  constructor(
    readonly begin: number,
    readonly end: number,
    readonly counted = "",
  ) {
    this.t = begin;
  }

  onTime(listener: Listener): void {
    this.listeners.push(listener);
  }
  onState(listener: () => void): void {
    this.states.push(listener);
  }
  get isPlaying(): boolean {
    return this.playing;
  }

  text(t: number, digits?: number): string {
    if (this.counted) return `${this.counted} ${t.toFixed(0)}`;
    return `${digits === undefined ? short(t) : t.toFixed(digits)} s`;
  }

  set(t: number): void {
    this.t = Math.min(Math.max(t, this.begin), this.end);
    for (const listener of this.listeners) listener(this.t);
  }
  play(): void {
    if (this.t >= this.end) this.set(this.begin);
    this.playing = true;
    this.last = performance.now();
    requestAnimationFrame((now) => this.tick(now));
    this.tell();
  }
  pause(): void {
    this.playing = false;
    this.tell();
  }
  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  private tell(): void {
    for (const listener of this.states) listener();
  }
  private tick(now: number): void {
    if (!this.playing) return;
    // a tab that slept does not jump
    const passed = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    this.set(this.t + passed * this.speed);
    if (this.t >= this.end) this.pause();
    else requestAnimationFrame((next) => this.tick(next));
  }
}

const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16];

/// A motion is watched for some 5 to 20 s: the speed nearest to its own time that does that.
function firstSpeed(duration: number): number {
  const fits = speeds.filter((s) => duration / s <= 20.001);
  const fast = fits.length > 0 ? fits[0] : speeds[speeds.length - 1];
  return duration < 2 ? Math.max(...speeds.filter((s) => duration / s >= 4), speeds[0]) : Math.max(fast, 1);
}

export function addControls(parent: HTMLElement, clock: Clock, step: number): HTMLElement {
  const bar = document.createElement("div");
  bar.className = "controls";

  const button = document.createElement("button");
  button.type = "button";
  button.className = "play";

  const slider = document.createElement("input");
  slider.type = "range";
  slider.min = "0";
  slider.max = "1000";
  slider.step = "any";
  slider.setAttribute("aria-label", clock.counted || "time");

  const shown = document.createElement("output");

  const speed = document.createElement("select");
  speed.setAttribute("aria-label", "speed");
  for (const s of speeds) speed.add(new Option(`${s}×`, String(s)));
  clock.speed = firstSpeed(clock.end - clock.begin);
  speed.value = String(clock.speed);

  const digits = Math.max(0, 3 - Math.floor(Math.log10(clock.end - clock.begin)));
  const update = () => {
    const share = (clock.t - clock.begin) / (clock.end - clock.begin);
    slider.value = String(1000 * share);
    shown.textContent = clock.text(clock.t, Math.min(digits, 6));
    slider.setAttribute("aria-valuetext", clock.text(clock.t));
  };
  const label = () => {
    button.textContent = clock.isPlaying ? "Pause" : "Play";
  };
  button.addEventListener("click", () => clock.toggle());
  slider.addEventListener("input", () => {
    clock.pause();
    clock.set(clock.begin + (Number(slider.value) / 1000) * (clock.end - clock.begin));
  });
  speed.addEventListener("change", () => (clock.speed = Number(speed.value)));
  clock.onTime(update);
  clock.onState(label);
  update();
  label();
  bar.append(button, slider, shown, speed);
  parent.append(bar);
  addKeys(clock, step);
  return bar;
}

/// Space plays, arrows step, Home and End jump; not while something is typed or chosen.
function addKeys(clock: Clock, step: number): void {
  addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const onRange = target instanceof HTMLInputElement;
    if (target.closest("select, summary, pre, [role=button]")) return;
    if (event.key === " " && !target.closest("button")) clock.toggle();
    else if (event.key === "ArrowRight") clock.set(clock.t + step);
    else if (event.key === "ArrowLeft") clock.set(clock.t - step);
    else if (event.key === "Home" && onRange) clock.set(clock.begin);
    else if (event.key === "End" && onRange) clock.set(clock.end);
    else return;
    event.preventDefault();
  });
}
