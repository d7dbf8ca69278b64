// The page: a clock, what follows it, and what stands still.
import { addCharts } from "./charts";
import { addControls, Clock } from "./clock";
import { readData, type Drawing } from "./data";
import { typesetEquations } from "./equations";
import { addPlots } from "./plots";
import type { Stage } from "./stage";
import { addThemeButton } from "./theme";

export type MakeStage = (canvas: HTMLCanvasElement, drawing: Drawing) => Stage;

/// A camera that goes with the mechanism, or one that shows its whole way.
function addCamera(bar: HTMLElement, stage: Stage): void {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "camera";
  const label = () => {
    button.textContent = stage.following ? "Fixed view" : "Follow";
    button.title = stage.following ? "Show the whole way" : "Move the view with the mechanism";
  };
  button.addEventListener("click", () => {
    stage.following = !stage.following;
    label();
  });
  label();
  bar.append(button);
}

function addMotion(parent: HTMLElement, drawing: Drawing, clock: Clock, makeStage: MakeStage): void {
  const frame = document.createElement("div");
  frame.className = "stage";
  const canvas = document.createElement("canvas");
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "The mechanism in motion; space plays and pauses, arrows step");
  frame.append(canvas);
  parent.append(frame);
  const stage = makeStage(canvas, drawing);
  stage.show(clock.t);
  clock.onTime((t) => stage.show(t));
  if (drawing.times.length > 1) {
    const bar = addControls(parent, clock, (clock.end - clock.begin) / Math.min(drawing.times.length - 1, 250));
    if (stage.travels) addCamera(bar, stage);
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) clock.play();
  }
  if (drawing.gauges) {
    const note = document.createElement("p");
    note.className = "note";
    note.textContent = "The model has no draw lines: angles as dials, other coordinates as sliders between their extremes.";
    parent.append(note);
  }
}

export function show(makeStage: MakeStage): void {
  const data = readData();
  const times = data.times.length > 0 ? data.times : (data.drawing?.times ?? new Float64Array([0, 1]));
  const ends = [times[0], times[times.length - 1]];
  const clock = new Clock(Math.min(...ends), Math.max(...ends), data.counted);
  addThemeButton();
  const motion = document.getElementById("motion");
  if (motion && data.drawing) addMotion(motion, data.drawing, clock, makeStage);
  const plots = document.getElementById("plots");
  if (plots) addPlots(plots, data, clock);
  const charts = document.getElementById("charts");
  if (charts) addCharts(charts, data.charts);
  typesetEquations();
  document.documentElement.dataset.ready = "yes";
}
